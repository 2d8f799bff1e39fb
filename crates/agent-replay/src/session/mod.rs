//! Replay of a session: the kernel with all assertions, and the state from earlier records.
//!
//! The files of this folder implement the steps of a turn.

mod packet;
mod verdicts;

use std::time::Instant;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use rustc_hash::FxHashSet;

use super::constitution::{Constitution, Coverage};
use super::options::{Event, ReplayOptions};
use super::origins::{Origins, SessionOrigin};
use super::rules::{self, PendingRequests, RequestOutcome, Scene};
use super::turn::{StateChange, Turn};
use super::{facts, gate};
use mangle_engine::kernel::{Clock, Kernel, Stop, ValueId};
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::text::{Symbol, TextRange, TextSize};
use piggyback::transcript::{self, Record, TextKind, TurnRole};

/// The maximum number of characters to keep of a user message.
const ASKED: usize = 300;

/// Replays a session, record by record.
#[derive(Debug)]
pub struct Replay<'a> {
    constitution: &'a Constitution,
    options: ReplayOptions<'a>,
    kernel: Kernel,
    clock: Clock,
    number: u64,
    asked: Option<String>,
    /// True if an input since the last reply looks like an envelope.
    is_injected: bool,
    origins: Origins,
    pending: PendingRequests,
    /// Keys of findings that are reported once: actions permitted only by overrides, limits.
    reported: FxHashSet<String>,
    coverage: Coverage,
    /// The reason why evaluations are disabled.
    fatal_stop: Option<Stop>,
    /// The turn of the timeout.
    cut_off: Option<u64>,
}

impl<'a> Replay<'a> {
    /// The start of a session, independent of other sessions.
    #[must_use]
    pub fn new(constitution: &'a Constitution, options: ReplayOptions<'a>) -> Self {
        Self {
            constitution,
            options,
            kernel: constitution.begin(),
            clock: options.clock,
            number: 0,
            asked: None,
            is_injected: false,
            origins: Origins::new(constitution.lifting()),
            pending: PendingRequests::default(),
            reported: FxHashSet::default(),
            coverage: Coverage::default(),
            fatal_stop: constitution.stopped().filter(gate::is_final),
            cut_off: None,
        }
    }

    /// True after the last requested turn, or after a timeout.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.cut_off.is_some() || self.options.until.is_some_and(|until| self.number >= until)
    }

    /// The turn of the timeout, if any. The report of this turn is incomplete.
    #[must_use]
    pub fn cut_off(&self) -> Option<u64> {
        self.cut_off
    }

    /// True after a timeout. Records the turn.
    fn is_late(&mut self, turn: u64) -> bool {
        if self.cut_off.is_none() && self.options.end.is_some_and(|end| Instant::now() >= end) {
            self.cut_off = Some(turn);
        }
        self.cut_off.is_some()
    }

    /// The current kernel.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The origin of a fact that the session asserts, or asserted within the last turn. Proofs of
    /// the last turn can contain such facts.
    #[must_use]
    pub fn origin(&self, fact: &str) -> Option<SessionOrigin> {
        self.origins.get(fact)
    }

    /// The origin of a fact that the session still asserts.
    #[must_use]
    pub fn held(&self, fact: &str) -> Option<SessionOrigin> {
        self.origins.held(fact)
    }

    /// True if coverage is recorded.
    #[must_use]
    pub fn is_covering(&self) -> bool {
        self.options.coverage
    }

    /// The recorded coverage.
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Replays the turns of a record.
    pub fn record(&mut self, record: &Record<'_>, each: &mut dyn FnMut(&Self, Event)) {
        for (at, turn) in record.turns.iter().enumerate() {
            if self.is_done() || self.is_late(self.number + 1) {
                return;
            }
            match turn.kind {
                TextKind::Prompt => self.prompt(record, turn, each),
                TextKind::Reply | TextKind::Object => self.reply(record, turn, each),
                TextKind::Surface => {
                    let rest = record.turns.get(at + 1..).unwrap_or_default();
                    let is_update = |turn: &&transcript::Turn| turn.kind == TextKind::Atom;
                    let updates = rest.iter().take_while(is_update);
                    let updates =
                        updates.map(|turn| String::from_utf8_lossy(turn.text(record.bytes)).into_owned());
                    self.surface(record, turn, &updates.collect::<Vec<_>>(), each);
                }
                // Updates are part of the surface before them.
                TextKind::Atom | TextKind::Skipped(_) => {}
            }
        }
    }

    /// Processes an input of the model: a user message or a tool result.
    fn prompt(&mut self, record: &Record<'_>, turn: &transcript::Turn, each: &mut dyn FnMut(&Self, Event)) {
        let text = turn.text(record.bytes);
        let next = self.number + 1;
        if turn.role == TurnRole::User {
            self.asked = Some(excerpt(&String::from_utf8_lossy(text)));
            self.pending.user();
        }
        if matches!(turn.role, TurnRole::User | TurnRole::Tool)
            && let Some(found) = rules::injection(record, turn)
        {
            self.is_injected = true;
            each(self, Event::Found { turn: next, found: Box::new(found) });
        }
        let call = turn.details.as_ref().and_then(|details| details.call.as_deref());
        if let Some(call) = call {
            let outcome = RequestOutcome::parse(&String::from_utf8_lossy(text));
            let Some(asked) = self.pending.take(call, outcome) else { return };
            if let Some(found) = rules::outcome(record, turn, call, &asked, outcome) {
                each(self, Event::Found { turn: asked.turn, found: Box::new(found) });
            }
        }
    }

    /// Replays a turn with only a surface and its updates.
    fn surface(
        &mut self,
        record: &Record<'_>,
        turn: &transcript::Turn,
        updates: &[String],
        each: &mut dyn FnMut(&Self, Event),
    ) {
        let mut report = self.begin(record, turn);
        report.surface = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
        if !updates.is_empty() {
            self.kernel.mark();
            self.updates(updates, &mut report);
        }
        each(self, Event::Turn(Box::new(report)));
    }

    fn begin(&mut self, record: &Record<'_>, turn: &transcript::Turn) -> Turn {
        self.number += 1;
        self.origins.turn();
        let written = turn.details.as_ref().and_then(|details| details.timestamp.as_deref());
        let told = written.and_then(instant);
        self.clock.now_ns = told.unwrap_or(self.clock.now_ns);
        Turn {
            number: self.number,
            record: record.number,
            place: turn.place(TextRange::empty(TextSize::new(0))),
            now_ns: self.clock.now_ns,
            is_dated: told.is_some(),
            asked: self.asked.take(),
            stage: None,
            surface: String::new(),
            rewritten: None,
            is_native: false,
            hidden_notice: None,
            atoms: Vec::new(),
            memory: Vec::new(),
            correction: None,
            envelope: None,
            unblocked: None,
            verdicts: Vec::new(),
            unjudged: 0,
            change: StateChange::default(),
            stopped: None,
        }
    }

    fn reply(&mut self, record: &Record<'_>, turn: &transcript::Turn, each: &mut dyn FnMut(&Self, Event)) {
        let mut report = self.begin(record, turn);
        let reply = turn.reply(record.bytes, self.options.transcript);
        report.is_native = turn.has_native_calls && self.options.transcript.caps.runtime.native_path;
        self.kernel.mark();
        let mut scene = Scene::new(self.constitution, self.options, record, turn, &reply);
        scene.is_quoting = std::mem::take(&mut self.is_injected);
        if let Ok(reading) = &reply.reading {
            report.stage = Some(reading.stage);
            report.surface = String::from_utf8_lossy(reading.visible_text()).into_owned();
            if let Some(picked) = &reading.accepted {
                scene.before(&self.kernel);
                self.packet(&reply, picked, &mut report);
            }
        }
        scene.places(&mut report);
        scene.counts(&self.kernel, &mut self.reported);
        for verdict in &report.verdicts {
            self.pending.add(report.number, verdict);
        }
        let found = scene.findings(&report, &self.kernel, &mut self.reported);
        each(self, Event::Turn(Box::new(report)));
        let number = self.number;
        found.into_iter().for_each(|found| each(self, Event::Found { turn: number, found: Box::new(found) }));
    }
}

