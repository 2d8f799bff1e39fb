//! The `fundep` and `merge` descriptors: resolve facts that agree in some columns.

use mangle_syntax::syntax::ast::{Declaration, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, slice};

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
