//! Column types of one relation: a list of alternatives with one type per column, and the comparison
//! of declared types with the terms of the clauses.
//!
//! If nearly all literals of a column have one kind and the declaration names another kind, the
//! declaration is considered wrong.
//!
//! A declared `/name` column is narrowed to the names that the rules derive, because a premise with
//! any other name cannot match a derived fact. Only predicates with rules are narrowed: predicates
//! that have only facts often also receive facts from the host.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::expression::faults;
use super::{Base, Type};
use crate::program::shared::unchanging;
use crate::program::{FileSummary, Predicate, PredicateInFile, Program};
use mangle_syntax::syntax::ast::{BoundRow, Declaration, Term, TermKind};

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

/// The minimum number of contradicting literals. Fewer are considered typing errors in the facts.
const MIN_CONTRADICTIONS: u32 = 5;

/// The number of literals of each kind in [`KINDS`] in one column.
type Kinds = [u32; 5];

/// Literal counts for each column.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// Counts in heads and premises.
    columns: Vec<Kinds>,
    /// Counts in heads only.
    heads: Vec<Heads>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Heads {
    kinds: Kinds,
    /// True if some head has a term that is not a literal.
    is_open: bool,
}

const KINDS: [Base; 5] = [Base::Number, Base::Float, Base::String, Base::Bytes, Base::Name];

