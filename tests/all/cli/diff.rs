//! `diff`: what two policies give, and the statements that make the difference.

use expect_test::expect;

use super::support::{check, folder, run};

const SCHEMA: &str = "Decl pending(Id, Action) descr [extensional()] bound [/string, /name].\n\
    Decl danger(Id, Why) descr [extensional()] bound [/string, /string].\n\
    Decl approved(Id) descr [extensional()] bound [/string].\n\
    has_danger(Id) :- danger(Id, _).\n";
const OLD: &str = "permitted(Id, Action) :- pending(Id, Action), clear(Id).\n\
    clear(Id) :- pending(Id, _), !has_danger(Id).\n\
    clear(Id) :- approved(Id).\n";
const NEW: &str = "# Approvals are gone, and the helper with them.\n\
    permitted(Id, Action) :- pending(Id, Action), clear(Id).\n\
    clear(Id) :- pending(Id, _), !danger(Id, _).\n";
const FILES: &[(&str, &str)] =
    &[("old/schema.mg", SCHEMA), ("old/policy.mg", OLD), ("new/schema.mg", SCHEMA), ("new/policy.mg", NEW)];

#[test]
fn each_statement_that_makes_a_difference_has_a_world() {
    check(FILES, &["diff", "old", "new"], expect![[""]]);
}

#[test]
fn in_the_intended_reading_only_the_approval_is_lost() {
    check(FILES, &["diff", "old", "new", "permitted(Id, _)", "--reading", "written"], expect![[""]]);
}

#[test]
fn the_order_of_statements_makes_no_difference() {
    let turned = "clear(Id) :- approved(Id).\nclear(Id) :- pending(Id, _),\n  !has_danger(Id). # as before\n\
        permitted(Id, Action) :- pending(Id, Action), clear(Id).\n";
    let files: Vec<_> = FILES[..3].iter().copied().chain([("new/policy.mg", turned)]).collect();
    check(&files, &["diff", "old", "new"], expect![[""]]);
}

#[test]
fn markdown_is_made_for_a_pull_request() {
    check(
        FILES,
        &["diff", "old", "new", "clear(Id)", "--format", "markdown", "--reading", "written"],
        expect![[""]],
    );
}

#[test]
fn json_has_a_place_for_each_difference() {
    let at = folder(FILES);
    let out = run(at.path(), &["diff", "old", "new", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let comparison = &told["comparisons"][0];
    assert_eq!(comparison["answer"], "both");
    assert_eq!(comparison["added"][0]["rule"], "new/policy.mg:3");
    assert_eq!(comparison["removed"][0]["rule_in"], "old");
    assert_eq!(comparison["removed"][0]["world"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_cannot_be_compared_is_said() {
    check(FILES, &["diff", "old", "new", "open(X)"], expect![[""]]);
    check(FILES, &["diff", "old", "nowhere"], expect![[""]]);
    check(FILES, &["diff", "old", "new", "X != Y"], expect![[""]]);
    check(&[("a/x.mg", "p(1).\n"), ("b/x.mg", "p(1).\n")], &["diff", "a", "b"], expect![[""]]);
}

#[test]
fn properties_compare_with_another_program() {
    let tests = "# @implies permitted(Id, Action) with ../old\n\n# @equivalent has_danger(Id) with ../old\n\n\
        # @equivalent clear(Id) with ../older\n";
    let files: Vec<_> = FILES.iter().copied().chain([("new/policy_test.mg", tests)]).collect();
    check(&files, &["verify", "new"], expect![[""]]);
}
