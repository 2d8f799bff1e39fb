//! Test cases and expectations of a test file.

use super::key::TestKey;
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// The cases of a test file. Ranges are relative to the start of the file.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Statements with syntax errors before the first case: indices into
    /// [`mangle_engine::program::FileSummary::items`].
    pub damaged: Vec<u32>,
    /// Expectations before the first case, which are errors.
    pub before_first_case: Vec<Expectation>,
    /// Comments that resemble expectations but are ignored: an unknown key, a missing `@`, or a
    /// position after a statement.
    pub ignored_comments: Vec<TextRange>,
    /// Errors in the comments that do not depend on the program.
    pub(super) findings: Vec<Finding>,
}

/// A test case: facts, and the expected results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The name of the case.
    pub name: String,
    /// The comment that starts the case.
    pub header: TextRange,
    /// The facts of the case: indices into [`mangle_engine::program::FileSummary::items`].
    pub facts: Vec<u32>,
    /// Rules and declarations inside of the case, which are errors because they would apply to all
    /// cases.
    pub invalid_statements: Vec<u32>,
    /// Statements with syntax errors.
    pub damaged: Vec<u32>,
    /// The expectations, in the order of the file.
    pub expectations: Vec<Expectation>,
}

/// An expectation of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The kind of expectation.
    pub key: TestKey,
    /// The range of the comment.
    pub range: TextRange,
    /// The text after the key.
    pub text: String,
    /// The range of `text`.
    pub text_range: TextRange,
    /// The predicate of the expectation. `None` if the text has a syntax error.
    pub predicate: Option<PredicateKey>,
    /// The range of the predicate's name, for an atom.
    pub name: Option<TextRange>,
}
