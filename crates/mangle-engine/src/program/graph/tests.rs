//! Tests of the dependency graph with small and long programs.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

fn program(texts: &[&str]) -> Program {
    let files = texts
        .iter()
        .zip(0..)
        .map(|(text, id)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse((*text).into()))));
    Program::new(files.collect())
}

fn name(program: &Program, id: PredicateId) -> String {
    program.get(id).key.to_string()
}

/// Prints the strata, one per line, followed by the edges.
fn check(texts: &[&str], expect: Expect) {
    let program = program(texts);
    let graph = program.graph();
    let mut out = String::new();
    for stratum in graph.strata() {
        let mut names: Vec<_> = stratum.iter().map(|id| name(&program, *id)).collect();
        names.sort();
        writeln!(out, "{}", names.join(" ")).unwrap();
    }
    for edge in graph.edges() {
        let marks = [
            (edge.negated, " negated"),
            (edge.temporal, " temporal"),
            (edge.grouped, " grouped"),
            (graph.is_recursive(edge), " recursive"),
        ];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let (from, to) = (name(&program, edge.from), name(&program, edge.to));
        writeln!(out, "{from} -> {to} {}:{}{marks}", edge.file, edge.item).unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn layers_and_edges() {
    check(
        &[
            "p(X) :- q(X), !r(X), X < 3.\nr(X) :- s(X), <-[0d, 1d] t(X).\n",
            "s(X) :- r(X).\ns(X) :- u(X).\nn(N) :- p(X) |> do fn:group_by(), let N = fn:count().\nq(1).\n",
        ],
        expect![[r#"
            q/1
            u/1
            t/1
            r/1 s/1
            p/1
            n/1
            p/1 -> q/1 0:0
            p/1 -> r/1 0:0 negated
            r/1 -> s/1 0:1 recursive
            r/1 -> t/1 0:1 temporal
            s/1 -> r/1 1:0 recursive
            s/1 -> u/1 1:1
            n/1 -> p/1 1:2 grouped
        "#]],
    );
}

#[test]
fn packages_are_resolved() {
    check(
        &[
            "Package a!\np(X) :- q(X), b.q(X).\nq(1).\n",
            "Package b!\nUse a!\nq(X) :- a.p(X), r(X).\n",
            "r(1).\n",
        ],
        expect![[r#"
            a.q/1
            r/1
            a.p/1 b.q/1
            b.q/1 -> a.p/1 1:2 recursive
            b.q/1 -> r/1 1:2
            a.p/1 -> b.q/1 0:1 recursive
            a.p/1 -> a.q/1 0:1
        "#]],
    );
}

#[test]
fn facts_and_damaged_rules_have_no_edges() {
    check(
        &["p(1).\nq(X) :- p(X), r(.\nr(X) :- .\nq(2).\n"],
        expect![[r#"
        p/1
        q/1
        r/0
        r/1
    "#]],
    );
}

#[test]
fn shortest_paths() {
    let program =
        program(&["a(X) :- b(X).\nb(X) :- c(X).\nc(X) :- d(X), b(X).\nd(X) :- a(X).\nb(X) :- d(X).\n"]);
    let dependencies = program.dependencies();
    let id = |name: &str| {
        let found = program.predicates.numbered().position(|predicate| predicate.key.name.as_str() == name);
        PredicateId(u32::try_from(found.unwrap()).unwrap())
    };
    let path = |from, to, allowed: fn(&Edge) -> bool| {
        let edges = dependencies.path(id(from), id(to), allowed)?;
        Some(edges.iter().map(|edge| name(&program, edge.to)).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(path("a", "d", |_| true).as_deref(), Some("b/1 d/1"));
    assert_eq!(path("c", "c", |_| true).as_deref(), Some(""));
    assert_eq!(path("a", "d", |edge| edge.item != 4).as_deref(), Some("b/1 c/1 d/1"));
    assert_eq!(path("a", "d", |edge| edge.item != 1 && edge.item != 4), None);
}

/// A recursive search would overflow the stack here. A search that restarts at each predicate would
/// take quadratic time.
#[test]
fn a_ring_of_a_hundred_thousand_predicates() {
    const LENGTH: usize = 100_000;
    let mut text = String::new();
    for at in 0..LENGTH {
        writeln!(text, "p{at}(X) :- p{}(X).", (at + 1) % LENGTH).unwrap();
    }
    let ring = program(&[&text]);
    let graph = ring.graph();
    assert_eq!(graph.component_count(), 1);
    let first = &graph.edges()[0];
    assert_eq!(ring.dependencies().path(first.to, first.from, |_| true).unwrap().len(), LENGTH - 1);
}
