//! `diff`: what two policies give, and the statements that make the difference.

use expect_test::expect;

use super::support::{check, folder, run};

const SCHEMA: &str = "Decl pending(Id, Action) descr [extensional()] bound [/string, /name].\n\
    Decl danger(Id, Why) descr [extensional()] bound [/string, /string].\n\
    Decl approved(Id) descr [extensional()] bound [/string].\n\
    has_danger(Id) :- danger(Id, _).\nrequest(Id) :- pending(Id, _).\n";
const OLD: &str = "permitted(Id, Action) :- pending(Id, Action), clear(Id).\n\
    clear(Id) :- request(Id), !has_danger(Id).\n\
    clear(Id) :- approved(Id).\n";
const NEW: &str = "# Approvals are gone, and the helper with them.\n\
    permitted(Id, Action) :- pending(Id, Action), clear(Id).\n\
    clear(Id) :- request(Id), !danger(Id, _).\n";
const FILES: &[(&str, &str)] =
    &[("old/schema.mg", SCHEMA), ("old/policy.mg", OLD), ("new/schema.mg", SCHEMA), ("new/policy.mg", NEW)];

#[test]
fn each_statement_that_makes_a_difference_has_a_world() {
    check(
        FILES,
        &["diff", "old", "new"],
        expect![[r#"
            permitted(Id, Action): the new policy gives more, and nothing less
              only the new policy gives permitted("a",/a)
                because of new/policy.mg:3, which only the new policy has
                in a world of 2 facts:
                  danger("a","a").
                  pending("a",/a).
                proof:
                  permitted("a",/a)  by new/policy.mg:2
                    pending("a",/a)  [the world]
                    clear("a")  by new/policy.mg:3
                      request("a")  by new/schema.mg:5
                        pending("a",/a)  [the world]
                      !danger(Id, _)  is ignored by the engine

            0 equivalent, 1 different, 0 not decided
            exit 1
        "#]],
    );
}

#[test]
fn in_the_intended_reading_only_the_approval_is_lost() {
    check(
        FILES,
        &["diff", "old", "new", "permitted(Id, _)", "--reading", "intended"],
        expect![[r#"
            permitted(Id, _): the new policy gives less, and nothing more
              only the old policy gives permitted("a",/a)
                because of old/policy.mg:3, which only the old policy has
                in a world of 3 facts:
                  approved("a").
                  danger("a","a").
                  pending("a",/a).
                proof:
                  permitted("a",/a)  by old/policy.mg:1
                    pending("a",/a)  [the world]
                    clear("a")  by old/policy.mg:3
                      approved("a")  [the world]

            0 equivalent, 1 different, 0 not decided
            exit 1
        "#]],
    );
}

#[test]
fn the_order_of_statements_makes_no_difference() {
    let turned = "clear(Id) :- approved(Id).\nclear(Id) :- request(Id),\n  !has_danger(Id). # as before\n\
        permitted(Id, Action) :- pending(Id, Action), clear(Id).\n";
    let files: Vec<_> = FILES[..3].iter().copied().chain([("new/policy.mg", turned)]).collect();
    check(
        &files,
        &["diff", "old", "new"],
        expect![[r#"
            permitted(Id, Action): no world tells the policies apart: the statements that it depends on are the same in both programs

            1 equivalent, 0 different, 0 not decided
            exit 0
        "#]],
    );
}

#[test]
fn markdown_is_made_for_a_pull_request() {
    check(
        FILES,
        &["diff", "old", "new", "clear(Id)", "--format", "markdown", "--reading", "intended"],
        expect![[r####"
            ### What the policy gives: `old` against `new`

            | Predicate | Answer |
            |---|---|
            | `clear(Id)` | the new policy gives less, and nothing more |

            <details><summary>Only the old policy gives <code>clear(&quot;a&quot;)</code>: because of <code>old/policy.mg:3</code>, which only the old policy has</summary>

            In a world of 1 fact:

            ```text
            approved("a").
            ```

            Proof:

            ```text
            clear("a")  by old/policy.mg:3
              approved("a")  [the world]
            ```

            </details>
            exit 1
        "####]],
    );
}

#[test]
fn json_has_a_place_for_each_difference() {
    let at = folder(FILES);
    let out = run(at.path(), &["diff", "old", "new", "clear(Id)", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let comparison = &told["comparisons"][0];
    assert_eq!(comparison["answer"], "both");
    assert_eq!(comparison["added"][0]["rule"], "new/policy.mg:3");
    assert_eq!(comparison["removed"][0]["rule_in"], "old");
    assert_eq!(comparison["removed"][0]["world"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_cannot_be_compared_is_said() {
    check(
        FILES,
        &["diff", "old", "new", "open(X)"],
        expect![[r#"
        error: unknown predicate `open/1`
        exit 2
    "#]],
    );
    check(
        FILES,
        &["diff", "old", "nowhere"],
        expect![[r#"
        error: `nowhere` is neither a path nor a revision: there is no git repository to compare with: not a git repository (or any of the parent directories): .git
        exit 2
    "#]],
    );
    check(
        FILES,
        &["diff", "old", "new", "X != Y"],
        expect![[r#"
        error: `X != Y` is not an atom
        exit 2
    "#]],
    );
    check(
        &[("a/x.mg", "p(1).\n"), ("b/x.mg", "p(1).\n")],
        &["diff", "a", "b"],
        expect![[r#"
        0 equivalent, 0 different, 0 not decided
        error: neither policy has a predicate of `[replay] permit` or `deny`: name an atom
        exit 2
    "#]],
    );
}

#[test]
fn properties_compare_with_another_program() {
    let tests = "# @implies permitted(Id, Action) with ../old\n\n# @equivalent has_danger(Id) with ../old\n\n\
        # @implies permitted(Id, Action) with ../new\n\n# @equivalent clear(Id) with ../old\n# @assume never danger(_, _)\n\n\
        # @equivalent clear(Id) with ../older\n";
    let files: Vec<_> = FILES.iter().copied().chain([("new/policy_test.mg", tests)]).collect();
    check(
        &files,
        &["verify", "new"],
        expect![[r#"
            `check` finds 1 error in the program; statements that cannot be read or evaluated do not count

            new/policy_test.mg:1 @implies permitted(Id, Action) with ../old
              violated by 2 facts (reading `engine`)
              the smallest world:
                danger("a","a").
                pending("a",/a).
              in the reading `intended`: holds up to 5 facts
              the proof:
                solution  by the property
                  permitted("a",/a)  by new/policy.mg:2
                    pending("a",/a)  [the world]
                    clear("a")  by new/policy.mg:3
                      request("a")  by new/schema.mg:5
                        pending("a",/a)  [the world]
                      !danger(Id, _)  is ignored by the engine
                  no permitted("a",/a)

            new/policy_test.mg:3 @equivalent has_danger(Id) with ../old
              holds in every world: the statements that it depends on are the same in both programs (reading `engine`)

            new/policy_test.mg:5 @implies permitted(Id, Action) with ../new
              holds in every world: the statements that it depends on are the same in both programs (reading `engine`)

            new/policy_test.mg:7 @equivalent clear(Id) with ../old
              violated by 1 fact (reading `engine`)
              the smallest world:
                approved("a").
              the proof:
                solution  by the property
                  clear("a")  by old/policy.mg:3
                    approved("a")  [the world]
                  no clear("a")

            new/policy_test.mg:10 @equivalent clear(Id) with ../older
              ../older: no such file or directory (reading `engine`)

            2 as expected, 2 not, 1 not decided
            exit 2
        "#]],
    );
}
