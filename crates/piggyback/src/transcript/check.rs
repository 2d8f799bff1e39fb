//! The findings of a transcript, record by record.

use super::address::{Address, address, address_in};
use super::digest::{Digest, TurnSite};
use super::entry::holds_envelope;
use super::finding::TranscriptFinding;
use super::session::{Limits, TranscriptSession};
use super::turn::{Record, Skip, TextKind, Turn, TurnRole, Unsaid};
use super::words::{has_quoted_control_key, quoted_control_key};
use super::{ReadSummary, findings, loose_updates, placement};
use crate::envelope::clean::{Recogniser, RequestFields};
use crate::envelope::json::Json;
use crate::envelope::{self, Reply, ReplyContext};
use mangle_settings::{Caps, FullStops, Profile};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, size};

/// What is found in a record by itself, and what is to be known of it for the rest.
#[derive(Debug, Default)]
pub struct RecordCheck {
    /// What is found, in the order of the turns.
    pub found: Vec<TranscriptFinding>,
    /// One for each turn of the record.
    pub digests: Vec<Digest>,
    /// The sets of fields of those envelopes that were called clean, a bit each ([`RequestFields::bit`]).
    requests: u8,
}

/// Looks at a record by itself.
#[must_use]
pub fn check(record: &Record<'_>, context: &ReplyContext<'_>) -> RecordCheck {
    check_with(record, context, &mut |_, _| {})
}

