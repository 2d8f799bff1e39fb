//! View of a turn: its summary for lists, the outcomes of its updates, and a reply with its
//! surface, envelope and ignored text.

use super::envelope::{EnvelopeParts, EnvelopeWriter};
use super::line_writer::{LineWriter, PieceStyle, TurnText};
use crate::replays::{RewrittenSurface, TurnVerdicts};
use mangle_report::conversation::PieceKind;
use mangle_report::sink;
use mangle_settings::TranscriptSettings;
use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::account::{AccountEntry, UpdateFate};
use piggyback::envelope::runtime::RuntimeReading;
use piggyback::envelope::{Object, Reply};
use piggyback::transcript::{NonReplyPlace, Record, Skip, TextKind, Turn};

/// Summary of a turn for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSummary {
    /// Byte range in the record.
    pub place: TextRange,
    /// For example `turn 3 · assistant`.
    pub title: String,
    /// Number of the answer. `None` if the turn is not an answer.
    pub number: Option<u64>,
    /// Number of requests that the policies deny. A denied reply counts as one request.
    pub denied: usize,
    /// Number of updates that the runtime drops.
    pub lost: usize,
    /// True if the reply reports a self-correction.
    pub is_correction: bool,
}

impl TurnSummary {
    /// Creates the summary of a turn. `number` is the number of the answer, or of the next answer.
    pub(super) fn new(
        turn: &Turn,
        number: u64,
        account: &[AccountEntry],
        verdicts: Option<&TurnVerdicts>,
    ) -> Self {
        Self {
            place: place_of(turn),
            title: title(turn, number),
            number: is_answer(turn.kind).then_some(number),
            denied: verdicts.map_or(0, denied),
            lost: lost(account),
            is_correction: false,
        }
    }
}

/// Returns the number of dropped updates.
pub(super) fn lost(account: &[AccountEntry]) -> usize {
    account.iter().filter(|entry| !entry.fate.is_kept()).count()
}

fn denied(verdicts: &TurnVerdicts) -> usize {
    let requests = verdicts.requests.iter().filter(|request| !request.is_permitted).count();
    requests + usize::from(verdicts.denied.is_some())
}

/// Returns the byte range of a turn in its record.
pub(super) fn place_of(turn: &Turn) -> TextRange {
    turn.place(TextRange::up_to(size(turn.len())))
}

pub(super) fn title(turn: &Turn, number: u64) -> String {
    let who = turn.role.as_str();
    match turn.kind {
        TextKind::Reply | TextKind::Object | TextKind::Surface => format!("turn {number} · {who}"),
        TextKind::Skipped(why) => format!("{who}, {}", skipped(why)),
        TextKind::Prompt | TextKind::Atom => who.to_owned(),
    }
}

/// True if a replay counts the turn as an answer.
#[must_use]
pub fn is_answer(kind: TextKind) -> bool {
    matches!(kind, TextKind::Reply | TextKind::Object | TextKind::Surface)
}

fn skipped(why: Skip) -> &'static str {
    match why {
        Skip::Preview => "not read: the beginning of a longer text",
        Skip::Intermediate => "not read: intermediate text before the answer",
        Skip::Ignored => "not read: suppressed in the file",
        Skip::OtherRole => "not read",
        Skip::Empty => "an empty reply",
        Skip::Repeated => "a copy of another text, not shown",
        Skip::NotReply(NonReplyPlace::Reasoning) => "not a reply: its reasoning",
        Skip::NotReply(NonReplyPlace::ToolResult) => "not a reply: the result of a tool",
        Skip::NotReply(NonReplyPlace::Argument) => "not a reply: an argument of a tool",
        Skip::NotReply(NonReplyPlace::Attachment) => "not a reply: an attached file",
        Skip::NotReply(NonReplyPlace::Quotation) => "not a reply: a quotation or summary",
    }
}

