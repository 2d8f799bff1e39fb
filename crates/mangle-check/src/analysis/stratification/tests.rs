//! Tests of findings about recursion.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::expect;

use crate::testing::{CheckedFixture, check};

#[test]
fn cycles_are_named_and_each_step_is_shown() {
    check(
        "m(1, 2).\nwin(X) :- m(X, Y), !win(Y).\n",
        expect![[r#"
            2:20-27 error unstratified: program cannot be stratified: negative cycle through `win`
              label: negation on the cycle
              note: `win → !win`
              note: the engine rejects the whole program when it evaluates it
              help: negate a predicate that does not depend on `win`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
    check(
        "#- a.mg\nq(1).\na(X) :- q(X), !b(X).\n#- b.mg\nb(X) :- c(X).\nc(X) :- a(X).\nc(X) :- q(X).\n",
        expect![[r#"
            a.mg:2:15-20 error unstratified: program cannot be stratified: negative cycle through `a`
              label: negation on the cycle
              b.mg:1:9-10 `b` depends on `c`
              b.mg:2:9-10 `c` depends on `a`
              note: `a → !b → c → a`
              note: the engine rejects the whole program when it evaluates it
              help: derive `b` without `a`, or negate a predicate that does not depend on `a`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
}

#[test]
fn rules_on_one_cycle_are_one_finding() {
    check(
        "q(1).\na(X) :- q(X), !b(X), !c(X).\nb(X) :- q(X), !a(X).\nc(X) :- q(X), a(X).\n",
        expect![[r#"
            2:15-20 error unstratified: program cannot be stratified: negative cycle through `a`
              label: negation on the cycle
              3:16-17 `b` negates `a`
              note: `a → !b → !a`
              note: the engine rejects the whole program when it evaluates it
              help: derive `b` without `a`, or negate a predicate that does not depend on `a`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
}

#[test]
fn groups_count_as_negations() {
    check(
        "p(1).\nsum(N) :- p(X), all(N0) |> do fn:group_by(), let N = fn:sum(X).\nall(N) :- sum(N).\n",
        expect![[r#"
            2:17-20 hint rule-never-fires: rule for `sum` never fires: `all` never has facts
              3:1-4 defined here
              note: `all` depends on `sum`, which depends on `all`
            2:28-44 error unstratified: program cannot be stratified: aggregation cycle through `sum`
              label: aggregation on the cycle
              3:11-14 `all` depends on `sum`
              note: `sum → |> all → sum`
              note: the engine rejects the whole program when it evaluates it
              help: aggregate a predicate that does not depend on `sum`, as in `total(N) :- parcel(_) |> do fn:group_by(), let N = fn:count().`
        "#]],
    );
    check(
        "p(1).\np(N) :- p(X) |> do fn:group_by(), let N = fn:sum(X).\n",
        expect![[r#"
            2:17-33 error unstratified: program cannot be stratified: aggregation cycle through `p`
              label: aggregation on the cycle
              note: `p → |> p`
              note: the engine rejects the whole program when it evaluates it
              help: aggregate a predicate that does not depend on `p`, as in `total(N) :- parcel(_) |> do fn:group_by(), let N = fn:count().`
        "#]],
    );
    // A negation below an aggregation is named.
    check(
        "q(1).\np(N) :- q(X), !p(X) |> do fn:group_by(), let N = fn:sum(X).\n",
        expect![[r#"
            2:15-20 error unstratified: program cannot be stratified: negative cycle through `p`
              label: negation on the cycle
              note: `p → !p`
              note: the engine rejects the whole program when it evaluates it
              help: negate a predicate that does not depend on `p`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
    check("p(1).\np(M) :- p(N), N < 5 |> let M = fn:plus(N, 1).\n", expect![[""]]);
}

#[test]
fn one_name_with_two_arities() {
    check(
        "q(1).\nDecl p(A).\nDecl p(A, B).\np(X) :- q(X), !p(X, X).\np(X, X) :- p(X).\n",
        expect![[r#"
            3:6-7 information decl-overload: `p` is also declared with 1 argument
              2:6-7 other declaration
              note: the two are independent predicates
            4:15-23 error unstratified: program cannot be stratified: negative cycle through `p/1`
              label: negation on the cycle
              5:12-13 `p/2` depends on `p/1`
              note: `p/1 → !p/2 → p/1`
              note: the engine rejects the whole program when it evaluates it
              help: derive `p/2` without `p/1`, or negate a predicate that does not depend on `p/1`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
}

#[test]
fn temporal_premises_close_cycles_that_the_engine_overlooks() {
    check(
        "Decl on(X) temporal.\non(1)@[2024-05-01, _].\non(X)@[S, E] :- on(X)@[S, E] |> do fn:group_by(X, S, E).\n",
        expect![[r#"
            3:33-56 error unstratified: result depends on evaluation order: aggregation cycle through `on`
              label: aggregation on the cycle
              note: `on → |> on`
              note: the engine ignores temporal premises when it computes strata, and does not reject this
              help: aggregate a predicate that does not depend on `on`, as in `total(N) :- parcel(_) |> do fn:group_by(), let N = fn:count().`
            3:33-56 error temporal-group: engine panics: aggregation over a temporal premise
              3:17-29 temporal premise
              note: it does not find the variables of temporal premises when it forms groups
              help: copy the temporal facts into a plain predicate first
        "#]],
    );
}

#[test]
fn reflected_predicates_are_tests_of_names() {
    check(
        "Decl kind(X) descr [reflects(/a)].\nq(/a/b).\nkind(X) :- r(X).\nr(X) :- q(X), !s(X).\ns(X) :- q(X), kind(X).\n",
        expect![[""]],
    );
}

#[test]
fn damaged_rules_have_no_edges() {
    check(
        "q(1).\np(X) :- q(X), !p(X), r(.\n",
        expect![[r#"
            2:23-24 error missing-bracket: missing `)` after `p(X) :- q(X), !p(X), r(`
              label: expected `)` after this
              fix: insert `)`
        "#]],
    );
}

#[test]
fn a_long_cycle_is_cut_in_the_middle() {
    let mut text = "q(1).\np0(X) :- q(X), !p1(X).\n".to_owned();
    for at in 1..40 {
        writeln!(text, "p{at}(X) :- p{}(X).", (at + 1) % 40).unwrap();
    }
    check(
        &text,
        expect![[r#"
            2:16-22 error unstratified: program cannot be stratified: negative cycle through `p0`
              label: negation on the cycle
              3:10-12 `p1` depends on `p2`
              4:10-12 `p2` depends on `p3`
              5:10-12 `p3` depends on `p4`
              6:10-12 `p4` depends on `p5`
              7:10-12 `p5` depends on `p6`
              8:10-12 `p6` depends on `p7`
              9:10-12 `p7` depends on `p8`
              10:10-12 `p8` depends on `p9`
              note: `p0 → !p1 → p2 → p3 → p4 → p5 → p6 → p7 → … → p0`
              note: the engine rejects the whole program when it evaluates it
              help: derive `p1` without `p0`, or negate a predicate that does not depend on `p0`, as in `waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).`
        "#]],
    );
}

#[test]
fn many_cycles_of_one_component_are_reported_up_to_a_limit() {
    let mut text = "q(1).\n".to_owned();
    for at in 1..100 {
        writeln!(text, "p(X) :- q(X), !p{at}(X).\np{at}(X) :- p(X).").unwrap();
    }
    assert_eq!(CheckedFixture::new(&text).names().filter(|name| *name == "unstratified").count(), 20);
}

#[test]
fn endless_recursion() {
    check(
        "n(0).\nn(M) :- n(N), M = fn:plus(N, 1).\n",
        expect![[r#"
            2:19-32 warning unbounded-recursion: recursion of `n` never ends
              label: a new value in each round
              2:9-10 made from this value
              note: each round makes a new value (`fn:plus`) from an earlier one, and no comparison bounds it
              note: the engine derives facts until it reaches the limit
              help: compare the value with a limit
        "#]],
    );
    check(
        "n(0).\nn(fn:plus(N, 1)) :- n(N).\n",
        expect![[r#"
            2:3-16 warning unbounded-recursion: recursion of `n` never ends
              label: a new value in each round
              2:21-22 made from this value
              note: each round makes a new value (`fn:plus`) from an earlier one, and no comparison bounds it
              note: the engine derives facts until it reaches the limit
              help: compare the value with a limit
        "#]],
    );
    check(
        "n(0).\nn(M) :- n(N) |> let M = fn:mult(N, 2).\n",
        expect![[r#"
            2:25-38 warning unbounded-recursion: recursion of `n` never ends
              label: a new value in each round
              2:9-10 made from this value
              note: each round makes a new value (`fn:mult`) from an earlier one, and no comparison bounds it
              note: the engine derives facts until it reaches the limit
              help: compare the value with a limit
        "#]],
    );
    check(
        "n([]).\nn([X]) :- n(X).\n",
        expect![[r#"
            2:3-6 warning unbounded-recursion: recursion of `n` never ends
              label: a new value in each round
              2:11-12 made from this value
              note: each round makes a larger value from an earlier one, and no comparison bounds it
              note: the engine derives facts until it reaches the limit
              help: compare the value with a limit
        "#]],
    );
    // Through another predicate, and through a renamed variable.
    check(
        "n(0).\nm(K) :- n(N), K = N.\nn(M) :- M = fn:plus(K, 1), K = N, m(N).\n",
        expect![[r#"
            3:13-26 warning unbounded-recursion: recursion of `n` never ends
              label: a new value in each round
              3:35-36 made from this value
              note: each round makes a new value (`fn:plus`) from an earlier one, and no comparison bounds it
              note: the engine derives facts until it reaches the limit
              help: compare the value with a limit
            3:21-22 error expr-before-binding: `K` is used in an expression before it is bound
              label: not bound yet
              note: the engine rejects the rule
              help: bind `K` in an earlier premise
        "#]],
    );
}

#[test]
fn recursion_that_ends() {
    for text in [
        "n(0).\nn(M) :- n(N), N < 9, M = fn:plus(N, 1).\n",
        "n(0).\nn(M) :- n(N), M = fn:plus(N, 1), M != 9.\n",
        "n(0).\nok(1).\nn(M) :- n(N), M = fn:plus(N, 1), ok(M).\n",
        "e(1, 2).\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), e(Y, Z).\n",
        "e(1, 2).\nr(X, L) :- e(X, L).\nr(X, N) :- r(Y, _), e(Y, X), N = fn:plus(X, Y), e(_, N).\n",
        "n(9).\nn(M) :- n(N), M = fn:div(N, 2).\n",
        "Decl len(L, N) descr [mode(\"+\", \"-\"), deferred()].\nlen(L, 0) :- :match_nil(L).\n\
         len(L, N) :- :match_cons(L, H, T), len(T, M), N = fn:plus(M, 1).\n",
        "l([1]).\nlen([], 0).\nlen(L, N) :- l(L), :match_cons(L, H, T), len(T, M), N = fn:plus(M, 1).\n",
    ] {
        let names: Vec<_> =
            CheckedFixture::new(text).names().filter(|name| *name == "unbounded-recursion").collect();
        assert!(names.is_empty(), "{text}");
    }
}

#[test]
fn one_cycle_is_one_finding_with_a_way_out() {
    let helps = |text: &str| {
        let checked = CheckedFixture::new(text);
        let found = checked.diagnostics.iter().flat_map(|(_, found)| found);
        let found = found.filter(|diagnostic| diagnostic.rule.name == "unstratified");
        found.map(|diagnostic| diagnostic.help.clone().unwrap().to_string()).collect::<Vec<_>>()
    };
    let mutual = helps("q(1).\na(X) :- q(X), !b(X).\nb(X) :- q(X), !a(X).\n");
    let [only] = mutual.as_slice() else { panic!("{mutual:?}") };
    assert!(
        only.starts_with("derive `b` without `a`, or negate a predicate that does not depend on `a`"),
        "{only}"
    );
    // Two cycles through one predicate yield two findings.
    assert_eq!(
        helps("q(1).\na(X) :- q(X), !b(X).\nb(X) :- a(X).\na(X) :- q(X), !c(X).\nc(X) :- a(X).\n").len(),
        2
    );
    let own = helps("q(1).\na(X) :- q(X), !a(X).\n");
    assert!(own[0].starts_with("negate a predicate that does not depend on `a`, as in"), "{own:?}");
    let group = helps("q(1).\na(N) :- b(_) |> do fn:group_by(), let N = fn:count().\nb(X) :- a(X).\n");
    assert!(group[0].starts_with("aggregate a predicate that does not depend on `a`"), "{group:?}");
}
