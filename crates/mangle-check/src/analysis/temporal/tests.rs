//! Findings about facts in time, in full.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{check, check_fix};

#[test]
fn heads() {
    check(
        "#- schemas.mg\nDecl on(X) temporal.\nDecl off(X).\n#- facts.mg\non(1).\non(2)@[_].\non(3)@[2024-05-01].\n\
         q(1).\non(X) :- q(X).\noff(1)@[2024-05-01].\noff(2)@[_, _].\noff(X)@[now] :- q(X).\n",
        expect![[r#"
            facts.mg:1:1-6 error temporal-head-missing: `on` is declared temporal, so its clauses say when they hold: `@[start, end]`, or `@[_, _]` for always. The engine rejects one without.
              schemas.mg:1:6-8 the declaration
            facts.mg:5:1-6 error temporal-head-missing: `on` is declared temporal, so its clauses say when they hold: `@[start, end]`, or `@[_, _]` for always. The engine rejects one without.
              schemas.mg:1:6-8 the declaration
            facts.mg:6:7-20 error temporal-head-unexpected: `off` is not declared temporal, so its clauses carry no interval. The engine rejects this one; declare the predicate `temporal` or remove the interval.
              schemas.mg:2:6-9 the declaration
            facts.mg:7:7-14 warning temporal-head-eternal: `off` is not temporal, and the engine keeps what carries an interval with the temporal facts, where plain premises do not look. Without the interval it holds always, and is found.
              fix: Remove the interval
            facts.mg:8:7-13 error temporal-head-unexpected: `off` is not declared temporal, so its clauses carry no interval. The engine rejects this one; declare the predicate `temporal` or remove the interval.
              schemas.mg:2:6-9 the declaration
        "#]],
    );
    // Without a declaration one clause decides for all, wherever it stands.
    check(
        "#- a.mg\np(1).\n#- b.mg\np(2)@[2024-05-01, _].\n",
        expect![[r#"
        a.mg:1:1-5 error temporal-head-missing: `p` is temporal, because another clause of it carries an interval, so its clauses say when they hold: `@[start, end]`, or `@[_, _]` for always. The engine rejects one without.
    "#]],
    );
    // A declaration decides alone, even in a later file.
    check(
        "#- a.mg\np(2)@[2024-05-01, _].\n#- b.mg\nDecl p(X).\nq(X) :- p(X).\n",
        expect![[r#"
        a.mg:1:5-21 error temporal-head-unexpected: `p` is not declared temporal, so its clauses carry no interval. The engine rejects this one; declare the predicate `temporal` or remove the interval.
          b.mg:1:6-7 the declaration
    "#]],
    );
    // The first clause decides, and "always" is not taken for a time.
    check(
        "p(1)@[_].\np(2)@[2024-05-01, _].\n",
        expect![[r#"
        1:5-9 error temporal-head-missing: `p` has no declaration, so its first clause, this one, decides whether it is temporal. For the engine `@[_, _]` does not, and it rejects the intervals of later clauses. Declare `p` as `temporal`.
    "#]],
    );
    check("p(2)@[2024-05-01, _].\np(1)@[_].\n", expect![[""]]);
    check_fix(
        "temporal-head-eternal",
        "q(1).\np(X) @[_, _] :- q(X).\n",
        expect![[r#"
        q(1).
        p(X) :- q(X).
    "#]],
    );
}

#[test]
fn premises() {
    check(
        "Decl on(X) temporal.\non(1)@[2024-05-01, _].\nDecl off(X).\noff(1).\n\
         a(X) :- on(X).\nb(X) :- off(X), !on(X).\nc(X) :- off(X)@[S, E].\nd(X) :- <-[0d, 1d] off(X)@[S, E].\n\
         e(X) :- on(X)@[_].\nf(X) :- <-[0d, 1d] on(X)@[_, _].\ng(X) :- off(X), :lt(X, 3)@[S, _].\n",
        expect![[r#"
            5:9-14 error temporal-use-bare: `on` is temporal: a premise says which time it asks for, such as `@[Start, End]` for any, or `@[now]`. The engine rejects one that does not.
              1:6-8 the declaration
              fix: Ask for any time: add `@[Start, End]`
            6:17-23 error temporal-negated: `on` is temporal, and a negated premise only looks among plain facts: this is always true. Copy what is meant into a plain predicate, and negate that.
              1:6-8 the declaration
            7:15-22 error temporal-use-unexpected: `off` is not temporal: its facts have no time to ask for. The engine rejects this premise.
              3:6-9 the declaration
            8:9-19 error temporal-use-unexpected: `off` is not temporal: its facts have no time to ask for. The engine rejects this premise.
              3:6-9 the declaration
            9:14-18 warning temporal-eternal-premise: This is not "at any time": only facts that hold for ever, themselves with `@[_, _]`, match. For any time write `@[Start, _]`.
              fix: Ask for any time: write `@[Start, _]`
            11:26-33 error temporal-use-unexpected: `:lt` is a built-in and has no time. The engine says nothing, and this never holds.
        "#]],
    );
    check_fix(
        "temporal-use-bare",
        "on(1)@[2024-05-01, _].\na(X, Start) :- on(X), b(Start, fn:plus(End2, End)).\n",
        expect![[r#"
            on(1)@[2024-05-01, _].
            a(X, Start) :- on(X)@[Start2, End3], b(Start, fn:plus(End2, End)).
        "#]],
    );
    check_fix(
        "temporal-eternal-premise",
        "on(1)@[2024-05-01, _].\na(X) :- on(X)@[_, _].\n",
        expect![[r#"
        on(1)@[2024-05-01, _].
        a(X) :- on(X)@[Start, _].
    "#]],
    );
}

#[test]
fn operators_and_intervals() {
    check(
        "on(1)@[2024-05-01, _].\na(X) :- on(X)@[S, _], <-[0d, S] on(X).\nb(X) :- [+[_, 3d] on(X).\n\
         c(X) :- <-[3d, now] on(X).\nd(X) :- [-[2024-05-01, 2024-05-03] on(X).\ne(X) :- <+[2024-05-03, 2024-05-01] on(X).\n\
         f(X) :- on(X)@[2024-05-03, 2024-05-01].\n",
        expect![[r#"
            2:30-31 error operator-variable: The brackets of an operator do not take variables: the engine rejects `S`, or reads it as 1970 when a premise gives it a value.
            3:12-13 error operator-variable: The brackets of an operator do not take `_`. For "as far as it goes" write a long duration, such as `36500d`.
            4:9-20 error interval-inverted: Durations in an operator count away from now, the smaller one first; like this the interval is empty. The engine does not notice, and finds nothing, or facts that were not asked for.
              fix: Swap the two
            5:9-35 error interval-inverted: An operator that looks back reads its brackets from the later instant to the earlier one; like this the interval is empty. The engine does not notice, and finds nothing, or facts that were not asked for.
              fix: Swap the two
            6:9-35 error interval-inverted: This interval ends before it starts. The engine does not notice, and finds nothing, or facts that were not asked for.
              fix: Swap the two
            7:14-39 error interval-inverted: This interval ends before it starts. The engine does not notice, and finds nothing, or facts that were not asked for.
              fix: Swap the two
        "#]],
    );
    check(
        "on(1)@[2024-05-01, _].\na(X) :- <-[now, 3d] on(X).\nb(X) :- <+[0s, 0d] on(X).\n\
         d(X) :- [-[2024-05-03, 2024-05-01] on(X).\ne(X) :- <+[2024-05-01, 2024-05-03] on(X).\n",
        expect![[""]],
    );
    check(
        "on(1)@[30d].\non(2)@[2024-05-03, 2024-05-01].\nq(1).\non(X)@[now, 1d] :- q(X).\na(X) :- on(X)@[1d, now].\n\
         on(X)@[2024-05-03, 2024-05-01] :- q(X).\n",
        expect![[r#"
            1:8-11 error interval-duration: A duration says nothing in `@[…]`; only temporal operators know it. The engine reads it as an instant in 1970.
            2:6-31 error interval-inverted: This interval ends before it starts. The engine aborts the evaluation when it adds the fact.
              fix: Swap the two
            4:13-15 error interval-duration: A duration says nothing in `@[…]`; only temporal operators know it. The engine aborts the evaluation when the rule fires.
            5:16-18 error interval-duration: A duration says nothing in `@[…]`; only temporal operators know it. The engine ignores the whole interval then, and takes facts of any time.
            6:6-31 error interval-inverted: This interval ends before it starts. The engine aborts the evaluation when the rule fires.
              fix: Swap the two
        "#]],
    );
    check_fix(
        "interval-inverted",
        "on(1)@[ 2024-05-03T10:00:00 ,2024-05-01].\n",
        expect![[r#"
        on(1)@[ 2024-05-01 ,2024-05-03T10:00:00].
    "#]],
    );
    check_fix(
        "interval-inverted",
        "on(1)@[2024-05-01, _].\na(X) :- <-[30d, 0d] on(X).\n",
        expect![[r#"
        on(1)@[2024-05-01, _].
        a(X) :- <-[0d, 30d] on(X).
    "#]],
    );
}

#[test]
fn ends_that_do_not_count() {
    check(
        "on(1)@[2024-05-01, _].\na(X) :- on(X)@[S, now].\nb(X) :- on(X)@[2024-05-01, E], on(X)@[now, E].\n\
         c(X, S) :- <-[0d, 1d] on(X)@[S, now].\nd(X) :- on(X)@[S, _].\n",
        expect![[r#"
            2:19-22 warning interval-half-known: This end has no effect: beside `S`, which has no value yet, the engine takes facts of any time. Use two variables, and compare them with `:time:le` or `:time:ge`.
            3:16-26 warning interval-half-known: This end has no effect: beside `E`, which has no value yet, the engine takes facts of any time. Use two variables, and compare them with `:time:le` or `:time:ge`.
        "#]],
    );
}

#[test]
fn groups() {
    check(
        "on(1)@[2024-05-01, _].\nq(1).\na(N) :- on(X)@[S, _] |> do fn:group_by(), let N = fn:count().\n\
         b(X, N) :- q(X), <-[0d, 1d] on(X) |> do fn:group_by(X), let N = fn:count().\n\
         on(X)@[now] :- q(X) |> do fn:group_by(X), let N = fn:count().\n\
         c(X, T) :- on(X)@[S, _] |> let T = fn:time:year(S).\n",
        expect![[r#"
            3:25-41 error temporal-group: The engine crashes here. Copy the temporal facts into a plain predicate first.
              3:9-21 the temporal premise
            4:38-55 error temporal-group: The engine overlooks the variables of temporal premises here and counts too few rows. Copy the temporal facts into a plain predicate first.
              4:18-34 the temporal premise
            5:24-41 error temporal-group: What an aggregating rule derives loses its interval: the engine keeps it as a plain fact. Aggregate into a plain predicate, and give it a time in a second rule.
              5:6-12 the interval that is lost
        "#]],
    );
}

#[test]
fn recursion() {
    check(
        "Decl a(X) temporal.\na(1)@[2024-05-01, _].\nb(X) :- a(X)@[S, _].\nc(X) :- b(X).\n#- two.mg\na(X)@[now] :- c(X).\n",
        expect![[r#"
            main.mg:3:1-5 error temporal-mutual-recursion: `b` and the temporal predicate `a` depend on each other: `b → a → c → b`. The engine rejects recursion through several predicates when one of them is temporal.
              two.mg:1:15-16 `a` needs `c`
              main.mg:4:9-10 `c` needs `b`
        "#]],
    );
    check(
        "Decl a(X) temporal.\na(1)@[2024-05-01, _].\na(X)@[S, E] :- a(X)@[S, E].\na(X)@[S, now] :- a(X)@[S, _].\n\
         a(X)@[now] :- [+[0d, 1d] a(X).\n",
        expect![[r#"
            3:1-5 warning temporal-self-recursion: The temporal predicate `a` is derived from itself. Each round may add intervals, which the engine does not join; it gives up when one fact has a thousand.
              3:16-17 asked for here
            5:15-25 error future-recursion: `a` is derived from its own future, which could go on for ever. The engine rejects this rule.
        "#]],
    );
    // A negation in such a cycle is no second mistake, unless the engine sees that one, too.
    check(
        "Decl e(X) temporal.\nq(1).\ne(X)@[2024-01-01] :- q(X), !p(X).\np(X) :- e(X)@[S, _].\n",
        expect![[r#"
            3:1-5 error temporal-mutual-recursion: The temporal predicate `e` depends on itself through others: `e → !p → e`. The engine rejects recursion through several predicates when one of them is temporal.
              4:9-10 `p` needs `e`
        "#]],
    );
}
