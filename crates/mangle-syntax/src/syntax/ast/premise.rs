//! Premises of a body: atoms, negated atoms, temporal atoms and comparisons.

use super::{Atom, Term};
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
