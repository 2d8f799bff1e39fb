//! Lookup of the facts of a predicate by content.

use rustc_hash::FxHashMap;

use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::syntax::ast::Atom;
use mangle_syntax::syntax::digest;
use mangle_syntax::text::slice;

/// The facts of one predicate without an interval.
pub(super) struct Facts<'p> {
    program: &'p Program,
    /// Index of the file and index of the item, by the digest of the statement.
    places: FxHashMap<u64, (u32, u32)>,
}

impl<'p> Facts<'p> {
    /// Collects the facts of `predicate` in linear time.
    pub(super) fn new(program: &'p Program, predicate: &Predicate) -> Self {
        let mut places = FxHashMap::default();
        for (at, key) in &predicate.files {
            let Some(file) = program.files.get(*at as usize) else { continue };
            let facts = file.predicates.get(key).map_or(&[][..], |there| &there.facts);
            for &fact in facts {
                let statement = file.items.get(fact as usize).map(|item| &item.statement);
                if let Some(statement) = statement.filter(|statement| !statement.damaged) {
                    places.entry(statement.digest).or_insert((*at, fact));
                }
            }
        }
        Self { program, places }
    }

    /// Finds the fact that equals `atom`, an atom of a statement with the text `text`.
    pub(super) fn find(&self, text: &str, atom: &Atom) -> Option<Site<'p>> {
        if self.places.is_empty() {
            return None;
        }
        let written = digest(&format!("{}.", slice(text, atom.range)));
        let &(file, item) = self.places.get(&written)?;
        let file = self.program.files.get(file as usize)?;
        let item = file.items.get(item as usize)?;
        Some(Site { file, item, range: item.statement.clause()?.head.range })
    }
}
