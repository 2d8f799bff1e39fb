//! Proofs and failed premises as indented text.

use std::fmt::Write as _;

use super::sink::line;
use mangle_engine::kernel::{Gap, GapEnd, Ground, Miss, Obstacle, Proof, RuleId};

/// The maximum depth of a tree.
const MAX_DEPTH: usize = 40;

/// The maximum number of displayed rows of a group.
const ROWS: usize = 10;

/// A proof as an indented tree. `place` returns the location of a clause. Repeated facts are not
/// expanded again.
#[must_use]
pub fn proof(proof: &Proof, place: &dyn Fn(RuleId) -> String) -> String {
    let mut writer = Writer { proof, place, out: String::new(), shown: vec![false; proof.nodes.len()] };
    writer.node(0, 0);
    writer.out
}

struct Writer<'p> {
    proof: &'p Proof,
    place: &'p dyn Fn(RuleId) -> String,
    out: String,
    shown: Vec<bool>,
}

impl Writer<'_> {
    fn node(&mut self, at: usize, level: usize) {
        let Some(node) = self.proof.nodes.get(at) else { return };
        let (known, steps) = (self.shown.get(at) == Some(&true), &node.steps);
        let note = match steps.is_empty() {
            _ if node.is_truncated => " …".to_owned(),
            true => format!("  [{}]", line(&(self.place)(node.rule))),
            false if known => "  (see above)".to_owned(),
            false => format!("  by {}", line(&(self.place)(node.rule))),
        };
        let store = self.proof.store.filter(|_| at == 0).map(|store| format!("  in store {}", line(store)));
        self.line(level, &format!("{}{note}{}", node.fact, store.unwrap_or_default()));
        if known || level >= MAX_DEPTH {
            return;
        }
        self.shown.get_mut(at).into_iter().for_each(|shown| *shown = true);
        for step in steps {
            match &step.ground {
                Ground::Fact(fact) => self.node(*fact, level + 1),
                Ground::Absent(fact) => self.line(level + 1, &format!("no {fact}")),
                Ground::Dropped(text) => self.line(level + 1, &format!("{text}  is ignored by the engine")),
                Ground::Holds(text) => self.line(level + 1, text),
                Ground::Rows { first, count } => {
                    self.line(level + 1, &format!("a group of {count} {}", plural(*count)));
                    let shown = first.len().min(ROWS);
                    first.iter().take(ROWS).for_each(|row| self.node(*row, level + 2));
                    if *count > shown {
                        self.line(level + 2, &format!("… and {} more", count - shown));
                    }
                }
            }
        }
    }

    fn line(&mut self, level: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = level * 2);
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "row" } else { "rows" }
}

/// The failed premise of each rule that could derive a fact, with nested explanations.
#[must_use]
pub fn gaps(all: &[Gap], place: &dyn Fn(RuleId) -> String) -> String {
    let mut out = String::new();
    write_gaps(&mut out, all, place, 0);
    out
}

fn write_gaps(out: &mut String, all: &[Gap], place: &dyn Fn(RuleId) -> String, level: usize) {
    for Gap { miss, below, end } in all {
        let own = obstacles(std::slice::from_ref(miss), place);
        let end = end.as_ref().map(ending);
        for text in own.lines().chain(end.as_deref()) {
            let _ = writeln!(out, "{:indent$}{text}", "", indent = level * 2);
        }
        write_gaps(out, below, place, level + 1);
    }
}

/// The reason why an explanation ends here.
fn ending(end: &GapEnd) -> String {
    match end {
        GapEnd::NoRule(name, _) if name.is_empty() => "  no rule derives it".to_owned(),
        GapEnd::NoRule(name, arity) => format!("  no rule gives `{name}/{arity}`: the fact is missing"),
        GapEnd::OtherStore { fact, stores } => format!("  `{fact}` is only in {stores}"),
        GapEnd::Deeper => "  its own rules are not explained; a greater `--depth` does it".to_owned(),
        GapEnd::TooLong => "  its own rules are not explained: the explanation is long enough".to_owned(),
        GapEnd::Again => "  the same is asked for above: the rules need each other".to_owned(),
    }
}

/// The failed premise of each rule that could derive a fact, in one or two lines.
#[must_use]
pub fn obstacles(misses: &[Miss], place: &dyn Fn(RuleId) -> String) -> String {
    let mut out = String::new();
    for Miss { rule, obstacle, store } in misses {
        let store = store.map(|store| format!(": in store {}", line(store))).unwrap_or_default();
        let place = line(&place(*rule)) + &store;
        let _ = match obstacle {
            Obstacle::Head { argument, has } => {
                writeln!(out, "{place}: argument {} of the head is {has}", argument + 1)
            }
            Obstacle::Premise { premise, asked, near } if asked.starts_with('!') => {
                writeln!(
                    out,
                    "{place}: premise {} fails: {asked}, but there is {}",
                    premise + 1,
                    near.join(", ")
                )
            }
            Obstacle::Premise { premise, asked, near } => {
                let _ = writeln!(out, "{place}: premise {} has no solution: {asked}", premise + 1);
                near.iter().try_for_each(|fact| writeln!(out, "  near: {fact}"))
            }
            Obstacle::Groups { near } => {
                let _ = writeln!(out, "{place}: no group gives it");
                near.iter().try_for_each(|fact| writeln!(out, "  near: {fact}"))
            }
            Obstacle::TooMany => writeln!(out, "{place}: too many combinations to look at all of them"),
        };
    }
    out
}
