//! Options and events of a replay. The options include prefilled values: the results of perception
//! that the runtime uses if the packet of the model lacks them.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Deserialize;

use super::turn::Turn;
use mangle_engine::kernel::Clock;
use mangle_settings::TranscriptSettings;
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Limits, TranscriptFinding};

/// The options of a replay.
#[derive(Debug, Clone, Copy)]
pub struct ReplayOptions<'a> {
    /// The settings of the transcript.
    pub transcript: &'a TranscriptSettings,
    /// The limits of the runtime's configuration.
    pub runtime: &'a Limits,
    /// The time before the first dated record.
    pub clock: Clock,
    /// True if hypotheses stay asserted.
    pub abduce: bool,
    /// True if permissions are reported as findings.
    pub show_permits: bool,
    /// True if coverage is recorded.
    pub coverage: bool,
    /// The last turn to replay.
    pub until: Option<u64>,
    /// The prefilled values.
    pub prefill: &'a Prefill,
    /// The deadline: no turn is started or completed after this time.
    pub end: Option<Instant>,
    /// The cancellation token.
    pub cancel: &'a Cancel,
}

/// An event of a record.
#[derive(Debug)]
pub enum Event {
    /// A replayed reply.
    Turn(Box<Turn>),
    /// A finding. Findings about inputs before a reply are part of its turn.
    Found {
        /// The number of the turn, from 1.
        turn: u64,
        /// The finding with its location in the transcript.
        found: Box<TranscriptFinding>,
    },
}

/// The prefilled values by turn number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefill {
    turns: BTreeMap<u64, TurnPrefill>,
}

/// The prefilled values of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnPrefill {
    /// The number of the reply, from 1.
    pub turn: u64,
    /// The category, used if the packet has none.
    #[serde(default)]
    pub category: String,
    /// The updates, used if the packet has none.
    #[serde(default)]
    pub updates: Vec<String>,
}

impl Prefill {
    /// Parses JSON lines such as `{"turn": 1, "category": "/query", "updates":
    /// ["user_asked(/time)."]}`.
    ///
    /// # Errors
    ///
    /// If a line is invalid; the message contains the line number.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut turns = BTreeMap::new();
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        for (number, line) in lines {
            let filled: TurnPrefill = serde_json::from_str(line).map_err(|error| {
                format!("line {number} does not say what was filled in for a turn: {error}")
            })?;
            turns.insert(filled.turn, filled);
        }
        Ok(Self { turns })
    }

    pub(super) fn get(&self, turn: u64) -> Option<&TurnPrefill> {
        self.turns.get(&turn)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_are_read() {
        let text = "{\"turn\": 2, \"updates\": [\"p(/a).\"]}\n\n{\"turn\": 1, \"category\": \"/query\"}\n";
        let prefill = Prefill::read(text).unwrap();
        assert_eq!(prefill.get(2).unwrap().updates, ["p(/a)."]);
        assert_eq!(prefill.get(1).unwrap().category, "/query");
        assert_eq!(prefill.get(3), None);
        let why = Prefill::read("\n{\"turn\": 1, \"atoms\": []}").unwrap_err();
        assert!(why.starts_with("line 2 does not say"), "{why}");
    }
}
