//! Tests of derived facts and of failures.

use super::*;

#[test]
fn a_negation_that_the_engine_drops_is_kept_as_it_is_written() {
    let text = format!("{DOORS}open(D) :- door(D), !locked(D, _).");
    check(&text, Reading::Engine, expect!["door(/d) door(/e) locked(/d,/key) open(/d) open(/e)"]);
    check(&text, Reading::Intended, expect!["door(/d) door(/e) locked(/d,/key) open(/e)"]);
}

#[test]
fn negations_and_inequalities_wait_for_their_variables() {
    let text = "a(1). a(2). b(3). red(1).\ncalm(A, B) :- !red(A), A != B, b(B), a(A).";
    check(text, Reading::Engine, expect!["a(1) a(2) b(3) red(1)"]);
    check(text, Reading::Intended, expect!["a(1) a(2) b(3) calm(2,3) red(1)"]);
}

#[test]
fn a_negation_waits_until_one_of_two_equal_variables_has_a_value() {
    let text = "p(1). p(5).\nsmall(X) :- !:gt(X, 1), X = Y, p(Y).";
    check(text, Reading::Intended, expect!["p(1) p(5) small(1)"]);
}

#[test]
fn a_list_in_the_only_premise_of_an_aggregation_selects_nothing() {
    let text = "p([1], 1). p([2], 1).\nn(N) :- p([1], X) |> do fn:group_by(X), let N = fn:count().";
    for reading in [Reading::Engine, Reading::Intended] {
        check(text, reading, expect!["n(2) p([1],1) p([2],1)"]);
    }
}

#[test]
fn recursion_through_several_premises_and_repeated_variables() {
    check(
        "e(1, 2). e(2, 3). e(3, 1). e(3, 3).\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), r(Y, Z).\nloop(X) :- r(X, X).",
        Reading::Engine,
        expect![
            "e(1,2) e(2,3) e(3,1) e(3,3) loop(1) loop(2) loop(3) r(1,1) r(1,2) r(1,3) r(2,1) r(2,2) r(2,3) r(3,1) r(3,2) r(3,3)"
        ],
    );
}

