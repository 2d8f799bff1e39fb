//! Rules about fact stores (`[runtime] stores`): each store evaluates the whole program over its
//! own facts.
//!
//! Programs without stores have no such findings.

mod blind_negation;
mod possibility;
mod split_join;
#[cfg(test)]
mod tests;
mod wording;

pub(crate) use possibility::StorePossibility;

use super::{Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{PredicateId, Program};
use mangle_settings::Stores;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::FileId;

pub(super) const FAMILY: Family = Family {
    rules: &[&split_join::SPLIT_JOIN, &blind_negation::BLIND_NEGATION],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::Predicate(check)],
};

/// A rule with its premises, in a program with stores.
struct StoredRule<'p> {
    program: &'p Program,
    stores: &'p Stores,
    possible: &'p StorePossibility,
    file: FileId,
    item: &'p Item,
    head: PredicateId,
    /// The edges of the rule, one for each premise with a predicate.
    edges: &'p [Edge],
}

impl<'p> StoredRule<'p> {
    fn positive(&self) -> impl Iterator<Item = &'p Edge> {
        self.edges.iter().filter(|edge| !edge.negated)
    }

    fn name(&self, predicate: PredicateId) -> &'static str {
        self.program.get(predicate).key.name.as_str()
    }
}

fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let (program, Some(stores)) = (context.program, context.program.embedding.stores.as_deref()) else {
        return;
    };
    let edges = program.dependencies().edges_from(id);
    for edges in edges.chunk_by(|one, other| (one.file, one.item) == (other.file, other.item)) {
        let Some(first) = edges.first() else { continue };
        let Some(file) = program.files.get(first.file as usize) else { continue };
        let Some(item) = file.items.get(first.item as usize) else { continue };
        let possible = context.stores;
        let rule = StoredRule { program, stores, possible, file: file.id, item, head: id, edges };
        split_join::check(&rule, out);
        blind_negation::check(&rule, out);
    }
}
