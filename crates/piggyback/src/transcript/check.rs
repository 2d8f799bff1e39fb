//! Checks of a transcript, record by record. Updates without an envelope, from logs and tracers,
//! are checked like updates in envelopes.

use super::digest::{Digest, TurnSite};
use super::entry::holds_envelope;
use super::placement::{self, Address, TranscriptFinding, address, address_in};
use super::session::{Limits, TranscriptSession};
use super::turn::{NonReplyPlace, Record, Skip, TextKind, Turn, TurnRole};
use super::words::{has_quoted_control_key, quoted_control_key};
use super::{ReadSummary, findings};
use crate::envelope::atoms::{self, Update, UpdateContext};
use crate::envelope::clean::{Recogniser, RequestFields};
use crate::envelope::json::Json;
use crate::envelope::{self, Reply, ReplyContext, edits};
use mangle_settings::{Caps, PeriodRequirement, Profile};
use mangle_syntax::lint::{Anchor, Finding, Span};
use mangle_syntax::text::{SegmentMap, TextRange, size};

/// Findings of one record, and the data that checks across records need.
#[derive(Debug, Default)]
pub struct RecordCheck {
    /// Findings in the order of the turns.
    pub found: Vec<TranscriptFinding>,
    /// One digest per turn of the record.
    pub digests: Vec<Digest>,
    /// Sets of request fields in the envelopes that were recognized as clean: one bit per set
    /// ([`RequestFields::bit`]).
    requests: u8,
}

/// Checks one record on its own.
#[must_use]
pub fn check(record: &Record<'_>, context: &ReplyContext<'_>) -> RecordCheck {
    check_with(record, context, &mut |_, _| {})
}

/// Like [`check`]; also passes each reply to `each`.
pub fn check_with(
    record: &Record<'_>,
    context: &ReplyContext<'_>,
    each: &mut dyn FnMut(&Turn, &Reply<'_>),
) -> RecordCheck {
    check_or_recognise(record, context, None, each)
}

/// Like [`check_with`], but does not pass on replies that `recogniser` accepts as clean.
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
                    let mut digest = Digest::from_clean(record, turn, &clean, context);
                    if clean.lacks_fields {
                        report_missing_schema_fields(
                            record,
                            turn,
                            &json,
                            recogniser.profile(),
                            &mut checked.found,
                        );
                        digest.add_errors(checked.found.get(from..).unwrap_or(&[]));
                    }
                    checked.digests.push(digest);
                    continue;
                }
                Some(Reply::from_json(json, &caps(turn, context)))
            }
        };
        if let Some(reply) = &reply {
            check_reply(record, turn, reply, context, &mut checked.found);
            each(turn, reply);
        }
        if turn.kind == TextKind::Atom {
            let place = |finding| {
                TranscriptFinding::new(record, finding, Address { path: turn.path.clone(), inner: None })
            };
            checked.found.extend(check_loose_update(turn, record.bytes, context).into_iter().map(place));
        }
        if turn.kind == TextKind::Skipped(Skip::Empty) {
            let whole = TextRange::up_to(size(turn.len()));
            let address = Address { path: turn.path.clone(), inner: None };
            checked.found.push(TranscriptFinding::new(
                record,
                findings::empty_reply(turn.place(whole)),
                address,
            ));
        }
        if let Some(place) = misplaced_envelope(turn, record.bytes) {
            let address = Address { path: turn.path.clone(), inner: None };
            let finding = findings::not_a_reply(turn.place(envelope_start(turn, record.bytes)), place);
            checked.found.push(TranscriptFinding::new(record, finding, address));
        }
        let found = checked.found.get(from..).unwrap_or(&[]);
        checked.digests.push(Digest::from_turn(record, turn, reply.as_ref(), found, context));
    }
    let of_record = |finding: &Finding| TranscriptFinding::new(record, finding.clone(), Address::default());
    checked.found.extend(record.findings.iter().map(of_record));
    checked
}

/// Returns the place of an envelope that is not a reply, if the turn has one. Only a tool result
/// with an envelope is detected here; other places are already marked as skipped.
fn misplaced_envelope(turn: &Turn, record: &[u8]) -> Option<NonReplyPlace> {
    match turn.kind {
        TextKind::Skipped(Skip::NotReply(place)) => Some(place),
        TextKind::Prompt if turn.role == TurnRole::Tool => {
            let said = turn.text(record);
            (has_quoted_control_key(said) && holds_envelope(said)).then_some(NonReplyPlace::ToolResult)
        }
        _ => None,
    }
}

