//! Policy tests: `NAME_test.mg` is ordinary Mangle with comments that define test cases and
//! expectations.
//!
//! [`TestFile::read`] reads the summary of a test file. [`TestFile::findings`] checks its comments
//! against the program. [`run`] evaluates the cases: each passes, fails or cannot run. A failure
//! has the proof of a forbidden fact or the obstacles of an expected one. The module has no access
//! to the file system or to editors.
//!
//! ```mangle
//! urgent(T) :- task(T, /high).          # Before the first case: belongs to all.
//!
//! # @test name: an urgent task comes first
//! task("t1", /high).
//! # @expect next(_, "t1")
//! # @forbid next(_, "t2")
//! # @exact next/2
//! ```

mod atom;
mod case;
mod comments;
mod coverage;
mod findings;
mod key;
pub mod property;
mod read;
mod rules;
mod run;
#[cfg(test)]
mod tests;

pub use case::{Case, Expectation, TestFile};
pub use comments::{Comment, comment_at};
pub use coverage::{Coverage, RuleKey, rules_of};
pub use key::TestKey;
pub use rules::RULES;
pub use run::{
    CaseOutcome, CaseResult, ExpectationFailure, FailureKind, FileError, Suite, TestSettings, not_run, run,
    without_cases, without_statements,
};
