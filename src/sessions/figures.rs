//! Figures about sessions: a row each, so that who sums them has figures about any number of them.

use rayon::prelude::*;
use serde_json::Value;

use super::verdicts::each_record;
use super::{Checker, Session};
use crate::host::{Accounts, TranscriptFigures};
use crate::report::replies::figures_json;
use piggyback::transcript::statistics::Statistics;

/// The figures: what a column is called, and where its number is in the answer of `stats`. An object there is the sum of its members.
pub const COLUMNS: [(&str, &str); 15] = [
    ("answers", "/answers"),
    ("prompts", "/prompts"),
    ("parse_errors", "/parse_errors"),
    ("updates_kept", "/atoms/kept"),
    ("updates_dropped", "/atoms/dropped"),
    ("updates_blocked", "/atoms/blocked"),
    ("updates_withdrawn", "/atoms/withdrawn"),
    ("syntax_errors", "/mangle_syntax_errors"),
    ("blocks", "/constitutional_blocks/total"),
    ("memory_operations", "/memory_operations"),
    ("self_corrections", "/self_corrections"),
    ("control_leaks", "/control_leaks"),
    ("repair_rounds", "/repair_rounds"),
    ("original_tokens", "/compression/original_tokens"),
    ("state_tokens", "/compression/state/tokens"),
];

/// The figures of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The index of the session among those that were given.
    pub session: usize,
    /// A number for each of [`COLUMNS`]; `None` where it is not known.
    pub values: Vec<Option<f64>>,
}

impl Checker {
    /// Counts what became of the replies of each session.
    #[must_use]
    pub fn stats(&self, sessions: &[Session<'_>]) -> Vec<Figure> {
        let of = |(number, session): (usize, &Session<'_>)| {
            let value = figures_json(&session.id, &self.statistics(session), false);
            Figure {
                session: number,
                values: COLUMNS.map(|(_, pointer)| number_at(&value, pointer)).to_vec(),
            }
        };
        sessions.par_iter().enumerate().map(of).collect()
    }

    fn statistics(&self, session: &Session<'_>) -> Statistics {
        let lines = self.lines(session);
        let mut figures = TranscriptFigures::new(&self.like, self.knowledges.judge(&self.like));
        let mut accounts = Accounts::new(self.programs(), &self.policies);
        let summary = each_record(&self.like, &lines, &mut |record| figures.record(record, &mut accounts));
        figures.finish(&summary)
    }
}

fn number_at(value: &Value, pointer: &str) -> Option<f64> {
    match value.pointer(pointer)? {
        Value::Object(members) => Some(members.values().filter_map(Value::as_f64).sum()),
        other => other.as_f64(),
    }
}
