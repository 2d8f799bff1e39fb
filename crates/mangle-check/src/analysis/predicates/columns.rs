//! Declarations and columns that a use of a predicate suggests.
//!
//! The columns of an atom with too few arguments are assigned by names of variables and columns, and by
//! kinds of values.

use mangle_engine::program::{Predicate, Program};
use mangle_syntax::syntax::ast::{Atom, Clause, Term, TermKind};
use mangle_syntax::text::Symbol;

/// Maximum number of arguments to match.
const MAX_ARGUMENTS: usize = 12;

/// Evidence about one column.
#[derive(Debug, Default)]
struct Column {
    /// Names of the column, from the `Decl` and from variables at its position elsewhere.
    names: Vec<Symbol>,
    /// The kind of values that the `Decl` allows, or the kind in the first fact.
    kind: Option<Kind>,
}

/// Kinds of values that a literal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Number,
    Float,
    Text,
}

/// The column of each argument of `atom`, in order. `None` if the evidence is ambiguous.
pub(super) fn columns(program: &Program, predicate: &Predicate, atom: &Atom) -> Option<Vec<usize>> {
    let arity = usize::from(predicate.key.arity);
    if arity > MAX_ARGUMENTS || atom.args.len() >= arity {
        return None;
    }
    let columns = known(program, predicate, arity);
    let mut choices = Vec::new();
    place(&atom.args, &columns, 0, &mut Vec::new(), &mut choices);
    let best = choices.iter().map(|(score, _)| *score).max()?;
    let mut best = choices.into_iter().filter(|(score, _)| *score == best);
    let (only, another) = (best.next()?, best.next());
    another.is_none().then_some(only.1)
}

/// Collects all assignments of arguments to columns in ascending order, each with the number of
/// matching names.
fn place(
    args: &[Term],
    columns: &[Column],
    from: usize,
    taken: &mut Vec<usize>,
    choices: &mut Vec<(usize, Vec<usize>)>,
) {
    let Some(arg) = args.get(taken.len()) else {
        let agree = |(at, arg): (&usize, &Term)| columns.get(*at).is_some_and(|column| column.is_called(arg));
        let score = taken.iter().zip(args).filter(|pair| agree(*pair)).count();
        choices.push((score, taken.clone()));
        return;
    };
    for (at, column) in columns.iter().enumerate().skip(from) {
        if column.admits(arg) {
            taken.push(at);
            place(args, columns, at + 1, taken, choices);
            taken.pop();
        }
    }
}

impl Column {
    /// True if the argument is a variable with the name of the column.
    fn is_called(&self, arg: &Term) -> bool {
        let same = |name: &Symbol, other: Symbol| {
            let plain = |symbol: Symbol| symbol.as_str().to_ascii_lowercase();
            plain(*name) == plain(other)
        };
        arg.variable().is_some_and(|symbol| self.names.iter().any(|name| same(name, symbol)))
    }

    fn admits(&self, arg: &Term) -> bool {
        match (kind(arg), self.kind) {
            (Some(found), Some(wanted)) => found == wanted,
            _ => true,
        }
    }
}

/// Collects evidence about the columns from declarations, clauses and other premises.
fn known(program: &Program, predicate: &Predicate, arity: usize) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::with_capacity(arity);
    columns.resize_with(arity, Column::default);
    if let Some(declaration) = program.declaration(predicate) {
        add_names(&mut columns, &declaration.atom.args);
        for (column, bound) in
            columns.iter_mut().zip(declaration.bounds.first().into_iter().flat_map(|row| &row.types))
        {
            column.kind = bound_kind(bound);
        }
    }
    if let Some(clause) = program.first_clause(predicate) {
        add_clause(&mut columns, clause);
    }
    for (site, _) in program.uses(predicate).take(MAX_ARGUMENTS) {
        if let Some(literal) = site.literal() {
            add_names(&mut columns, &literal.atom.args);
        }
    }
    columns
}

fn add_clause(columns: &mut [Column], clause: &Clause) {
    add_names(columns, &clause.head.args);
    for (column, arg) in columns.iter_mut().zip(&clause.head.args) {
        column.kind = column.kind.or_else(|| kind(arg));
    }
}

fn add_names(columns: &mut [Column], args: &[Term]) {
    for (column, arg) in columns.iter_mut().zip(args) {
        column.names.extend(arg.variable());
    }
}

fn kind(term: &Term) -> Option<Kind> {
    match term.kind {
        TermKind::Name(_) => Some(Kind::Name),
        TermKind::Number(_) => Some(Kind::Number),
        TermKind::Float(_) => Some(Kind::Float),
        TermKind::String => Some(Kind::Text),
        _ => None,
    }
}

/// The kind of values of a type, or `None` for other types.
fn bound_kind(bound: &Term) -> Option<Kind> {
    let TermKind::Name(name) = bound.kind else { return None };
    match name.as_str() {
        "/number" => Some(Kind::Number),
        "/float64" => Some(Kind::Float),
        "/string" => Some(Kind::Text),
        "/any" | "/bytes" | "/time" | "/duration" => None,
        // Other names stand for the names below them.
        _ => Some(Kind::Name),
    }
}

/// The predicates with arity and runtime `Decl`.
const PREDICATES: [(&str, usize, &str); 4] = [
    ("active_shard", 2, "Decl active_shard(ShardID, ShardType) bound [/string, /name]."),
    ("compile_context", 2, "Decl compile_context(Dimension, Value)."),
    ("context_budget", 2, "Decl context_budget(ShardID, Tokens) bound [/string, /number]."),
    ("user_intent", 5, "Decl user_intent(ID, Category, Verb, Target, Constraint)."),
];

/// The runtime `Decl` of a predicate with this name and arity.
pub(super) fn runtime_declaration(name: &str, count: usize) -> Option<&'static str> {
    let found = PREDICATES.iter().find(|(known, arity, _)| (*known, *arity) == (name, count));
    found.map(|(_, _, declaration)| *declaration)
}
