//! Effects of a fix on the rest of the program, and dependencies of its verdict on other files.
//!
//! The module detects rejected cycles, declarations with modes, queries of other packages, and first
//! facts of a predicate. An edit of another file only repeats the checks that depend on it.

use rustc_hash::FxHashSet;

use super::errors::{Check, each_atom};
use mangle_engine::program::{Difference, PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration, StatementKind};
use mangle_syntax::text::Symbol;

impl Check<'_> {
    /// True if a statement that had syntax errors causes errors that a check of the statement alone
    /// does not find.
    pub(super) fn is_disturbed(&self) -> bool {
        self.was_damaged()
            && self.after().any(|(item, _)| match &item.statement.kind {
                StatementKind::Clause(clause) => {
                    closes_cycle(self, clause)
                        || has_modes(self, clause)
                        || is_first_fact(self, clause)
                        || queries_package(clause)
                }
                StatementKind::Declaration(declaration) => asks_for_calls(declaration),
                StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => false,
            })
    }
}

/// True if a declaration has modes: rules elsewhere might not bind the inputs.
fn asks_for_calls(declaration: &Declaration) -> bool {
    declaration.descriptors.iter().any(|descriptor| descriptor.name.as_str() == "mode")
}

/// True if the predicate of a rule has a declaration with modes: the rule might not bind the
/// inputs.
fn has_modes(check: &Check<'_>, clause: &Clause) -> bool {
    let predicate = check.program.predicate_of(check.file, &clause.head).filter(|_| !clause.is_fact());
    let declarations = predicate.into_iter().flat_map(|predicate| check.program.declarations(predicate));
    declarations.filter_map(|site| site.item.statement.declaration()).any(asks_for_calls)
}

/// True if a premise uses a predicate of another package, which the file might not import.
fn queries_package(clause: &Clause) -> bool {
    clause.literals().any(|literal| literal.atom.name.as_str().contains('.'))
}

/// True if a clause is the first fact of a predicate that premises use: comparisons with its values
/// can be checked only now.
fn is_first_fact(check: &Check<'_>, clause: &Clause) -> bool {
    let head = &clause.head;
    if !clause.is_fact() {
        return false;
    }
    let is_same = |atom: &Atom| atom.name.symbol == head.name.symbol && atom.arity() == head.arity();
    let mut is_queried = check.after().any(|(item, _)| {
        item.statement.clause().is_some_and(|other| other.literals().any(|literal| is_same(&literal.atom)))
    });
    let predicate = check.program.predicate_of(check.file, head);
    is_queried |= predicate.is_some_and(|predicate| check.program.uses(predicate).next().is_some());
    let mut clauses = predicate.into_iter().flat_map(|predicate| check.program.clauses(predicate));
    is_queried && clauses.all(|site| site.item.statement.damaged)
}

/// True if a rule closes a cycle that the engine rejects: a cycle with a negation, an aggregation
/// or temporal predicates.
fn closes_cycle(check: &Check<'_>, clause: &Clause) -> bool {
    let id = |atom| check.program.id_of(check.file, atom);
    let Some(head) = id(&clause.head) else { return false };
    clause.literals().any(|literal| {
        let has_times = clause.interval.is_some() || literal.interval.is_some();
        let is_negative = literal.is_negated() || clause.aggregates() || has_times;
        id(&literal.atom).is_some_and(|start| leads_back(check.program, start, head, is_negative))
    })
}

/// True if the dependency graph has a path from `start` to `end` with a negative step.
/// `is_negative` is true if a negative step precedes the path.
fn leads_back(program: &Program, start: PredicateId, end: PredicateId, is_negative: bool) -> bool {
    let mut known = FxHashSet::from_iter([(start, is_negative)]);
    let mut pending = vec![(start, is_negative)];
    while let Some((node, negative)) = pending.pop() {
        if node == end && negative {
            return true;
        }
        for edge in program.dependencies().edges_from(node) {
            let next = (edge.to, negative || edge.is_negative());
            if known.insert(next) {
                pending.push(next);
            }
        }
    }
    false
}

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
