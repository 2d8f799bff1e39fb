//! What the columns of a relation hold: alternatives, each one type a column.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::value::{Base, Type};
use super::wellformed::faults;
use crate::program::shared::unchanging;
use mangle_syntax::syntax::ast::{BoundRow, Declaration};

/// How many alternatives an inferred relation keeps apart; beyond, they become one.
const ALTERNATIVES: usize = 8;

/// One alternative: a type for each column.
pub type Row = Vec<Type>;

/// What a relation is known to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The alternatives: every tuple conforms to at least one. None when nothing is known of the
    /// relation.
    pub alternatives: Arc<[Row]>,
    /// Whether a `Decl` promises it; otherwise the clauses show it.
    pub declared: bool,
    /// For each column, the kind that nearly all literals in it have where the declaration names
    /// another; empty when there is no such column.
    pub contradicted: Arc<[Option<Base>]>,
    /// For each column, whether the program's own facts have the declared kind there, all of them; empty when there is no
    /// such column.
    pub confirmed: Arc<[bool]>,
    /// The alternatives that facts of the program fill; none for a declared relation.
    pub facts: Arc<[Row]>,
    fingerprint: u64,
}

impl Rows {
    /// A relation of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self::new(Vec::new(), false)
    }

    /// What a declaration without damage promises; unknown when a bound is at fault.
    #[must_use]
    pub fn declared(declaration: &Declaration) -> Self {
        let rows: Option<Vec<Row>> =
            declaration.bounds.iter().map(|row| read_row(row, declaration.atom.args.len())).collect();
        rows.map_or_else(Self::unknown, |rows| Self::new(rows, true))
    }

    pub(super) fn new(alternatives: Vec<Row>, declared: bool) -> Self {
        let mut hasher = FxHasher::default();
        alternatives.hash(&mut hasher);
        Self {
            alternatives: unchanging(alternatives),
            declared,
            contradicted: Arc::default(),
            confirmed: Arc::default(),
            facts: Arc::default(),
            fingerprint: hasher.finish(),
        }
    }

    /// A relation that holds nothing but one alternative.
    #[must_use]
    pub fn only(row: Row) -> Self {
        Self::new(vec![row], false)
    }

    /// The same relation, of which facts of the program fill some alternatives.
    pub(super) fn witnessed(self, facts: Vec<Row>) -> Self {
        let mut hasher = FxHasher::default();
        (self.fingerprint, &facts).hash(&mut hasher);
        let fingerprint = hasher.finish();
        Self { facts: unchanging(facts), fingerprint, ..self }
    }

    /// The same relation, some of whose columns the program contradicts or confirms.
    pub(super) fn compared(self, contradicted: Vec<Option<Base>>, confirmed: Vec<bool>) -> Self {
        let mut hasher = FxHasher::default();
        (self.fingerprint, &contradicted, &confirmed).hash(&mut hasher);
        let fingerprint = hasher.finish();
        let (contradicted, confirmed) = (unchanging(contradicted), unchanging(confirmed));
        Self { contradicted, confirmed, fingerprint, ..self }
    }

    /// Whether the program's own facts confirm what is declared of a column.
    #[must_use]
    pub fn is_confirmed(&self, column: u32) -> bool {
        self.confirmed.get(column as usize) == Some(&true)
    }

    /// A number that changes with what is known of the relation.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// All that a column holds; `/any` when nothing is known of it.
    #[must_use]
    pub fn column(&self, at: usize) -> Type {
        if self.is_unknown() {
            return Type::Any;
        }
        Type::union(self.alternatives.iter().map(|row| row.get(at).cloned().unwrap_or(Type::Any)))
    }
}

/// The types of a `bound […]`, if it is sound.
fn read_row(row: &BoundRow, arity: usize) -> Option<Row> {
    let sound = row.types.len() == arity && row.types.iter().all(|ty| faults(ty).is_empty());
    // Type variables are not enforced: each stands for any type.
    let read = |term| Type::read(term).substitute(&|_| Type::Any);
    sound.then(|| row.types.iter().map(read).collect())
}

/// Collects the alternatives of an inferred relation.
#[derive(Debug, Clone, Default)]
pub(super) struct Collector {
    rows: Vec<Row>,
}

impl Collector {
    /// Adds the alternatives that a declaration or another collector has.
    pub(super) fn extend(&mut self, rows: impl IntoIterator<Item = Row>) {
        rows.into_iter().for_each(|row| self.add(row));
    }

    /// Adds an alternative. Rows of one shape are one alternative, whatever names they list.
    pub(super) fn add(&mut self, row: Row) {
        if self.rows.iter().any(|known| covers(known, &row)) {
            return;
        }
        match self.rows.iter_mut().find(|known| same_shape(known, &row)) {
            Some(known) => join_into(known, &row),
            None => self.rows.push(row),
        }
        if self.rows.len() > ALTERNATIVES
            && let Some((first, rest)) = self.rows.split_first_mut()
        {
            rest.iter().for_each(|row| join_into(first, row));
            self.rows.truncate(1);
        }
    }

    /// Takes the columns that differ from `before` to hold anything.
    pub(super) fn widen(&mut self, before: &[Row]) {
        let mut all = self.rows.iter();
        let Some(mut row) = all.next().cloned() else { return };
        all.for_each(|other| join_into(&mut row, other));
        for (at, column) in row.iter_mut().enumerate() {
            let old = Type::union(before.iter().filter_map(|row| row.get(at).cloned()));
            if *column != old {
                *column = Type::Any;
            }
        }
        self.rows = vec![row];
    }

    /// The alternatives so far, sorted, so that their order of arrival does not matter.
    pub(super) fn finish(mut self) -> Vec<Row> {
        self.rows.sort_unstable();
        self.rows
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }
}

fn covers(known: &[Type], row: &[Type]) -> bool {
    known.iter().zip(row).all(|(known, ty)| ty.is_subtype(known))
}

fn join_into(known: &mut [Type], row: &[Type]) {
    for (known, ty) in known.iter_mut().zip(row) {
        *known = known.join(ty);
    }
}

/// Whether two rows differ in the names that they list at most.
fn same_shape(one: &[Type], other: &[Type]) -> bool {
    one.iter().zip(other).all(|(a, b)| a == b || a.is_name() && b.is_name())
}
