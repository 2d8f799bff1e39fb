//! The facts of a predicate by what they say.

use rustc_hash::FxHashMap;

use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::syntax::ast::Atom;
use mangle_syntax::syntax::digest;
use mangle_syntax::text::slice;

/// The facts of one predicate that have no interval.
pub(super) struct Facts<'p> {
    program: &'p Program,
    /// By the digest of the statement: index of the file, index of the item.
    places: FxHashMap<u64, (u32, u32)>,
}

impl<'p> Facts<'p> {
    /// Lists the facts of `predicate`. Linear in their number.
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

    /// The fact that is written like `atom`, an atom of a statement with the text `text`.
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
