//! How a session is replayed, and what comes of it.

use std::time::Instant;

use crate::prefill::Prefill;
use crate::turn::Turn;
use mangle_engine::kernel::Clock;
use mangle_settings::TranscriptSettings;
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Limits, TranscriptFinding};

/// How a session is replayed.
#[derive(Debug, Clone, Copy)]
pub struct ReplayOptions<'a> {
    /// The settings of the transcript.
    pub transcript: &'a TranscriptSettings,
    /// The limits of the runtime's configuration.
    pub runtime: &'a Limits,
    /// The time, as long as no record tells it.
    pub clock: Clock,
    /// Whether a hypothesis stays a fact.
    pub abduce: bool,
    /// Whether permissions are findings.
    pub show_permits: bool,
    /// Whether it is kept which rules held.
    pub coverage: bool,
    /// The last turn that is replayed.
    pub until: Option<u64>,
    /// What perception had filled in.
    pub prefill: &'a Prefill,
    /// When it has to be done: no turn is begun later, and none ended.
    pub end: Option<Instant>,
    /// Whether somebody still wants the answer.
    pub cancel: &'a Cancel,
}

/// Something that came of a record.
#[derive(Debug)]
pub enum Event {
    /// A reply was replayed.
    Turn(Box<Turn>),
    /// Something was found. What stands in front of a reply belongs to its turn as well.
    Found {
        /// The number of the turn, from 1 on.
        turn: u64,
        /// The finding and its place in the transcript.
        found: Box<TranscriptFinding>,
    },
}
