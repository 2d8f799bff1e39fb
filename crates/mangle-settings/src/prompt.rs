//! `[prompt]`: settings for previews of the prompts of agent roles (shards).

use std::collections::BTreeMap;

use toml_span::value::{Table, ValueInner};
use toml_span::{Span, Value};

use super::declare::{Setting, settings, words};
use super::findings::CONFIG_UNKNOWN_KEY;
use super::keys::{Kind, SettingValue};
use super::kinds::{Integer, Text};
use super::value::{KeyPath, Reader, ValueError, range, shorten, suggest};
use super::{Globs, PHRASES, Phrase, phrase};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::nearest;

settings! {
    /// `[prompt]`
    #[derive(Debug, Clone, PartialEq)]
    pub struct PromptSettings("prompt", check) {
        /// The shards: `"coder-7 coder"` (id and type), or `"coder"` (a type). Prompts of other shards get a
        /// warning, unless the list is empty.
        shards: Vec<ShardSetting>;
        /// Texts that replace the built-in ones. Names: a type of shard, `generic` (all other types),
        /// `suffix` (envelope instructions), `inception` (preamble), `reasoning` (request for reasons), or a
        /// [heading or sentence](prompt-files.md#templates) such as `session.tests`.
        templates: BTreeMap<String, String> as Templates;
        /// The YAML files with the prompt atoms of the prompt compiler.
        atoms: Globs;
        /// The way to assemble prompts: `jit` with the prompt compiler, from `atoms`; `legacy` without the
        /// compiler; `section` for the context section only. Default: `jit` with `atoms`, otherwise `legacy`.
        /// `--mode` overrides it.
        mode: Option<PromptMode> => Means("jit with prompt atoms, otherwise legacy");
        /// Add a preamble about the two channels of the protocol at the top.
        inception: bool;
        /// Add a request for reasons at the end, for agents that do so: `full` for a `reasoning_trace` beside
        /// a `result`, `short` for a field `reasoning`. With envelope instructions, `competing-output`
        /// reports a conflict.
        reasoning: Option<Reasoning> => Means("no request for reasons");
        /// Add the facts that the runtime would have to previews: `active_shard`, `user_intent` and
        /// `context_budget`. `--no-synthetic` overrides it.
        synthetic: bool = true;
        /// Minimum percentage of common lines of a captured prompt and its preview. `drift` reports a lower
        /// share.
        similarity: u32 as Integer<0, 100> = 90;
        /// The facts that accompany a message of the user.
        context_block: ContextBlockSettings;
        /// The method to count tokens. `bytes4`: 4 bytes each, as in the prompt compiler. `chars4`: 4
        /// characters each, as in the compressor. `cl100k` and `o200k`: exact for models of OpenAI.
        tokenizer: Tokenizer;
    }
}

settings! {
    /// `[prompt.context_block]`: the facts that accompany a message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContextBlockSettings("prompt.context_block") {
        /// The predicates whose facts are shown, in this order.
        predicates: Vec<String> = [
            "user_intent",
            "file_topology",
            "test_state",
            "retry_count",
            "diagnostic",
            "task_status",
            "campaign_progress",
        ];
        /// Maximum number of facts. Facts with the lowest score in `activation(fact, score)` are omitted
        /// first.
        max_facts: usize as Integer<0, 100_000> = 60;
        /// Maximum number of tokens of the facts.
        max_tokens: usize as Integer<0, 10_000_000> = 2_000;
    }
}

/// An agent role (shard) of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardSetting {
    /// The id of the role. `None` if only the type is known.
    pub id: Option<String>,
    /// The type of the role.
    pub kind: String,
}

impl Text for ShardSetting {
    type Value = Self;

    fn parse(text: &str, _: KeyPath) -> Result<Self, ValueError> {
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            [kind] => Ok(Self { id: None, kind: kind.to_owned() }),
            [id, kind] => Ok(Self { id: Some(id.to_owned()), kind: kind.to_owned() }),
            _ => Err(ValueError::new(format!("`{}` is not a shard", shorten(text)))
                .help("write its id and its type, as in `coder-7 coder`, or its type alone")),
        }
    }

    fn print(Self { id, kind }: &Self) -> String {
        id.as_ref().map_or_else(|| kind.clone(), |id| format!("{id} {kind}"))
    }
}

words! {
    /// The way to assemble a prompt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum PromptMode {
        /// With the prompt compiler, from a corpus of atoms.
        Jit = "jit",
        /// Without the prompt compiler.
        #[default]
        Legacy = "legacy",
        /// Only the context section, which some shards append to a prompt of their own.
        Section = "section",
    }
}

words! {
    /// The request for reasons in a prompt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Reasoning {
        /// At length, beside a `result`.
        Full = "full",
        /// In a few words.
        Short = "short",
    }
}

words! {
    /// The method to count tokens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Tokenizer {
        /// A token for every 4 bytes.
        #[default]
        Bytes4 = "bytes4",
        /// A token for every 4 characters.
        Chars4 = "chars4",
        /// OpenAI's `cl100k_base`.
        Cl100k = "cl100k",
        /// OpenAI's `o200k_base`.
        O200k = "o200k",
    }
}

