//! The program of the recorded replies: predicates with their numbers of arguments; the strings of two are prose.

use piggyback::envelope::runtime::{FilterProgram, FilterVerdict};

/// The program.
pub(crate) struct RecordedProgram;

/// Its predicates with their numbers of arguments.
const RECORDED: [(&str, usize); 15] = [
    ("missing_tool_for", 2),
    ("observation", 2),
    ("task_status", 2),
    ("task_completed", 1),
    ("diagnostic", 5),
    ("failing_test", 2),
    ("review_finding", 5),
    ("modified", 1),
    ("modified_function", 2),
    ("checkpoint_verdict", 4),
    ("ambiguity_flag", 3),
    ("clarification_needed", 1),
    ("campaign_completed", 2),
    ("permitted", 3),
    ("pending_action", 5),
];

impl FilterProgram for RecordedProgram {
    fn declaration(&self, predicate: &str, arity: usize) -> FilterVerdict {
        match self.arity(predicate) {
            None => FilterVerdict::Undeclared,
            Some(declared) if declared == arity => FilterVerdict::Accepted,
            Some(_) => FilterVerdict::Arity,
        }
    }

    fn arity(&self, predicate: &str) -> Option<usize> {
        RECORDED.iter().find(|(name, _)| *name == predicate).map(|(_, arity)| *arity)
    }

    fn is_prose(&self, predicate: &str) -> bool {
        ["checkpoint_verdict", "observation"].contains(&predicate)
    }
}
