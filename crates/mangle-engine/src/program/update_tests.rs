//! Compares incrementally updated programs with programs that are joined from scratch.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Difference, FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, TextEdit};

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
