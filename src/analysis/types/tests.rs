//! What the family finds, and where it keeps silent.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::ide::testing::{check, check_fix};

#[test]
fn literals() {
    check(
        "Decl depth(M).\ndeep(M) :- depth(M), M > 1.5, M < 2, \"a\" <= M, :ge(M, 0.5), !:lt(M, /a).\n",
        expect![[r#"
            2:24-25 warning compare-non-number: `>` compares integers only, but `1.5` is a float: the engine stops the whole evaluation when it gets here.
            2:42-44 warning compare-non-number: `<=` compares integers only, but `"a"` is a string: the engine stops the whole evaluation when it gets here.
            2:48-51 warning compare-non-number: `:ge` compares integers only, but `0.5` is a float: the engine stops the whole evaluation when it gets here.
            2:62-65 warning compare-non-number: `:lt` compares integers only, but `/a` is a name: the engine stops the whole evaluation when it gets here.
        "#]],
    );
}

#[test]
fn declared_columns() {
    check(
        "Decl depth(P, M) bound [/name, /float64].\ndeep(P) :- depth(P, M), M > 1.\n",
        expect![[r#"
            2:27-28 warning compare-non-number: `>` compares integers only, but `M` is a float, as argument 2 of `depth/2` is declared: the engine stops the whole evaluation when it gets here.
              1:32-40 `M` gets its values from here
        "#]],
    );
    check(
        "#- a.gl\nDecl at(T) bound [/time].\nDecl took(D) bound [/duration].\n#- b.mg\nlate(T) :- at(T), took(D), T > D.\nlate(T) :- at(T), at(U), T >= U.\nslow(D) :- took(D), X = 1, D < X.\n",
        expect![[r#"
            b.mg:1:30-31 warning compare-non-number: `>` compares integers only, but `T` is an instant, as argument 1 of `at/1` is declared: the engine stops the whole evaluation when it gets here.
              a.gl:1:19-24 `T` gets its values from here
            b.mg:2:28-30 warning compare-non-number: `>=` compares integers only, but `T` is an instant, as argument 1 of `at/1` is declared: the engine stops the whole evaluation when it gets here.
              a.gl:1:19-24 `T` gets its values from here
              fix: Write `:time:ge(T, U)`
            b.mg:3:30-31 warning compare-non-number: `<` compares integers only, but `D` is a duration, as argument 1 of `took/1` is declared: the engine stops the whole evaluation when it gets here.
              a.gl:2:21-30 `D` gets its values from here
        "#]],
    );
    check_fix(
        "compare-non-number",
        "Decl at(T) bound [/time].\nlate(T) :- at(T), T > fn:time:now().\n",
        expect![[r#"
            Decl at(T) bound [/time].
            late(T) :- at(T), :time:gt(T, fn:time:now()).
        "#]],
    );
}

#[test]
fn columns_that_may_be_integers() {
    check(
        "Decl a(X) bound [/number] bound [/string].\nDecl b(X) bound [/any].\nDecl c(X) bound [.Union</number, /string>].\nDecl d(X) bound [T].\nDecl e(X).\nr(X) :- a(X), b(X), X > 1.\ns(X) :- c(X), d(X), e(X), X > 1.\n",
        expect![[""]],
    );
    // Two premises that contradict each other never meet the comparison.
    check(
        "Decl a(X) bound [/number].\nDecl b(X) bound [/string].\nr(X) :- a(X), b(X), X > 1.\n",
        expect![[r#"
            3:17-18 warning type-premise-impossible: Argument 1 of `b/1` is declared `/string`, but `X` is an integer, as argument 1 of `a/1` is declared: no fact that keeps to the declaration matches.
              2:18-25 declared here
              1:18-25 `X` gets its values from here
        "#]],
    );
}

#[test]
fn first_facts() {
    check(
        "at(1.5).\nr(X) :- at(X), X > 1.\n",
        expect![[r#"
            2:18-19 warning compare-non-number: `>` compares integers only, but `X` is a float, as all clauses of `at/1` have it in argument 1: the engine stops the whole evaluation when it gets here.
              1:4-7 `X` gets its values from here
        "#]],
    );
    check("at(3).\nr(X) :- at(X), X > 1.\n", expect![[""]]);
}

#[test]
fn expressions() {
    check(
        "at(3).\nr(X) :- at(X), fn:plus(X, 1) > 1, fn:list:len([X]) < X.\ns(X) :- at(X), Y = fn:float:plus(X, 1), Y > X.\n",
        expect![[r#"
            3:43-44 warning compare-non-number: `>` compares integers only, but `Y` is a float, from `fn:float:plus(X, 1)`: the engine stops the whole evaluation when it gets here.
        "#]],
    );
}

#[test]
fn zero() {
    check(
        "q(3).\np(fn:div(1, 0)).\np(X) :- q(Y), X = fn:plus(1, fn:mod(Y, 0)).\np(X) :- q(Y) |> let X = fn:float:div(Y, 2.0, 0.0).\np(fn:div(0)).\n",
        expect![[r#"
            2:13-14 error division-by-zero: `fn:div` divides by zero here: the engine stops the whole evaluation.
            3:40-41 error division-by-zero: `fn:mod` divides by zero here: the engine stops the whole evaluation.
            4:46-49 error division-by-zero: `fn:float:div` divides by zero here: the engine stops the whole evaluation.
            5:10-11 error division-by-zero: `fn:div` divides by zero here: the engine stops the whole evaluation.
        "#]],
    );
    // 1 / 2 is 0, where the engine stops dividing; a float is no divisor of integers.
    check("p(fn:div(1, 2, 0)).\nq(fn:div(1, X)) :- p(X).\nq(fn:mod(0, 1)).\n", expect![[""]]);
}
