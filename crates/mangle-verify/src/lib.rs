#![doc = include_str!("../README.md")]

mod answer;
mod candidates;
mod circuit;
mod comparison;
mod completeness;
mod cone;
mod goal_rules;
mod inputs;
mod obstacle;
mod program_pair;
mod question;
mod rules;
mod search;
mod smt;
mod solver_search;
mod symbolic;
#[cfg(test)]
mod tests;
mod values;

pub use answer::{Answer, Covered, Verdict, test_case, verify};
pub use comparison::{Cause, Comparison, Difference, ReadingDifference, compare, pair};
pub use completeness::Reason;
pub use goal_rules::Direction;
pub use inputs::{Consumer, Input, InputPredicate};
pub use obstacle::Obstacle;
pub use program_pair::ProgramPair;
pub use question::{AbortMemo, Setup, properties, question};
pub use rules::{IdleKind, IdleRule, RuleSurvey, survey_rules};
pub use search::{Outcome, Question, Scope, Searched, World, search};
pub use smt::{Solver, SolverError, Solvers};