impl Evidence {
    /// Counts the literals in the heads and premises of one file.
    pub(super) fn from_file(file: &FileSummary, in_file: &PredicateInFile, arity: usize) -> Self {
        let mut evidence =
            Self { columns: vec![Kinds::default(); arity], heads: vec![Heads::default(); arity] };
        let clause = |at: u32| {
            let statement = &file.items.get(at as usize)?.statement;
            statement.clause().filter(|_| !statement.damaged)
        };
        for clause in in_file.facts.iter().chain(&in_file.rules).filter_map(|&at| clause(at)) {
            evidence.add(&clause.head.args);
            evidence.add_head(&clause.head.args);
        }
        for used in &in_file.uses {
            if let Some(literal) = clause(used.item).and_then(|clause| clause.literal_at(used.range)) {
                evidence.add(&literal.atom.args);
            }
        }
        evidence
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.columns.resize(self.columns.len().max(other.columns.len()), Kinds::default());
        for (kinds, more) in self.columns.iter_mut().zip(&other.columns) {
            kinds.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        self.heads.resize(self.heads.len().max(other.heads.len()), Heads::default());
        for (heads, more) in self.heads.iter_mut().zip(&other.heads) {
            heads.kinds.iter_mut().zip(more.kinds).for_each(|(count, more)| *count += more);
            heads.is_open |= more.is_open;
        }
    }

    fn add(&mut self, args: &[Term]) {
        for (kinds, term) in self.columns.iter_mut().zip(args) {
            if let Some(count) = kind(term).and_then(|kind| kinds.get_mut(kind)) {
                *count += 1;
            }
        }
    }

    fn add_head(&mut self, args: &[Term]) {
        for (heads, term) in self.heads.iter_mut().zip(args) {
            match kind(term).and_then(|kind| heads.kinds.get_mut(kind)) {
                Some(count) => *count += 1,
                None => heads.is_open = true,
            }
        }
    }

    /// Returns for each column of a declared row if the facts of the program confirm it. A column
    /// is confirmed if facts exist and every head has a literal of the declared kind. Empty if no
    /// column is confirmed.
    pub(super) fn confirmed_columns(&self, row: &[Type]) -> Vec<bool> {
        let confirms = |heads: &Heads, ty: &Type| {
            let Some(at) = base(ty).and_then(|base| KINDS.iter().position(|kind| *kind == base)) else {
                return false;
            };
            let total: u32 = heads.kinds.iter().sum();
            !heads.is_open && total > 0 && heads.kinds.get(at) == Some(&total)
        };
        let columns: Vec<_> = self.heads.iter().zip(row).map(|(heads, ty)| confirms(heads, ty)).collect();
        if columns.contains(&true) { columns } else { Vec::new() }
    }

    /// Returns the kind of at least 90 % of the literals of each column if it differs from the
    /// declared kind. Empty if no column is contradicted.
    pub(super) fn contradicted_kinds(&self, row: &[Type]) -> Vec<Option<Base>> {
        let columns: Vec<_> = self
            .columns
            .iter()
            .zip(row)
            .map(|(kinds, ty)| match ty {
                Type::Base(declared) => contradicting_kind(kinds, *declared),
                _ => None,
            })
            .collect();
        if columns.iter().all(Option::is_none) { Vec::new() } else { columns }
    }
}

/// The index in [`KINDS`] of the kind of a literal.
fn kind(term: &Term) -> Option<usize> {
    Some(match term.kind {
        TermKind::Number(_) => 0,
        TermKind::Float(_) => 1,
        TermKind::String => 2,
        TermKind::Bytes => 3,
        TermKind::Name(_) => 4,
        _ => return None,
    })
}

/// The common kind of all values of a type, if one exists.
fn base(ty: &Type) -> Option<Base> {
    match ty {
        Type::Base(base) => Some(*base),
        Type::Prefix(_) | Type::Singleton(_) | Type::Literal(_) => Some(Base::Name),
        Type::Union(members) => {
            let mut kinds = members.iter().map(base);
            let first = kinds.next()??;
            kinds.all(|kind| kind == Some(first)).then_some(first)
        }
        _ => None,
    }
}

fn contradicting_kind(kinds: &Kinds, declared: Base) -> Option<Base> {
    let total: u32 = kinds.iter().sum();
    let (count, kind) = kinds.iter().zip(KINDS).max_by_key(|(count, _)| **count)?;
    (kind != declared && *count >= MIN_CONTRADICTIONS && count * 10 >= total * 9).then_some(kind)
}

/// True if the clauses of a declared predicate are probably its only source of facts.
pub(super) fn can_narrow(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.has_rules
        && signature.declared.is_some()
        && !(signature.host || signature.external || signature.extensional || signature.synthetic)
}

/// Returns the declared row, with each column narrowed if all clauses fill it with names. `facts`
/// has the types of the facts. Returns `None` if no column can be narrowed.
pub(super) fn narrowed_to_names(
    program: &Program,
    predicate: &Predicate,
    declared: &Rows,
    facts: &[Row],
) -> Option<Row> {
    let [row] = declared.alternatives.as_ref() else { return None };
    let mut columns: Vec<Option<Vec<Type>>> = row.iter().map(|_| Some(Vec::new())).collect();
    for fact in facts {
        for (column, ty) in columns.iter_mut().zip(fact) {
            let names = ty.members().iter().all(|member| matches!(member, Type::Literal(_)));
            add_names(column, names.then(|| ty.members().to_vec()));
        }
    }
    for site in program.rules(predicate) {
        let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
        for (column, term) in columns.iter_mut().zip(&clause.head.args) {
            add_names(
                column,
                match term.kind {
                    TermKind::Name(name) => Some(vec![Type::Literal(name)]),
                    _ => None,
                },
            );
        }
        if columns.iter().all(Option::is_none) {
            return None;
        }
    }
    let mut changed = false;
    let narrow = |(ty, column): (&Type, Option<Vec<Type>>)| {
        let names = column.map(Type::union).filter(|names| !names.is_bottom() && names.is_subtype(ty));
        changed |= names.is_some();
        names.unwrap_or_else(|| ty.clone())
    };
    let row: Row = row.iter().zip(columns).map(narrow).collect();
    changed.then_some(row)
}

/// Adds names to a column. A clause without names opens the column permanently.
fn add_names(column: &mut Option<Vec<Type>>, names: Option<Vec<Type>>) {
    match (column.as_mut(), names) {
        (Some(known), Some(names)) => known.extend(names),
        _ => *column = None,
    }
}
