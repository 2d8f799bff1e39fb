//! What the family finds, and where it keeps silent.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use crate::testing::{check, check_fix};

/// Checks a program that ends in one rule over `crew(Person, Watches)`.
#[track_caller]
fn check_rule(rule: &str, expect: Expect) {
    check(&format!("Decl crew(Person, Watches) bound [/name, /number].\n{rule}\n"), expect);
}

#[test]
fn what_is_right() {
    check_rule("next(P, M) :- crew(P, N) |> let A = fn:plus(N, 1), let M = fn:mult(A, 2).", expect![[""]]);
    check_rule(
        "all(P, S, T, L) :- crew(P, N) |> do fn:group_by(P), let S = fn:sum(N), let T = fn:plus(S, 1), let L = fn:collect(P, fn:pair(P, N)).",
        expect![[""]],
    );
    check_rule(
        "all(C, A) :- crew(P, N) |> do fn:group_by(), let C = fn:count(), let A = fn:avg(N), let _ = fn:list().",
        expect![[""]],
    );
    check_rule("all(fn:plus(S, 1)) :- crew(_, N) |> do fn:group_by(), let S = fn:sum(N).", expect![[""]]);
    check_rule(
        "all(S) :- crew(P, N) |> do fn:group_by(P), let L = fn:collect(N), let S = fn:plus(fn:sum(L), 1).",
        expect![[""]],
    );
}

