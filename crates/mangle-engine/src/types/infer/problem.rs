//! What is wrong with a clause, as far as types tell; without wording.

use super::state::TypeOrigin;
use crate::types::Type;
use mangle_syntax::text::{Symbol, TextRange};

/// Something that cannot work.
#[derive(Debug, Clone)]
pub struct TypeProblem {
    /// Which conflict it is, with the types that do not go together.
    pub kind: TypeProblemKind,
    /// The term, argument or operator at fault, from the start of the statement.
    pub range: TextRange,
    /// The variable at fault, if it is one.
    pub variable: Option<Symbol>,
    /// The type of what stands there.
    pub found: Type,
    /// Where that type comes from.
    pub origin: Option<TypeOrigin>,
    /// The type that would be right; for a comparison, the type of the other side.
    pub wanted: Type,
    /// Whether the types are apart only because of the names that clauses happen to write.
    pub names: bool,
}

/// What does not fit where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeProblemKind {
    /// An argument of a premise and the column of its relation.
    Premise {
        /// Index of the premise.
        premise: u32,
        /// Index of the argument.
        argument: u32,
        /// Whether the premise is negated: it then always holds.
        negated: bool,
    },
    /// An argument of a function and its parameter. The engine stops there.
    Argument {
        /// The function as the clause calls it.
        function: Symbol,
        /// Index of the argument.
        argument: u32,
    },
    /// A struct has no such field.
    Field(Symbol),
    /// A reducer and what it reduces.
    Reducer {
        /// The reducer.
        function: Symbol,
    },
    /// The two sides of `=` or `!=`.
    Equality {
        /// Index of the premise.
        premise: u32,
        /// Whether it is `!=`.
        negated: bool,
    },
    /// A side of `<` and its kin.
    Ordering {
        /// Index of the premise.
        premise: u32,
        /// Whether it is the left side.
        left: bool,
    },
    /// A variable that bounds an interval.
    Interval,
    /// An argument of the head and its declaration.
    Head {
        /// Index of the argument.
        argument: u32,
        /// The declared row that comes nearest.
        row: u32,
    },
}

impl TypeProblemKind {
    /// Whether the rule derives nothing because of it (or stops the evaluation), so that its head
    /// tells nothing either.
    #[must_use]
    pub fn is_fatal(self) -> bool {
        !matches!(
            self,
            Self::Equality { negated: true, .. } | Self::Premise { negated: true, .. } | Self::Head { .. }
        )
    }
}
