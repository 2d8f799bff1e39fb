//! Type problems of a clause, as data without message text.

use super::state::TypeOrigin;
use crate::types::Type;
use mangle_syntax::text::{Symbol, TextRange};

/// A type conflict in a clause.
#[derive(Debug, Clone)]
pub struct TypeProblem {
    /// The kind of conflict.
    pub kind: TypeProblemKind,
    /// The term, argument or operator at fault, relative to the start of the statement.
    pub range: TextRange,
    /// The variable at fault, if the term is a variable.
    pub variable: Option<Symbol>,
    /// The type of the term.
    pub found: Type,
    /// The source of the type of the term.
    pub origin: Option<TypeOrigin>,
    /// The expected type. For a comparison, the type of the opposite side.
    pub wanted: Type,
    /// True if the types differ only in the names that clauses happen to contain.
    pub differs_only_in_names: bool,
}

/// The kind of a type conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeProblemKind {
    /// An argument of a premise does not fit the column of its relation.
    Premise {
        /// The index of the premise.
        premise: u32,
        /// The index of the argument.
        argument: u32,
        /// True if the premise is negated. A negated premise with a conflict always holds.
        negated: bool,
    },
    /// An argument of a function does not fit its parameter. The engine stops there.
    Argument {
        /// The function, as spelled in the clause.
        function: Symbol,
        /// The index of the argument.
        argument: u32,
    },
    /// The struct has no field with this label.
    Field(Symbol),
    /// The argument of a reducer has the wrong type.
    Reducer {
        /// The reducer.
        function: Symbol,
    },
    /// The two sides of `=` or `!=` have no value in common.
    Equality {
        /// The index of the premise.
        premise: u32,
        /// True for `!=`.
        negated: bool,
    },
    /// A side of `<`, `<=`, `>` or `>=` is not a number.
    Ordering {
        /// The index of the premise.
        premise: u32,
        /// True for the left side.
        left: bool,
    },
    /// A variable that bounds an interval is not an instant.
    Interval,
    /// An argument of the head does not fit its declaration.
    Head {
        /// The index of the argument.
        argument: u32,
        /// The index of the nearest declared row.
        row: u32,
    },
}

impl TypeProblemKind {
    /// True if the rule derives nothing because of the problem, or stops the evaluation. The types
    /// of its head are then unknown.
    #[must_use]
    pub fn is_fatal(self) -> bool {
        !matches!(
            self,
            Self::Equality { negated: true, .. } | Self::Premise { negated: true, .. } | Self::Head { .. }
        )
    }
}
