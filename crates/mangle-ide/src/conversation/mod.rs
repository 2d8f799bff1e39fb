//! Conversation view of a transcript: the turns of each record in order. Shows the surface as the
//! user saw it, the envelope as formatted JSON with updates as Mangle, and verdicts and findings
//! below their places.
//!
//! The input is an analyzed record; the output is a list of [lines](mangle_report::conversation)
//! whose pieces record the bytes that they show. Outcomes, verdicts and findings are computed
//! elsewhere, so all counts match `check` and `replay`.
//!
//! The lines of a record contain all of its content. The command line and editors therefore show
//! the same text for any part of a transcript.

mod envelope;
mod line_writer;
#[cfg(test)]
mod tests;
mod turns;
pub mod window;

use super::replays::{RequestVerdict, TurnVerdicts};
use line_writer::{LineWriter, PieceStyle, TurnText};
use mangle_report::conversation::{ConversationLine, PieceKind, PieceSource};
use mangle_report::sink;
use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize};
use piggyback::envelope::account::AccountEntry;
use piggyback::envelope::secrets::{SecretContext, is_free};
use piggyback::transcript::{Record, Skip, TextKind, Turn};
use turns::{REPLY_INDENT, ReplyWriter, lost, place_of, title};

pub use turns::{JudgeUpdates, TurnSummary, is_answer, turn_accounts};

/// Default line width in columns.
pub const USUAL_WIDTH: usize = 100;

/// Indentation of a verdict or finding, in columns.
const ABOUT: usize = 6;

/// A record with its analysis results.
#[derive(Debug, Clone, Copy)]
pub struct RecordInput<'a> {
    pub record: &'a Record<'a>,
    pub settings: &'a TranscriptSettings,
    /// Outcomes of the updates, one list per turn.
    pub accounts: &'a [Vec<AccountEntry>],
    /// Verdicts of a replay.
    pub verdicts: &'a [TurnVerdicts],
    /// Findings of `check`, with ranges relative to the start of the record.
    pub findings: &'a [Diagnostic],
    /// Number of the last answer before the record.
    pub answers: u64,
    /// First and last answer number to show, with the prompts before them. `None` for all.
    pub turns: Option<(u64, u64)>,
    /// Line width in columns.
    pub width: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordConversation {
    pub lines: Vec<ConversationLine>,
    /// Numbers of the answers in the record.
    pub turns: Vec<u64>,
    /// Turns with a heading line, in order.
    pub summaries: Vec<TurnSummary>,
    /// Number of lost updates without an envelope before the first turn.
    pub lost_before: usize,
    /// Number of the last answer so far.
    pub answers: u64,
}

/// Converts a record to lines.
#[must_use]
pub fn conversation(input: RecordInput<'_>) -> RecordConversation {
    let out = LineWriter::new(input.width.max(NARROWEST));
    RecordWriter { input, out, hidden: Vec::new(), summaries: Vec::new(), lost_before: 0 }.write()
}

/// Minimum line width in columns.
const NARROWEST: usize = 40;

/// Returns the lines of a finding whose place is not shown, with the number of its record if known.
#[must_use]
pub fn loose_finding(found: &Diagnostic, record: Option<u64>, width: usize) -> Vec<ConversationLine> {
    let place = record.map_or_else(|| "the file".to_owned(), |record| format!("record {record}"));
    finding(found, &format!("{place}: "), REPLY_INDENT, &SecretContext::default(), width)
}

/// Returns the lines of a note about the whole view.
fn loose_note(words: &str, width: usize) -> Vec<ConversationLine> {
    let mut out = LineWriter::new(width);
    out.line(0, PieceKind::Note, words);
    out.finish()
}

struct RecordWriter<'a> {
    input: RecordInput<'a>,
    out: LineWriter,
    /// Ranges of turns excluded by `turns`.
    hidden: Vec<TextRange>,
    summaries: Vec<TurnSummary>,
    lost_before: usize,
}

