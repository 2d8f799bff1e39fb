//! Tests of merged facts and their proofs.

use super::*;

#[test]
fn of_facts_that_are_merged_one_is_kept() {
    for reading in [Reading::Engine, Reading::Intended] {
        check(
            &format!(
                "{BIGGER}in(/a, 3). in(/a, 7). in(/b, 2). best(X, V) :- in(X, V). top(X) :- best(X, V), V > 5."
            ),
            reading,
            expect!["best(/a,7) best(/b,2) in(/a,3) in(/a,7) in(/b,2) top(/a)"],
        );
        // Given facts are also replaced. Results of an aggregation are added without a merge.
        check(
            &format!(
                "{BIGGER}best(/a, 1). best(/b, 3). in(/a, 7). in(/b, 1). in(/b, 2).\n\
                 best(X, V) :- in(X, V). best(X, N) :- in(X, V) |> do fn:group_by(X), let N = fn:count()."
            ),
            reading,
            expect!["best(/a,1) best(/a,7) best(/b,2) best(/b,3) in(/a,7) in(/b,1) in(/b,2)"],
        );
        check(
            "Decl d(X, Y, N) descr [fundep([X, Y], [N]), merge([N], \"least\")].\n\
             Decl least(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\n\
             least(A, B, A) :- A <= B. least(A, B, B) :- B < A.\n\
             e(/a, /b, 7). e(/b, /c, 1). e(/a, /c, 2). e(/c, /d, 1). e(/b, /d, 5).\n\
             d(X, Y, N) :- e(X, Y, N). d(X, Z, N) :- d(X, Y, A), d(Y, Z, B), N = fn:plus(A, B). far(X) :- d(X, _, N), N > 2.",
            reading,
            expect![
                "d(/a,/b,7) d(/a,/c,2) d(/a,/d,3) d(/b,/c,1) d(/b,/d,2) d(/c,/d,1) e(/a,/b,7) e(/a,/c,2) e(/b,/c,1) e(/b,/d,5) e(/c,/d,1) far(/a)"
            ],
        );
    }
}

#[test]
fn merges_that_the_engine_does_not_carry_out() {
    check(
        "Decl p(A, B) descr [fundep([A], [B])].\nin(1, /x). in(1, /y). p(A, B) :- in(A, B).",
        Reading::Engine,
        expect!["in(1,/x) in(1,/y) p(1,/x) p(1,/y)"],
    );
    check(
        "Decl p(A, B, C) descr [fundep([A], [B, C])].\nin(1, /x, /q). p(A, B, C) :- in(A, B, C).",
        Reading::Engine,
        expect![[r#"
            in(1,/x,/q)
            stopped at premise Some(4294967295): a `fundep` on 2 columns, where the engine merges one
            error behind the body: a `fundep` on 2 columns, where the engine merges one; premise 0 argument 0: 1; premise 0 argument 1: /x; premise 0 argument 2: /q"#]],
    );
    // The engine counts the key columns, and uses the same number of columns from the first on.
    let second = "Decl p(A, B, C) descr [fundep([B], [A]), merge([A], \"bigger\")].\n\
        bigger(A, B, A) :- in(A, _, _), in(B, _, _), B <= A. bigger(A, B, B) :- in(A, _, _), in(B, _, _), A < B.\n\
        in(1, /x, /q). in(2, /x, /q). in(1, /y, /q). p(A, B, C) :- in(A, B, C).";
    check(
        second,
        Reading::Engine,
        expect![
            "bigger(1,1,1) bigger(1,2,2) bigger(2,1,2) bigger(2,2,2) in(1,/x,/q) in(1,/y,/q) in(2,/x,/q) p(1,/y,/q) p(2,/x,/q)"
        ],
    );
    check(
        second,
        Reading::Intended,
        expect![
            "bigger(1,1,1) bigger(1,2,2) bigger(2,1,2) bigger(2,2,2) in(1,/x,/q) in(1,/y,/q) in(2,/x,/q) p(1,/y,/q) p(2,/x,/q)"
        ],
    );
}

#[test]
fn a_value_made_of_two_is_proven_by_both() {
    check_proof(
        "Decl sum(X, V) descr [fundep([X], [V]), merge([V], \"add\")].\n\
         Decl add(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\nadd(A, B, C) :- C = fn:plus(A, B).\n\
         in(1, 4). in(1, 2). sum(X, V) :- in(X, V).",
        "sum",
        2,
        expect![[r#"
            sum(1,6)
              4294967295: sum(1,4)
              4294967295: sum(1,2)
            sum(1,4)
              0: in(1,4)
            sum(1,2)
              0: in(1,2)
            in(1,4)
            in(1,2)
        "#]],
    );
}
