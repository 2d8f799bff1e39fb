//! JSON schema of `mangle-ls.toml`, generated from the table of keys and the rules, for completion
//! and validation in editors.
//!
//! Some problems are only found by the reader, for example patterns that match nothing or programs
//! with the same name. The schema uses the part of draft 4 that later drafts did not change,
//! because TOML tools of editors support draft 4.

use serde_json::{Map, Value, json};

use super::engine_choice::AUTO;
use super::keys::{Absence, Key, Kind, RULE_WORDS, Section};
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
