//! Dependencies of fix verdicts on other files, so that an edit elsewhere only repeats the affected
//! checks.

use rustc_hash::FxHashSet;

use super::errors::{Check, each_atom};
use mangle_engine::program::{Difference, PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::text::Symbol;

/// The inputs that verdicts depend on.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    /// The names of predicates, with and without the package of the file.
    names: FxHashSet<Symbol>,
    /// True if verdicts depend on the dependency graph.
    on_graph: bool,
}

impl Dependencies {
    /// Adds the dependencies of one fix.
    pub(super) fn add(&mut self, check: &Check<'_>) {
        // The effect of a newly readable statement on others depends on the whole program.
        self.on_graph |= check.was_damaged();
        self.names.extend(check.settled.dropped.iter().map(|word| Symbol::new(word)));
        for (item, _) in check.before().chain(check.after()) {
            each_atom(item, &mut |atom, _| self.add_name(check, key_of(atom)));
        }
        for (name, arity) in &check.settled.heads {
            self.add_name(check, PredicateKey { name: *name, arity: *arity });
        }
    }

    fn add_name(&mut self, check: &Check<'_>, key: PredicateKey) {
        self.names.insert(key.name);
        self.names.extend(check.file.package.map(|package| key.within(package).name));
    }

    /// True if a change of the program can change a verdict.
    pub(crate) fn are_changed_by(&self, change: &Change) -> bool {
        self.on_graph && change.is_in_graph || self.names.iter().any(|name| change.names.contains(name))
    }
}

/// The parts of an edit that verdicts can depend on.
#[derive(Debug)]
pub(crate) struct Change {
    is_in_graph: bool,
    /// The names of predicates whose signature, types or existence changed.
    names: FxHashSet<Symbol>,
}

impl Change {
    /// Collects the differences in `program`. `retyped` are the predicates with other types.
    pub(crate) fn from_difference(
        program: &Program,
        difference: &Difference,
        retyped: &[PredicateId],
    ) -> Self {
        let changed = difference.signatures.iter().chain(&difference.existence).chain(retyped);
        Self {
            is_in_graph: !difference.touched.is_empty(),
            names: changed.map(|id| program.get(*id).key.name).collect(),
        }
    }
}
