//! Comparison of the errors in a window before and after its edits, effects on the rest of the program, and
//! dependencies of the verdict on other files.
//!
//! Effects are rejected cycles, declarations with modes, queries of other packages, and first facts of a
//! predicate. An edit of another file only repeats the checks that depend on it.

use std::cell::OnceCell;
use std::hash::Hash as _;

use rustc_hash::{FxHashMap, FxHashSet};

use super::window::{EditedWindow, Window, hash, is_safely_fixable};
use crate::analysis::CheckContext;
use crate::diagnostics::{check_statement, fingerprint};
use mangle_engine::program::{
    Difference, FileSummary, Predicate, PredicateId, PredicateKey, Program, key_of,
};
use mangle_engine::types::ProgramTypes;
use mangle_syntax::lint::{Finding, Severity};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration, Item, StatementKind};
use mangle_syntax::text::{StatementId, Symbol, slice};

/// A window and its fixed text, in their program.
pub(super) struct Check<'c> {
    pub(super) program: &'c Program,
    pub(super) types: &'c ProgramTypes,
    pub(super) file: &'c FileSummary,
    pub(super) window: &'c Window<'c>,
    pub(super) settled: &'c EditedWindow,
}

/// The number of errors per rule.
type Errors = FxHashMap<&'static str, usize>;

