//! Detection of predicates with equal statements and dependencies in two programs. Such predicates
//! need no search.

use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::program::{PredicateId, PredicateKey, Site};
use mangle_syntax::text::Symbol;

use crate::program_pair::{ProgramPair, original_name, renamed_key};

/// The argument for equal results of two programs with the same statements.
pub(crate) const SAME_RULES: &str = "the statements that it depends on are the same in both programs";

/// The sorted digests of the statements of each predicate, by its name in its own program.
type Statements = BTreeMap<(String, u16), Vec<u64>>;

impl ProgramPair {
    /// True if both programs have the same statements for a predicate and its dependencies, in any
    /// order, and the same engine and stores.
    pub(crate) fn has_same_rules(&self, key: PredicateKey) -> bool {
        self.has_same_runtime && self.statements(key) == self.statements(renamed_key(key))
    }

    fn statements(&self, key: PredicateKey) -> Statements {
        let mut all = Statements::new();
        let mut pending: Vec<PredicateId> = self.program.id(key).into_iter().collect();
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id.0) {
                continue;
            }
            let predicate = self.program.get(id);
            let clauses: Vec<Site<'_>> = self.program.clauses(predicate).collect();
            let declarations = self.program.declarations(predicate);
            let mut digests: Vec<u64> =
                clauses.iter().copied().chain(declarations).filter_map(|site| self.digest(&site)).collect();
            digests.sort_unstable();
            let (name, _) = original_name(predicate.key.name.as_str());
            all.insert((name, predicate.key.arity), digests);
            for site in &clauses {
                let literals = site.item.statement.clause().into_iter().flat_map(|clause| clause.literals());
                pending.extend(literals.filter_map(|literal| self.program.id_of(site.file, &literal.atom)));
            }
            let merging = predicate.signature.merge.as_ref().and_then(|merge| merge.predicate);
            pending.extend(merging.and_then(|name: Symbol| self.program.id(PredicateKey { name, arity: 3 })));
        }
        all
    }

    /// Returns the digest of a statement in its original program.
    fn digest(&self, site: &Site<'_>) -> Option<u64> {
        let index = site.file.item_at(site.item.start)?;
        let original = self.original(site.file.id)?;
        original.items.get(index).map(|item| item.statement.digest)
    }
}