/// [`check`], which also shows each reply that it reads.
pub fn check_with(
    record: &Record<'_>,
    context: &ReplyContext<'_>,
    each: &mut dyn FnMut(&Turn, &Reply<'_>),
) -> RecordCheck {
    check_or_recognise(record, context, None, each)
}

/// [`check_with`], which shows no reply that the recogniser says it need not look at.
fn check_or_recognise(
    record: &Record<'_>,
    context: &ReplyContext<'_>,
    mut recogniser: Option<&mut Recogniser<'_>>,
    each: &mut dyn FnMut(&Turn, &Reply<'_>),
) -> RecordCheck {
    let mut checked = RecordCheck::default();
    for turn in &record.turns {
        let from = checked.found.len();
        let reply = match recogniser.as_deref_mut().filter(|_| is_usual(turn)) {
            None => turn.is_reply().then(|| Reply::new(turn.text(record.bytes), &caps(turn, context))),
            Some(recogniser) => {
                let json = Json::parse(turn.text(record.bytes));
                if let Some(clean) = recogniser.recognise(&json) {
                    checked.requests |= clean.requests.bit();
                    let mut digest = Digest::of_clean(record, turn, &clean, context);
                    if clean.lacks_fields {
                        lacking(record, turn, &json, recogniser.profile(), &mut checked.found);
                        digest.add_errors(checked.found.get(from..).unwrap_or(&[]));
                    }
                    checked.digests.push(digest);
                    continue;
                }
                Some(Reply::of_tree(json, &caps(turn, context)))
            }
        };
        if let Some(reply) = &reply {
            check_reply(record, turn, reply, context, &mut checked.found);
            each(turn, reply);
        }
        if turn.kind == TextKind::Atom {
            let place = |finding| {
                TranscriptFinding::of(record, finding, Address { path: turn.path.clone(), inner: None })
            };
            checked.found.extend(loose_updates::check(turn, record.bytes, context).into_iter().map(place));
        }
        if turn.kind == TextKind::Skipped(Skip::Empty) {
            let whole = TextRange::up_to(size(turn.len()));
            let address = Address { path: turn.path.clone(), inner: None };
            checked.found.push(TranscriptFinding::of(
                record,
                findings::empty_reply(turn.place(whole)),
                address,
            ));
        }
        if let Some(place) = unsaid(turn, record.bytes) {
            let address = Address { path: turn.path.clone(), inner: None };
            let finding = findings::not_a_reply(turn.place(envelope_start(turn, record.bytes)), place);
            checked.found.push(TranscriptFinding::of(record, finding, address));
        }
        let found = checked.found.get(from..).unwrap_or(&[]);
        checked.digests.push(Digest::of(record, turn, reply.as_ref(), found, context));
    }
    let of_record = |finding: &Finding| TranscriptFinding::of(record, finding.clone(), Address::default());
    checked.found.extend(record.findings.iter().map(of_record));
    checked
}

/// Where the envelope of a turn is, if that is not a reply. The result of a tool is a prompt of the model.
fn unsaid(turn: &Turn, record: &[u8]) -> Option<Unsaid> {
    match turn.kind {
        TextKind::Skipped(Skip::NotReply(place)) => Some(place),
        TextKind::Prompt if turn.role == TurnRole::Tool => {
            let said = turn.text(record);
            (has_quoted_control_key(said) && holds_envelope(said)).then_some(Unsaid::ToolResult)
        }
        _ => None,
    }
}

/// The first key of an envelope in a turn, with its quotes.
fn envelope_start(turn: &Turn, record: &[u8]) -> TextRange {
    let said = turn.text(record);
    match quoted_control_key(said) {
        Some(key) => TextRange::new(size(key.start), size(key.end)),
        None => TextRange::up_to(size(said.len())),
    }
}

/// Places what the strict schema misses in an envelope that has no other fault.
fn lacking(
    record: &Record<'_>,
    turn: &Turn,
    json: &Json<'_>,
    profile: Profile,
    out: &mut Vec<TranscriptFinding>,
) {
    for finding in envelope::missing_fields(json, profile) {
        let address = address_in(&turn.path, json, finding.range);
        let finding = placement::finding(finding, turn, record.bytes);
        out.push(TranscriptFinding::of(record, finding, address));
    }
}

/// The limits of the runtime for a turn.
fn caps(turn: &Turn, context: &ReplyContext<'_>) -> Caps {
    let of_turn = turn.caps(context.settings);
    let given = of_turn.full_stops.given;
    let full_stops = FullStops { given: context.profile.or(given), ..of_turn.full_stops };
    Caps { full_stops, ..of_turn }
}

/// Whether a turn is a reply that is judged as all others are: what its container says of it may be another profile, or
/// that a person saw all of it. When it was recorded matters only for what no clean envelope has.
fn is_usual(turn: &Turn) -> bool {
    let is_current = turn.session.is_none_or(|profile| profile == Profile::Current);
    let is_given = turn.details.as_ref().is_some_and(|details| details.profile.is_some());
    turn.is_reply() && !is_given && is_current && !turn.is_shown && !turn.is_documentation
}

/// Looks at a reply, and places what is found in its record.
pub fn check_reply(
    record: &Record<'_>,
    turn: &Turn,
    reply: &Reply<'_>,
    context: &ReplyContext<'_>,
    out: &mut Vec<TranscriptFinding>,
) {
    let details = turn.details.as_deref();
    let context = ReplyContext {
        profile: context.profile.or(details.and_then(|details| details.profile)),
        session: turn.session.or(context.session),
        recorded: details.and_then(|details| details.timestamp.as_deref()),
        is_documentation: context.is_documentation || turn.is_documentation,
        ..*context
    };
    let is_damaged = record.findings.iter().any(|finding| finding.rule == &findings::INVALID_UTF8);
    let mut found = envelope::check(reply, &context);
    if turn.has_native_calls && turn.caps(context.settings).runtime.native_path {
        // Memory operations become facts, and `forget` retracts nothing.
        found.retain(|finding| !envelope::is_about_forgotten_facts(finding.rule));
    }
    if turn.is_shown && !found.iter().any(|finding| finding.rule == &envelope::CONTROL_LEAK) {
        found.extend(envelope::control_shown(reply.raw));
    }
    for mut finding in found {
        // In what a person saw, a control packet has no place.
        finding.fix = finding.fix.filter(|_| !turn.is_shown || finding.rule != &envelope::CONTROL_MISSING);
        let address = address(&turn.path, reply, finding.range);
        let finding = placement::finding(finding, turn, record.bytes);
        // Bytes that are no text are told once, as bytes of the file.
        let is_told =
            is_damaged && finding.rule == &envelope::BAD_UNICODE && !is_text(record.bytes, finding.range);
        if !is_told {
            out.push(TranscriptFinding::of(record, finding, address));
        }
    }
}

/// A finding about the text of a turn, placed in its record. `reply` is what was read from the text, where it is one.
#[must_use]
pub fn place(
    record: &Record<'_>,
    turn: &Turn,
    reply: Option<&Reply<'_>>,
    finding: Finding,
) -> TranscriptFinding {
    let address = match reply {
        Some(reply) => address(&turn.path, reply, finding.range),
        None => Address { path: turn.path.clone(), inner: Some(finding.range) },
    };
    let finding = placement::finding(finding, turn, record.bytes);
    TranscriptFinding::of(record, finding, address)
}

fn is_text(record: &[u8], range: TextRange) -> bool {
    let part = record.get(range.start().into()..range.end().into());
    part.is_some_and(|part| std::str::from_utf8(part).is_ok())
}

/// Checks single records. Several of them may work on one file.
#[derive(Debug)]
pub struct RecordChecker<'c> {
    context: ReplyContext<'c>,
    recogniser: Recogniser<'c>,
}

impl<'c> RecordChecker<'c> {
    /// One for files that are judged by this.
    #[must_use]
    pub fn new(context: ReplyContext<'c>) -> Self {
        Self { context, recogniser: Recogniser::new(context) }
    }

    /// What is found in a record by itself, for [`Checker::take`]. That a profile is inferred may be left out.
    #[must_use]
    pub fn record(&mut self, record: &Record<'_>) -> RecordCheck {
        check_or_recognise(record, &self.context, Some(&mut self.recogniser), &mut |_, _| {})
    }
}

/// Checks a transcript as its records come. Holds a bounded state, whatever the length of the file.
#[derive(Debug)]
pub struct Checker<'c> {
    records: RecordChecker<'c>,
    session: TranscriptSession,
    envelopes: u64,
    /// Of which sets of fields it is said that the profile is inferred from them, a bit each.
    told: u8,
}