/// Checks the templates against the types of the roles.
fn check(settings: &PromptSettings, reader: &mut Reader<'_>) {
    let types: Vec<&str> = settings.shards.iter().map(|shard| shard.kind.as_str()).collect();
    check_templates(&types, reader);
}

/// The names of templates with a built-in text: parts of prompts, and types of roles.
pub const TEMPLATE_NAMES: [&str; 8] =
    ["suffix", "inception", "reasoning", "generic", "coder", "tester", "reviewer", "researcher"];

/// Texts by name. The source ranges of the names are recorded.
enum Templates {}

impl Setting<BTreeMap<String, String>> for Templates {
    const KIND: Kind = Kind::TextsByName;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<BTreeMap<String, String>> {
        let mut templates = BTreeMap::new();
        for (name, key, value) in flat(reader.table(value, &at.label())?) {
            let Some((text, span)) = reader.string(value, "a template") else { continue };
            if let Some(phrase) = phrase(&name) {
                check_phrase(reader, phrase, &text, span);
            } else if is_path(&text) {
                let error = ValueError::new(format!("template is the path `{}`", shorten(&text)));
                reader.questionable_value(span, error.note("a template is the text itself: no file is read"));
            }
            reader.note(at, &name, key);
            templates.insert(name, text);
        }
        Some(templates)
    }

    fn output(value: &BTreeMap<String, String>) -> SettingValue {
        let texts = value.iter().map(|(name, text)| (name.clone(), text.clone().into()));
        SettingValue::Value(serde_json::Value::Object(texts.collect()))
    }
}

/// Reports placeholders that are missing in the text of a phrase, and unknown placeholders.
fn check_phrase(reader: &mut Reader<'_>, phrase: &Phrase, text: &str, span: Span) {
    let (name, holes) = (phrase.name, phrase.placeholders().collect::<Vec<_>>());
    if holes.is_empty() || text.is_empty() {
        return;
    }
    let all = holes.iter().map(|hole| format!("`{{{hole}}}`")).collect::<Vec<_>>().join(", ");
    let note = format!("its placeholders are {all}");
    // A misspelled placeholder also omits its value, so the misspelling is reported first.
    if let Some(unknown) = super::phrases::placeholders_of(text).find(|word| !holes.contains(word)) {
        let error = ValueError::new(format!("unknown placeholder `{{{}}}` in `{name}`", shorten(unknown)));
        reader.questionable_value(span, error.note(note));
    } else if !holes.iter().any(|hole| text.contains(&format!("{{{hole}}}"))) {
        reader.questionable_value(span, ValueError::new(format!("`{name}` has no placeholder")).note(note));
    }
}

/// Reports templates that no prompt uses. `types` are the types of the listed roles. If they are
/// unknown, only likely misspellings are reported.
fn check_templates(types: &[&str], reader: &mut Reader<'_>) {
    for (name, span) in reader.take_notes("prompt.templates") {
        let phrases = PHRASES.iter().map(|phrase| phrase.name);
        let known = TEMPLATE_NAMES.into_iter().chain(types.iter().copied()).chain(phrases);
        if known.clone().any(|known| known == name) {
            continue;
        }
        let is_slip = nearest(&name, known.clone()).is_some();
        // Only the names of phrases contain a period.
        if is_slip || !types.is_empty() || name.contains('.') {
            let group = name.split_once('.').map(|(group, _)| format!("{group}."));
            let is_beside = |known: &&str| match &group {
                Some(group) => known.starts_with(group.as_str()),
                None => !known.contains('.'),
            };
            let beside: Vec<_> = known.clone().filter(is_beside).collect();
            // For an unknown group, list the groups.
            let mut all: Vec<_> = beside.iter().map(|known| format!("`{known}`")).collect();
            if all.is_empty() {
                let groups = PHRASES.iter().filter_map(|phrase| phrase.name.split_once('.'));
                all.extend(groups.map(|(group, _)| format!("`{group}.NAME`")));
                all.dedup();
            }
            let message = format!("unknown template `{}`", shorten(&name));
            let finding = Finding::new(&CONFIG_UNKNOWN_KEY, range(span), message)
                .label("no prompt uses it")
                .note(format!("the templates are {}", all.join(", ")));
            reader.findings.push(suggest(finding, &name, known));
        }
    }
}

/// The entries of a table. Entries of nested tables get both names: `session.tests`.
fn flat(table: Table<'_>) -> Vec<(String, Span, Value<'_>)> {
    let mut all = Vec::new();
    for (key, mut value) in table {
        match value.take() {
            ValueInner::Table(inner) => {
                let inner = flat(inner).into_iter();
                all.extend(inner.map(|(name, span, value)| (format!("{}.{name}", key.name), span, value)));
            }
            other => {
                value.set(other);
                all.push((key.name.to_string(), key.span, value));
            }
        }
    }
    all
}

/// True if a text is a file path rather than a template.
fn is_path(text: &str) -> bool {
    const ENDINGS: [&str; 8] = ["md", "txt", "tmpl", "tpl", "prompt", "yaml", "yml", "mg"];
    let text = text.trim();
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    is_word && (ENDINGS.contains(&ending) || text.starts_with("./") || text.starts_with("../"))
}
