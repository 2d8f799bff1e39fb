//! What the verdicts about the fixes of a file depend on outside of that file, so that an edit elsewhere costs only the checks
//! that it concerns.

use rustc_hash::FxHashSet;

use super::errors::{Check, each_atom};
use mangle_engine::program::{Difference, PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::text::Symbol;

/// What verdicts depend on.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    /// The names of predicates, alone and within the package of the file.
    names: FxHashSet<Symbol>,
    /// Whether it matters which predicates depend on which.
    on_graph: bool,
}

impl Dependencies {
    /// Adds those of one fix.
    pub(super) fn add(&mut self, check: &Check<'_>) {
        // Whether a statement that becomes readable disturbs others is seen in the whole program.
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

    /// Whether a change of the program may change a verdict.
    pub(crate) fn are_changed_by(&self, change: &Change) -> bool {
        self.on_graph && change.is_in_graph || self.names.iter().any(|name| change.names.contains(name))
    }
}

/// What an edit changed in a program that verdicts may depend on.
#[derive(Debug)]
pub(crate) struct Change {
    is_in_graph: bool,
    /// The names of predicates that have another signature or hold other types, or exist only now, or no longer.
    names: FxHashSet<Symbol>,
}

impl Change {
    /// What is different in `program`; `retyped` are the predicates that hold other types.
    pub(crate) fn of(program: &Program, difference: &Difference, retyped: &[PredicateId]) -> Self {
        let changed = difference.signatures.iter().chain(&difference.existence).chain(retyped);
        Self {
            is_in_graph: !difference.touched.is_empty(),
            names: changed.map(|id| program.get(*id).key.name).collect(),
        }
    }
}