#[test]
fn a_failing_row_stops_the_engine_and_is_one_row_as_written() {
    let text = "n(0). n(2). half(X, Y) :- n(X), Y = fn:div(4, X). other(X) :- n(X), X > 1.";
    check(
        text,
        Reading::Engine,
        expect![[r#"
            n(0) n(2)
            stopped at premise Some(1): division by zero
            error at premise 1: division by zero; premise 0 argument 0: 0"#]],
    );
    check(
        text,
        Reading::Intended,
        expect![[r#"
            half(2,2) n(0) n(2) other(2)
            error at premise 1: division by zero; premise 0 argument 0: 0"#]],
    );
}

#[test]
fn failures_behind_the_body_and_in_groups() {
    check(
        "n(0). n(2). m(/a). half(X, Y) :- m(A), n(X), A != /b |> let Y = fn:div(4, X).\n\
         all(Z) :- n(X) |> do fn:group_by(), let S = fn:min(X), let Z = fn:div(1, S).",
        Reading::Intended,
        expect![[r#"
            half(2,2) m(/a) n(0) n(2)
            error behind the body: division by zero; premise 0 argument 0: /a; premise 1 argument 0: 0
            error behind the body: division by zero"#]],
    );
}

#[test]
fn aggregations_count_what_the_engine_counts() {
    check(
        "p(1, 2). p(1, 3). r(1).\none(X, N) :- p(X, _) |> do fn:group_by(X), let N = fn:count().\n\
         two(X, N) :- p(X, _), r(X) |> do fn:group_by(X), let N = fn:count().\n\
         sum(N, M) :- p(_, Y) |> do fn:group_by(), let N = fn:sum(Y), let M = fn:plus(N, 1).",
        Reading::Engine,
        expect!["one(1,2) p(1,2) p(1,3) r(1) sum(5,6) two(1,1)"],
    );
}

#[test]
fn deferred_predicates_are_evaluated_where_they_are_asked_for() {
    check(
        "Decl inc(X, Y) descr [deferred(), mode(\"+\", \"-\")].\ninc(X, Y) :- Y = fn:plus(X, 1).\nn(1). n(5). m(Y) :- n(X), inc(X, Y).",
        Reading::Engine,
        expect!["m(2) m(6) n(1) n(5)"],
    );
}

#[test]
fn temporal_facts_are_asked_for_by_interval() {
    check(
        "Decl on(P) temporal.\non(/a)@[2024-01-01, 2024-02-01].\non(/b)@[2024-02-28, _].\n\
         at(P, S) :- on(P)@[S, _].\nin(P) :- on(P)@[2024-01-05, 2024-01-06].\nlately(P) :- <-[0d, 7d] on(P).\nall(P) :- [-[0d, 1d] on(P).",
        Reading::Engine,
        expect![[
            r#"all(/b) at(/a,fn:time:parse_rfc3339("2024-01-01T00:00:00Z")) at(/b,fn:time:parse_rfc3339("2024-02-28T00:00:00Z")) in(/a) lately(/b) on(/a)@[2024-01-01T00:00:00Z, 2024-02-01T00:00:00Z] on(/b)@[2024-02-28T00:00:00Z, _]"#
        ]],
    );
}

#[test]
fn collections_of_expressions() {
    let facts = "p(/a, 1). p(/a, 2). p(/b, 0).\n";
    for (rule, expected) in [
        (
            "q(L) :- p(_, Y) |> do fn:group_by(), let L = fn:collect(fn:plus(Y, 1)).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([2, 3, 1])"],
        ),
        (
            "q(X, L) :- p(X, Y) |> do fn:group_by(X), let L = fn:collect(fn:mult(Y, Y), /c).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q(/a,[fn:pair(1, /c), fn:pair(4, /c)]) q(/b,[fn:pair(0, /c)])"],
        ),
        // A row with a failing expression is skipped.
        (
            "q(L) :- p(_, Y) |> do fn:group_by(), let L = fn:collect(fn:div(6, Y)).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([6, 3])"],
        ),
        (
            "q(L) :- p(_, Y) |> do fn:group_by(), let L = fn:collect_distinct(fn:minus(Y, Y)).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([0])"],
        ),
        (
            "q(M) :- p(_, Y) |> do fn:group_by(), let M = fn:collect_to_map(fn:plus(Y, 1), [Y]).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([3 : [2], 2 : [1], 1 : [0]])"],
        ),
        (
            "q(L) :- p(X, Y), Y > 0 |> do fn:group_by(X), let L = fn:collect([X, Y]).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([[/a, 1], [/a, 2]])"],
        ),
        (
            "q(L) :- p(_, _) |> do fn:group_by(), let L = fn:collect(7).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([7, 7, 7])"],
        ),
        // The rows do not contain variables of a `let`.
        (
            "q(S) :- p(_, Y) |> do fn:group_by(), let L = fn:collect(Y), let S = fn:collect(fn:list:len(L)).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q([])"],
        ),
        (
            "q(S) :- p(_, Y) |> do fn:group_by(), let L = fn:sum(Y), let S = fn:sum(L).",
            expect!["p(/a,1) p(/a,2) p(/b,0) q(0)"],
        ),
        // The engine panics.
        (
            "q(S) :- p(_, Y) |> do fn:group_by(), let S = fn:sum(fn:plus(Y, 1)).",
            expect![[r#"
            p(/a,1) p(/a,2) p(/b,0)
            fault: the engine panics: this reducer takes a variable and nothing else"#]],
        ),
        (
            "q(S) :- p(_, Y) |> do fn:group_by(), let S = fn:max(3).",
            expect![[r#"
            p(/a,1) p(/a,2) p(/b,0)
            fault: the engine panics: this reducer takes a variable and nothing else"#]],
        ),
    ] {
        check(&format!("{facts}{rule}\n"), Reading::Engine, expected);
    }
}

#[test]
fn inputs_without_a_caller_abort() {
    check(
        "Decl p(X, Y) descr [mode(\"+\", \"-\")].\np(X, Y) :- Y = fn:plus(X, 1), q(X).\nq(1).\n",
        Reading::Engine,
        expect![[r#"
            q(1)
            stopped at premise Some(0): `X` is unbound
            error at premise 0: `X` is unbound"#]],
    );
    check(
        "Decl fare(Z, C) descr [deferred(), mode(\"+\", \"-\")].\nfare(Z, C) :- C = fn:mult(Z, 150).\n\
         late(R) :- fare(Zones, C), ride(R, Zones), C > 3.\nride(/a, 2).\n",
        Reading::Engine,
        expect![[r#"
            ride(/a,2)
            stopped at premise Some(0): `Z` is unbound
            error at premise 0: `Z` is unbound"#]],
    );
}
