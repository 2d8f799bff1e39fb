//! JSON schema and Markdown documentation of `mangle-ls.toml`, generated from the table of keys and the
//! rules. Editors use the schema for completion and validation.
//!
//! Some problems are only found by the reader, for example patterns that match nothing or programs
//! with the same name. The schema uses the part of draft 4 that later drafts did not change,
//! because TOML tools of editors support draft 4.

use serde_json::{Map, Value, json};

use super::kernel::AUTO;
use super::keys::{Absence, Key, Kind, RULE_WORDS, Section, sections};
use super::versions::engine_names;
use super::{FILE_NAME, SettingTable, Settings, Vocabulary};
use mangle_syntax::lint::Group;

/// Returns the schema.
#[must_use]
pub fn schema(vocabulary: Vocabulary<'_>) -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": FILE_NAME,
        "description": "Settings of mangle-ls. Everything has a default.",
    });
    merge(&mut schema, object(Settings::SECTION, vocabulary));
    schema
}

fn object(section: &Section, vocabulary: Vocabulary<'_>) -> Value {
    let properties: Map<_, _> =
        section.keys.iter().map(|key| (key.name.to_owned(), property(key, vocabulary))).collect();
    let mut object = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let required = section.keys.iter().filter(|key| key.absence == Absence::Required);
    let required: Vec<_> = required.map(|key| key.name).collect();
    if !required.is_empty() {
        merge(&mut object, json!({ "required": required }));
    }
    object
}

fn property(key: &Key, vocabulary: Vocabulary<'_>) -> Value {
    let mut property = json!({ "description": key.doc });
    merge(&mut property, kind(key.kind, vocabulary));
    if let Some(default) = key.default_value() {
        merge(&mut property, json!({ "default": default }));
    }
    property
}

fn kind(kind: Kind, vocabulary: Vocabulary<'_>) -> Value {
    // A relative path inside the folder.
    let inside = || json!({ "type": "string", "minLength": 1, "not": { "pattern": "^/|(^|/)\\.\\.(/|$)" } });
    let pointer = || json!({ "type": "string", "pattern": "^(/.*)?$" });
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Pattern => json!({ "type": "string", "format": "regex" }),
        Kind::Pointer => pointer(),
        Kind::PointerOrPointers => json!({ "anyOf": [pointer(), { "type": "array", "items": pointer() }] }),
        Kind::File => inside(),
        Kind::Globs => json!({ "type": "array", "items": inside() }),
        Kind::GlobOrGlobs => json!({ "anyOf": [inside(), { "type": "array", "items": inside() }] }),
        Kind::Predicates => {
            let item = json!({ "type": "string", "pattern": "^[a-z][A-Za-z0-9_.:]*/[0-9]{1,5}$" });
            json!({ "type": "array", "items": item })
        }
        Kind::Version => json!({ "type": "string", "pattern": "^[ <>=~^0-9*]" }),
        Kind::Engine => {
            let names: Vec<_> = std::iter::once(AUTO).chain(engine_names()).collect();
            let day = "^v?[0-9]+\\.[0-9]+\\.[0-9]+$|^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
            json!({ "anyOf": [{ "enum": names }, { "type": "string", "pattern": day }] })
        }
        Kind::Instant => {
            let instant = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}.*([Zz]|[+-][0-9]{2}:?[0-9]{2})$";
            json!({ "type": "string", "pattern": instant })
        }
        Kind::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Decimal(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::WordOrFlag(words) => {
            json!({ "anyOf": [{ "type": "string", "enum": words }, { "type": "boolean" }] })
        }
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Rules => rules(vocabulary),
        Kind::Table(inner) => object(inner, vocabulary),
        Kind::Tables(inner) => json!({ "type": "array", "items": object(inner, vocabulary) }),
        // A name with a period can be written as a key of a nested table.
        Kind::TextsByName => json!({
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    { "type": "string" },
                    { "type": "object", "additionalProperties": { "type": "string" } },
                ],
            },
        }),
        Kind::Stores(words) => {
            let predicates = json!({ "type": "array", "items": { "type": "string" } });
            let table = json!({
                "type": "object",
                "properties": { "default": { "type": "string", "minLength": 1 }, "shared": predicates },
                "additionalProperties": predicates,
            });
            json!({ "anyOf": [{ "type": "string", "enum": words }, table] })
        }
        Kind::Named(inner) => json!({ "type": "object", "additionalProperties": object(inner, vocabulary) }),
    }
}

/// `[rules]`: names with their summaries as choices. Codes and patterns, which users do not
/// complete, are regular expressions.
fn rules(vocabulary: Vocabulary<'_>) -> Value {
    // Repeated inline: draft 4 ignores keywords next to a reference.
    let severity = || json!({ "type": "string", "enum": RULE_WORDS });
    let described = |description: &str| {
        let mut severity = severity();
        merge(&mut severity, json!({ "description": description }));
        severity
    };
    let groups =
        Group::ALL.into_iter().map(|group| (group.as_str(), format!("The group: {}.", group.title())));
    let names = vocabulary.rules.iter().map(|rule| {
        let summary = rule.summary.trim_end_matches('.');
        (rule.name, format!("{}: {summary}. Default: {}.", rule.code, rule.default_word()))
    });
    let properties: Map<_, _> =
        groups.chain(names).map(|(name, text)| (name.to_owned(), described(&text))).collect();
    let codes: Vec<_> = vocabulary.rules.iter().map(|rule| rule.code).collect();
    let patterns: Map<_, _> = [format!("^({})$", codes.join("|")), "\\*".to_owned()]
        .into_iter()
        .map(|pattern| (pattern, severity()))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": false,
    })
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// The keys of some tables, including nested tables, as a Markdown list. If `tables` is empty, the
/// keys of the top level.
#[must_use]
pub fn markdown(tables: &[&str]) -> String {
    let is_wanted = |header: &str| {
        let path = header.trim_matches(['[', ']']);
        let table = path.split('.').next().unwrap_or(path);
        if tables.is_empty() { path.is_empty() } else { tables.contains(&table) }
    };
    let sections = sections(Settings::SECTION).into_iter().filter(|(header, _)| is_wanted(header));
    sections.fold(String::new(), |out, (_, section)| out + &items(section))
}

/// The keys of one section, as a Markdown list.
#[must_use]
pub fn section_markdown(section: &Section) -> String {
    items(section)
}

/// Line width of Markdown.
const COLUMNS: usize = 100;

fn items(section: &Section) -> String {
    let item = |key: &Key| {
        let default = key.default_text().map_or(String::new(), |default| format!(" (default `{default}`)"));
        list_item("- ", &format!("`{}`{default}: {}", section.notation(key), key.doc))
    };
    section.keys.iter().map(item).collect()
}

/// An item of a Markdown list, wrapped to 100 columns. Continuation lines are indented.
#[must_use]
pub fn list_item(bullet: &str, text: &str) -> String {
    let indent = " ".repeat(bullet.len());
    let mut out = bullet.to_owned();
    let mut column = bullet.len();
    for (at, word) in text.split_whitespace().enumerate() {
        let width = word.chars().count();
        if at > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            out.push_str(&indent);
            column = indent.len();
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
    out
}