/// Returns the first envelope key in a turn, with its quotes.
fn envelope_start(turn: &Turn, record: &[u8]) -> TextRange {
    let said = turn.text(record);
    match quoted_control_key(said) {
        Some(key) => TextRange::new(size(key.start), size(key.end)),
        None => TextRange::up_to(size(said.len())),
    }
}

/// Reports the fields that the strict schema requires and that an otherwise clean envelope lacks.
fn report_missing_schema_fields(
    record: &Record<'_>,
    turn: &Turn,
    json: &Json<'_>,
    profile: Profile,
    out: &mut Vec<TranscriptFinding>,
) {
    for finding in envelope::missing_fields(json, profile) {
        let address = address_in(&turn.path, json, finding.range);
        let finding = placement::finding(finding, turn, record.bytes);
        out.push(TranscriptFinding::new(record, finding, address));
    }
}

/// Returns the runtime limits for a turn.
fn caps(turn: &Turn, context: &ReplyContext<'_>) -> Caps {
    let of_turn = turn.caps(context.settings);
    let given = of_turn.full_stops.prescribed;
    let full_stops = PeriodRequirement { prescribed: context.profile.or(given), ..of_turn.full_stops };
    Caps { full_stops, ..of_turn }
}

/// True if a turn is a reply of the current profile that was not shown to the user in full.
/// Its timestamp is ignored, because it only affects findings that a clean envelope cannot have.
fn is_usual(turn: &Turn) -> bool {
    let is_current = turn.session.is_none_or(|profile| profile == Profile::Current);
    let is_given = turn.details.as_ref().is_some_and(|details| details.profile.is_some());
    turn.is_reply() && !is_given && is_current && !turn.is_shown && !turn.is_documentation
}

/// Checks a reply and adds its findings, with positions in the record, to `out`.
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
        // With native tool calls, memory operations become facts and `forget` retracts nothing.
        found.retain(|finding| !envelope::is_about_forgotten_facts(finding.rule));
    }
    if turn.is_shown && !found.iter().any(|finding| finding.rule == &envelope::CONTROL_LEAK) {
        found.extend(envelope::control_shown(reply.raw));
    }
    for mut finding in found {
        // A text that the user saw must not contain a control packet, so do not offer to add one.
        finding.fix = finding.fix.filter(|_| !turn.is_shown || finding.rule != &envelope::CONTROL_MISSING);
        let address = address(&turn.path, reply, finding.range);
        let finding = placement::finding(finding, turn, record.bytes);
        // Invalid UTF-8 is reported once, for the bytes of the file.
        let is_told =
            is_damaged && finding.rule == &envelope::BAD_UNICODE && !is_text(record.bytes, finding.range);
        if !is_told {
            out.push(TranscriptFinding::new(record, finding, address));
        }
    }
}

/// Converts a finding about the text of a turn to a finding about its record. `reply` is the parsed
/// text if the turn is a reply.
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
    TranscriptFinding::new(record, finding, address)
}

fn is_text(record: &[u8], range: TextRange) -> bool {
    let part = record.get(range.start().into()..range.end().into());
    part.is_some_and(|part| std::str::from_utf8(part).is_ok())
}

/// Checks single records. Several checkers can work on one file in parallel.
#[derive(Debug)]
pub struct RecordChecker<'c> {
    context: ReplyContext<'c>,
    recogniser: Recogniser<'c>,
}

impl<'c> RecordChecker<'c> {
    /// Creates a checker with this context.
    #[must_use]
    pub fn new(context: ReplyContext<'c>) -> Self {
        Self { context, recogniser: Recogniser::new(context) }
    }

    /// Checks one record, for use with [`Checker::add_result`]. The finding about an inferred
    /// profile may be missing.
    #[must_use]
    pub fn record(&mut self, record: &Record<'_>) -> RecordCheck {
        check_or_recognise(record, &self.context, Some(&mut self.recogniser), &mut |_, _| {})
    }
}

/// Checks a transcript record by record. Its memory use is bounded for files of any length.
#[derive(Debug)]
pub struct Checker<'c> {
    records: RecordChecker<'c>,
    session: TranscriptSession,
    envelopes: u64,
    /// Sets of request fields with a reported inferred profile: one bit per set.
    reported_field_sets: u8,
}

impl<'c> Checker<'c> {
    /// Creates a checker for one file.
    #[must_use]
    pub fn new(context: ReplyContext<'c>, limits: Limits) -> Self {
        let session = TranscriptSession::new(&context, limits);
        Self { records: RecordChecker::new(context), session, envelopes: 0, reported_field_sets: 0 }
    }

