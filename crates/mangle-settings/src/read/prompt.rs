//! `[prompt]` and the tables in it.

use std::collections::BTreeMap;

use toml_span::value::{Table, ValueInner};
use toml_span::{Span, Value};

use crate::keys::{CONTEXT_BLOCK, Kind, PROMPT};
use crate::value::Reader;
use crate::{
    ContextBlockSettings, PHRASES, Phrase, PromptMode, PromptSettings, Reasoning, ShardSetting,
    TEMPLATE_NAMES, Tokenizer, phrase,
};
use mangle_syntax::text::{TextRange, nearest};

impl Reader<'_> {
    /// Reads `[prompt]`.
    pub(super) fn prompt(&mut self, value: Value<'_>) -> (PromptSettings, Vec<TextRange>) {
        let (mut settings, mut places, mut templates) = (PromptSettings::default(), Vec::new(), Vec::new());
        let Some(table) = self.table(value, "`prompt`") else { return (settings, places) };
        self.unknown_keys(&PROMPT, &table);
        for (key, value) in table {
            match &*key.name {
                "shards" => settings.shards = self.shards(value),
                "templates" => (settings.templates, templates) = self.templates(value),
                "atoms" => {
                    (settings.atoms, places) = self.globs(value, "`atoms`").unwrap_or_default();
                }
                "mode" => settings.mode = self.word(value, "`mode`", &PromptMode::WORDS, PromptMode::parse),
                "inception" => settings.inception = self.flag(value, "`inception`").unwrap_or_default(),
                "reasoning" => {
                    settings.reasoning = self.word(value, "`reasoning`", &Reasoning::WORDS, Reasoning::parse);
                }
                "synthetic" => settings.synthetic = self.flag(value, "`synthetic`").unwrap_or(true),
                "similarity" => {
                    let percent = self.number(value, "`similarity`", (0, 100));
                    let percent = percent.and_then(|percent| u32::try_from(percent).ok());
                    settings.similarity = percent.unwrap_or(settings.similarity);
                }
                "context_block" => settings.context_block = self.context_block(value),
                "tokenizer" => {
                    let word = self.word(value, "`tokenizer`", &Tokenizer::WORDS, Tokenizer::parse);
                    settings.tokenizer = word.unwrap_or_default();
                }
                _ => {}
            }
        }
        self.check_templates(&templates, &settings);
        (settings, places)
    }

    fn shards(&mut self, value: Value<'_>) -> Vec<ShardSetting> {
        let mut shards = Vec::new();
        for (text, span) in self.strings(value, "`shards`") {
            let words: Vec<_> = text.split_whitespace().collect();
            match words[..] {
                [kind] => shards.push(ShardSetting { id: None, kind: kind.to_owned() }),
                [id, kind] => shards.push(ShardSetting { id: Some(id.to_owned()), kind: kind.to_owned() }),
                _ => {
                    let example = "`coder-7 coder`, or a type, as `coder`";
                    self.bad_value(
                        span,
                        format!("`{text}` is no shard; write its id and its type, as {example}."),
                    );
                }
            }
        }
        shards
    }

    /// The templates by name, and where each name stands.
    fn templates(&mut self, value: Value<'_>) -> (BTreeMap<String, String>, Vec<(String, Span)>) {
        let (mut templates, mut places) = (BTreeMap::new(), Vec::new());
        let Some(table) = self.table(value, "`templates`") else { return (templates, places) };
        for (name, key, value) in flat(table) {
            let Some((text, span)) = self.string(value, "a template") else { continue };
            if let Some(phrase) = phrase(&name) {
                self.check_phrase(phrase, &text, span);
            } else if is_path(&text) {
                self.bad_value(
                    span,
                    format!("`{text}` is a path, and a template is the text itself: no file is read."),
                );
            }
            places.push((name.clone(), key));
            templates.insert(name, text);
        }
        (templates, places)
    }

    /// Reports values that the text of a phrase leaves out, and placeholders that nothing fills in.
    fn check_phrase(&mut self, phrase: &Phrase, text: &str, span: Span) {
        let Phrase { name, holes, .. } = phrase;
        if holes.is_empty() || text.is_empty() {
            return;
        }
        let all = holes.iter().map(|hole| format!("`{{{hole}}}`")).collect::<Vec<_>>().join(", ");
        // One placeholder that is misspelled leaves its value out as well.
        if let Some(unknown) = placeholders(text).find(|word| !holes.contains(word)) {
            self.bad_value(
                span,
                format!("Nothing is filled in for `{{{unknown}}}` in `{name}`; there are {all}."),
            );
        } else if !holes.iter().any(|hole| text.contains(&format!("{{{hole}}}"))) {
            self.bad_value(span, format!("`{name}` leaves its values out; write where they stand: {all}."));
        }
    }

    /// Reports templates that no prompt takes. Which types of shards there are is known where `shards` lists them;
    /// elsewhere only what looks like a misspelling is reported.
    fn check_templates(&mut self, templates: &[(String, Span)], settings: &PromptSettings) {
        let types: Vec<&str> = settings.shards.iter().map(|shard| shard.kind.as_str()).collect();
        for (name, span) in templates {
            let phrases = PHRASES.iter().map(|phrase| phrase.name);
            let known = TEMPLATE_NAMES.into_iter().chain(types.iter().copied()).chain(phrases);
            if known.clone().any(|known| known == name) {
                continue;
            }
            let is_slip = nearest(name, known.clone()).is_some();
            // Only phrases have a name with a full stop.
            if is_slip || !types.is_empty() || name.contains('.') {
                let group = name.split_once('.').map(|(group, _)| format!("{group}."));
                let is_beside = |known: &&str| match &group {
                    Some(group) => known.starts_with(group.as_str()),
                    None => !known.contains('.'),
                };
                let beside: Vec<_> = known.clone().filter(is_beside).collect();
                // Of a group that there is not, the groups.
                let mut all: Vec<_> = beside.iter().map(|known| format!("`{known}`")).collect();
                if all.is_empty() {
                    let groups = PHRASES.iter().filter_map(|phrase| phrase.name.split_once('.'));
                    all.extend(groups.map(|(group, _)| format!("`{group}.NAME`")));
                    all.dedup();
                }
                let message = format!("No prompt takes a template `{name}`; there are {}.", all.join(", "));
                self.unknown_near(*span, message, name, known);
            }
        }
    }

    fn context_block(&mut self, value: Value<'_>) -> ContextBlockSettings {
        let mut block = ContextBlockSettings::default();
        let Some(table) = self.table(value, "`context_block`") else { return block };
        self.unknown_keys(&CONTEXT_BLOCK, &table);
        for (key, value) in table {
            match (&*key.name, CONTEXT_BLOCK.key(&key.name).map(|key| key.kind)) {
                ("predicates", _) => {
                    let names = self.strings(value, "`predicates`");
                    block.predicates = names.into_iter().map(|(name, _)| name).collect();
                }
                (name, Some(Kind::Number(least, most))) => {
                    let number = self.number(value, &format!("`{name}`"), (least, most));
                    let limit =
                        if name == "max_facts" { &mut block.max_facts } else { &mut block.max_tokens };
                    *limit = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(*limit);
                }
                _ => {}
            }
        }
        block
    }
}

/// The entries of a table, those of tables in it under both names: `session.tests`.
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

/// The words in braces of a text.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(word, _)| word);
    words
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
}

/// Whether a text is the path of a file rather than a template.
fn is_path(text: &str) -> bool {
    const ENDINGS: [&str; 8] = ["md", "txt", "tmpl", "tpl", "prompt", "yaml", "yml", "mg"];
    let text = text.trim();
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    is_word && (ENDINGS.contains(&ending) || text.starts_with("./") || text.starts_with("../"))
}
