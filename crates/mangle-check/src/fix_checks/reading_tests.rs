//! Tests of fixes for ambiguous texts, and of findings about code of other languages.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use mangle_syntax::lint::{Applicability, Severity};
use mangle_syntax::text::apply;

use crate::testing::CheckedFixture;

/// The findings of a program with the lines that their fixes change.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let checked = CheckedFixture::new(text);
    let mut out = String::new();
    for found in checked.diagnostics.iter().flat_map(|(_, found)| found) {
        if found.severity == Severity::Hint {
            continue;
        }
        writeln!(out, "{}: {}", found.rule.name, found.message).unwrap();
        for note in &found.notes {
            writeln!(out, "  note: {note}").unwrap();
        }
        let Some(fix) = &found.fix else { continue };
        let kind = if fix.applicability == Applicability::Safe { "safe" } else { "guess" };
        writeln!(out, "  {kind}: {}", fix.title).unwrap();
        let fixed = apply(text, fix.edits.iter().map(|edit| (edit.range, edit.text.as_str()))).unwrap();
        let old: Vec<_> = text.lines().collect();
        for line in fixed.lines().filter(|line| !line.is_empty() && !old.contains(line)) {
            writeln!(out, "    {line}").unwrap();
        }
    }
    expected.assert_eq(&out);
}

