//! Tests of the transform rules: findings and accepted programs.

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
            2:61-110 error multiple-transforms: clause has more than one transform
              label: only one `|>` is allowed
              note: the engine rejects the program
              help: move what needs another grouping to a rule of its own
        "#]],
    );
}

#[test]
fn what_stands_behind_do() {
    check_rule(
        "size(P) :- crew(P, _) |> do fn:count().",
        expect![[r#"
            2:29-37 error do-without-group-by: `do` requires `fn:group_by`, found `fn:count`
              note: the engine accepts the rule and silently derives nothing from it
              help: write `do fn:group_by(…)`, and reduce in a `let` after it
        "#]],
    );
    check_rule(
        "size(P) :- crew(P, N) |> do fn:count(N), let M = fn:plus(K, 1).",
        expect![[r#"
            2:29-37 error do-without-group-by: `do` requires `fn:group_by`, found `fn:count`
              note: the engine accepts the rule and silently derives nothing from it
              help: write `do fn:group_by(…)`, and reduce in a `let` after it
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
            2:41-42 error group-by-not-variable: group key `1` is not a variable
              note: the engine rejects the program
              help: bind a variable to the value in the body and group by that
            2:44-57 error group-by-not-variable: group key `fn:plus(N, 1)` is not a variable
              note: the engine rejects the program
              help: bind a variable to the value in the body and group by that
        "#]],
    );
    check_rule(
        "size(P, N, C) :- crew(P, N) |> do fn:group_by(P, N, P), let C = fn:count().",
        expect![[r#"
            2:53-54 error group-by-repeated: group key `P` is repeated
              note: the engine rejects the program
              fix: delete the repeated key
        "#]],
    );
    check_rule(
        "size(C) :- crew(P, N) |> do fn:group_by(C, K), let C = fn:count().",
        expect![[r#"
            2:41-42 error let-order: group key `C` is used before its `let`
              note: groups are formed before any `let` runs; evaluation aborts
              help: bind `C` in the body
            2:44-45 error transform-unbound-use: `K` is unbound in the transform
              label: occurs nowhere else in the clause
              note: the engine rejects the program
              help: bind `K` in the body
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
            2:37-51 error group-by-misplaced: `fn:group_by` is not directly after `do`
              label: computes no value
              note: the engine rejects the program, or aborts evaluation
              help: group with `|> do fn:group_by(…)` after the body
        "#]],
    );
    check_rule(
        "size(P, G) :- crew(P, _), G = fn:list(fn:group_by(P)).",
        expect![[r#"
            2:39-53 error group-by-misplaced: `fn:group_by` is not directly after `do`
              label: computes no value
              note: the engine rejects the program, or aborts evaluation
              help: group with `|> do fn:group_by(…)` after the body
        "#]],
    );
    check_rule(
        "size(P, G) :- crew(P, _) |> do fn:group_by(P), let G = fn:group_by(P).",
        expect![[r#"
            2:56-70 error group-by-misplaced: `fn:group_by` is not directly after `do`
              label: computes no value
              note: the engine rejects the program, or aborts evaluation
              help: group with `|> do fn:group_by(…)` after the body
        "#]],
    );
}

#[test]
fn new_variables() {
    check_rule(
        "next(N) :- crew(_, N) |> let N = fn:plus(N, 1).",
        expect![[r#"
            2:30-31 error transform-redefines: `let` redefines `N`, which the body binds
              note: the engine rejects the program
              help: use a new variable
        "#]],
    );
    check_rule(
        "next(M) :- crew(_, N), M = fn:plus(N, 1) |> let M = fn:plus(N, 1).",
        expect![[r#"
            2:49-50 error transform-redefines: `let` redefines `M`, which the body binds
              note: the engine rejects the program
              help: use a new variable
        "#]],
    );
    check_rule(
        "next(M) :- crew(_, N) |> let M = fn:plus(N, 1), let M = fn:plus(N, 2).",
        expect![[r#"
            2:53-54 warning let-redefined: second `let` of `M` has no effect
              2:30-31 the engine uses this value
              note: the engine silently keeps the value of the first `let`
              help: use a new variable
        "#]],
    );
}

#[test]
fn order_of_lets() {
    check_rule(
        "next(B, C) :- crew(_, N) |> let B = fn:plus(A, 1), let A = fn:plus(N, A), let C = fn:plus(K, K).",
        expect![[r#"
            2:45-46 error let-order: `A` is used before its `let`
              note: `let`s run in the order of the text; evaluation aborts
              help: move the `let` of `A` before this one
            2:71-72 error let-order: `A` is used in its own `let`
              note: evaluation aborts
              help: use another variable
            2:91-92 error transform-unbound-use: `K` is unbound in the transform
              label: occurs nowhere else in the clause
              note: the engine rejects the program
              help: bind `K` in the body
        "#]],
    );
    check_rule(
        "next(fn:plus(M, 1)) :- crew(_, N) |> let M = fn:plus(N, 1).",
        expect![[r#"
            2:14-15 error let-order: head expression uses `M` before its `let`
              note: expressions in the head are computed before the transform; evaluation aborts
              help: compute the expression in a `let`
        "#]],
    );
}

#[test]
fn what_leaves_a_group() {
    check_rule(
        "size(P, N, P, C) :- crew(P, N) |> do fn:group_by(), let C = fn:count().",
        expect![[r#"
            2:6-7 error head-var-not-grouped: head variable `P` is not a key of the group
              label: neither a key nor defined by a `let`
              2:38-51 keys of the group
              note: a group has no single value for it, and the engine rejects the program
              fix: group by `P` too
            2:9-10 error head-var-not-grouped: head variable `N` is not a key of the group
              label: neither a key nor defined by a `let`
              2:38-51 keys of the group
              note: a group has no single value for it, and the engine rejects the program
              fix: group by `N` too
        "#]],
    );
    check_rule(
        "load(P, M) :- crew(P, N) |> do fn:group_by(P), let M = fn:plus(N, N, P).",
        expect![[r#"
            2:64-65 error function-over-ungrouped: `N` has many values in a group
              label: neither a key nor reduced
              note: the engine rejects the program
              help: reduce `N` in an earlier `let`, or group by it
            2:70-71 warning type-premise-impossible: `fn:plus` takes an integer, found name `P`
              1:35-40 type of `P` comes from here
              note: the engine aborts when it evaluates this call
              note: argument 1 of `crew/2` is declared as a name
        "#]],
    );
    check_rule(
        "load(P, C) :- crew(P, N) |> do fn:group_by(P), let C = fn:count(N).",
        expect![[r#"
            2:65-66 error function-over-ungrouped: `fn:count` takes no argument
              note: it counts all solutions of a group; the engine rejects the program
              fix: delete the arguments
        "#]],
    );
    check_rule(
        "load(P, C) :- crew(P, N) |> do fn:group_by(P), let C = fn:sum(N, N).",
        expect![[r#"
            2:63-64 error function-over-ungrouped: `fn:sum` takes 1 argument, not 2
              label: has many values in a group
              note: so it does not reduce `N`, and the engine rejects the program
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
            2:33-39 error reducer-in-let: `fn:sum` has no group to reduce
              note: a transform of `let`s computes each solution by itself; evaluation aborts
              help: insert `do fn:group_by(…)` before the first `let`
        "#]],
    );
    check_rule(
        "all(S) :- crew(_, N) |> let M = fn:plus(N, 1), let S = fn:collect(M).",
        expect![[r#"
            2:56-66 error reducer-in-let: `fn:collect` has no group to reduce
              note: a transform of `let`s computes each solution by itself; evaluation aborts
              help: insert `do fn:group_by(…)` before the first `let`
        "#]],
    );
    check_rule(
        "all(S, fn:count()) :- crew(_, N), S = fn:collect(N), :filter(fn:avg(N)).",
        expect![[r#"
            2:8-16 error reducer-in-body: `fn:count` is used outside of a group
              note: evaluation aborts
              help: write `|> do fn:group_by(…), let V = fn:count(…)`
            2:39-49 error reducer-in-body: `fn:collect` is used outside of a group
              note: evaluation aborts
              help: write `|> do fn:group_by(…), let V = fn:collect(…)`
            2:62-68 error reducer-in-body: `fn:avg` is used outside of a group
              note: evaluation aborts
              help: write `|> do fn:group_by(…), let V = fn:avg(…)`
            2:62-71 warning type-premise-impossible: argument 1 of `:filter` takes one of the names `/false`, `/true`, found float `fn:avg(N)`
              note: this premise never holds
        "#]],
    );
    check_rule(
        "all(S) :- crew(_, N) |> let S = fn:plus(fn:count(), N).",
        expect![[r#"
            2:41-49 error reducer-in-body: `fn:count` is used outside of a group
              note: evaluation aborts
              help: write `|> do fn:group_by(…), let V = fn:count(…)`
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
            2:24-30 error reducer-in-body: `fn:sum` requires a list outside of a group
              label: the argument is not a list
              note: evaluation aborts
            4:7-13 error reducer-in-body: `fn:min` requires a list outside of a group
              label: the argument is not a list
              note: evaluation aborts
        "#]],
    );
}

#[test]
fn what_reducers_take() {
    check_rule(
        "all(S) :- crew(_, N) |> do fn:group_by(), let S = fn:sum(fn:plus(N, 1)).",
        expect![[r#"
            2:58-71 error reducer-arg-not-variable: `fn:sum` requires a variable, found an expression
              note: the engine panics
              help: compute the value in a rule of its own and reduce its argument
        "#]],
    );
    check_rule(
        "all(T, L) :- crew(_, N) |> do fn:group_by(), let S = fn:sum(N), let T = fn:max(S), let L = fn:collect(S, N).",
        expect![[r#"
            2:80-81 error reducer-over-let: `fn:max` reduces nothing: a `let` defines `S`
              note: a group holds the variables of the body only; the result is silently 0 or empty
              help: reduce a variable of the body, or aggregate again in a second rule
            2:103-104 error reducer-over-let: `fn:collect` reduces nothing: a `let` defines `S`
              note: a group holds the variables of the body only; the result is silently 0 or empty
              help: reduce a variable of the body, or aggregate again in a second rule
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
            2:23-24 information group-wildcard-multiplicity: facts that differ only in this wildcard count once
              note: a group over several premises holds each combination of named variables once
              help: name the variable to count them all
            2:35-36 information group-wildcard-multiplicity: facts that differ only in this wildcard count once
              note: a group over several premises holds each combination of named variables once
              help: name the variable to count them all
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
            2:21-22 error group-repeated-variable: engine ignores that `X` occurs twice
              2:18-19 first occurrence
              note: with a single premise, a group holds every fact of `crew`, also those whose arguments differ
              help: compare the arguments in a rule of its own and aggregate that
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
            4:1-2 warning group-relation-shared: two aggregations of `t` share one internal relation
              3:1-2 the other aggregation
              note: each aggregates the solutions of both bodies, because both have the same number of variables
              help: use separate predicates, and join them in a third rule
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