impl<'c> Checker<'c> {
    /// A check of one file.
    #[must_use]
    pub fn new(context: ReplyContext<'c>, limits: Limits) -> Self {
        let session = TranscriptSession::new(&context, limits);
        Self { records: RecordChecker::new(context), session, envelopes: 0, told: 0 }
    }

    /// Looks at the next record.
    pub fn record(&mut self, record: &Record<'_>, out: &mut Vec<TranscriptFinding>) {
        let checked = self.records.record(record);
        self.take(record, checked, out);
    }

    /// Takes what a [`RecordChecker`] found in the next record.
    pub fn take(&mut self, record: &Record<'_>, checked: RecordCheck, out: &mut Vec<TranscriptFinding>) {
        // By which profile an envelope is judged is a finding that the recogniser does not make.
        let checked = match self.is_told(checked.requests) {
            true => checked,
            false => check(record, &self.records.context),
        };
        self.add(record, checked, out);
    }

    /// Whether nothing is said any more of the profile of envelopes with these sets of fields.
    fn is_told(&mut self, requests: u8) -> bool {
        let open = requests & !self.told;
        if open == 0 {
            return true;
        }
        for fields in RequestFields::all().filter(|fields| open & fields.bit() != 0) {
            let message = self.records.recogniser.inferred(fields);
            if message.is_none_or(|message| self.session.is_told(message)) {
                self.told |= fields.bit();
            }
        }
        requests & !self.told == 0
    }

    /// [`Checker::record`], which shows each reply, and so has to look at all of them.
    pub fn record_with(
        &mut self,
        record: &Record<'_>,
        out: &mut Vec<TranscriptFinding>,
        each: &mut dyn FnMut(&Turn, &Reply<'_>),
    ) {
        let checked = check_with(record, &self.records.context, each);
        self.add(record, checked, out);
    }

    fn add(&mut self, record: &Record<'_>, checked: RecordCheck, out: &mut Vec<TranscriptFinding>) {
        out.extend(checked.found.into_iter().filter(|found| self.session.is_news(&found.finding)));
        let site = TurnSite { record: record.number, start: record.start };
        self.session.record(record.bytes, &record.findings);
        for digest in &checked.digests {
            self.session.turn(site, digest, out);
            self.envelopes += u64::from(digest.is_picked());
        }
    }

    /// How many envelopes the runtime takes from the records so far.
    #[must_use]
    pub fn envelopes(&self) -> u64 {
        self.envelopes
    }

    /// How many replies were sent back so far, and answered again.
    #[must_use]
    pub fn repair_rounds(&self) -> u64 {
        self.session.repair_rounds()
    }

    /// What only the end of the file shows.
    pub fn finish(self, summary: &ReadSummary, out: &mut Vec<TranscriptFinding>) {
        self.session.finish(out);
        of_file(summary, out);
    }
}

/// What is to be said of a file as a whole.
pub(super) fn of_file(summary: &ReadSummary, out: &mut Vec<TranscriptFinding>) {
    let whole = |finding| TranscriptFinding { record: 0, start: 0, finding, address: Address::default() };
    out.extend(summary.findings().into_iter().map(whole));
}
