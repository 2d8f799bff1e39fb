//! What kind of values a term has, where a literal, a declared bound or a first fact says so.
//!
//! Not a type inference: it follows nothing through rules, and says nothing where two places
//! disagree. What it reads of other statements is covered by the signatures of their predicates.

use super::Context;
use crate::lint::Span;
use crate::program::{Predicate, builtins};
use crate::syntax::ast::{ApplyForm, Clause, Operator, Premise, Term, TermKind};
use crate::text::{Symbol, TextRange};

/// How many premises are asked for the kind of a variable. Real bodies are far shorter.
const ASKED: usize = 100;

/// A kind of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Integers, `/number`.
    Number,
    /// Floats, `/float64`.
    Float,
    /// Strings.
    String,
    /// Byte strings.
    Bytes,
    /// Names.
    Name,
    /// Instants.
    Time,
    /// Durations.
    Duration,
    /// Lists.
    List,
    /// Maps, structs, pairs and tuples.
    Composite,
}

impl Kind {
    /// One such value, for a message: "a float".
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Number => "an integer",
            Self::Float => "a float",
            Self::String => "a string",
            Self::Bytes => "a byte string",
            Self::Name => "a name",
            Self::Time => "an instant",
            Self::Duration => "a duration",
            Self::List => "a list",
            Self::Composite => "a composite value",
        }
    }

    /// The kind that a type expression stands for, if it stands for one.
    fn of_type(ty: &str) -> Option<Self> {
        Some(match ty {
            "/number" => Self::Number,
            "/float64" => Self::Float,
            "/string" => Self::String,
            "/bytes" => Self::Bytes,
            "/time" => Self::Time,
            "/duration" => Self::Duration,
            "/name" => Self::Name,
            "fn:List" => Self::List,
            "fn:Map" | "fn:Struct" | "fn:Pair" | "fn:Tuple" | "fn:TaggedUnion" => Self::Composite,
            // Other names stand for the names below them, but `/int` or `/float` was not meant so.
            _ => return None,
        })
    }

    /// The kind of a built-in function's values, whose type is written with a dot.
    fn of_result(ty: &str) -> Option<Self> {
        match ty.strip_prefix('.') {
            Some(constructed) => {
                let name = constructed.split('<').next().unwrap_or_default();
                Self::of_type(&format!("fn:{name}"))
            }
            None => Self::of_type(ty),
        }
    }
}

/// A kind and how it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// The kind.
    pub(super) kind: Kind,
    /// Who says so.
    pub(super) source: Source,
}

/// Who says what kind of values something has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// The term itself: a literal, or an application.
    Term(TextRange),
    /// A `bound` of the `Decl` of a premise's predicate.
    Declared(Span),
    /// The first fact of a premise's predicate, which has no bounds.
    Fact(Span),
}

/// The kind of a term's values in the body of `clause`.
pub(super) fn of_term(context: &Context<'_>, clause: &Clause, term: &Term) -> Option<Known> {
    match &term.kind {
        TermKind::Variable(symbol) => of_variable(context, clause, *symbol),
        _ => Some(Known { kind: of_literal(term)?, source: Source::Term(term.range) }),
    }
}

/// The kind of a literal, or of what an application gives.
fn of_literal(term: &Term) -> Option<Kind> {
    match &term.kind {
        TermKind::Number(_) => Some(Kind::Number),
        TermKind::Float(_) => Some(Kind::Float),
        TermKind::String => Some(Kind::String),
        TermKind::Bytes => Some(Kind::Bytes),
        TermKind::Name(_) => Some(Kind::Name),
        TermKind::Apply(apply) => match apply.form {
            ApplyForm::List => Some(Kind::List),
            ApplyForm::Map | ApplyForm::Struct => Some(Kind::Composite),
            ApplyForm::Call => Kind::of_result(builtins::function(apply.function.as_str())?.result),
            ApplyForm::DotType | ApplyForm::Optional => None,
        },
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Broken => None,
    }
}

/// The kind of a variable's values, if all premises that say something agree.
pub(super) fn of_variable(context: &Context<'_>, clause: &Clause, symbol: Symbol) -> Option<Known> {
    let mut known: Option<Known> = None;
    let mut agree = true;
    for premise in clause.premises.iter().take(ASKED) {
        for_each_source(context, premise, symbol, &mut |found| match known {
            Some(before) => agree &= before.kind == found.kind,
            None => known = Some(found),
        });
    }
    known.filter(|_| agree)
}

fn for_each_source(context: &Context<'_>, premise: &Premise, symbol: Symbol, visit: &mut impl FnMut(Known)) {
    match premise {
        Premise::Literal(literal) if !literal.is_negated() && !literal.atom.is_builtin() => {
            let columns = literal.atom.args.iter().enumerate();
            for (at, _) in columns.filter(|(_, arg)| arg.variable() == Some(symbol)) {
                if let Some(predicate) = context.predicate(&literal.atom)
                    && let Some(known) = of_column(context, predicate, at)
                {
                    visit(known);
                }
            }
        }
        Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
            let (left, right) = (&comparison.left, &comparison.right);
            for (side, other) in [(left, right), (right, left)] {
                if side.variable() == Some(symbol)
                    && let Some(kind) = of_literal(other)
                {
                    visit(Known { kind, source: Source::Term(other.range) });
                }
            }
        }
        _ => {}
    }
}

/// The kind of the values in a column, where all bounds of its `Decl` agree, or without bounds,
/// the first fact says so.
fn of_column(context: &Context<'_>, predicate: &Predicate, column: usize) -> Option<Known> {
    if let Some(declaration) = context.program.declaration(predicate)
        && !declaration.bounds.is_empty()
    {
        let (file, statement, _) = predicate.signature.declared?;
        let mut bounds = declaration.bounds.iter().map(|row| row.types.get(column));
        let first = bounds.next()??;
        let kind = of_bound(first)?;
        let agree = bounds.all(|bound| bound.and_then(of_bound) == Some(kind));
        let span = Span::of(file, statement, first.range);
        return agree.then_some(Known { kind, source: Source::Declared(span) });
    }
    let fact = context.program.first_clause(predicate).filter(|clause| clause.is_fact())?;
    let (file, statement, _) = predicate.signature.defined?;
    let value = fact.head.args.get(column)?;
    let span = Span::of(file, statement, value.range);
    Some(Known { kind: of_literal(value)?, source: Source::Fact(span) })
}

fn of_bound(bound: &Term) -> Option<Kind> {
    match &bound.kind {
        TermKind::Name(name) => Kind::of_type(name.as_str()),
        TermKind::Apply(apply) => Kind::of_type(apply.function.as_str()),
        _ => None,
    }
}
