//! Timestamps and sessions of the turns of a record.

use mangle_report::fleet::{Origin, OriginTime};
use mangle_syntax::text::{TextRange, size};
use piggyback::transcript::labels::Labels;
use piggyback::transcript::{Record, Turn};

#[derive(Debug)]
pub(super) struct RecordOrigins {
    record: Option<i64>,
    turns: Vec<TurnOrigin>,
}

#[derive(Debug)]
struct TurnOrigin {
    /// Range in the bytes of the record.
    place: TextRange,
    is_reply: bool,
    time: OriginTime,
    session: Option<String>,
}

impl RecordOrigins {
    pub(super) fn from_record(record: &Record<'_>) -> Self {
        Self {
            record: number(record.number),
            turns: record.turns.iter().map(TurnOrigin::from_turn).collect(),
        }
    }

    /// Returns the origin of the turn at an index of the record.
    pub(super) fn of_turn(&self, at: usize, labels: Labels) -> Origin {
        self.origin(self.turns.get(at), labels)
    }

    /// Returns the origin of the turn that contains a range of the record. Outside all turns,
    /// returns the common origin of the record.
    pub(super) fn at(&self, place: TextRange, labels: Labels) -> Origin {
        let is_around = |turn: &&TurnOrigin| turn.place.contains_inclusive(place.start());
        let around = || self.turns.iter().filter(is_around);
        let turn = around().find(|turn| turn.is_reply).or_else(|| around().next());
        self.origin(turn.or_else(|| self.any()), labels)
    }

    /// The record as a whole.
    pub(super) fn whole(&self, labels: Labels) -> Origin {
        self.origin(self.any(), labels)
    }

    fn any(&self) -> Option<&TurnOrigin> {
        let replies = || self.turns.iter().filter(|turn| turn.is_reply);
        replies().find(|turn| turn.time != OriginTime::Absent).or_else(|| self.turns.last())
    }

    fn origin(&self, turn: Option<&TurnOrigin>, labels: Labels) -> Origin {
        let time = turn.map_or(OriginTime::Absent, |turn| turn.time);
        let session = turn.and_then(|turn| turn.session.clone());
        Origin { time, labels, session, version: None, record: self.record }
    }
}

/// Returns the number of a record, or `None` for the whole file.
pub(super) fn number(record: u64) -> Option<i64> {
    i64::try_from(record).ok().filter(|record| *record > 0)
}

impl TurnOrigin {
    fn from_turn(turn: &Turn) -> Self {
        let details = turn.details.as_ref();
        let written = details.and_then(|details| details.timestamp.as_deref());
        Self {
            place: turn.place(TextRange::up_to(size(turn.len()))),
            is_reply: turn.is_reply(),
            time: written.map_or(OriginTime::Absent, OriginTime::of_text),
            session: details.and_then(|details| details.session.clone()),
        }
    }
}