impl RecordWriter<'_> {
    fn write(mut self) -> RecordConversation {
        let (mut answers, mut turns) = (self.input.answers, Vec::new());
        for (at, turn) in self.input.record.turns.iter().enumerate() {
            let is_answer = is_answer(turn.kind);
            answers += u64::from(is_answer);
            // Text after the last answer belongs to the next answer.
            let number = if is_answer || turn.kind == TextKind::Atom { answers } else { answers + 1 };
            if !self.is_wanted(number) {
                self.hidden.push(place_of(turn));
                continue;
            }
            if is_answer {
                turns.push(number);
            }
            self.turn(at, turn, number);
        }
        let record = self.input.record;
        let is_shown = match record.turns.len() {
            0 => self.is_wanted(answers + 1),
            count => self.hidden.len() < count,
        };
        let (summaries, lost_before) = (std::mem::take(&mut self.summaries), self.lost_before);
        let lines = if is_shown { self.annotated() } else { Vec::new() };
        RecordConversation { lines, turns, summaries, lost_before, answers }
    }

    /// True if the answer with this number is shown.
    fn is_wanted(&self, number: u64) -> bool {
        self.input.turns.is_none_or(|(first, last)| (first..=last).contains(&number))
    }

    fn turn(&mut self, at: usize, turn: &Turn, number: u64) {
        let text = TurnText::new(turn, self.input.record.bytes);
        let verdicts = self.input.verdicts.iter().find(|one| one.number == number);
        let verdicts = verdicts.filter(|_| is_answer(turn.kind));
        let account = self.input.accounts.get(at).map_or(&[][..], Vec::as_slice);
        if turn.kind != TextKind::Atom {
            self.head(turn, number);
            self.summaries.push(TurnSummary::new(turn, number, account, verdicts));
        } else {
            let around = self.summaries.last_mut().map(|around| &mut around.lost);
            *around.unwrap_or(&mut self.lost_before) += lost(account);
        }
        if let Some(denied) = verdicts.and_then(|one| one.denied.as_ref()) {
            self.out.line(REPLY_INDENT, verdict_kind(denied), &verdict_words(denied));
        }
        let rewritten = verdicts.and_then(|one| one.rewritten.as_ref());
        match turn.kind {
            TextKind::Reply | TextKind::Object => {
                let (text, settings, out) = (&text, self.input.settings, &mut self.out);
                let is_correction = ReplyWriter { text, settings, account, rewritten, out }.write();
                if let Some(summary) = self.summaries.last_mut() {
                    summary.is_correction = is_correction;
                }
            }
            TextKind::Surface => self.text(&text, PieceKind::Surface),
            TextKind::Atom => {
                let fate = account.first().map(|entry| &entry.fate);
                let value = String::from_utf8_lossy(text.bytes);
                self.out.begin(REPLY_INDENT + 2, REPLY_INDENT + 4);
                envelope::update(&text, &value, &copied(text.whole()), fate, &mut self.out);
            }
            TextKind::Skipped(Skip::Repeated | Skip::Empty) => {}
            TextKind::Prompt | TextKind::Skipped(_) => self.text(&text, PieceKind::Text),
        }
    }

    fn text(&mut self, text: &TurnText<'_>, kind: PieceKind) {
        self.out.begin(REPLY_INDENT, REPLY_INDENT);
        text.write(text.whole(), PieceStyle::kept(kind), &mut self.out);
    }

    /// Writes the heading line of a turn.
    fn head(&mut self, turn: &Turn, number: u64) {
        self.out.blank();
        let mut head = format!("── {}", title(turn, number));
        head.push_str(&format!(" · record {}", self.input.record.number));
        if let Some(time) = turn.details.as_ref().and_then(|details| details.timestamp.as_ref()) {
            head.push_str(&format!(" · {}", sink::line(time)));
        }
        head.push_str(" ──");
        self.out.about(Some(place_of(turn)));
        self.out.line(0, PieceKind::Turn, &head);
        self.out.about(None);
    }

    /// Inserts verdicts and findings below their lines, and appends findings without a visible
    /// line.
    fn annotated(self) -> Vec<ConversationLine> {
        let RecordWriter { input, out, hidden, .. } = self;
        let width = input.width.max(NARROWEST);
        let context = context_of(input.record.bytes);
        let write = |annotation: Annotation<'_>| match annotation {
            Annotation::Request(request) => of_request(request, width),
            Annotation::Finding(found) => finding(found, "", ABOUT, &context, width),
        };
        let requests = input.verdicts.iter().flat_map(|turn| &turn.requests).map(Annotation::Request);
        let annotations = requests.chain(input.findings.iter().map(Annotation::Finding));
        let (mut lines, loose) = annotate(out.finish(), annotations, &write);
        let front = format!("record {}: ", input.record.number);
        for one in loose {
            if hidden.iter().any(|turn| turn.contains_range(one.range())) {
                continue;
            }
            lines.extend(match one {
                Annotation::Request(_) => write(one),
                Annotation::Finding(found) => finding(found, &front, REPLY_INDENT, &context, width),
            });
        }
        lines
    }
}

/// Returns the credentials in a record, for masking quotations of them in messages.
fn context_of(bytes: &[u8]) -> SecretContext {
    let text = String::from_utf8_lossy(bytes);
    if is_free(&text) { SecretContext::default() } else { SecretContext::from_text(&text) }
}

/// Returns the map of a text that equals a range of its source.
fn copied(range: TextRange) -> SegmentMap {
    let mut map = SegmentMapBuilder::default();
    map.copy(range);
    map.finish()
}

fn verdict_kind(verdict: &RequestVerdict) -> PieceKind {
    if verdict.is_permitted { PieceKind::Permit } else { PieceKind::Deny }
}

