//! Column types of one relation: a list of alternatives with one type per column.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::value::{Base, Type};
use super::wellformed::faults;
use crate::program::shared::unchanging;
use mangle_syntax::syntax::ast::{BoundRow, Declaration};

/// The maximum number of alternatives of an inferred relation. More are joined into one.
const ALTERNATIVES: usize = 8;

/// One alternative: a type for each column.
pub type Row = Vec<Type>;

/// The known column types of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The alternatives. Every tuple conforms to at least one. Empty if the types are unknown.
    pub alternatives: Arc<[Row]>,
    /// True if the types come from a `Decl`, false if they are inferred from the clauses.
    pub declared: bool,
    /// For each column, the kind of nearly all literals, if the declaration names another kind.
    /// Empty if no column is contradicted.
    pub contradicted: Arc<[Option<Base>]>,
    /// For each column, true if all facts of the program have the declared kind. Empty if no column
    /// is confirmed.
    pub confirmed: Arc<[bool]>,
    /// The alternatives that occur in facts of the program. Empty for a declared relation.
    pub facts: Arc<[Row]>,
    fingerprint: u64,
}

impl Rows {
    /// Unknown types.
    #[must_use]
    pub fn unknown() -> Self {
        Self::new(Vec::new(), false)
    }

    /// The types in a declaration without syntax errors. Unknown if a bound has a fault.
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

    /// A relation with one alternative.
    #[must_use]
    pub fn from_row(row: Row) -> Self {
        Self::new(vec![row], false)
    }

    /// Sets the alternatives that occur in facts of the program.
    pub(super) fn with_fact_rows(self, facts: Vec<Row>) -> Self {
        let mut hasher = FxHasher::default();
        (self.fingerprint, &facts).hash(&mut hasher);
        let fingerprint = hasher.finish();
        Self { facts: unchanging(facts), fingerprint, ..self }
    }

    /// Sets the columns that the program contradicts or confirms.
    pub(super) fn with_evidence(self, contradicted: Vec<Option<Base>>, confirmed: Vec<bool>) -> Self {
        let mut hasher = FxHasher::default();
        (self.fingerprint, &contradicted, &confirmed).hash(&mut hasher);
        let fingerprint = hasher.finish();
        let (contradicted, confirmed) = (unchanging(contradicted), unchanging(confirmed));
        Self { contradicted, confirmed, fingerprint, ..self }
    }

    /// True if the facts of the program confirm the declared type of a column.
    #[must_use]
    pub fn is_confirmed(&self, column: u32) -> bool {
        self.confirmed.get(column as usize) == Some(&true)
    }

    /// A fingerprint of the known types of the relation.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// True if the types are unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// The union of all types of a column. `/any` if the types are unknown.
    #[must_use]
    pub fn column(&self, at: usize) -> Type {
        if self.is_unknown() {
            return Type::Any;
        }
        Type::union(self.alternatives.iter().map(|row| row.get(at).cloned().unwrap_or(Type::Any)))
    }
}

/// The types of a `bound […]`, if none has a fault.
fn read_row(row: &BoundRow, arity: usize) -> Option<Row> {
    let sound = row.types.len() == arity && row.types.iter().all(|ty| faults(ty).is_empty());
    // The engine does not enforce type variables: each one accepts any type.
    let read = |term| Type::read(term).substitute(&|_| Type::Any);
    sound.then(|| row.types.iter().map(read).collect())
}

/// Collects the alternatives of an inferred relation.
#[derive(Debug, Clone, Default)]
pub(super) struct Collector {
    rows: Vec<Row>,
}

impl Collector {
    /// Adds the alternatives of a declaration or another collector.
    pub(super) fn extend(&mut self, rows: impl IntoIterator<Item = Row>) {
        rows.into_iter().for_each(|row| self.add(row));
    }

    /// Adds an alternative. Rows of the same shape are merged, even if their names differ.
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

    /// Joins all alternatives, and sets the columns that differ from `before` to `/any`.
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

    /// The alternatives, sorted to be independent of the insertion order.
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

/// True if two rows differ at most in the names that they list.
fn same_shape(one: &[Type], other: &[Type]) -> bool {
    one.iter().zip(other).all(|(a, b)| a == b || a.is_name() && b.is_name())
}