#[test]
fn one_transform() {
    check_rule(
        "all(T) :- crew(_, N) |> do fn:group_by(), let S = fn:sum(N) |> let T = fn:plus(S, 1) |> let U = fn:plus(T, 1).",
        expect![[r#"
            2:61-110 error multiple-transforms: The engine takes one `|>` in a clause and rejects the program over a second one.
        "#]],
    );
}

#[test]
fn what_stands_behind_do() {
    check_rule(
        "size(P) :- crew(P, _) |> do fn:count().",
        expect![[r#"
        2:29-37 error do-without-group-by: `do` takes `fn:group_by(…)` only: with `fn:count` the engine derives nothing from this rule, without a word.
    "#]],
    );
    check_rule(
        "size(P) :- crew(P, N) |> do fn:count(N), let M = fn:plus(K, 1).",
        expect![[r#"
        2:29-37 error do-without-group-by: `do` takes `fn:group_by(…)` only: with `fn:count` the engine derives nothing from this rule, without a word.
    "#]],
    );
    check_rule(
        "size(N) :- crew(P, _) |> do fn:groupby(P), let N = fn:count().",
        expect![[r#"
            2:29-39 error unknown-function: unknown function `fn:groupby`
              note: the engine rejects the program
              fix: write `fn:group_by`
        "#]],
    );
}

#[test]
fn keys() {
    check_rule(
        "size(C) :- crew(P, N) |> do fn:group_by(1, fn:plus(N, 1)), let C = fn:count().",
        expect![[r#"
            2:41-42 error group-by-not-variable: A key of `fn:group_by` must be a variable of the body.
            2:44-57 error group-by-not-variable: A key of `fn:group_by` must be a variable of the body.
        "#]],
    );
    check_rule(
        "size(P, N, C) :- crew(P, N) |> do fn:group_by(P, N, P), let C = fn:count().",
        expect![[r#"
        2:53-54 error group-by-repeated: `P` is a key already; the engine rejects the repetition.
          fix: Delete the repetition
    "#]],
    );
    check_rule(
        "size(C) :- crew(P, N) |> do fn:group_by(C, K), let C = fn:count().",
        expect![[r#"
        2:41-42 error let-order: `C` has no value yet: its `let` comes later. The engine stops the whole evaluation here.
        2:44-45 error transform-unbound-use: `K` occurs nowhere else in this clause, so it has no value.
    "#]],
    );
    check_fix(
        "group-by-repeated",
        "crew(1, 2).\nsize(P, C) :- crew(P, N) |> do fn:group_by(P, P), let C = fn:count().\n",
        expect![[r#"
            crew(1, 2).
            size(P, C) :- crew(P, N) |> do fn:group_by(P), let C = fn:count().
        "#]],
    );
}

#[test]
fn group_by_is_no_value() {
    check_rule(
        "size(P, G) :- crew(P, _) |> let G = fn:group_by(P).",
        expect![[r#"
        2:37-51 error group-by-misplaced: `fn:group_by` computes no value; it stands directly behind `do`.
    "#]],
    );
    check_rule(
        "size(P, G) :- crew(P, _), G = fn:list(fn:group_by(P)).",
        expect![[r#"
        2:39-53 error group-by-misplaced: `fn:group_by` computes no value; it stands directly behind `do`.
    "#]],
    );
    check_rule(
        "size(P, G) :- crew(P, _) |> do fn:group_by(P), let G = fn:group_by(P).",
        expect![[r#"
        2:56-70 error group-by-misplaced: `fn:group_by` computes no value; it stands directly behind `do`.
    "#]],
    );
}

#[test]
fn new_variables() {
    check_rule(
        "next(N) :- crew(_, N) |> let N = fn:plus(N, 1).",
        expect![[r#"
        2:30-31 error transform-redefines: `N` has its value from the body; a `let` needs a new variable.
    "#]],
    );
    check_rule(
        "next(M) :- crew(_, N), M = fn:plus(N, 1) |> let M = fn:plus(N, 1).",
        expect![[r#"
        2:49-50 error transform-redefines: `M` has its value from the body; a `let` needs a new variable.
    "#]],
    );
    check_rule(
        "next(M) :- crew(_, N) |> let M = fn:plus(N, 1), let M = fn:plus(N, 2).",
        expect![[r#"
        2:53-54 warning let-redefined: `M` has a value from an earlier `let`; that one goes into the head, this one is lost.
          2:30-31 the value that counts
    "#]],
    );
}

#[test]
fn order_of_lets() {
    check_rule(
        "next(B, C) :- crew(_, N) |> let B = fn:plus(A, 1), let A = fn:plus(N, A), let C = fn:plus(K, K).",
        expect![[r#"
            2:45-46 error let-order: `A` has no value yet: its `let` comes later. The engine stops the whole evaluation here.
            2:71-72 error let-order: `A` has no value yet: its `let` comes later. The engine stops the whole evaluation here.
            2:91-92 error transform-unbound-use: `K` occurs nowhere else in this clause, so it has no value.
        "#]],
    );
    check_rule(
        "next(fn:plus(M, 1)) :- crew(_, N) |> let M = fn:plus(N, 1).",
        expect![[r#"
        2:14-15 error let-order: `M` has no value yet: expressions in the head are computed before the `let`s. The engine stops the whole evaluation here.
    "#]],
    );
}

#[test]
fn what_leaves_a_group() {
    check_rule(
        "size(P, N, P, C) :- crew(P, N) |> do fn:group_by(), let C = fn:count().",
        expect![[r#"
        2:6-7 error head-var-not-grouped: `P` is neither a key of `fn:group_by` nor defined by a `let`: a group has no single value for it.
          2:38-51 the keys of the group
          fix: Group by `P` too
        2:9-10 error head-var-not-grouped: `N` is neither a key of `fn:group_by` nor defined by a `let`: a group has no single value for it.
          2:38-51 the keys of the group
          fix: Group by `N` too
    "#]],
    );
    check_rule(
        "load(P, M) :- crew(P, N) |> do fn:group_by(P), let M = fn:plus(N, N, P).",
        expect![[r#"
            2:64-65 error function-over-ungrouped: `N` has many values in a group: it is neither a key of `fn:group_by` nor reduced by an earlier `let`.
            2:70-71 warning type-premise-impossible: `fn:plus` takes an integer, found name `P`
              1:35-40 type of `P` comes from here
              note: the engine aborts when it evaluates this call
              note: argument 1 of `crew/2` is declared as a name
        "#]],
    );
    check_rule(
        "load(P, C) :- crew(P, N) |> do fn:group_by(P), let C = fn:count(N).",
        expect![[r#"
        2:65-66 error function-over-ungrouped: `fn:count` takes no argument: it counts the rows of the group.
          fix: Delete the arguments
    "#]],
    );
    check_rule(
        "load(P, C) :- crew(P, N) |> do fn:group_by(P), let C = fn:sum(N, N).",
        expect![[r#"
        2:63-64 error function-over-ungrouped: `N` has many values in a group, and `fn:sum`, which could reduce them, takes 1 argument.
    "#]],
    );
    check_fix(
        "head-var-not-grouped",
        "crew(1, 2).\nsize(P, N, C) :- crew(P, N) |> do fn:group_by(P), let C = fn:count().\n",
        expect![[r#"
            crew(1, 2).
            size(P, N, C) :- crew(P, N) |> do fn:group_by(P, N), let C = fn:count().
        "#]],
    );
}

#[test]
fn arity_of_reducers() {
    check_rule(
        "load(P, C) :- crew(P, _) |> do fn:group_by(P), let C = fn:count(P), let D = fn:collect().",
        expect![[r#"
            2:56-67 error function-arity: `fn:count` takes no argument, found 1
              note: the engine rejects the program
            2:77-89 error function-arity: `fn:collect` takes at least 1 argument, found 0
              note: the engine rejects the program
        "#]],
    );
}

#[test]
fn reducers_without_rows() {
    check_rule(
        "all(S) :- crew(_, N) |> let S = fn:sum(N).",
        expect![[r#"
        2:33-39 error reducer-in-let: `fn:sum` reduces the rows of a group, and there is none without `do fn:group_by(…)`.
    "#]],
    );
    check_rule(
        "all(S) :- crew(_, N) |> let M = fn:plus(N, 1), let S = fn:collect(M).",
        expect![[r#"
        2:56-66 error reducer-in-let: `fn:collect` reduces the rows of a group, and there is none without `do fn:group_by(…)`.
    "#]],
    );
    check_rule(
        "all(S, fn:count()) :- crew(_, N), S = fn:collect(N), :filter(fn:avg(N)).",
        expect![[r#"
            2:8-16 error reducer-in-body: `fn:count` reduces the rows of a group and has none here: the engine stops the whole evaluation. Write `|> do fn:group_by(…), let V = fn:count(…)`.
            2:39-49 error reducer-in-body: `fn:collect` reduces the rows of a group and has none here: the engine stops the whole evaluation. Write `|> do fn:group_by(…), let V = fn:collect(…)`.
            2:62-68 error reducer-in-body: `fn:avg` reduces the rows of a group and has none here: the engine stops the whole evaluation. Write `|> do fn:group_by(…), let V = fn:avg(…)`.
            2:62-71 warning type-premise-impossible: argument 1 of `:filter` takes one of the names `/false`, `/true`, found float `fn:avg(N)`
              note: this premise never holds
        "#]],
    );
    check_rule(
        "all(S) :- crew(_, N) |> let S = fn:plus(fn:count(), N).",
        expect![[r#"
        2:41-49 error reducer-in-body: `fn:count` reduces the rows of a group and has none here: the engine stops the whole evaluation. Write `|> do fn:group_by(…), let V = fn:count(…)`.
    "#]],
    );
}

#[test]
fn sums_of_lists() {
    check(
        "load([1, 2]).\nall(S) :- load(L), S = fn:sum(L).\nmost(S) :- load(L) |> let S = fn:max(L).\n",
        expect![[""]],
    );
    check(
        "load(1).\nall(S) :- load(L), S = fn:sum(L).\nmost(fn:max([3, 4])).\nleast(fn:min(3)).\n",
        expect![[r#"
            2:24-30 error reducer-in-body: Outside of a group `fn:sum` takes a list, and this is none: the engine stops the whole evaluation here.
            4:7-13 error reducer-in-body: Outside of a group `fn:min` takes a list, and this is none: the engine stops the whole evaluation here.
        "#]],
    );
}

#[test]
fn what_reducers_take() {
    check_rule(
        "all(S) :- crew(_, N) |> do fn:group_by(), let S = fn:sum(fn:plus(N, 1)).",
        expect![[r#"
        2:58-71 error reducer-arg-not-variable: `fn:sum` takes a plain variable; the engine crashes over an expression.
    "#]],
    );
    check_rule(
        "all(T, L) :- crew(_, N) |> do fn:group_by(), let S = fn:sum(N), let T = fn:max(S), let L = fn:collect(S, N).",
        expect![[r#"
            2:80-81 error reducer-over-let: `fn:max` goes through the rows of the group, and those do not have `S`, which a `let` defines: it reduces nothing, without a word.
            2:103-104 error reducer-over-let: `fn:collect` goes through the rows of the group, and those do not have `S`, which a `let` defines: it reduces nothing, without a word.
        "#]],
    );
    check_rule(
        "all(S) :- crew(P, _) |> do fn:group_by(), let S = fn:max(P).",
        expect![[r#"
            2:51-57 warning reducer-type: `fn:max` takes an integer, found name `P`
              1:35-40 type of `P` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: argument 1 of `crew/2` is declared as a name
        "#]],
    );
    check(
        "Decl log(At, Took, Cost) bound [/time, /duration, /float64].\nall(A, B, C, D) :- log(At, T, C1) |> do fn:group_by(), let A = fn:max(At), let B = fn:sum(T), let C = fn:sum(C1), let D = fn:avg(C1).\n",
        expect![[r#"
            2:64-70 warning reducer-type: `fn:max` takes an integer, found instant `At`
              1:33-38 type of `At` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: argument 1 of `log/3` is declared as an instant
              fix: write `fn:time:max`
            2:84-90 warning reducer-type: `fn:sum` takes an integer, found duration `T`
              1:40-49 type of `T` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: argument 2 of `log/3` is declared as a duration
              fix: write `fn:duration:sum`
            2:103-109 warning reducer-type: `fn:sum` takes an integer, found float `C1`
              1:51-59 type of `C1` comes from here
              note: the engine aborts when it evaluates this aggregation
              note: argument 3 of `log/3` is declared as a float
              fix: write `fn:float:sum`
        "#]],
    );
    check(
        "Decl log(X) bound [/number] bound [/float64].\nall(A) :- log(X) |> do fn:group_by(), let A = fn:float:sum(X).\n",
        expect![[""]],
    );
    check_fix(
        "reducer-type",
        "at(1.5).\ntop(M) :- at(X) |> do fn:group_by(), let M = fn:min(X).\n",
        expect![[r#"
            at(1.5).
            top(M) :- at(X) |> do fn:group_by(), let M = fn:float:min(X).
        "#]],
    );
}

#[test]
fn rows_of_several_premises() {
    check_rule(
        "size(P, C) :- crew(P, _), crew(P, _) |> do fn:group_by(P), let C = fn:count().",
        expect![[r#"
            2:23-24 information group-wildcard-multiplicity: Facts that differ only here make one row, because the rows of a group over several premises have only the named variables. Name it to count them all.
            2:35-36 information group-wildcard-multiplicity: Facts that differ only here make one row, because the rows of a group over several premises have only the named variables. Name it to count them all.
        "#]],
    );
    check_rule(
        "size(P, C) :- crew(P, _), crew(P, N) |> do fn:group_by(P), let C = fn:max(N).",
        expect![[""]],
    );
    check_rule("size(P, C) :- crew(P, _) |> do fn:group_by(P), let C = fn:count().", expect![[""]]);
}

#[test]
fn rows_of_a_single_premise() {
    check_rule(
        "loops(C) :- crew(X, X) |> do fn:group_by(), let C = fn:count().",
        expect![[r#"
            2:21-22 error group-repeated-variable: Under a group with a single premise the engine does not check that both columns have the same `X`: all facts of `crew` are rows.
              2:18-19 the first column
            2:21-22 warning type-premise-impossible: argument 2 of `crew/2` is declared `/number`, found name `X`
              1:42-49 declared here
              1:35-40 type of `X` comes from here
              note: no fact that conforms to the declaration matches
              note: argument 1 of `crew/2` is declared as a name
        "#]],
    );
    check_rule(
        "loops(C) :- crew(X, X), X > 1 |> do fn:group_by(), let C = fn:count().",
        expect![[r#"
            2:21-22 warning type-premise-impossible: argument 2 of `crew/2` is declared `/number`, found name `X`
              1:42-49 declared here
              1:35-40 type of `X` comes from here
              note: no fact that conforms to the declaration matches
              note: argument 1 of `crew/2` is declared as a name
        "#]],
    );
}

#[test]
fn shared_relations() {
    let rules = |second: &str| {
        format!(
            "crew(/a, 1).\nlog(/a, 2).\nt(P, S) :- crew(P, N), N > 1 |> do fn:group_by(P), let S = fn:sum(N).\n{second}\n"
        )
    };
    check(
        &rules("t(Q, S) :- log(Q, M), M > 1 |> do fn:group_by(Q), let S = fn:sum(M)."),
        expect![[r#"
        4:1-2 warning group-relation-shared: The engine mixes the rows of this rule with those of the other: both of `t` aggregate over several premises with as many variables, and share one hidden relation.
          3:1-2 the other rule
    "#]],
    );
    // Another number of variables, another predicate, the same body, a single premise.
    check(
        &rules("t(Q, S) :- log(Q, M), K = 1, M > K |> do fn:group_by(Q), let S = fn:sum(M)."),
        expect![[""]],
    );
    check(&rules("u(Q, S) :- log(Q, M), M > 1 |> do fn:group_by(Q), let S = fn:sum(M)."), expect![[""]]);
    check(&rules("t(P, S) :- crew(P, N), N > 1 |> do fn:group_by(P), let S = fn:max(N)."), expect![[""]]);
    check(&rules("t(Q, S) :- log(Q, M) |> do fn:group_by(Q), let S = fn:sum(M)."), expect![[""]]);
}
