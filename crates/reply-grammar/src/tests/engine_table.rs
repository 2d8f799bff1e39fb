//! Eleven strings that tell a right grammar from a wrong one.

use mangle_settings::Profile;

use crate::EnvelopeSet;
use crate::reading::{read_bnf, read_lark, read_pattern};
use crate::target::Dialect;
use crate::testing::{Engine, Setup, declarations, envelope, written};

const POLICY: &str = "# Status: /open, /done\nDecl task_status(Task, Status) bound [/string, /name].\n\
    Decl observation(A, B) bound [/string, /string].\n";

fn setup() -> Setup {
    let mut setup = Setup::of(Profile::Current).with_fields(&[]);
    setup.decoding.updates = 3;
    setup
}

/// What each string shows, the string, and whether it is right.
fn strings() -> [(&'static str, String, bool); 11] {
    let atom = r#""task_status(\"a\", /open).""#;
    let four = [atom; 4].join(",");
    let escapes = r#""observation(\"a \\\"b\\\" \\\\ c\", \"\").","task_status(\"b\", /done).""#;
    [
        ("one atom", envelope(atom), true),
        ("two atoms with escapes", envelope(escapes), true),
        ("no atom", envelope(""), true),
        ("surface first", surface_first(), false),
        ("a name outside the list", envelope(r#""task_status(\"a\", /closed).""#), false),
        ("three arguments", envelope(r#""task_status(\"a\", /open, 1).""#), false),
        ("an unknown predicate", envelope(r#""modified(\"a\").""#), false),
        ("no full stop", envelope(r#""task_status(\"a\", /open)""#), false),
        ("four atoms of three", envelope(&four), false),
        ("text after the envelope", envelope(atom) + " Done.", false),
        ("a quote that is not escaped", envelope(r#""task_status("a", /open).""#), false),
    ]
}

fn surface_first() -> String {
    const SURFACE: &str = r#""surface_response":"Done.""#;
    let control = envelope("").replace(&format!(",{SURFACE}"), "");
    control.replacen('{', &format!("{{{SURFACE},"), 1)
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
        // What OpenAI is sent does not say that there is no white space; the strings have none.
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

/// The reason for dialects: an engine that is right about one accepts broken JSON with the other.
#[test]
fn raw_patterns_are_wrong_in_llguidance() {
    let mut engine = Engine::of_schema(&written("json-schema", Dialect::Raw, &set()).text);
    let accepted: Vec<_> =
        strings().into_iter().filter(|(_, text, _)| engine.accepts(text)).map(|(what, ..)| what).collect();
    assert_eq!(accepted, ["no atom"]);
}

/// A validator sees neither the order of members nor text after the value, which is no JSON.
#[test]
fn schemas_are_right_in_a_validator() {
    let schema = serde_json::from_str(&written("json-schema", Dialect::Decoded, &set()).text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let accepts = |text: &str| serde_json::from_str(text).is_ok_and(|value| validator.is_valid(&value));
    check("a validator", |text| accepts(text) && !text.starts_with(r#"{"surface"#));
    assert!(accepts(&strings()[3].1), "a validator sees an order");
}
