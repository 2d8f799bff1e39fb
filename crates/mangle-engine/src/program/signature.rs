//! Properties of a predicate outside its clauses, such as its declaration, modes and merge.
//!
//! A signature contains everything outside a clause that the meaning of the clause depends on. Its
//! hash is the cache key of data about clauses.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use mangle_syntax::syntax::ast::{Atom, Clause, Comparison, Declaration, Operator, Premise, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{FileId, StatementId, Symbol, TextRange, slice};

/// The mode of an argument: input (`+`), output (`-`) or either (`?`).
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
    /// The mode in an argument of `mode(…)`. `text` is the text of its statement.
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

    /// True if a variable in this position receives a value.
    #[must_use]
    pub fn binds(self) -> bool {
        self != Self::Input
    }

    /// True if a variable in this position of a head may have a value from the start.
    #[must_use]
    pub fn accepts_input(self) -> bool {
        self != Self::Output
    }
}

/// The properties of a predicate outside its clauses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The first `Decl`: file, statement and predicate name.
    pub declared: Option<(FileId, StatementId, TextRange)>,
    /// The first clause head: file, statement and predicate name.
    pub defined: Option<(FileId, StatementId, TextRange)>,
    /// True if the host provides the predicate, so that it exists without a `Decl`.
    pub host: bool,
    /// True if the predicate has a clause with a body.
    pub has_rules: bool,
    /// A bit set of the arguments that some premise uses, that is, with a term other than `_`.
    /// Arguments from index 63 on share a bit.
    pub read_arguments: u64,
    /// True if declared `temporal`, or undeclared and annotated in some head.
    pub temporal: bool,
    /// The valid modes, merged by position. Different modes become [`Mode::Either`]. Empty without
    /// a valid mode.
    pub modes: Vec<Mode>,
    /// The number of valid `mode` atoms.
    pub mode_count: usize,
    /// True if every mode has `"+"` in its first position. The Go implementation checks this before
    /// it rewrites a `reflects` predicate.
    pub first_is_input: bool,
    /// `external()`
    pub external: bool,
    /// `deferred()`
    pub deferred: bool,
    /// For a deferred predicate, a bit set of the input positions whose variable each rule binds
    /// itself before it needs the value. `None` without rules.
    pub self_bound_inputs: Option<u64>,
    /// `extensional()`
    pub extensional: bool,
    /// `private()`
    pub private: bool,
    /// `synthetic()`, written by the user.
    pub synthetic: bool,
    /// `reflects(/prefix)`
    pub reflects: Option<Symbol>,
    /// `fundep(…)` and `merge(…)`, if exactly one `fundep` exists.
    pub merge: Option<Box<Merge>>,
    /// True if a `Decl` has `inclusion […]`.
    pub constrained: bool,
}

impl Signature {
    /// True if some premise uses the argument at this position.
    #[must_use]
    pub fn reads(&self, argument: usize) -> bool {
        self.read_arguments & argument_bit(argument) != 0
    }

    /// Reads a declaration. `text` is the text of its statement.
    pub(super) fn declare(&mut self, declaration: &Declaration, text: &str) {
        // Annotated heads make a predicate temporal only if it has no `Decl`.
        self.temporal = declaration.temporal.is_some();
        self.merge = Merge::read(declaration, text).map(Box::new);
        self.constrained = !declaration.inclusion.is_empty();
        let mut rows: Vec<Vec<Mode>> = Vec::new();
        for atom in &declaration.descriptors {
            // The Go implementation compares only the name and ignores arguments of a flag.
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

    /// A 64-bit hash of the signature.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The first definition of the predicate: its `Decl`, or its first clause.
    #[must_use]
    pub fn origin(&self) -> Option<(FileId, StatementId, TextRange)> {
        self.declared.or(self.defined)
    }
}

/// The modes of a `mode(…)` atom. `None` if it has no arguments or an invalid argument: the Go
/// implementation then ignores the atom.
fn mode_row(atom: &Atom, text: &str) -> Option<Vec<Mode>> {
    let row: Option<Vec<_>> = atom.args.iter().map(|term| Mode::read(term, text)).collect();
    row.filter(|row| !row.is_empty())
}

/// A bit set of the head positions whose variable a stored premise binds before its value is
/// needed.
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

/// The effect of a premise on a variable.
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

/// Merges mode rows like the Go implementation. The length of the first row is used, and modes that
/// differ or are missing in a row become [`Mode::Either`].
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

/// The merge of the facts of a predicate, as the engine reads it from the descriptors. The engine
/// merges only if exactly one `fundep` exists, and uses its columns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Merge {
    /// The determining columns.
    pub sources: Vec<u16>,
    /// The determined columns. The engine can merge only one.
    pub targets: Vec<u16>,
    /// The predicate with three arguments that chooses between two values.
    pub predicate: Option<Symbol>,
}

impl Merge {
    /// Reads the merge of a declaration. `text` is the text of its statement. `None` unless the
    /// declaration has exactly one `fundep`.
    pub(super) fn read(declaration: &Declaration, text: &str) -> Option<Self> {
        let mut dependencies = functional_dependencies(declaration).into_iter();
        let [sources, targets] = dependencies.next().filter(|_| dependencies.next().is_none())?;
        // The last `merge` is used.
        let predicate = arguments(declaration, "merge").last().and_then(|[columns, name]| {
            let is_string = matches!(name.kind, TermKind::String);
            let one_column = positions(declaration, columns).len() == 1;
            let value = literal::string_value(slice(text, name.range)).filter(|_| is_string && one_column)?;
            Some(Symbol::new(&value))
        });
        Some(Self { sources, targets, predicate })
    }
}

/// The columns of each `fundep` of a declaration: the determining and the determined columns.
#[must_use]
pub fn functional_dependencies(declaration: &Declaration) -> Vec<[Vec<u16>; 2]> {
    let columns =
        |[sources, targets]: &[Term; 2]| [sources, targets].map(|list| positions(declaration, list));
    arguments(declaration, "fundep").map(columns).collect()
}

/// The arguments of the descriptors with this name and two arguments.
fn arguments<'d>(declaration: &'d Declaration, name: &'d str) -> impl Iterator<Item = &'d [Term; 2]> {
    let named = declaration.descriptors.iter().filter(move |atom| atom.name.as_str() == name);
    named.filter_map(|atom| atom.args.as_slice().try_into().ok())
}

/// The positions of the parameters in a list of parameter names.
fn positions(declaration: &Declaration, list: &Term) -> Vec<u16> {
    let apply = list.apply().filter(|apply| apply.function.as_str() == "fn:list");
    let columns = apply.map_or(&[][..], |apply| apply.args.as_slice()).iter().filter_map(Term::variable);
    let of = |column: Symbol| {
        let parameters = (0u16..).zip(&declaration.atom.args);
        parameters.filter(move |(_, parameter)| parameter.variable() == Some(column)).map(|(at, _)| at)
    };
    columns.flat_map(of).collect()
}
