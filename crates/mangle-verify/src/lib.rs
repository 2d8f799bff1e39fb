#![doc = include_str!("../README.md")]

mod abort_memo;
mod answer;
mod budget;
mod candidates;
mod cause;
mod circuit;
mod comparison;
mod completeness;
mod cone;
mod consumer;
mod derivation_size;
mod goal_rules;
mod input;
mod inputs;
mod obstacle;
mod plain_proof;
mod possible;
mod program_pair;
mod question;
mod readable_world;
mod reading_difference;
mod rules;
mod same_rules;
mod search;
mod smt;
mod solver;
mod solver_search;
mod symbolic;
mod test_case;
mod vacuity;
mod value_kind;

pub use abort_memo::AbortMemo;
pub use answer::{Answer, Covered, Verdict, verify};
pub use candidates::InputPredicate;
pub use comparison::{Cause, Comparison, Difference, compare, pair};
pub use completeness::Reason;
pub use consumer::Consumer;
pub use goal_rules::Direction;
pub use input::Input;
pub use obstacle::Obstacle;
pub use program_pair::ProgramPair;
pub use question::{Setup, properties, question};
pub use reading_difference::ReadingDifference;
pub use rules::{IdleKind, IdleRule, RuleSurvey, survey_rules};
pub use search::{Outcome, Question, Scope, Searched, World, search};
pub use solver::{Solver, SolverError, Solvers};
pub use test_case::test_case;

#[cfg(test)]
mod tests;