const FACTS: &str = "\
Decl request(R, A, P, N) bound [/name, /name, /string, /number].
request(/r1, /read, \"src/a\", 5).
request(/r2, /deploy, \"src/b\", 50).
danger(/deploy).
";

#[track_caller]
fn check_rule(rule: &str, expected: Expect) {
    check(&format!("{FACTS}{rule}"), expected);
}

#[test]
fn a_sign_at_the_start_of_a_line_negates_nothing_for_certain() {
    check_rule(
        "allow(R) :-\n    request(R, _, P, _),\n-    :string:starts_with(P, \"src/\").\n",
        expect![[r#"
            pasted-markup: `-` at the start of a line
              note: it may mark an item of a list or a line of a diff; a negation is written `!p(X)`
              guess: delete it
                :string:starts_with(P, "src/").
        "#]],
    );
    check_rule(
        "allow(R) :-\n    request(R, A, _, _),\n    ~ danger(A).\n",
        expect![[r#"
        not-keyword: `~` does not negate a premise
          guess: write `!`
                !danger(A).
    "#]],
    );
}

#[test]
fn a_sign_apart_from_its_premise_is_left_alone() {
    check_rule(
        "allow(R) :-\n    request(R, _, _, N),\n    !# danger(A),\n    N < 10.\n",
        expect![[r#"
        negated-comparison: negation of a comparison
          note: the engine negates only atoms; the opposite of `<` is `>=`
          guess: write `>=`
                # danger(A),
                N >= 10.
    "#]],
    );
    check_rule(
        "allow(R) :-\n    request(R, A, _, _),\n    not\n    danger(A).\n",
        expect![[r#"
        not-keyword: `not` does not negate a premise
          guess: write `!`
                !
    "#]],
    );
}

#[test]
fn a_full_stop_of_a_name_before_a_premise_becomes_a_comma_as_a_guess() {
    check_rule(
        "allow(R) :-\n    request(R, A, P, _),\n    A != /deploy.\n    :string:starts_with(P, \"src/\").\n",
        expect![[r#"
            missing-comma: missing `,` after `A != /deploy.`
              guess: replace `.` by `,`
                    A != /deploy,
        "#]],
    );
}

#[test]
fn a_missing_argument_is_not_made_up() {
    check_rule(
        "allow(R) :- request(R, _, _, N), M = fn:plus(, 1), M < 10, N > 0.\n",
        expect![[r#"
        double-comma: missing element before this comma
          note: the engine expects an element before each comma
          guess: delete the comma
            allow(R) :- request(R, _, _, N), M = fn:plus(1), M < 10, N > 0.
    "#]],
    );
    check_rule(
        "allow(R) :- request(R,, _, N), N > 0.\n",
        expect![[r#"
        arity-mismatch: `request` takes 4 arguments, found 3
          note: the engine rejects the program
        double-comma: missing element before this comma
          note: the engine expects an element before each comma
          guess: delete the comma
            allow(R) :- request(R, _, N), N > 0.
    "#]],
    );
    check_rule(
        "allow(, R) :- request(R, _, _, _).\n",
        expect![[r#"
        double-comma: missing element before this comma
          note: the engine expects an element before each comma
          guess: delete the comma
            allow(R) :- request(R, _, _, _).
    "#]],
    );
    check_rule(
        "allow(R) :- request(R, A, _, _), , danger(A).\n",
        expect![[r#"
        double-comma: missing element before this comma
          note: the engine expects an element before each comma
          guess: delete the comma
            allow(R) :- request(R, A, _, _), danger(A).
    "#]],
    );
    check_rule(
        "allow(R) :- request(R, A, _, _),, !danger(A).\n",
        expect![[r#"
        double-comma: missing element before this comma
          note: the engine expects an element before each comma
          safe: delete the comma
            allow(R) :- request(R, A, _, _), !danger(A).
    "#]],
    );
    check_rule(
        "allow(R) :- request(R, _, _, N), N < +1.\n",
        expect![[r#"
        foreign-literal: `+1` is not a number of Mangle
          note: numbers are decimal digits, with at most a minus before them
          guess: write `1`
            allow(R) :- request(R, _, _, N), N < 1.
    "#]],
    );
}

#[test]
fn premises_behind_a_stray_full_stop_are_not_cut_off() {
    check_rule(
        "allow(R) <- request(R, A, _, _).\n    not danger(A).\n",
        expect![[r#"
        wrong-arrow: `<-` is not the arrow of a rule
          note: the engine reads `<-` as a temporal operator
          guess: write `:-`
            allow(R) :- request(R, A, _, _).
        syntax-error: `not` cannot be parsed here
          note: the engine rejects the whole program
        unbound-head-var: fact contains the variable `A`
          note: the engine rejects the fact
    "#]],
    );
    check_rule(
        "allow(R) :- request(R, A, _, _)., not danger(A).\n",
        expect![[r#"
        syntax-error: `, not` cannot be parsed here
          note: the engine rejects the whole program
        unbound-head-var: fact contains the variable `A`
          note: the engine rejects the fact
    "#]],
    );
}

#[test]
fn a_percent_sign_with_code_behind_it_is_no_comment_for_certain() {
    check_rule(
        "allow(R) :- request(R, A, _, N), N % 2 = 0, !danger(A).\n",
        expect![[r#"
        infix-arithmetic: Mangle has no infix operator `%`
          note: arithmetic uses functions, as in `fn:mod(N, 2)`
          guess: write `fn:mod(N, 2)`
            allow(R) :- request(R, A, _, N), fn:mod(N, 2) = 0, !danger(A).
    "#]],
    );
    check_rule(
        "allow(R) :-\n    request(R, A, _, _),\n    % !danger(A),\n    A = /read .\n",
        expect![[r#"
        wrong-comment: `%` does not start a comment
          guess: turn it into a `#` comment
                # !danger(A),
    "#]],
    );
}

#[test]
fn comments_keep_their_white_space_and_empty_lines() {
    check(
        "% Says who may read.\n%\n% Only people of the staff count:\n%   - ann\n%     (until May)\nDecl reader(Who) bound [/name].\nreader(/ann).\n",
        expect![[r#"
            wrong-comment: `%` does not start a comment
              safe: turn them into `#` comments
                # Says who may read.
                #
                # Only people of the staff count:
                #   - ann
                #     (until May)
        "#]],
    );
    check(
        "/* One.\n *\n *   Two.\n */\np(1).\n//\n//\ttabbed\np(2).\n",
        expect![[r#"
        wrong-comment: `/*` does not start a comment
          safe: turn it into a `#` comment
            # One.
            #
            #   Two.
        wrong-comment: `//` does not start a comment
          safe: turn them into `#` comments
            #
            #	tabbed
    "#]],
    );
}

#[test]
fn a_comment_beside_another_mistake_is_named() {
    check(
        "p(1).\nq(1).\na(X, Y) :-\n    p(X),\n    % a note: this has to be quick\n    Y is X + 1.\n",
        expect![[r#"
        wrong-comment: `%` does not start a comment
          safe: turn it into a `#` comment
                # a note: this has to be quick
        wrong-operator: `is` is not an operator of Mangle
          note: `=` binds a variable to the result of a function
          safe: write `= fn:plus(X, 1)`
                Y = fn:plus(X, 1).
    "#]],
    );
    check(
        "p(1).\na(X) :-\n    % every one\n    p(X,\n    X < 2.\n",
        expect![[r#"
        wrong-comment: `%` does not start a comment
          safe: turn it into a `#` comment
                # every one
        missing-bracket: missing `)`: a premise cannot be an argument
    "#]],
    );
    check(
        "p(1).\na(X) :-\n    p(X), // every one\n    X ~ 2.\n",
        expect![[r#"
        missing-comma: missing `,` after `X`
          guess: insert `,`
                X, ~ 2.
    "#]],
    );
    check(
        "p(1).\nb(2).\na(X) :-\n    /* first */\n    p(X); b(X).\n",
        expect![[r#"
        wrong-comment: `/*` does not start a comment
          safe: turn it into a `#` comment
                # first
        disjunction: Mangle has no disjunction `;`
          note: alternatives are separate rules with the same head
    "#]],
    );
}

#[test]
fn a_dash_of_a_word_processor_is_named() {
    check(
        "p(1).\nq(X) :– p(X).\n",
        expect![[r#"
        lookalike-character: `–` (U+2013) is not `-`
          note: the engine rejects it
          safe: write plain characters
            q(X) :- p(X).
    "#]],
    );
    check(
        "p(1).\nq(X) :- p(X)，X ＜ 2。\n",
        expect![[r#"
        lookalike-character: `，` (U+FF0C) is not `,`
          note: the engine rejects it
          safe: write plain characters
            q(X) :- p(X),X < 2.
    "#]],
    );
    check(
        "p(1).\nr(1).\nq(X) :-\n    p(X),\n    – r(X).\n",
        expect![[r#"
        lookalike-character: `–` (U+2013) is not `-`
          note: the engine rejects it
    "#]],
    );
    check(
        "p(1).\nq(X) :- p(X), # it’s “so”\n    X\u{a0}<\u{a0}2.\n",
        expect![[r#"
        lookalike-character: unusual space U+00A0
          note: the engine rejects it
          safe: write plain characters
                X < 2.
    "#]],
    );
}

#[test]
fn a_helper_does_not_come_between_a_rule_and_its_comment() {
    check(
        "request(\"r1\").\nhalt(\"r1\", \"why\").\n\n# Allowed when nothing halts it.\nallow(R) :- request(R), !halt(R, _).  # see issue 7\n",
        expect![[r#"
            negation-wildcard: wildcard makes the engine ignore this negation
              note: `allow(R)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              safe: add the helper rule `has_halt` and negate it instead
                allow(R) :- request(R), !has_halt(R).  # see issue 7
                has_halt(R) :- halt(R, _).
        "#]],
    );
    check(
        "request(\"r1\").\nhalt(\"r1\", \"why\").\n# Allowed when nothing halts it.\nallow(R) :- request(R), !halt(R, _). request(\"r2\").\n",
        expect![[r#"
            negation-wildcard: wildcard makes the engine ignore this negation
              note: `allow(R)` is derived whether or not such a fact exists
              note: engines before 2026-09 ignore this negation; newer engines reject the rule
              guess: add the helper rule `has_halt` and negate it instead
                has_halt(R) :- halt(R, _).
                allow(R) :- request(R), !has_halt(R). request("r2").
        "#]],
    );
}

#[test]
fn a_let_among_premises_is_named() {
    check(
        "p(\"1\").\nt(W, N) :-\n    p(X),\n    let W = fn:string:concat(\"ws_\", X),\n    |> do fn:group_by(W), let N = fn:count().\n",
        expect![[r#"
            not-a-transform: `let` before `|>`
              note: a premise binds a variable by `=` alone
              guess: write `W = fn:string:concat("ws_", X)`
                    W = fn:string:concat("ws_", X),
        "#]],
    );
    check(
        "p(1).\nt(W) :- p(X), let W = fn:plus(X, 1) |> do fn:group_by(W).\n",
        expect![[r#"
        not-a-transform: `let` before `|>`
          note: a premise binds a variable by `=` alone
          safe: write `W = fn:plus(X, 1)`
            t(W) :- p(X), W = fn:plus(X, 1) |> do fn:group_by(W).
    "#]],
    );
}

#[test]
fn a_negated_word_without_parentheses_has_two_findings() {
    check(
        "bad(\"x\").\nstop() :- bad(_).\ngo() :- not stop.\n",
        expect![[r#"
            not-keyword: `not` does not negate a premise
              safe: write `!stop()`
                go() :- !stop().
        "#]],
    );
    check(
        "bad(\"x\").\nstop() :- bad(_).\ngo(X) :- bad(X), not stop, not bad(X).\n",
        expect![[r#"
            not-keyword: `not` does not negate a premise
              guess: write `!stop()`
                go(X) :- bad(X), !stop(), not bad(X).
            not-keyword: `not` does not negate a premise
              safe: write `!`
                go(X) :- bad(X), not stop, !bad(X).
        "#]],
    );
}

#[test]
fn now_outside_of_an_interval_is_a_call() {
    check(
        "Decl e(X, T) bound [/name, /time].\nq(X) :- e(X, T), T >= now.\n",
        expect![[r#"
        temporal-literal-as-term: `now` is outside of an interval
          note: the engine reads `now` only inside of `@[…]`
          note: times are compared by `:time:lt`, `:time:le`, `:time:gt` and `:time:ge`
          guess: write `fn:time:now()`
            q(X) :- e(X, T), T >= fn:time:now().
    "#]],
    );
}

#[test]
fn the_name_of_the_only_rule_is_not_suggested_in_it() {
    check(
        "doc(\"d\").\nquery_result(Q, R) :- query_request(Q, _), doc(R).\n",
        expect![[r#"
        undefined-predicate: undefined predicate `query_request/2`
          note: the engine rejects the program
    "#]],
    );
    check(
        "edge(1, 2).\nreaches(X, Y) :- edge(X, Y).\nreaches(X, Z) :- reachs(X, Y), edge(Y, Z).\n",
        expect![[r#"
        undefined-predicate: undefined predicate `reachs/2`
          note: the engine rejects the program
          guess: write `reaches`
            reaches(X, Z) :- reaches(X, Y), edge(Y, Z).
    "#]],
    );
}

#[test]
fn times_and_durations_in_other_forms_are_named() {
    check(
        "Decl p(X) temporal bound [/name].\np(/b)@[2024-01-15T10:00].\n",
        expect![[r#"
        foreign-literal: time `2024-01-15T10:00` has no seconds
          note: the engine reads a time only with its seconds
          guess: write `2024-01-15T10:00:00Z`
            p(/b)@[2024-01-15T10:00:00Z].
    "#]],
    );
    check(
        "Decl p(X) temporal bound [/name].\np(/b)@[2024-01-15 10:00:00, _].\n",
        expect![[r#"
        foreign-literal: time `2024-01-15 10:00:00` has no `T`
          note: a time is written `2024-01-15T10:00:00Z`
          guess: write `2024-01-15T10:00:00Z`
            p(/b)@[2024-01-15T10:00:00Z, _].
    "#]],
    );
    let fixed = ["2w", "1h30m", "1.5h", "90sec", "3 days", "1y"].map(|duration| {
        let text = format!(
            "Decl p(X) temporal bound [/name].\np(/b)@[2024-01-15].\nq(X) :- <-[0d, {duration}] p(X).\n"
        );
        let checked = CheckedFixture::new(&text);
        let fix = checked.diagnostics.iter().flat_map(|(_, found)| found).find_map(|found| found.fix.clone());
        fix.map_or_else(String::new, |fix| fix.title.to_string())
    });
    expect![[r#"
        [
            "write `14d`",
            "write `90m`",
            "write `90m`",
            "write `90s`",
            "write `3d`",
            "",
        ]
    "#]]
    .assert_debug_eq(&fixed);
}

#[test]
fn a_bracket_with_several_places_is_a_guess() {
    check(
        "p([1, 2).\n",
        expect![[r#"
        missing-bracket: missing `]` after `p([1, 2`
          guess: insert `]`
            p([1, 2]).
    "#]],
    );
    check(
        "p(1, 2.\n",
        expect![[r#"
        missing-bracket: missing `)` after `p(1, 2`
          guess: insert `)`
            p(1, 2).
    "#]],
    );
    check_rule(
        "allow(R) :- request(R, A, _, _, !danger(A).\n",
        expect![[r#"
        missing-bracket: missing `)`: a premise cannot be an argument
    "#]],
    );
}

#[test]
fn variables_of_another_language_stay_apart() {
    check(
        "q(1, 2).\na($x, $Y) :- q($x, $Y).\n\ngoal(?A) :- q(?A, ?b), q(?b, _).\n",
        expect![[r#"
            variable-sigil: variable `$x` starts with `$`
              safe: write the variables without signs
                a(X, Y) :- q(X, Y).
            variable-sigil: variable `?A` starts with `?`
              safe: write the variables without signs
                goal(A) :- q(A, B), q(B, _).
        "#]],
    );
    check(
        "q(1, 2).\na($x, X) :- q($x, X).\n\nb(?x, $x) :- q(?x, $x).\n\nc($x) :- q($x, $_).\n",
        expect![[r#"
            variable-sigil: variable `$x` starts with `$`
              guess: write the variables without signs
                a(X, X) :- q(X, X).
            variable-sigil: variable `?x` starts with `?`
              guess: write the variables without signs
                b(X, X) :- q(X, X).
            variable-sigil: variable `$x` starts with `$`
              guess: write the variables without signs
                c(X) :- q(X, V).
        "#]],
    );
}