impl Check<'_> {
    /// A hash of everything outside of the window that affects the verdict.
    pub(super) fn fingerprint(&self) -> u64 {
        hash(|hasher| {
            for (item, text) in self.before().chain(self.after()) {
                self.in_context(item, text, |context| fingerprint(context, &item.statement).hash(hasher));
            }
            (self.clashes(), self.is_disturbed()).hash(hasher);
            for (name, arity) in &self.settled.heads {
                self.exists(*name, *arity).hash(hasher);
            }
            self.settled.dropped.iter().for_each(|word| self.is_predicate(word).hash(hasher));
        })
    }

    /// True if the edits cause no new errors, add no statement about a predicate that others
    /// define, and remove no predicate name.
    pub(super) fn adds_no_errors(&self) -> bool {
        let (mut old, mut new) = (self.errors(self.before()), self.errors(self.after()));
        let range = self.window.range;
        let stray = self.file.findings.iter().filter(|finding| finding.range.intersect(range).is_some());
        stray.for_each(|finding| count(finding, &mut old));
        self.settled.source.findings().iter().for_each(|finding| count(finding, &mut new));
        let is_new = |(rule, count): (&&str, &usize)| old.get(*rule).is_none_or(|before| before < count);
        !new.iter().any(is_new)
            && !self.settled.heads.iter().any(|(name, arity)| self.exists(*name, *arity))
            && !self.settled.dropped.iter().any(|word| self.is_predicate(word))
            && !self.names_unknown()
            && !self.clashes()
            && !self.is_disturbed()
    }

    /// The statements that the edits touch, before the edits.
    pub(super) fn before(&self) -> impl Iterator<Item = (&Item, &str)> {
        let items = self.window.items.get(self.window.touched.clone()).unwrap_or_default();
        items.iter().map(|item| (item, self.file.statement_text(item)))
    }

    /// The changed statements, after the edits.
    pub(super) fn after(&self) -> impl Iterator<Item = (&Item, &str)> {
        let text = self.settled.source.text();
        self.settled.items().iter().map(move |item| (item, slice(text, item.statement.range() + item.start)))
    }

    fn in_context<T>(&self, item: &Item, text: &str, work: impl FnOnce(&CheckContext<'_>) -> T) -> T {
        let inferred = OnceCell::new();
        work(&CheckContext {
            program: self.program,
            types: self.types,
            file: self.file,
            item,
            text,
            inferred: &inferred,
        })
    }

    fn errors<'i>(&self, items: impl Iterator<Item = (&'i Item, &'i str)>) -> Errors {
        let mut errors = Errors::default();
        for (item, text) in items {
            // Safe fixes are already applied in the text to compare with.
            let own = item.statement.findings.iter().filter(|finding| !is_safely_fixable(finding));
            own.for_each(|finding| count(finding, &mut errors));
            if !item.statement.damaged {
                let found = self.in_context(item, text, |context| check_statement(context, &item.statement));
                found.iter().for_each(|finding| count(finding, &mut errors));
            }
        }
        errors
    }

    /// True if a premise names a missing predicate, and no premise did before. Statements with
    /// syntax errors are not checked, and a word without parentheses is not a predicate name yet.
    fn names_unknown(&self) -> bool {
        let mut known: FxHashSet<PredicateKey> = FxHashSet::default();
        for (item, _) in self.before().filter(|(item, _)| !item.statement.damaged) {
            each_atom(item, &mut |atom, _| known.extend((!atom.args_range().is_empty()).then(|| key(atom))));
        }
        for (item, _) in self.after() {
            each_atom(item, &mut |atom, is_use| known.extend((!is_use).then(|| key(atom))));
        }
        let mut unknown = false;
        for (item, _) in self.after() {
            each_atom(item, &mut |atom, is_use| {
                let exists = || self.program.predicate_of(self.file, atom).is_some_and(Predicate::exists);
                let is_of_program = !atom.is_builtin() && !atom.is_function();
                unknown |= is_use && is_of_program && !known.contains(&key(atom)) && !exists();
            });
        }
        unknown
    }

    /// True if a statement had syntax errors before, so that the program did not contain all of it.
    pub(super) fn was_damaged(&self) -> bool {
        self.before().any(|(item, _)| item.statement.damaged)
    }

    /// True if a statement that had syntax errors is about a predicate that others declare, or that
    /// exists with another arity.
    fn clashes(&self) -> bool {
        if !self.was_damaged() {
            return false;
        }
        let own: Vec<StatementId> = self.before().map(|(item, _)| item.statement.id).collect();
        let mut clashes = false;
        for (item, _) in self.after() {
            let is_declaration = item.statement.declaration().is_some();
            each_atom(item, &mut |atom, is_use| {
                let meant = self.program.predicate_of(self.file, atom).filter(|_| !is_use);
                let others = meant.into_iter().flat_map(|meant| self.program.declarations(meant));
                let is_declared = others.into_iter().any(|site| !own.contains(&site.item.statement.id));
                let name = self.program.meaning(self.file, key(atom)).name;
                let is_other = |other: &Predicate| other.exists() && other.key.arity != atom.arity();
                clashes |= is_declaration && is_declared;
                clashes |= !is_use && self.program.named(name).any(is_other);
            });
        }
        clashes
    }

    fn exists(&self, name: Symbol, arity: u16) -> bool {
        let key = self.program.meaning(self.file, PredicateKey { name, arity });
        self.program.predicate(key).is_some_and(|predicate| predicate.exists())
    }

    fn is_predicate(&self, word: &str) -> bool {
        Symbol::is_known(word) && self.program.named(Symbol::new(word)).any(|predicate| predicate.exists())
    }
}

fn key(atom: &Atom) -> PredicateKey {
    PredicateKey { name: atom.name.symbol, arity: atom.arity() }
}

fn count(finding: &Finding, errors: &mut Errors) {
    if finding.severity.or(finding.rule.severity) == Some(Severity::Error) {
        *errors.entry(finding.rule.code).or_default() += 1;
    }
}

/// Visits the atoms of a statement. The flag is true for premises.
fn each_atom(item: &Item, visit: &mut dyn FnMut(&Atom, bool)) {
    match &item.statement.kind {
        StatementKind::Clause(clause) => {
            visit(&clause.head, false);
            clause.literals().for_each(|literal| visit(&literal.atom, true));
        }
        StatementKind::Declaration(declaration) => {
            visit(&declaration.atom, false);
            declaration.inclusion.iter().for_each(|atom| visit(atom, true));
        }
        StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => {}
    }
}

impl Check<'_> {
    /// True if a statement that had syntax errors causes errors that a check of the statement alone
    /// does not find.
    fn is_disturbed(&self) -> bool {
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
