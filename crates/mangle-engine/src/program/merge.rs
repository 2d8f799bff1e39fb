//! `fundep` and `merge` of a declaration: which of two facts that agree in some columns is kept.

use mangle_syntax::syntax::ast::{Declaration, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, slice};

/// How facts of a predicate are merged, as the engine reads it from the descriptors. It merges only with exactly
/// one `fundep`, and takes the columns from that.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Merge {
    /// The columns that determine the others.
    pub sources: Vec<u16>,
    /// The columns that are determined; the engine can merge only one.
    pub targets: Vec<u16>,
    /// The predicate that says what is kept of two values; it has three arguments.
    pub predicate: Option<Symbol>,
}

impl Merge {
    /// What a declaration says. `text` is the text of its statement. `None` without exactly one `fundep`.
    pub(super) fn read(declaration: &Declaration, text: &str) -> Option<Self> {
        let mut dependencies = functional_dependencies(declaration).into_iter();
        let [sources, targets] = dependencies.next().filter(|_| dependencies.next().is_none())?;
        // Of several the last one counts.
        let predicate = arguments(declaration, "merge").last().and_then(|[columns, name]| {
            let is_string = matches!(name.kind, TermKind::String);
            let one_column = positions(declaration, columns).len() == 1;
            let value = literal::string_value(slice(text, name.range)).filter(|_| is_string && one_column)?;
            Some(Symbol::new(&value))
        });
        Some(Self { sources, targets, predicate })
    }
}

/// The columns of each `fundep` of a declaration: those that determine others, and those that are determined.
#[must_use]
pub fn functional_dependencies(declaration: &Declaration) -> Vec<[Vec<u16>; 2]> {
    let columns =
        |[sources, targets]: &[Term; 2]| [sources, targets].map(|list| positions(declaration, list));
    arguments(declaration, "fundep").map(columns).collect()
}

/// The arguments of the descriptors of this name that have two.
fn arguments<'d>(declaration: &'d Declaration, name: &'d str) -> impl Iterator<Item = &'d [Term; 2]> {
    let named = declaration.descriptors.iter().filter(move |atom| atom.name.as_str() == name);
    named.filter_map(|atom| atom.args.as_slice().try_into().ok())
}

/// The positions of the parameters that a list names, one after the other.
fn positions(declaration: &Declaration, list: &Term) -> Vec<u16> {
    let apply = list.apply().filter(|apply| apply.function.as_str() == "fn:list");
    let columns = apply.map_or(&[][..], |apply| apply.args.as_slice()).iter().filter_map(Term::variable);
    let of = |column: Symbol| {
        let parameters = (0u16..).zip(&declaration.atom.args);
        parameters.filter(move |(_, parameter)| parameter.variable() == Some(column)).map(|(at, _)| at)
    };
    columns.flat_map(of).collect()
}
