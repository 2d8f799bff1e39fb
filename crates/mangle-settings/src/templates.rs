//! `[prompt.templates]`: replacements of built-in prompt texts, by name.

use std::collections::BTreeMap;

use toml_span::value::{Table, ValueInner};
use toml_span::{Span, Value};

use super::declare::Setting;
use super::findings::CONFIG_UNKNOWN_KEY;
use super::keys::Kind;
use super::output::SettingValue;
use super::value::{KeyPath, Reader, ValueError, range, shorten, suggest};
use super::{PHRASES, Phrase, phrase};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::nearest;

/// The names of templates with a built-in text: parts of prompts, and types of roles.
pub const TEMPLATE_NAMES: [&str; 8] =
    ["suffix", "inception", "reasoning", "generic", "coder", "tester", "reviewer", "researcher"];

/// Texts by name. The source ranges of the names are recorded.
pub(super) enum Templates {}

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
pub(super) fn check_templates(types: &[&str], reader: &mut Reader<'_>) {
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
