//! `explain`: the list and the pages.

use expect_test::expect;

use super::support::{check, folder, run};

#[test]
fn the_page_of_a_rule() {
    check(
        &[],
        &["explain", "negation-wildcard"],
        expect![[r#"
            negation-wildcard MG210 · safety · error

            Checks for
              A wildcard in a negation.

            Why it matters
              To the engine, `_` in a negation is a variable that is never bound. Engines before
              2026-09 silently ignore the negation: the rule derives its head whether or not such a
              fact exists. If a positive premise also has a wildcard, they reject the rule. Newer
              engines always reject it.

            Example
              │ door(/d/main).
              │ locked(/d/back, /k/one).
              │ open(D) :- door(D), !locked(D, _).

            Finding
              error[MG210 negation-wildcard]: wildcard makes the engine ignore this negation
               --> main.mg:3:32
                |
              3 | open(D) :- door(D), !locked(D, _).
                |                                ^ never bound
                |
                = note: `open(D)` is derived whether or not such a fact exists
                = note: engines before 2026-09 ignore this negation; newer engines reject the rule
                = help: add the helper rule `has_locked` and negate it instead

            Instead
              │ door(/d/main).
              │ locked(/d/back, /k/one).
              │ has_locked(D) :- locked(D, _).
              │ open(D) :- door(D), !has_locked(D).

            Fix
              Replaces the negated atom by a helper predicate without the unbound arguments, and
              adds the rule of that predicate if the program has none. If a fix is offered, it is
              safe: it restores the author's evident intent. `check --fix` applies it.

            Severity
              `error`. To change it, use `[rules]` in `mangle-ls.toml`.

            Suppress it
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
        &["explain", "negation-wildcrad"],
        expect![[r#"
        error: there is no rule `negation-wildcrad`; did you mean `negation-wildcard`?
        exit 2
    "#]],
    );
    check(
        &[],
        &["explain", "mg210"],
        expect![[r#"
        error: there is no rule `mg210`; did you mean `MG210`?
        exit 2
    "#]],
    );
    check(
        &[],
        &["explain", "xyzzy"],
        expect![[r#"
            error: there is no rule `xyzzy`; `mangle-ls explain` lists the rules
            exit 2
        "#]],
    );
}

#[test]
fn rules_for_programs() {
    let folder = folder(&[]);
    let output = run(folder.path(), &["explain", "--format", "json"]);
    let rules: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let listed = String::from_utf8(run(folder.path(), &["explain"]).stdout).unwrap();
    for rule in &rules {
        let members: Vec<&str> = rule.as_object().unwrap().keys().map(String::as_str).collect();
        let wanted = [
            "code",
            "name",
            "group",
            "severity",
            "summary",
            "rationale",
            "bad",
            "finding",
            "good",
            "fix",
            "url",
        ];
        assert_eq!(members, wanted);
        let (code, name) = (rule["code"].as_str().unwrap(), rule["name"].as_str().unwrap());
        assert!(listed.contains(&format!("{code}  {name} ")), "{name}");
    }
    let one = run(folder.path(), &["explain", "MG210", "--format", "json"]);
    let one: Vec<serde_json::Value> = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(one.first(), rules.iter().find(|rule| rule["code"] == "MG210"));
}