    /// Checks the next record.
    pub fn record(&mut self, record: &Record<'_>, out: &mut Vec<TranscriptFinding>) {
        let checked = self.records.record(record);
        self.add_result(record, checked, out);
    }

    /// Adds the result of a [`RecordChecker`] for the next record.
    pub fn add_result(
        &mut self,
        record: &Record<'_>,
        checked: RecordCheck,
        out: &mut Vec<TranscriptFinding>,
    ) {
        // The recognizer does not report inferred profiles; the full check does.
        let checked = match self.are_reported(checked.requests) {
            true => checked,
            false => check(record, &self.records.context),
        };
        self.add(record, checked, out);
    }

    /// True if the profile of envelopes with these field sets does not need to be reported again.
    fn are_reported(&mut self, requests: u8) -> bool {
        let open = requests & !self.reported_field_sets;
        if open == 0 {
            return true;
        }
        for fields in RequestFields::all().filter(|fields| open & fields.bit() != 0) {
            let message = self.records.recogniser.inferred(fields);
            if message.is_none_or(|message| self.session.is_told(message)) {
                self.reported_field_sets |= fields.bit();
            }
        }
        requests & !self.reported_field_sets == 0
    }

    /// Like [`Checker::record`], and passes each reply to `each`. Slower, because it parses every
    /// reply in full.
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

    /// The number of envelopes that the runtime accepts from the records so far.
    #[must_use]
    pub fn envelopes(&self) -> u64 {
        self.envelopes
    }

    /// The number of replies so far that were sent back and answered again.
    #[must_use]
    pub fn repair_rounds(&self) -> u64 {
        self.session.repair_rounds()
    }

    /// Reports the findings that depend on the whole file.
    pub fn finish(self, summary: &ReadSummary, out: &mut Vec<TranscriptFinding>) {
        self.session.finish(out);
        add_file_findings(summary, out);
    }
}

/// Adds the findings about the file as a whole.
pub(super) fn add_file_findings(summary: &ReadSummary, out: &mut Vec<TranscriptFinding>) {
    let whole = |finding| TranscriptFinding { record: 0, start: 0, finding, address: Address::default() };
    out.extend(summary.findings().into_iter().map(whole));
}

/// Checks an update with the rules for updates in envelopes. Ranges are relative to its record.
fn check_loose_update(turn: &Turn, record: &[u8], context: &ReplyContext<'_>) -> Vec<Finding> {
    // Invalid UTF-8 has its own finding.
    let Ok(text) = std::str::from_utf8(turn.text(record)) else { return Vec::new() };
    // Rules about updates expect a JSON string.
    let literal = edits::quoted(text);
    let json = Json::parse(literal.as_bytes());
    let (Some(update), Some((_, map))) =
        (Update::new(&json, json.root(), 0), json.string_with_map(json.root()))
    else {
        return Vec::new();
    };
    let ReplyContext { settings, declarations, .. } = *context;
    let own = turn.details.as_ref().and_then(|details| details.profile);
    let profile = context.profile.or(own).or(settings.profile).unwrap_or(Profile::Current);
    let mut findings = Vec::new();
    atoms::check(&[update], &UpdateContext { settings, declarations, profile }, &mut findings);
    let inward = findings.into_iter().filter_map(|finding| unquoted(finding, &map));
    inward.map(|finding| placement::finding(finding, turn, record)).collect()
}

/// Converts a finding about a string literal to a finding about its value.
fn unquoted(mut finding: Finding, map: &SegmentMap) -> Option<Finding> {
    finding.range = inward(finding.range, map)?;
    for related in &mut finding.related {
        if related.span.anchor == Anchor::Own {
            related.span = Span::here(inward(related.span.range, map)?);
        }
    }
    finding.fix = finding.fix.and_then(|mut fix| {
        for edit in &mut fix.edits {
            edit.span = Span::here(inward(edit.span.range, map)?);
            edit.text = serde_json::from_str(&format!("\"{}\"", edit.text)).ok()?;
        }
        Some(fix)
    });
    Some(finding)
}

/// Converts a range of a literal to a range of its value. The quotes are not part of the value.
fn inward(range: TextRange, map: &SegmentMap) -> Option<TextRange> {
    let all = map.to_source(TextRange::up_to(u32::MAX.into()));
    let inner = range.intersect(all).unwrap_or(TextRange::empty(range.start().clamp(all.start(), all.end())));
    let (start, end) = (map.to_derived(inner.start())?, map.to_derived(inner.end())?);
    Some(TextRange::new(start, end.max(start)))
}
