//! Properties of a policy in a test file: what must hold in every world, or in some.
//!
//! ```mangle
//! # @never name: nothing dangerous without an approval
//! #   permitted(Action), dangerous_action(Action), !approved(Action)
//! # @possible permitted(/run_build)
//! ```
//!
//! A property is a comment with a key, and the comments below it up to the next key or the end of the comments. What it
//! says is a condition: premises as in the body of a rule, alternatives, and what they should or should not extend to.

mod condition;
mod read;
mod text;

pub(crate) use condition::NO_PREMISES;
pub use condition::{Condition, Connective, Piece, parsed};
pub use read::{Properties, RESTRICTIONS, is_property_key};
pub use text::PropertyText;

use mangle_engine::program::PredicateKey;
use mangle_syntax::text::TextRange;

/// A property of a policy. Ranges count from the start of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// What it says of worlds.
    pub kind: PropertyKind,
    /// Its name; without one, what it says.
    pub name: String,
    /// The comment that opens it.
    pub header: TextRange,
    /// What it says, or why that cannot be read.
    pub claim: Result<Claim, PropertyError>,
    /// What restricts it alone.
    pub restrictions: Restrictions,
}

impl Property {
    /// Whether it compares the program with another one.
    #[must_use]
    pub fn compares(&self) -> bool {
        matches!(self.kind, PropertyKind::Equivalent | PropertyKind::Implies)
    }
}

/// What a property says of worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    /// No world has a solution.
    Never,
    /// In each world each solution has what it should.
    Always,
    /// Some world has a solution.
    Possible,
    /// A rule fires in some world.
    Live,
    /// In each world this program and another one give the same.
    Equivalent,
    /// In each world another program gives what this one gives.
    Implies,
}

impl PropertyKind {
    /// All of them.
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

    /// The kind of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether a world that is found is what it is about, and not what breaks it.
    #[must_use]
    pub fn wants_world(self) -> bool {
        matches!(self, Self::Possible | Self::Live)
    }
}

/// What a property says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// A condition on one world.
    Condition(Condition),
    /// `P/N FILE:LINE`
    Rule {
        /// The predicate that the rule defines.
        predicate: PredicateKey,
        /// The end of the path of the file that it is in.
        file: String,
        /// The line of it, from 1.
        line: usize,
    },
    /// `ATOM with PATH`
    Comparison {
        /// What both programs may give.
        atom: Piece,
        /// Where the other program is, counted from the folder of the file.
        path: String,
        /// Whether this program has to give all that the other one gives, as well.
        both_ways: bool,
    },
}

/// Why a property cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyError {
    /// Where.
    pub range: TextRange,
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
}

/// What restricts the worlds of a property, or of all properties of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Worlds with a solution of one of these are not looked at.
    pub assumptions: Vec<Result<Condition, PropertyError>>,
    /// What a world may hold facts of.
    pub inputs: Vec<Inputs>,
    /// The maximum number of facts in a world.
    pub facts: Option<usize>,
    /// Restrictions that cannot be read.
    pub errors: Vec<PropertyError>,
}

/// `@inputs`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inputs {
    /// These instead of the usual ones.
    Only(Vec<PredicateKey>),
    /// These as well.
    Also(Vec<PredicateKey>),
    /// Those that a consumer takes.
    Consumer(String),
}
