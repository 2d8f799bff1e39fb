use std::fmt::Write as _;

use expect_test::{Expect, expect};
use mangle_settings::Profile;

use super::{FileContext, Origin, check};
use crate::target::{Dialect, TARGETS};
use crate::testing::{Setup, declarations, written};

const POLICY: &str = "# Status: /open, /done\nDecl task_status(Task, Status) bound [/string, /name].\nDecl modified(File) bound [/string].\n";

fn setup() -> Setup {
    Setup::new(Profile::Current).with_fields(&[])
}

/// The findings about a generated and modified file.
fn found(target: &str, policy: &str, change: &dyn Fn(String) -> String) -> String {
    let declarations = declarations(policy);
    let (setup, name) = (setup(), format!("a.{target}"));
    let set = setup.set(&declarations);
    let target = TARGETS.into_iter().find(|one| one.name == target).unwrap();
    let generated = target.write(&set, target.usual_dialect(), "an example").text;
    let text = change(generated.clone());
    let name = if target.is_schema() { "a.json".to_owned() } else { name };
    let origin = Origin::from_file_name(&name, &text).unwrap();
    let context = FileContext {
        set: &set,
        declarations: &declarations,
        transcripts: &setup.transcripts,
        generated: &generated,
    };
    let mut out = String::new();
    for finding in check(&text, &origin, &context) {
        let range = usize::from(finding.range.start())..usize::from(finding.range.end());
        let shown: String = text[range].chars().take(40).collect();
        assert!(!shown.is_empty(), "{finding:?}");
        writeln!(out, "{}: {}", finding.rule.name, finding.message).unwrap();
        for note in &finding.notes {
            writeln!(out, "  {note}").unwrap();
        }
        assert_eq!(finding.fix.unwrap().edits[0].text, generated);
    }
    out
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn changed(targets: &[&str], from: &str, to: &str, expect: Expect) {
    let change = |text: String| {
        assert!(text.contains(from), "{from} is not in {text}");
        text.replace(from, to)
    };
    let found: Vec<_> = targets.iter().map(|target| found(target, POLICY, &change)).collect();
    assert!(found.iter().all(|one| one == &found[0]), "{found:#?}");
    expect.assert_eq(&found[0]);
}

/// The file differs from the generated text only in its header comment.
#[test]
fn what_is_generated_has_no_finding() {
    for target in ["gbnf", "ebnf", "lark"] {
        assert_eq!(found(target, POLICY, &|text| text + "\n"), "", "{target}");
    }
    for target in ["json-schema", "openai"] {
        assert_eq!(found(target, POLICY, &|text| text.replace("an example", "another")), "", "{target}");
    }
    assert_eq!(found("regex", POLICY, &|text| text.trim_end().to_owned()), "");
}

#[test]
fn a_wrong_arity_is_a_contradiction() {
    changed(
        &["gbnf", "ebnf"],
        "modified(\" string",
        "modified(\" string \", \" string",
        expect![[r#"
            schema-pattern: file allows `modified/2`, which is rejected
              `modified` is not declared with 2 arguments
        "#]],
    );
    changed(
        &["lark"],
        "modified(\" STRING",
        "modified(\" STRING \", \" STRING",
        expect![[r#"
            schema-pattern: file allows `modified/2`, which is rejected
              `modified` is not declared with 2 arguments
        "#]],
    );
}

#[test]
fn unknown_predicates_and_names_are_contradictions() {
    changed(
        &["gbnf", "ebnf", "lark"],
        "modified(",
        "altered(",
        expect![[r#"
            schema-pattern: file allows `altered/1`, which is rejected
              predicate `altered/1` is not declared
        "#]],
    );
    changed(
        &["json-schema"],
        "modified\\\\(",
        "altered\\\\(",
        expect![[r#"
            schema-pattern: file allows `altered/1`, which is rejected
              predicate `altered/1` is not declared
        "#]],
    );
    changed(
        &["gbnf", "ebnf"],
        ").\" |",
        ")\" |",
        expect![[r#"
            schema-pattern: file allows `modified/1`, which is rejected
              update does not end with a full stop
        "#]],
    );
}

#[test]
fn missing_alternatives_are_a_gap() {
    changed(
        &["gbnf", "ebnf"],
        " | \"/open\"",
        "",
        expect![[r#"
            grammar-gap: file rejects the valid update `task_status/2`
              `task_status("t", /open).` cannot be generated
        "#]],
    );
    changed(
        &["json-schema"],
        "(/done|/open)",
        "/done",
        expect![[r#"
            grammar-gap: file rejects the valid update `task_status/2`
              `task_status("t", /open).` cannot be generated
        "#]],
    );
}

#[test]
fn other_fields_are_a_drift() {
    changed(
        &["json-schema"],
        "\"mangle_updates\",\n        \"memory_operations\"",
        "\"mangle_updates\"",
        expect![[r#"
            schema-drift: field `memory_operations` may be left out
              engines differ in where they put optional fields
        "#]],
    );
    changed(
        &["json-schema"],
        "\"memory_operations\": {",
        "\"memory\": {",
        expect![[r#"
            schema-drift: field `memory_operations` is missing
              version current has it, and no reply can
        "#]],
    );
    changed(
        &["gbnf"],
        ",\\\"memory_operations\\\":\" memory-operations",
        "\"",
        expect![[r#"
            schema-drift: field `memory_operations` is missing
              version current has it, and no reply can
        "#]],
    );
}

#[test]
fn broken_files_are_said_to_be() {
    changed(
        &["gbnf", "ebnf"],
        "[\" (update (",
        "[\" ((update (",
        expect![[r#"
            schema-broken: grammar cannot be read
              a group has no end
        "#]],
    );
    changed(
        &["lark"],
        "[\" (UPDATE (",
        "[\" ((UPDATE (",
        expect![[r#"
            schema-broken: grammar cannot be read
              a group has no end
        "#]],
    );
    changed(
        &["gbnf"],
        "memory-operations ::=",
        "memory ::=",
        expect![[r#"
            schema-broken: grammar cannot be read
              there is no rule `memory-operations`
        "#]],
    );
    changed(
        &["json-schema"],
        "\"type\": \"array\",",
        "\"type\": ,",
        expect![[r#"
            schema-broken: schema is no JSON
              no engine and no provider accepts it
        "#]],
    );
    changed(
        &["json-schema"],
        "^(modified",
        "^((modified",
        expect![[r#"
            schema-broken: pattern does not compile
              unclosed group
        "#]],
    );
}

#[test]
fn grammars_beyond_what_is_read_are_reported() {
    let changes: [(&str, &dyn Fn(String) -> String); 5] = [
        ("gbnf", &|text| text.replace("surface ::=", "surface ::= surface |")),
        ("gbnf", &|_| "root ::= \"a\"\n".to_owned()),
        ("lark", &|text| text + "%ignore /[ ]/\n"),
        ("lark", &|text| text.replace("start:", "?start:")),
        ("json-schema", &|text| text.replace("^(modified", "^\\\\b(modified")),
    ];
    let found = changes.map(|(target, change)| found(target, POLICY, change));
    expect![[r#"
        grammar-unchecked: grammar is not compared with the declarations
          rule `surface` is recursive
        grammar-unchecked: grammar is not compared with the declarations
          none of its examples is an envelope
        grammar-unchecked: grammar is not compared with the declarations
          mangle-ls does not read `%` in a Lark grammar
        grammar-unchecked: grammar is not compared with the declarations
          mangle-ls does not read `?` in a Lark grammar
        grammar-unchecked: pattern is not compared with the declarations
          mangle-ls does not read look-around
    "#]]
    .assert_eq(&found.concat());
}

#[test]
fn the_line_that_names_the_notation_is_skipped() {
    assert_eq!(found("lark", POLICY, &|text| format!("%llguidance {{}}\n{text}")), "");
}

#[test]
fn surface_first_is_seen_in_every_notation() {
    let text = |target| {
        let declarations = declarations(POLICY);
        let set = Setup::new(Profile::V1_1).with_fields(&[]).set(&declarations);
        written(target, crate::target::Target::named(target).unwrap().usual_dialect(), &set).text
    };
    for target in ["gbnf", "lark", "json-schema", "regex"] {
        let found = found(target, POLICY, &|_| text(target));
        assert!(found.contains("`surface_response` comes first"), "{target}: {found}");
    }
}

#[test]
fn files_say_what_they_are_for() {
    let text = "# Generated by `mangle-ls grammar --target gbnf --profile 1.1 --consumer planner` from 3 declarations\nroot ::= \"\"\n";
    let origin = Origin::from_file_name("a.txt", text).unwrap();
    assert_eq!((origin.target, origin.profile), ("gbnf", Some(Profile::V1_1)));
    assert_eq!((origin.consumer.as_deref(), origin.declarations), (Some("planner"), Some(3)));
    let schema = "{\"description\": \"Generated by `mangle-ls grammar --target json-schema --dialect raw --profile current\"}";
    assert!(!Origin::from_file_name("a.json", schema).unwrap().is_generated);
    let schema = schema.replace("current", "current`");
    assert_eq!(Origin::from_file_name("a.json", &schema).unwrap().dialect, Dialect::Raw);
    assert_eq!(Origin::from_file_name("a.lark", "").map(|origin| origin.target), Some("lark"));
    assert_eq!(Origin::from_file_name("a.yaml", ""), None);
}
