//! `rule`: the list and the pages.

use expect_test::expect;

use super::support::{check, folder, run};

#[test]
fn the_page_of_a_rule() {
    check(
        &[],
        &["rule", "negation-wildcard"],
        expect![[r#"
        negation-wildcard MG210 · safety · error

        `_` under `!` never works: the engine drops the negation without a word.

        Why
          To the engine `_` under `!` is a variable that never gets a value, so it throws the
          negation away in silence: the rule fires whether such facts exist or not. (Where a `_`
          stands in a positive premise too, it rejects the rule.) The idiom is a helper rule
          that says "there is one" without the column, and its negation.

        Wrong
          │ door(/d/main).
          │ locked(/d/back, /k/one).
          │ open(D) :- door(D), !locked(D, _).

        Right
          │ door(/d/main).
          │ locked(/d/back, /k/one).
          │ has_locked(D) :- locked(D, _).
          │ open(D) :- door(D), !has_locked(D).

        Fix
          Safe where one is offered: afterwards the program means what was evidently meant.
          `check --fix` applies it.

        Severity
          `error`, unless `[rules]` in `mangle-ls.toml` says otherwise.

        Silence it
          `# mangle-ls: ignore negation-wildcard -- reason` on the line before it or behind its
          code, or `negation-wildcard = "off"` under `[rules]` in mangle-ls.toml.

        docs/rules/negation-wildcard.md
        exit 0
    "#]],
    );
}

#[test]
fn a_rule_that_does_not_exist() {
    check(
        &[],
        &["rule", "negation-wildcrad"],
        expect![[r#"
        error: there is no rule `negation-wildcrad`; did you mean `negation-wildcard`?
        exit 2
    "#]],
    );
    check(
        &[],
        &["rule", "mg210"],
        expect![[r#"
        error: there is no rule `mg210`; did you mean `MG210`?
        exit 2
    "#]],
    );
    check(
        &[],
        &["rule", "xyzzy"],
        expect![[r#"
        error: there is no rule `xyzzy`; `mangle-ls rule` lists them
        exit 2
    "#]],
    );
}

#[test]
fn rules_for_programs() {
    let folder = folder(&[]);
    let output = run(folder.path(), &["rule", "--format", "json"]);
    let rules: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let listed = String::from_utf8(run(folder.path(), &["rule"]).stdout).unwrap();
    for rule in &rules {
        let members: Vec<&str> = rule.as_object().unwrap().keys().map(String::as_str).collect();
        let wanted =
            ["code", "name", "group", "severity", "summary", "rationale", "bad", "good", "fix", "url"];
        assert_eq!(members, wanted);
        let (code, name) = (rule["code"].as_str().unwrap(), rule["name"].as_str().unwrap());
        assert!(listed.contains(&format!("{code}  {name} ")), "{name}");
    }
    let one = run(folder.path(), &["rule", "MG210", "--format", "json"]);
    let one: Vec<serde_json::Value> = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(one.first(), rules.iter().find(|rule| rule["code"] == "MG210"));
}
