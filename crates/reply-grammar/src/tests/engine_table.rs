//! Eleven strings that distinguish correct grammars from incorrect ones.

use mangle_settings::Profile;
use serde_json::Value;

use crate::EnvelopeSet;
use crate::reading::{read_bnf, read_lark, read_pattern};
use crate::target::Dialect;
use crate::testing::{Engine, Setup, declarations, written};

const POLICY: &str = include_str!("engine_table/schemas.gl");

fn setup() -> Setup {
    let mut setup = Setup::new(Profile::Current).with_fields(&[]);
    setup.decoding.updates = 3;
    setup
}

/// The description, the text and the validity of each string. The file is shared with tests of
/// engines in other languages.
fn strings() -> Vec<(String, String, bool)> {
    let rows: Vec<Value> = serde_json::from_str(include_str!("engine_table/replies.json")).unwrap();
    assert_eq!(rows.len(), 11);
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(row, "what"), text(row, "reply"), row["valid"].as_bool().unwrap())).collect()
}

#[track_caller]
fn check(target: &str, mut accepts: impl FnMut(&str) -> bool) {
    let wrong: Vec<_> = strings()
        .into_iter()
        .filter(|(_, text, want)| accepts(text) != *want)
        .map(|(what, ..)| what)
        .collect();
    assert!(wrong.is_empty(), "{target}: {wrong:?}");
}

fn set() -> EnvelopeSet {
    setup().set(&declarations(POLICY))
}

#[test]
fn schemas_with_decoded_patterns_are_right_in_llguidance() {
    for target in ["json-schema", "openai"] {
        // The schema for OpenAI does not exclude white space; the strings have none.
        let mut engine = Engine::of_schema(&written(target, Dialect::Decoded, &set()).text);
        check(target, |text| engine.accepts(text));
    }
}

#[test]
fn lark_is_right_in_llguidance() {
    let mut engine = Engine::of_lark(&written("lark", Dialect::Raw, &set()).text);
    check("lark", |text| engine.accepts(text));
}

#[test]
fn grammars_and_expressions_are_right() {
    let set = set();
    let text = |target| written(target, Dialect::Raw, &set).text;
    let read = [
        ("gbnf", read_bnf(&text("gbnf"))),
        ("ebnf", read_bnf(&text("ebnf"))),
        ("lark", read_lark(&text("lark"))),
        ("regex", read_pattern(text("regex").trim_end())),
        ("the set itself", Ok(set.json())),
    ];
    for (target, expr) in read {
        let expr = expr.unwrap();
        check(target, |text| expr.accepts(text));
    }
}

/// The reason for dialects: an engine for one dialect accepts invalid JSON with the other one.
#[test]
fn raw_patterns_are_wrong_in_llguidance() {
    let mut engine = Engine::of_schema(&written("json-schema", Dialect::Raw, &set()).text);
    let accepted: Vec<_> =
        strings().into_iter().filter(|(_, text, _)| engine.accepts(text)).map(|(what, ..)| what).collect();
    assert_eq!(accepted, ["no atom"]);
}

/// A validator checks neither the order of members nor text after the value.
#[track_caller]
fn check_validator(name: &str, is_valid: impl Fn(&Value) -> bool) {
    let accepts = |text: &str| serde_json::from_str(text).is_ok_and(|value| is_valid(&value));
    check(name, |text| accepts(text) && !text.starts_with(r#"{"surface"#));
    let (_, surface_first, _) = strings().into_iter().find(|(what, ..)| what == "surface first").unwrap();
    assert!(accepts(&surface_first), "{name} sees an order");
}

#[test]
fn a_schema_is_right_in_a_validator() {
    let schema: Value = serde_json::from_str(&written("json-schema", Dialect::Decoded, &set()).text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    check_validator("jsonschema", |value| validator.is_valid(value));
}