/// Determines the outcome of updates, either with the filters alone or from a replay.
pub trait JudgeUpdates {
    /// Returns the outcomes of the updates of a reply. `at` is the index of the turn in the record.
    fn reply(&mut self, at: usize, turn: &Turn, reply: &Reply<'_>) -> Vec<AccountEntry>;

    /// Returns the outcome of an update without an envelope. `before` is the number of such updates
    /// since the last surface. `None` if the outcome is unknown.
    fn standalone_update(&mut self, text: &str, before: usize) -> Option<UpdateFate>;
}

/// Returns the outcomes of updates for each turn of a record. `lone` counts the updates without an
/// envelope since the last surface, across records.
pub fn turn_accounts(
    record: &Record<'_>,
    settings: &TranscriptSettings,
    lone: &mut usize,
    judge: &mut dyn JudgeUpdates,
) -> Vec<Vec<AccountEntry>> {
    let mut of_turn = |(at, turn): (usize, &Turn)| match turn.kind {
        TextKind::Reply | TextKind::Object => judge.reply(at, turn, &turn.reply(record.bytes, settings)),
        TextKind::Atom => {
            let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
            let fate = judge.standalone_update(&text, *lone);
            *lone += 1;
            fate.map(|fate| AccountEntry { index: Some(0), text, fate }).into_iter().collect()
        }
        TextKind::Surface => {
            *lone = 0;
            Vec::new()
        }
        TextKind::Prompt | TextKind::Skipped(_) => Vec::new(),
    };
    record.turns.iter().enumerate().map(&mut of_turn).collect()
}

/// Indentation of the surface and other texts of a turn.
pub(super) const REPLY_INDENT: usize = 2;
const ENVELOPE: usize = 4;

/// Writer of a reply: the surface as the user saw it, the envelope used by the runtime, and the
/// ignored text around it.
#[derive(Debug)]
pub(super) struct ReplyWriter<'a, 'w> {
    pub(super) text: &'a TurnText<'a>,
    pub(super) settings: &'a TranscriptSettings,
    pub(super) account: &'a [AccountEntry],
    /// Surface as rewritten by the policy.
    pub(super) rewritten: Option<&'a RewrittenSurface>,
    pub(super) out: &'w mut LineWriter,
}

impl ReplyWriter<'_, '_> {
    /// Writes the reply. Returns true if the reply reports a self-correction.
    pub(super) fn write(&mut self) -> bool {
        let reply = Reply::new(self.text.bytes, &self.text.turn.caps(self.settings));
        match (&reply.reading, reply.picked_object()) {
            (Err(_), _) => {
                self.out.line(
                    REPLY_INDENT,
                    PieceKind::Note,
                    "the runtime rejects the reply: no valid envelope",
                );
                self.part(self.text.whole(), PieceStyle::lost_if(PieceKind::Envelope, true));
            }
            (Ok(reading), None) => {
                self.out.line(REPLY_INDENT, PieceKind::Note, "no envelope: the raw text is shown");
                self.fallback(reading);
            }
            (Ok(reading), Some(object)) => self.envelope(&reply, reading, object),
        }
        let picked = reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref());
        let correction = picked.and_then(|picked| picked.packet.self_correction.as_ref());
        correction.is_some_and(|correction| correction.triggered)
    }

    /// Writes a part of the reply on separate lines.
    fn part(&mut self, part: TextRange, style: PieceStyle) {
        let part = trimmed(self.text, part);
        if !part.is_empty() {
            self.out.begin(REPLY_INDENT, REPLY_INDENT);
            self.text.write(part, style, self.out);
        }
    }

