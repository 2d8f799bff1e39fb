//! Counts the kinds of literals in the columns of a declared predicate.
//!
//! If nearly all literals of a column have one kind and the declaration names another kind, the
//! declaration is considered wrong.

use crate::program::{FileSummary, PredicateInFile};
use mangle_syntax::syntax::ast::{Term, TermKind};

use super::value::{Base, Type};

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
    pub(super) fn from_file(file: &FileSummary, there: &PredicateInFile, arity: usize) -> Self {
        let mut evidence =
            Self { columns: vec![Kinds::default(); arity], heads: vec![Heads::default(); arity] };
        let clause = |at: u32| {
            let statement = &file.items.get(at as usize)?.statement;
            statement.clause().filter(|_| !statement.damaged)
        };
        for clause in there.facts.iter().chain(&there.rules).filter_map(|&at| clause(at)) {
            evidence.add(&clause.head.args);
            evidence.add_head(&clause.head.args);
        }
        for used in &there.uses {
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
