#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::testing;

const PROGRAM: &str = "\
#- schemas.gl
Decl crew(P, N).
Decl sent(P).
#- rules.mg
crew(/p/ann, 3).
crew(/p/bob, 4).
lead(P) :- crew(P, N), N > 3.
idle(P) :- crew(P, _), !lead(P), !sent(P).
many(N) :- crew(P, _), lead(P) |> do fn:group_by(), let N = fn:count().
above(X, Y) :- under(Y, X).
above(X, Z) :- above(X, Y), above(Y, Z).
alone(X) :- ghost(X), !alone(X).
";

/// Renders one line per predicate, edge and cycle.
fn render(graph: &PredicateGraph) -> String {
    let mut out = String::new();
    for node in &graph.predicates {
        let Node { key, kind, declared, stratum, facts, rules, place, .. } = node;
        let declared = if *declared { " declared" } else { "" };
        let place = place.map_or_else(String::new, |at| format!(" @{}:{:?}", at.file.0, at.range));
        writeln!(out, "{key} {}{declared} {stratum} facts={facts} rules={rules}{place}", kind.as_str())
            .unwrap();
    }
    let name = |at: usize| graph.predicates[at].key;
    for Edge { from, to, kind, temporal, recursive, places } in &graph.edges {
        let temporal = if *temporal { " temporal" } else { "" };
        let recursive = if *recursive { " recursive" } else { "" };
        let (from, to, kind) = (name(*from), name(*to), kind.as_str());
        writeln!(out, "{from} -> {to} {kind}{temporal}{recursive} x{}", places.len()).unwrap();
    }
    for Component { members, stratified } in &graph.components {
        let members: Vec<_> = members.iter().map(|at| name(*at).to_string()).collect();
        writeln!(out, "circle {} stratified={stratified}", members.join(" ")).unwrap();
    }
    out
}

#[track_caller]
fn check(fixture: &str, selection: &Selection, expect: Expect) {
    let graph = predicate_graph(&testing::program(fixture), "test", selection);
    expect.assert_eq(&render(&graph));
}

fn selection(names: &[&str], depth: usize, direction: Direction) -> Selection {
    let of = names.iter().map(|name| PredicateName::parse(name)).collect();
    Selection { of, depth, direction, ..Selection::default() }
}

#[test]
fn all_of_a_program() {
    check(
        PROGRAM,
        &Selection::default(),
        expect![[r#"
        above/2 rules 0 facts=0 rules=2 @1:179..184
        alone/1 rules 0 facts=0 rules=1 @1:248..253
        crew/2 facts declared 0 facts=2 rules=0 @0:5..9
        ghost/1 undefined 0 facts=0 rules=0
        idle/1 rules 1 facts=0 rules=1 @1:64..68
        lead/1 rules 0 facts=0 rules=1 @1:34..38
        many/1 rules 1 facts=0 rules=1 @1:107..111
        sent/1 declared declared 0 facts=0 rules=0 @0:22..26
        under/2 undefined 0 facts=0 rules=0
        above/2 -> above/2 positive recursive x2
        above/2 -> under/2 positive x1
        alone/1 -> alone/1 negated recursive x1
        alone/1 -> ghost/1 positive x1
        idle/1 -> crew/2 positive x1
        idle/1 -> lead/1 negated x1
        idle/1 -> sent/1 negated x1
        lead/1 -> crew/2 positive x1
        many/1 -> crew/2 aggregated x1
        many/1 -> lead/1 aggregated x1
        circle above/2 stratified=true
        circle alone/1 stratified=false
    "#]],
    );
}

#[test]
fn around_a_predicate() {
    let names = |selection: &Selection| {
        let graph = predicate_graph(&testing::program(PROGRAM), "test", selection);
        let names: Vec<_> = graph.predicates.iter().map(|node| node.key.to_string()).collect();
        names.join(" ")
    };
    let lead = |depth, direction| names(&selection(&["lead"], depth, direction));
    assert_eq!(lead(0, Direction::Both), "lead/1");
    assert_eq!(lead(1, Direction::Both), "crew/2 idle/1 lead/1 many/1");
    assert_eq!(lead(1, Direction::Uses), "crew/2 lead/1");
    assert_eq!(lead(1, Direction::Users), "idle/1 lead/1 many/1");
    assert_eq!(names(&selection(&["idle/1"], 1, Direction::Uses)), "crew/2 idle/1 lead/1 sent/1");
    assert_eq!(names(&selection(&["idle/2"], 9, Direction::Both)), "");
    assert_eq!(names(&selection(&["sent", "ghost"], 0, Direction::Both)), "ghost/1 sent/1");
    let recursive = Selection { recursive: true, ..Selection::default() };
    assert_eq!(names(&recursive), "above/2 alone/1");
    let schemas = Selection { files: Some([FileId(0)].into_iter().collect()), ..Selection::default() };
    assert_eq!(names(&schemas), "crew/2 sent/1");
}

#[test]
fn packages_temporal_premises_and_damage() {
    check(
        "#- a.mg\nPackage a!\nDecl p(X) temporal.\np(1)@[2024-01-01].\n\
         #- b.mg\nPackage b!\nUse a!\nq(X) :- <-[0s, 1d] p(X).\nq(X) :- a.p(X), r(X,\nq(X) :- r(X).\n",
        &Selection::default(),
        expect![[r#"
            a.p/1 facts declared 0 facts=1 rules=0 @0:16..17
            b.q/1 rules 0 facts=0 rules=3 @1:18..19
            p/1 undefined 0 facts=0 rules=0
            r/1 undefined 0 facts=0 rules=0
            b.q/1 -> p/1 positive temporal x1
            b.q/1 -> r/1 positive x1
        "#]],
    );
}

#[test]
fn names_that_nobody_mentions() {
    let program = testing::program(PROGRAM);
    let missing =
        |name: &str| PredicateName::parse(name).missing_from([&program].into_iter()).unwrap_or_default();
    assert_eq!(missing("lead"), "");
    assert_eq!(missing("lead/1"), "");
    assert_eq!(missing("lead/3"), "no predicate `lead/3` is mentioned here; did you mean `lead/1`?");
    assert_eq!(missing("leda"), "no predicate `leda` is mentioned here; did you mean `lead/1`?");
    assert_eq!(missing("elephant"), "no predicate `elephant` is mentioned here");
}

#[test]
fn a_long_chain_is_no_danger() {
    let chain: String = (0..20_000).map(|n| format!("p{}(X) :- !p{n}(X), q(X).\n", n + 1)).collect();
    let graph = predicate_graph(&testing::program(&chain), "test", &Selection::default());
    assert_eq!(graph.predicates.iter().map(|node| node.stratum).max(), Some(20_000));
}
