//! `query`: what follows, why, and why not.

use expect_test::expect;

use super::support::check;

const RULES: &str = "door(/d). door(/e).\nlocked(/d, /key).\nopen(D) :-\n    door(D),\n    !locked(D, _).\nway(D) :- open(D), door(D).\n";
const FILES: &[(&str, &str)] = &[("rules.mg", RULES)];

#[test]
fn both_readings_of_a_dropped_negation() {
    check(
        FILES,
        &["query", "open(D)", "--reading", "both"],
        expect![[r#"
        # as the engine reads it
        open(/d)
        open(/e)
        # as it is written
        open(/e)
        exit 0
    "#]],
    );
}

#[test]
fn why_and_why_not() {
    check(
        FILES,
        &["query", "way(/e)", "--why", "--reading", "written"],
        expect![[r#"
        way(/e)  by rules.mg:6
          open(/e)  by rules.mg:3
            door(/e)  [rules.mg:1]
            no locked(/e,_)
          door(/e)  [rules.mg:1]
        exit 0
    "#]],
    );
    check(
        FILES,
        &["query", "way(/d)", "--why-not", "--reading", "written"],
        expect![[r#"
        rules.mg:6: premise 1 has no solution: open(/d)
          near: open(/e)
        exit 1
    "#]],
    );
}

#[test]
fn everything_in_the_engines_form() {
    check(
        FILES,
        &["query", "--dump"],
        expect![[r#"
        door(/d) .
        door(/e) .
        locked(/d,/key) .
        open(/d) .
        open(/e) .
        way(/d) .
        way(/e) .
        exit 0
    "#]],
    );
}

#[test]
fn mistakes_and_runs_that_do_not_end() {
    check(
        FILES,
        &["query", "oben(D)"],
        expect![[r#"
        error: there is no predicate `oben/1`; did you mean `open`?
        exit 2
    "#]],
    );
    check(
        FILES,
        &["query"],
        expect![[r#"
        error: name an atom, such as 'permitted(Action, _)', or use --dump
        exit 2
    "#]],
    );
    check(
        &[("n.mg", "n(0).\nn(Y) :- n(X), Y = fn:div(1, X).\n")],
        &["query", "n(X)"],
        expect![[r#"
        n(0)
        error: the evaluation stopped at n.mg:2: division by zero
        exit 2
    "#]],
    );
    let halves = "n(0). n(2).\nhalf(Y) :- n(X), Y = fn:div(4, X).\n";
    check(
        &[("h.mg", halves)],
        &["query", "half(Y)", "--reading", "written"],
        expect![[r#"
        half(2)
        warning: nothing comes of h.mg:2: division by zero
        exit 0
    "#]],
    );
}
