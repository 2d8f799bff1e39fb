//! Statistics of sessions, one row per session, so that rows of any number of sessions can be
//! summed.

use rayon::prelude::*;
use serde_json::Value;

use super::verdicts::each_record;
use super::{Checker, Session};
use mangle_host::{Accounts, TranscriptFigures};
use mangle_report::replies::figures_json;
use piggyback::transcript::statistics::Statistics;

/// The columns of the statistics, with JSON pointers into the output of `stats`. An object at a
/// pointer is the sum of its members.
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

#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The index of the session in the input.
    pub session: usize,
    /// One number per column of [`COLUMNS`]. `None` if it is unknown.
    pub values: Vec<Option<f64>>,
}

impl Checker {
    /// Counts the outcomes of the replies of each session.
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
        let mut figures = TranscriptFigures::new(&self.template, self.knowledges.judge(&self.template));
        let mut accounts = Accounts::new(self.programs(), &self.policies);
        let summary =
            each_record(&self.template, &lines, &mut |record| figures.record(record, &mut accounts));
        figures.finish(&summary)
    }
}

fn number_at(value: &Value, pointer: &str) -> Option<f64> {
    match value.pointer(pointer)? {
        Value::Object(members) => Some(members.values().filter_map(Value::as_f64).sum()),
        other => other.as_f64(),
    }
}
