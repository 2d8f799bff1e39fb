//! What the rest of a program can know of a predicate: is it declared, defined, temporal, with
//! which modes. Everything a clause's meaning depends on outside itself; its hash therefore keys
//! what is cached about clauses.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::Merge;
use mangle_syntax::syntax::ast::{Atom, Clause, Comparison, Declaration, Operator, Premise, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, slice};

/// Whether an argument must have a value before (`+`), gets one (`-`), or either (`?`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// `"+"`
    Input,
    /// `"-"`
    Output,
    /// `"?"`
    Either,
}

impl Mode {
    /// The mode that an argument of `mode(…)` names. `text` is the text of its statement.
    #[must_use]
    pub fn read(term: &Term, text: &str) -> Option<Self> {
        if !matches!(term.kind, TermKind::String) {
            return None;
        }
        match literal::string_value(slice(text, term.range))?.as_ref() {
            "+" => Some(Self::Input),
            "-" => Some(Self::Output),
            "?" => Some(Self::Either),
            _ => None,
        }
    }

    /// Whether a variable in this position gets a value.
    #[must_use]
    pub fn binds(self) -> bool {
        self != Self::Input
    }

    /// Whether a variable in this position of a head has a value from the start.
    #[must_use]
    pub fn accepts_input(self) -> bool {
        self != Self::Output
    }
}

/// What is known of a predicate outside its clauses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The first `Decl`: file, statement, and the predicate's name in it.
    pub declared: Option<(FileId, StatementId, TextRange)>,
    /// The first clause head, likewise.
    pub defined: Option<(FileId, StatementId, TextRange)>,
    /// Whether the host supplies it, so that it exists without a `Decl`.
    pub host: bool,
    /// Whether a clause with a body defines it.
    pub has_rules: bool,
    /// The arguments that some premise reads, as bits: it has more there than `_`. Those from the 64th on share a bit.
    pub read_arguments: u64,
    /// Declared `temporal`, or undeclared and annotated in some head.
    pub temporal: bool,
    /// Its valid modes merged position by position, differing entries as [`Mode::Either`]; empty
    /// without a (valid) mode.
    pub modes: Vec<Mode>,
    /// How many valid `mode` atoms it has.
    pub mode_count: usize,
    /// Whether every mode has `"+"` in its first position (what the reference asks for before it
    /// rewrites a `reflects` predicate).
    pub first_is_input: bool,
    /// `external()`
    pub external: bool,
    /// `deferred()`
    pub deferred: bool,
    /// Of a deferred predicate, the positions whose variable each rule binds by itself before it needs a value, as
    /// bits; `None` without rules.
    pub self_bound_inputs: Option<u64>,
    /// `extensional()`
    pub extensional: bool,
    /// `private()`
    pub private: bool,
    /// `synthetic()`, written by a user.
    pub synthetic: bool,
    /// `reflects(/prefix)`
    pub reflects: Option<Symbol>,
    /// `fundep(…)` and `merge(…)`, where there is exactly one `fundep`.
    pub merge: Option<Box<Merge>>,
    /// Whether a `Decl` has `inclusion […]`.
    pub constrained: bool,
}

impl Signature {
    /// True if some premise reads the argument at this position.
    #[must_use]
    pub fn reads(&self, argument: usize) -> bool {
        self.read_arguments & argument_bit(argument) != 0
    }

    /// Reads a declaration. `text` is the text of its statement.
    pub(super) fn declare(&mut self, declaration: &Declaration, text: &str) {
        // Without a `Decl`, annotated heads decide; with one, it alone does.
        self.temporal = declaration.temporal.is_some();
        self.merge = Merge::read(declaration, text).map(Box::new);
        self.constrained = !declaration.inclusion.is_empty();
        let mut rows: Vec<Vec<Mode>> = Vec::new();
        for atom in &declaration.descriptors {
            // The reference looks at the word alone; arguments of a flag change nothing.
            match atom.name.as_str() {
                "external" => self.external = true,
                "deferred" => self.deferred = true,
                "extensional" => self.extensional = true,
                "private" => self.private = true,
                "synthetic" => self.synthetic = true,
                "reflects" => {
                    if let [Term { kind: TermKind::Name(prefix), .. }] = atom.args.as_slice() {
                        self.reflects = Some(*prefix);
                    }
                }
                "mode" => rows.extend(mode_row(atom, text)),
                _ => {}
            }
        }
        self.mode_count = rows.len();
        self.first_is_input = !rows.is_empty() && rows.iter().all(|row| row.first() == Some(&Mode::Input));
        self.modes = unify(&rows);
    }