    /// Writes a reply without an envelope. The user sees its text up to the length limit.
    fn fallback(&mut self, reading: &RuntimeReading) {
        let is_lost = self.rewrite();
        if reading.is_salvaged {
            self.out.line(REPLY_INDENT, PieceKind::Note, "shown in place of the incomplete envelope: ");
            self.out.say(PieceKind::Surface, &sink::line(&String::from_utf8_lossy(reading.visible_text())));
            self.part(self.text.whole(), PieceStyle::lost_if(PieceKind::Envelope, true));
            return;
        }
        let blanks = self.text.bytes.len() - self.text.bytes.trim_ascii_start().len();
        let shown = common(self.text.bytes.get(blanks..).unwrap_or(&[]), reading.visible_text());
        let cut = size(blanks + shown);
        let whole = self.text.whole();
        self.part(TextRange::new(whole.start(), cut), PieceStyle::lost_if(PieceKind::Surface, is_lost));
        self.part(TextRange::new(cut, whole.end()), PieceStyle::lost_if(PieceKind::Surface, true));
    }

    fn envelope(&mut self, reply: &Reply<'_>, reading: &RuntimeReading, object: &Object<'_>) {
        let parts = EnvelopeParts::new(reply, self.account);
        self.surface(reply, reading);
        let range = TextRange::new(size(object.range.start), size(object.range.end));
        let (start, end) = (self.text.whole().start(), self.text.whole().end());
        self.ignored_text(TextRange::new(start, range.start()), "before");
        self.out.begin(ENVELOPE, ENVELOPE);
        if object.json.problems.is_empty() {
            let (text, json, parts) = (self.text, &object.json, &parts);
            let mut writer = EnvelopeWriter { text, json, parts, out: self.out };
            writer.value(json.root(), ENVELOPE, 0, false);
        } else {
            self.text.write(range, PieceStyle::kept(PieceKind::Envelope), self.out);
        }
        self.ignored_text(TextRange::new(range.end().min(end), end), "after");
    }

    /// Writes the text before or after the envelope, which the runtime ignores.
    fn ignored_text(&mut self, part: TextRange, place: &str) {
        let part = trimmed(self.text, part);
        if !part.is_empty() {
            self.out.line(
                REPLY_INDENT,
                PieceKind::Note,
                &format!("{place} the envelope, ignored by the runtime"),
            );
            self.part(part, PieceStyle::lost_if(PieceKind::Envelope, true));
        }
    }

    /// Writes the unescaped surface. Text beyond the limit of the runtime is lost.
    fn surface(&mut self, reply: &Reply<'_>, reading: &RuntimeReading) {
        let is_lost = self.rewrite();
        let found = reply.member(&["surface_response"]);
        let found = found.and_then(|(json, node)| json.string_with_map(node));
        self.out.begin(REPLY_INDENT, REPLY_INDENT);
        match found {
            Some((value, map)) => {
                let kept = common(value.as_bytes(), reading.visible_text());
                let style = |at| PieceStyle::lost_if(PieceKind::Surface, is_lost || at >= kept);
                self.text.write_value(&value, &map, &style, self.out);
            }
            None => {
                let surface = String::from_utf8_lossy(reading.visible_text());
                self.out.say(PieceKind::Note, &sink::line(&surface));
            }
        }
    }

    /// Writes the text that the user sees instead of the surface, or above it. Returns true if the
    /// surface is completely replaced.
    fn rewrite(&mut self) -> bool {
        let Some(rewritten) = self.rewritten else { return false };
        let before = match rewritten {
            RewrittenSurface { is_replaced: true, .. } => "shown instead of the surface: ",
            RewrittenSurface { is_hidden: true, .. } => "not shown on the path of native tool calls: ",
            _ => "shown above the surface: ",
        };
        self.out.line(REPLY_INDENT, PieceKind::Note, before);
        self.out.say(PieceKind::Deny, &sink::line(&rewritten.shown));
        rewritten.is_replaced
    }
}

/// Returns the length of the common prefix in bytes.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// Trims white space at both ends of a range.
fn trimmed(text: &TurnText<'_>, part: TextRange) -> TextRange {
    let bytes = text.slice(part);
    let start = part.start() + size(bytes.len() - bytes.trim_ascii_start().len());
    TextRange::at(start, size(bytes.trim_ascii().len()))
}
