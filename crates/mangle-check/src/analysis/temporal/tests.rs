//! Tests of findings about temporal facts.

#![allow(clippy::unwrap_used)]

use expect_test::expect;

use crate::testing::{check, check_fix};

#[test]
fn heads() {
    check(
        "#- schemas.mg\nDecl on(X) temporal.\nDecl off(X).\n#- facts.mg\non(1).\non(2)@[_].\non(3)@[2024-05-01].\n\
         q(1).\non(X) :- q(X).\noff(1)@[2024-05-01].\noff(2)@[_, _].\noff(X)@[now] :- q(X).\n",
        expect![[r#"
            facts.mg:1:1-6 error temporal-head-missing: clause of the temporal `on` has no interval
              schemas.mg:1:6-8 declared here
              note: the engine rejects the clause
              help: add `@[start, end]`, or `@[_, _]` for a fact that always holds
            facts.mg:5:1-6 error temporal-head-missing: clause of the temporal `on` has no interval
              schemas.mg:1:6-8 declared here
              note: the engine rejects the clause
              help: add `@[start, end]`, or `@[_, _]` for a fact that always holds
            facts.mg:6:7-20 error temporal-head-unexpected: interval on `off`, which is not temporal
              schemas.mg:2:6-9 declared here
              note: the engine rejects the clause
              help: declare `off` as `temporal`, or remove the interval
            facts.mg:7:7-14 warning temporal-head-eternal: interval hides this fact from plain premises
              note: `off` is not temporal, and the engine stores what has an interval with the temporal facts
              fix: remove the interval
            facts.mg:8:7-13 error temporal-head-unexpected: interval on `off`, which is not temporal
              schemas.mg:2:6-9 declared here
              note: the engine rejects the clause
              help: declare `off` as `temporal`, or remove the interval
        "#]],
    );
    // Without a declaration, a single clause determines the kind, in any position.
    check(
        "#- a.mg\np(1).\n#- b.mg\np(2)@[2024-05-01, _].\n",
        expect![[r#"
            a.mg:1:1-5 error temporal-head-missing: clause of the temporal `p` has no interval
              note: another clause of `p` has an interval, which makes it temporal
              note: the engine rejects the clause
              help: add `@[start, end]`, or `@[_, _]` for a fact that always holds
        "#]],
    );
    // A declaration determines the kind, even in a later file.
    check(
        "#- a.mg\np(2)@[2024-05-01, _].\n#- b.mg\nDecl p(X).\nq(X) :- p(X).\n",
        expect![[r#"
            a.mg:1:5-21 error temporal-head-unexpected: interval on `p`, which is not temporal
              b.mg:1:6-7 declared here
              note: the engine rejects the clause
              help: declare `p` as `temporal`, or remove the interval
        "#]],
    );
    // The first clause determines the kind, and an unbounded interval is not temporal.
    check(
        "p(1)@[_].\np(2)@[2024-05-01, _].\n",
        expect![[r#"
            1:5-9 error temporal-head-missing: this interval does not make `p` temporal
              note: without a declaration, the first clause of `p` decides, and `@[_, _]` does not count
              note: the engine rejects the intervals of later clauses
              help: declare `p` as `temporal`
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
            5:9-14 error temporal-use-bare: premise on the temporal `on` has no interval
              1:6-8 declared here
              note: the engine rejects the rule; `@[now]` restricts the premise to the present
              fix: add `@[Start, End]` for any time
            6:17-23 error temporal-negated: negation of the temporal `on` finds no fact that has an interval
              1:6-8 declared here
              note: a negation finds plain facts only, and temporal facts are stored separately
              help: copy the facts that matter into a plain predicate, and negate that
            7:15-22 error temporal-use-unexpected: interval on `off`, which is not temporal
              3:6-9 declared here
              note: facts of the predicate have no time, and the engine rejects the rule
              help: remove the interval, or declare `off` as `temporal`
            8:9-19 error temporal-use-unexpected: temporal operator on `off`, which is not temporal
              3:6-9 declared here
              note: facts of the predicate have no time, and the engine rejects the rule
              help: remove the temporal operator, or declare `off` as `temporal`
            9:14-18 warning temporal-eternal-premise: interval matches only facts that hold forever
              label: two infinite ends
              note: only facts with `@[_, _]` hold at all times between the two ends
              fix: write `@[Start, _]` for any time
            11:26-33 error temporal-use-unexpected: interval on the built-in `:lt`
              note: the premise is silently never true
              help: remove the interval
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
            2:30-31 error operator-variable: temporal operator contains the variable `S`
              note: the engine rejects an unbound variable here, and silently reads a bound one as 1970
              help: write a duration, an instant or `now`
            3:12-13 error operator-variable: temporal operator contains a wildcard
              note: the engine rejects an unbound variable here, and `_` is one
              help: write a long duration, such as `36500d`, for no limit
            4:9-20 error interval-inverted: interval is empty: the larger duration is first
              note: durations in an operator count away from now, the smaller one first
              note: the engine silently finds nothing, or other facts than intended
              fix: swap the bounds
            5:9-35 error interval-inverted: interval is empty: the earlier instant is first
              note: `<-` and `[-` read their brackets from the later instant to the earlier one
              note: the engine silently finds nothing, or other facts than intended
              fix: swap the bounds
            6:9-35 error interval-inverted: interval ends before it starts
              note: the engine silently finds nothing, or other facts than intended
              fix: swap the bounds
            7:14-39 error interval-inverted: interval ends before it starts
              note: the engine silently finds nothing, or other facts than intended
              fix: swap the bounds
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
            1:8-11 error interval-duration: `@[…]` requires instants, found a duration
              note: the engine reads it as an instant in 1970
              help: write an instant, such as `2024-05-01`
            2:6-31 error interval-inverted: interval ends before it starts
              note: evaluation aborts when the engine adds the fact
              fix: swap the bounds
            4:13-15 error interval-duration: `@[…]` requires instants, found a duration
              note: evaluation aborts when the rule fires
              help: write an instant, such as `2024-05-01`
            5:9-24 error temporal-derived-premise: `on` may be evaluated after this rule
              label: temporal, and derived by rules
              4:1-3 derived here
              note: the engine ignores temporal premises when it orders predicates, so the order is random
              note: if `a` comes first, this premise finds no derived facts
              help: write the body of the rules of `on` here, or provide its facts from outside
            5:16-18 error interval-duration: `@[…]` requires instants, found a duration
              note: the engine ignores the whole interval and finds facts of any time
              help: use a temporal operator, such as `<-[0d, 7d]`
            6:6-31 error interval-inverted: interval ends before it starts
              note: evaluation aborts when the rule fires
              fix: swap the bounds
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
            2:19-22 warning interval-half-known: engine ignores `now`: `S` is unbound
              note: with an unbound variable at the other end, the premise finds facts of any time
              help: use two variables, and compare them with `:time:le` or `:time:ge`
            3:16-26 warning interval-half-known: engine ignores `2024-05-01`: `E` is unbound
              note: with an unbound variable at the other end, the premise finds facts of any time
              help: use two variables, and compare them with `:time:le` or `:time:ge`
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
            3:25-41 error temporal-group: engine panics: aggregation over a temporal premise
              3:9-21 temporal premise
              note: it does not find the variables of temporal premises when it forms groups
              help: copy the temporal facts into a plain predicate first
            4:38-55 error temporal-group: aggregation ignores the variables of temporal premises
              4:18-34 temporal premise
              note: the engine counts too few solutions
              help: copy the temporal facts into a plain predicate first
            5:24-41 error temporal-group: aggregation discards the interval of the head
              5:6-12 ignored
              note: the engine stores what the rule derives as plain facts
              help: aggregate into a plain predicate, and add the interval in a second rule
        "#]],
    );
}

#[test]
fn recursion() {
    check(
        "Decl a(X) temporal.\na(1)@[2024-05-01, _].\nb(X) :- a(X)@[S, _].\nc(X) :- b(X).\n#- two.mg\na(X)@[now] :- c(X).\n",
        expect![[r#"
            main.mg:3:1-5 error temporal-mutual-recursion: `b` and the temporal `a` depend on each other
              two.mg:1:15-16 `a` depends on `c`
              main.mg:4:9-10 `c` depends on `b`
              note: `b → a → c → b`
              note: the engine rejects a cycle of several predicates if one of them is temporal
        "#]],
    );
    check(
        "Decl a(X) temporal.\na(1)@[2024-05-01, _].\na(X)@[S, E] :- a(X)@[S, E].\na(X)@[S, now] :- a(X)@[S, _].\n\
         a(X)@[now] :- [+[0d, 1d] a(X).\n",
        expect![[r#"
            3:1-5 warning temporal-self-recursion: temporal `a` is derived from itself
              3:16-17 read here
              note: each round may add intervals, which the engine does not merge
              note: evaluation reaches the limit at 1000 intervals of one fact
            5:15-25 error future-recursion: temporal `a` depends on its own future
              note: the engine rejects the rule, because it could derive facts without end
        "#]],
    );
    // A negation in such a cycle is not a second mistake, unless the engine detects it.
    check(
        "Decl e(X) temporal.\nq(1).\ne(X)@[2024-01-01] :- q(X), !p(X).\np(X) :- e(X)@[S, _].\n",
        expect![[r#"
            3:1-5 error temporal-mutual-recursion: temporal `e` depends on itself through others
              4:9-10 `p` depends on `e`
              note: `e → !p → e`
              note: the engine rejects a cycle of several predicates if one of them is temporal
        "#]],
    );
}
