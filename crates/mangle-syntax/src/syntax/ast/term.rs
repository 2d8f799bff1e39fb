//! Syntax tree of premises (atoms, negated atoms, temporal atoms and comparisons), terms and type
//! expressions.

use super::{Atom, Name};
use crate::text::{Symbol, TextRange};

/// A premise of a body.
#[derive(Debug)]
pub enum Premise {
    /// An atom, optionally negated or temporal.
    Literal(Literal),
    /// A comparison: `A = B`, `A < B`, …
    Comparison(Comparison),
    /// Text that is not a premise. Its terms are kept for their variables.
    Broken(TextRange, Vec<Term>),
}

impl Premise {
    /// The range of the premise.
    #[must_use]
    pub fn range(&self) -> TextRange {
        match self {
            Self::Literal(literal) => literal.range,
            Self::Comparison(comparison) => comparison.range,
            Self::Broken(range, _) => *range,
        }
    }
}

/// An atom as a premise.
#[derive(Debug)]
pub struct Literal {
    /// From the negation or operator to the end of the annotation.
    pub range: TextRange,
    /// The `!`.
    pub negation: Option<TextRange>,
    /// `<-[…]` or another temporal operator.
    pub operator: Option<Box<TemporalOperator>>,
    /// The atom, without the negation.
    pub atom: Atom,
    /// `@[…]` after the atom.
    pub interval: Option<Box<Interval>>,
}

impl Literal {
    /// True if the premise has an annotation or a temporal operator.
    #[must_use]
    pub fn is_temporal(&self) -> bool {
        self.operator.is_some() || self.interval.is_some()
    }

    /// True if the premise is negated.
    #[must_use]
    pub fn is_negated(&self) -> bool {
        self.negation.is_some()
    }
}

/// `<-[a, b]`, `[-[a, b]`, `<+[a, b]`, `[+[a, b]`.
#[derive(Debug)]
pub struct TemporalOperator {
    /// The range of the operator and its brackets.
    pub range: TextRange,
    /// `<+` or `[+`: refers to the future.
    pub future: bool,
    /// `[-` or `[+`: holds at all times of the interval.
    pub always: bool,
    /// The bounds. In valid code, two.
    pub bounds: Vec<TimeBound>,
}

/// `@[a, b]` or `@[a]`.
#[derive(Debug)]
pub struct Interval {
    /// From `@` to `]`.
    pub range: TextRange,
    /// In valid code, one or two bounds.
    pub bounds: Vec<TimeBound>,
}

impl Interval {
    /// True for `@[_]` or `@[_, _]`, an interval without bounds.
    #[must_use]
    pub fn is_eternal(&self) -> bool {
        self.bounds.iter().all(|bound| bound.kind == TimeBoundKind::Wildcard)
    }
}

/// A bound of an interval.
#[derive(Debug, Clone)]
pub struct TimeBound {
    /// The range of the bound.
    pub range: TextRange,
    /// The kind and value of the bound.
    pub kind: TimeBoundKind,
}

/// The kinds of interval bounds.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeBoundKind {
    /// An instant in nanoseconds since 1970 UTC. `None` if out of range (reported).
    Timestamp(Option<i64>),
    /// A duration in nanoseconds. `None` if out of range (reported).
    Duration(Option<i64>),
    /// A variable, by its name.
    Variable(Symbol),
    /// `_`: unbounded.
    Wildcard,
    /// `now`.
    Now,
    /// A syntax error (reported).
    Broken,
}

/// `left op right`.
#[derive(Debug)]
pub struct Comparison {
    /// The range of the premise.
    pub range: TextRange,
    /// The operator between both sides.
    pub operator: Operator,
    /// The range of the operator.
    pub operator_range: TextRange,
    /// Left side.
    pub left: Term,
    /// Right side.
    pub right: Term,
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `=`: unification.
    Equal,
    /// `!=`: not unifiable.
    NotEqual,
    /// `<`, the built-in `:lt`.
    Less,
    /// `<=`, the built-in `:le`.
    LessEqual,
    /// `>`, the built-in `:gt`.
    Greater,
    /// `>=`, the built-in `:ge`.
    GreaterEqual,
}

impl Operator {
    /// The operator as written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// The complementary operator.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }
}

/// A term or a type expression.
#[derive(Debug)]
pub struct Term {
    /// The range of the term.
    pub range: TextRange,
    /// The kind of the term, with its parts.
    pub kind: TermKind,
}

/// The kinds of terms.
#[derive(Debug)]
pub enum TermKind {
    /// A variable by its name.
    Variable(Symbol),
    /// `_`.
    Wildcard,
    /// A name constant, including the slash.
    Name(Symbol),
    /// An integer; `None` if it does not fit 64 bits (reported).
    Number(Option<i64>),
    /// A float, as 64 bits.
    Float(f64),
    /// A string in any of the three quotes. [`string_value`](crate::syntax::literal::string_value)
    /// of its text is its value.
    String,
    /// A byte string.
    Bytes,
    /// A function, a list, a map, a struct or a type constructor applied to terms.
    Apply(Box<Apply>),
    /// A syntax error (reported).
    Broken,
}

/// The syntax of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApplyForm {
    /// `fn:f(…)`, or `p(…)`, an atom in the position of a term.
    Call,
    /// `[a, b]`, which is `fn:list(a, b)`.
    List,
    /// `[k : v]`, which is `fn:map(k, v)`.
    Map,
    /// `{k : v}`, which is `fn:struct(k, v)`.
    Struct,
    /// `.List<t>`, which is `fn:List(t)`.
    DotType,
    /// `opt k : t` in `.Struct<…>`, which is `fn:opt(k, t)`.
    Optional,
}

/// An application.
#[derive(Debug)]
pub struct Apply {
    /// The function with its `fn:`, for any syntax (`[1]` has `fn:list`). Its range is the written
    /// name, or the opening bracket.
    pub function: Name,
    /// The syntax of the application.
    pub form: ApplyForm,
    /// The arguments. Keys and values alternate for maps and structs.
    pub args: Vec<Term>,
}

impl Apply {
    /// True for an atom (`p(…)`) in the position of a term.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        !self.function.as_str().starts_with("fn:")
    }
}

impl Term {
    /// The variable, if the term is one (not `_`).
    #[must_use]
    pub fn variable(&self) -> Option<Symbol> {
        match self.kind {
            TermKind::Variable(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// True for `_`.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        matches!(self.kind, TermKind::Wildcard)
    }

    /// The application, if the term is one.
    #[must_use]
    pub fn apply(&self) -> Option<&Apply> {
        match &self.kind {
            TermKind::Apply(apply) => Some(apply),
            _ => None,
        }
    }

    /// True for a literal constant: a name, number, float, string or byte string.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        matches!(
            self.kind,
            TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_) | TermKind::String | TermKind::Bytes
        )
    }

    /// Calls `visit` for this term and every nested term, outer first. The nesting limit of the
    /// lowering bounds the depth.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        visit(self);
        if let TermKind::Apply(apply) = &self.kind {
            for arg in &apply.args {
                arg.walk(visit);
            }
        }
    }

    /// Calls `visit` for every variable occurrence (not `_`) in this term.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, TextRange)) {
        self.walk(&mut |term| {
            if let TermKind::Variable(symbol) = term.kind {
                visit(symbol, term.range);
            }
        });
    }
}
