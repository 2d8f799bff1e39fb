//! Options and events of a replay.

use std::time::Instant;

use crate::prefill::Prefill;
use crate::turn::Turn;
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
