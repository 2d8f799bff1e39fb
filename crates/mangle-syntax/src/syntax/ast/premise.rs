//! The parts of a body: atoms, negated and temporal ones, and comparisons.

use super::{Atom, Term};
use crate::text::{Symbol, TextRange};

/// One part of a body.
#[derive(Debug)]
pub enum Premise {
    /// An atom, perhaps negated, perhaps temporal.
    Literal(Literal),
    /// `A = B`, `A < B`, …
    Comparison(Comparison),
    /// Something that is no premise; the terms in it are kept for its variables.
    Broken(TextRange, Vec<Term>),
}

impl Premise {
    /// The bytes of the premise.
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
    /// `<-[…]` and its kin.
    pub operator: Option<Box<TemporalOperator>>,
    /// The atom, without the sign of a negation.
    pub atom: Atom,
    /// `@[…]` behind the atom.
    pub interval: Option<Box<Interval>>,
}

impl Literal {
    /// Whether it has an annotation or an operator.
    #[must_use]
    pub fn is_temporal(&self) -> bool {
        self.operator.is_some() || self.interval.is_some()
    }

    /// Whether it is negated.
    #[must_use]
    pub fn is_negated(&self) -> bool {
        self.negation.is_some()
    }
}

/// `<-[a, b]`, `[-[a, b]`, `<+[a, b]`, `[+[a, b]`.
#[derive(Debug)]
pub struct TemporalOperator {
    /// Operator and brackets.
    pub range: TextRange,
    /// `<+` or `[+`: looks into the future.
    pub future: bool,
    /// `[-` or `[+`: holds all the time.
    pub always: bool,
    /// The bounds, two when well-formed.
    pub bounds: Vec<TimeBound>,
}

/// `@[a, b]` or `@[a]`.
#[derive(Debug)]
pub struct Interval {
    /// From `@` to `]`.
    pub range: TextRange,
    /// One or two bounds when well-formed.
    pub bounds: Vec<TimeBound>,
}

impl Interval {
    /// `@[_]` or `@[_, _]`: from the beginning to the end of time.
    #[must_use]
    pub fn is_eternal(&self) -> bool {
        self.bounds.iter().all(|bound| bound.kind == TimeBoundKind::Wildcard)
    }
}

/// One bound of an interval.
#[derive(Debug, Clone)]
pub struct TimeBound {
    /// The bytes.
    pub range: TextRange,
    /// Which kind of bound it is, with its value.
    pub kind: TimeBoundKind,
}

/// The kinds of interval bounds.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeBoundKind {
    /// An instant, nanoseconds since 1970 UTC; `None` if out of range (reported).
    Timestamp(Option<i64>),
    /// A duration in nanoseconds; `None` if out of range (reported).
    Duration(Option<i64>),
    /// A variable, by its name.
    Variable(Symbol),
    /// `_`: unbounded.
    Wildcard,
    /// `now`.
    Now,
    /// Unreadable (reported).
    Broken,
}

/// `left op right`.
#[derive(Debug)]
pub struct Comparison {
    /// The whole premise.
    pub range: TextRange,
    /// The operator between both sides.
    pub operator: Operator,
    /// The operator's bytes.
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
    /// The spelling.
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

    /// The operator that holds exactly when this one does not.
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
