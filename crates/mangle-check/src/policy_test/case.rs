//! The cases of a test file and what they expect.

use super::key::TestKey;
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// The cases of a test file. Ranges count from its start.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Statements before the first case that could not be read: indices into [`mangle_engine::program::FileSummary::items`].
    pub damaged: Vec<u32>,
    /// Expectations before the first case, which belong to none: an error.
    pub homeless: Vec<Expectation>,
    /// Comments that read like expectations and are none: an unknown key, a key without its `@`, one after a statement.
    pub unread: Vec<TextRange>,
    /// What is wrong with the comments, as far as the file alone tells.
    pub(super) findings: Vec<Finding>,
}

/// A case of a test file: facts, and what has to follow from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// The comment that opens it.
    pub header: TextRange,
    /// Its facts: indices into [`mangle_engine::program::FileSummary::items`].
    pub facts: Vec<u32>,
    /// What stands among them and is none: rules and declarations, which would belong to all cases.
    pub strangers: Vec<u32>,
    /// Statements that could not be read.
    pub damaged: Vec<u32>,
    /// What it expects, in the order of the file.
    pub expectations: Vec<Expectation>,
}

/// What a case expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Of which kind.
    pub key: TestKey,
    /// The comment.
    pub range: TextRange,
    /// The text after the key.
    pub text: String,
    /// The range of that text.
    pub text_range: TextRange,
    /// The predicate that it is about; `None` where the text cannot be read.
    pub predicate: Option<PredicateKey>,
    /// The predicate's name in the text, for an atom.
    pub name: Option<TextRange>,
}
