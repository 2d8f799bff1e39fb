//! Tests of the dependency graph with small and long programs, and comparisons of incrementally
//! updated programs with programs that are joined from scratch.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::graph::*;
use super::{Difference, FileSummary, PredicateId, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, TextEdit};

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

const TEXTS: [&str; 3] = [
    "Decl p(X) bound [/name].\np(X) :- q(X), !r(X).\nq(X) :- s(X).\nr(/a).\n",
    "s(X) :- p(X).\ns(/b).\nt(N) :- s(X) |> do fn:group_by(), let N = fn:count().\n",
    "Decl u(X, Y) descr [reflects(/u), mode(\"+\", \"-\")].\nu(X, Y) :- v(X, Y), t(Y).\nv(1, 2).\n",
];

/// The properties of each predicate by key, and the cycles.
fn shown(program: &Program) -> (BTreeMap<String, String>, BTreeSet<Vec<String>>) {
    let dependencies = program.dependencies();
    let mut predicates = BTreeMap::new();
    for (id, predicate) in program.predicates.with_ids() {
        let name = |id| program.get(id).key.to_string();
        let edges: Vec<_> = dependencies
            .edges_from(id)
            .iter()
            .map(|edge| (name(edge.to), edge.file, edge.item, edge.range, edge.negated, edge.grouped))
            .collect();
        let members: Vec<_> = dependencies.members(id).into_iter().map(name).collect();
        let Some(named) = program.named(predicate.key.name).find(|other| other.key == predicate.key) else {
            panic!("{} has no name", predicate.key)
        };
        assert_eq!(program.id(named.key), Some(id));
        let at = (predicate.declared_at, predicate.defined_at, &predicate.files);
        // The ids of statements differ after parsing again.
        let signature = &predicate.signature;
        let known = (signature.has_rules, signature.temporal, &signature.modes, signature.reflects);
        predicates.insert(predicate.key.to_string(), format!("{at:?} {known:?} {edges:?} {members:?}"));
    }
    let cycles = dependencies.cyclic().map(|id| dependencies.members(id));
    (predicates, cycles.map(|ids| ids.iter().map(|id| program.get(*id).key.to_string()).collect()).collect())
}

fn summary(at: u32, source: &SourceFile) -> Arc<FileSummary> {
    Arc::new(FileSummary::new(FileId(at), source))
}

/// The text with one line removed, duplicated, or with a different name.
fn edited(text: &str, dice: &mut u64) -> String {
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let number = (*dice >> 33) as usize;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = number / 16 % lines.len().max(1);
    let names = ["p(X)", "q(X)", "s(X)", "r(X)", "w(X)", "u(X, X)"];
    match number % 4 {
        0 if lines.len() > 2 => drop(lines.remove(at)),
        1 => lines.insert(at, format!("{} :- {}.", names[number / 64 % 6], names[number / 512 % 6])),
        2 if !lines.is_empty() => lines[at] = lines[at].replacen('s', "q", 1),
        _ => lines.swap(0, at),
    }
    lines.join("\n") + "\n"
}

#[test]
fn edited_programs_are_those_that_are_joined_anew() {
    let mut sources: Vec<SourceFile> = TEXTS.iter().map(|text| SourceFile::parse((*text).into())).collect();
    let mut files: Vec<_> = sources.iter().zip(0..).map(|(source, at)| summary(at, source)).collect();
    let mut program = Program::new(files.clone());
    program.dependencies();
    let mut dice = 7;
    for turn in 0..600 {
        let at = turn % files.len();
        let before = Arc::clone(sources[at].text());
        let after = if turn % 50 == 49 { TEXTS[at].to_owned() } else { edited(&before, &mut dice) };
        let whole = TextEdit::between(&before, &after);
        sources[at] = sources[at].clone().edit(after.into(), &[whole]);
        files[at] = summary(u32::try_from(at).unwrap(), &sources[at]);
        let next = program.succeed(files.clone(), &program.embedding);
        let fresh = Program::new(files.clone());
        assert_eq!(shown(&next), shown(&fresh), "turn {turn}:\n{}", sources[at].text());
        assert_eq!(next.environment(), fresh.environment());
        let difference = Difference::between(&program, &next);
        assert!(difference.is_none_or(|difference| difference.files.len() <= 1));
        program = next;
    }
}