/// Formats a verdict, for example `PERMIT /read_file a.go: why`.
fn verdict_words(verdict: &RequestVerdict) -> String {
    let word = if verdict.is_permitted { "PERMIT" } else { "DENY" };
    let what = match (verdict.action.as_str(), verdict.object.as_str()) {
        ("", _) => "the whole reply".to_owned(),
        (action, "" | "{}" | "null") => action.to_owned(),
        (action, object) => format!("{action} {object}"),
    };
    format!("{word} {}: {}", sink::line(&what), sink::line(&verdict.why))
}

fn of_request(request: &RequestVerdict, width: usize) -> Vec<ConversationLine> {
    let mut out = LineWriter::new(width);
    out.about(Some(request.place.whole));
    out.line(ABOUT, verdict_kind(request), &format!("↳ {}", verdict_words(request)));
    out.finish()
}

/// Returns the lines of a finding: the headline, then the advice.
fn finding(
    found: &Diagnostic,
    front: &str,
    indent: usize,
    context: &SecretContext,
    width: usize,
) -> Vec<ConversationLine> {
    let mut out = LineWriter::new(width);
    let words = |text: &str| sink::line(&context.redacted(text));
    let kind = PieceKind::Finding(found.severity);
    let (severity, rule) = (found.severity.as_str(), found.rule);
    out.about(Some(found.range));
    let headline = words(&found.message);
    out.line(indent, kind, &format!("↳ {front}{severity}[{} {}]: {headline}", rule.code, rule.name));
    out.about(None);
    if let Some(advice) = found.advice() {
        out.line(indent + 2, PieceKind::Note, &format!("help: {}", words(advice)));
    }
    out.finish()
}

/// A remark about a range of the record.
#[derive(Debug, Clone, Copy)]
enum Annotation<'a> {
    Request(&'a RequestVerdict),
    Finding(&'a Diagnostic),
}

impl Annotation<'_> {
    /// Byte range in the record.
    fn range(self) -> TextRange {
        match self {
            Self::Request(request) => request.place.whole,
            Self::Finding(found) => found.range,
        }
    }

    /// True if the annotation belongs below the line with the last byte of its range, instead of
    /// the first.
    fn is_last(self) -> bool {
        matches!(self, Self::Request(_))
    }
}

/// Map from byte ranges of the record to line indexes, sorted by range.
#[derive(Debug)]
struct LineIndex(Vec<(TextRange, usize)>);

impl LineIndex {
    fn new(lines: &[ConversationLine]) -> Self {
        let mut shown = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let pieces = line.pieces.iter().filter(|piece| piece.kind.is_transcript());
            let sources = pieces.filter_map(|piece| piece.source).chain(line.end);
            shown.extend(sources.map(|PieceSource { range, .. }| (range, at)));
        }
        shown.sort_by_key(|(range, at)| (range.start(), range.end(), *at));
        Self(shown)
    }

    /// Returns the line that shows the first (or last) visible byte of a range.
    fn line_of(&self, place: TextRange, is_last: bool) -> Option<usize> {
        let end = if place.is_empty() { place.start() + TextSize::new(1) } else { place.end() };
        let behind = self.0.partition_point(|(range, _)| range.start() < end);
        let before = self.0.get(..behind).unwrap_or(&[]);
        if is_last {
            let (range, line) = before.last()?;
            return (range.end() > place.start()).then_some(*line);
        }
        let first = before.partition_point(|(range, _)| range.end() <= place.start());
        before.get(first).map(|(_, line)| *line)
    }
}

/// Returns the last continuation line that contains only generated text about `line`.
fn last_of(lines: &[ConversationLine], line: usize) -> usize {
    let has_text = |line: &ConversationLine| line.pieces.iter().any(|piece| piece.kind.is_transcript());
    let rest = lines.get(line + 1..).unwrap_or(&[]).iter();
    line + rest.take_while(|next| next.is_continuation && !has_text(next)).count()
}

/// Inserts the lines that `write` returns for each annotation. Also returns the annotations whose
/// range no line shows.
fn annotate<'a>(
    lines: Vec<ConversationLine>,
    annotations: impl Iterator<Item = Annotation<'a>>,
    write: &dyn Fn(Annotation<'a>) -> Vec<ConversationLine>,
) -> (Vec<ConversationLine>, Vec<Annotation<'a>>) {
    let index = LineIndex::new(&lines);
    let (mut placed, mut loose) = (Vec::new(), Vec::new());
    for annotation in annotations {
        match index.line_of(annotation.range(), annotation.is_last()) {
            Some(line) => placed.push((last_of(&lines, line), annotation)),
            None => loose.push(annotation),
        }
    }
    placed.sort_by_key(|(line, _)| *line);
    let mut placed = placed.into_iter().peekable();
    let mut out = Vec::with_capacity(lines.len() + placed.len());
    for (at, line) in lines.into_iter().enumerate() {
        out.push(line);
        while let Some((_, annotation)) = placed.next_if(|(of, _)| *of == at) {
            out.extend(write(annotation));
        }
    }
    (out, loose)
}
