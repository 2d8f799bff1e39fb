//! Tests of a policy: `NAME_test.mg` is ordinary Mangle whose comments open cases and say what has to follow.
//!
//! Takes the summary of a test file ([`TestFile::read`]) and the program around it; gives what is wrong with the
//! comments ([`TestFile::findings`]) and what became of the cases ([`run`]): passed, failed with the proof of what
//! should not hold or the obstacles of what should, or not run. Knows neither files nor editors.
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