    /// A number that differs (but for accidents of 2⁻⁶⁴) when the signature does.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The first place that says what this predicate is: its `Decl`, else its first clause.
    #[must_use]
    pub fn origin(&self) -> Option<(FileId, StatementId, TextRange)> {
        self.declared.or(self.defined)
    }
}

/// The modes of a `mode(…)` atom, or `None` when it has no argument or one that is no mode: the
/// reference then ignores the whole atom.
fn mode_row(atom: &Atom, text: &str) -> Option<Vec<Mode>> {
    let row: Option<Vec<_>> = atom.args.iter().map(|term| Mode::read(term, text)).collect();
    row.filter(|row| !row.is_empty())
}

/// The positions of the head whose variable a stored premise of the body binds before anything needs its value, as bits.
pub(super) fn inputs_bound_by_body(clause: &Clause) -> u64 {
    let positions = (0u32..64).zip(&clause.head.args);
    let bound = positions.filter(|(_, term)| {
        term.variable().is_some_and(|name| {
            let mut premises = clause.premises.iter().map(|premise| binding_of(premise, name));
            premises.find(|found| *found != Binding::Absent) == Some(Binding::Bound)
        })
    });
    bound.fold(0, |all, (at, _)| all | 1 << at)
}

/// What a premise does with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    Absent,
    Bound,
    Needed,
}

fn binding_of(premise: &Premise, name: Symbol) -> Binding {
    let mentions = |terms: &[&Term]| {
        let mut is_there = false;
        terms.iter().for_each(|term| term.variables(&mut |other, _| is_there |= other == name));
        is_there
    };
    let is_argument = |terms: &[&Term]| terms.iter().any(|term| term.variable() == Some(name));
    match premise {
        Premise::Literal(literal) => {
            let terms: Vec<&Term> = literal.atom.args.iter().collect();
            let is_stored = !literal.is_negated() && !literal.is_temporal() && !literal.atom.is_builtin();
            match mentions(&terms) {
                false => Binding::Absent,
                true if is_stored && is_argument(&terms) => Binding::Bound,
                true => Binding::Needed,
            }
        }
        Premise::Comparison(Comparison { left, right, operator, .. }) => match mentions(&[left, right]) {
            false => Binding::Absent,
            true if *operator == Operator::Equal && is_argument(&[left, right]) => {
                let is_constant = |term: &Term| term.variable().is_none() && term.apply().is_none();
                if is_constant(left) || is_constant(right) { Binding::Bound } else { Binding::Needed }
            }
            true => Binding::Needed,
        },
        Premise::Broken(..) => Binding::Needed,
    }
}

/// Merges mode rows as the reference does: the first row's length counts, entries that differ
/// between rows (or are missing in one) become [`Mode::Either`].
fn unify(rows: &[Vec<Mode>]) -> Vec<Mode> {
    let Some((first, rest)) = rows.split_first() else { return Vec::new() };
    first
        .iter()
        .enumerate()
        .map(
            |(at, &mode)| {
                if rest.iter().all(|row| row.get(at) == Some(&mode)) { mode } else { Mode::Either }
            },
        )
        .collect()
}

/// The arguments of a premise other than `_`, in the bits of [`argument_bit`].
pub(super) fn arguments_read(premise: &Atom) -> u64 {
    let read = premise.args.iter().enumerate().filter(|(_, term)| !matches!(term.kind, TermKind::Wildcard));
    read.fold(0, |bits, (argument, _)| bits | argument_bit(argument))
}

/// The bit of an argument, counted from 0. All arguments from number 63 on share the last bit.
fn argument_bit(argument: usize) -> u64 {
    1 << argument.min(63)
}