impl Replay<'_> {
    /// The predicate with this name and arity, if the policy has it.
    fn declared(&self, name: &str, arity: u16) -> Option<PredicateId> {
        self.constitution.program.id(PredicateKey { name: Symbol::new(name), arity })
    }

    /// Asserts a fact that the runtime derives from a reply.
    fn assert_one(&mut self, predicate: PredicateId, args: Vec<ValueId>, origin: SessionOrigin) {
        let fact = facts::asserted(self.kernel.values(), &self.constitution.program, predicate, args);
        if !self.kernel.is_given(fact.predicate, &fact.tuple) {
            self.know(&fact, origin);
        }
        self.kernel.assert(&fact);
    }

    /// The time of the turn, in seconds since 1970.
    fn seconds(&self) -> i64 {
        self.clock.now_ns.div_euclid(1_000_000_000)
    }
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(ASKED) {
        Some((at, _)) => format!("{}…", words.get(..at).unwrap_or_default()),
        None => words,
    }
}

/// The lower bounds of times in nanoseconds, microseconds and milliseconds, with their factors to
/// nanoseconds. Smaller numbers are seconds.
const UNIT_BOUNDS: [(f64, f64); 3] = [(1e17, 1.0), (1e14, 1e3), (1e11, 1e6)];

/// Parses a time and converts it to nanoseconds since 1970.
///
/// Formats: RFC 3339, a number since 1970 in seconds or smaller units, or the format of the
/// runtime's logs, interpreted as UTC.
#[must_use]
pub fn instant(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    let nanos = |time: Timestamp| i64::try_from(time.as_nanosecond()).ok();
    if let Ok(time) = text.parse::<Timestamp>() {
        return nanos(time);
    }
    if let Ok(zoned) = rfc2822::parse(text) {
        return nanos(zoned.timestamp());
    }
    let civil: DateTime = text.replace('/', "-").parse().ok()?;
    nanos(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[expect(clippy::cast_possible_truncation, reason = "what is too large is at the end of time")]
fn of_number(number: f64) -> Option<i64> {
    let scale = UNIT_BOUNDS.iter().find(|(least, _)| number.abs() >= *least).map_or(1e9, |(_, scale)| *scale);
    number.is_finite().then_some((number * scale) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_containers() {
        let second = 1_772_366_400_000_000_000;
        for text in [
            "2026-03-01T12:00:00Z",
            "2026-03-01T13:00:00+01:00",
            "1772366400",
            "1772366400000",
            "1772366400000000",
            "2026/03/01 12:00:00.000000",
            "2026-03-01 12:00:00",
            "Sun, 1 Mar 2026 13:00:00 +0100",
        ] {
            assert_eq!(instant(text), Some(second), "{text}");
        }
        assert_eq!(instant("yesterday"), None);
        assert_eq!(instant("inf"), None);
    }
}
