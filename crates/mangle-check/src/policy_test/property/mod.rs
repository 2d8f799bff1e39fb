//! Properties of a policy in a test file: claims about all possible sets of facts (worlds), or
//! about at least one.
//!
//! ```mangle
//! # @never name: nothing dangerous without an approval
//! #   permitted(Action), dangerous_action(Action), !approved(Action)
//! # @possible permitted(/run_build)
//! ```
//!
//! A property is a comment with a key, and the comments below it up to the next key or the end of
//! the comments. It contains a condition: premises as in the body of a rule, alternatives, and
//! extensions that they should or should not have.

mod condition;
mod read;
mod text;

pub(crate) use condition::NO_PREMISES;
pub use condition::{Condition, Connective, Piece, parsed};
pub use read::{Properties, RESTRICTIONS, is_property_key};
pub use text::PropertyText;

use mangle_engine::program::PredicateKey;
use mangle_syntax::text::TextRange;

/// A property of a policy. Ranges are relative to the start of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The kind of claim.
    pub kind: PropertyKind,
    /// The name, or the text of the claim if it has no name.
    pub name: String,
    /// The comment that starts the property.
    pub header: TextRange,
    /// The claim, or its parse error.
    pub claim: Result<Claim, PropertyError>,
    /// Restrictions that apply only to this property.
    pub restrictions: Restrictions,
}

impl Property {
    /// True if the property compares the program with another one.
    #[must_use]
    pub fn compares(&self) -> bool {
        matches!(self.kind, PropertyKind::Equivalent | PropertyKind::Implies)
    }
}

/// The kind of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    /// No world has a solution.
    Never,
    /// In each world, each solution has the required extension.
    Always,
    /// Some world has a solution.
    Possible,
    /// A rule fires in some world.
    Live,
    /// In each world, this program and another one derive the same facts.
    Equivalent,
    /// In each world, another program derives every fact that this program derives.
    Implies,
}

impl PropertyKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Never, Self::Always, Self::Possible, Self::Live, Self::Equivalent, Self::Implies];

    /// The word, without `@`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
            Self::Possible => "possible",
            Self::Live => "live",
            Self::Equivalent => "equivalent",
            Self::Implies => "implies",
        }
    }

    /// Parses a kind.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// True if a world that is found satisfies the property; false if it violates the property.
    #[must_use]
    pub fn is_existential(self) -> bool {
        matches!(self, Self::Possible | Self::Live)
    }
}

/// The claim of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// A condition on one world.
    Condition(Condition),
    /// `P/N FILE:LINE`.
    Rule {
        /// The predicate that the rule defines.
        predicate: PredicateKey,
        /// A suffix of the path of its file.
        file: String,
        /// The line of the rule, starting at 1.
        line: usize,
    },
    /// `ATOM with PATH`.
    Comparison {
        /// The facts to compare.
        atom: Piece,
        /// The path of the other program, relative to the folder of the file.
        path: String,
        /// True if this program must also derive every fact of the other program.
        is_equivalence: bool,
    },
}

/// A parse error of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyError {
    /// The range of the error.
    pub range: TextRange,
    /// The message, as a sentence without its period.
    pub message: String,
}

/// Restrictions of the worlds of a property, or of all properties of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Conditions that exclude worlds: a world with a solution of one of them is skipped.
    pub assumptions: Vec<Result<Condition, PropertyError>>,
    /// The predicates that a world can have facts of.
    pub inputs: Vec<Inputs>,
    /// Maximum number of facts in a world.
    pub facts: Option<usize>,
    /// Restrictions with parse errors.
    pub errors: Vec<PropertyError>,
}

/// The value of `@inputs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inputs {
    /// These predicates instead of the default ones.
    Only(Vec<PredicateKey>),
    /// These predicates in addition to the default ones.
    Also(Vec<PredicateKey>),
    /// The predicates that a consumer accepts.
    Consumer(String),
}
