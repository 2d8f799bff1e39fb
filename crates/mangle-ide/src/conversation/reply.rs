//! View of a reply: the surface as the user saw it, the envelope used by the runtime, and the
//! ignored text around it.

use super::envelope::{EnvelopeParts, EnvelopeWriter};
use super::line_writer::{LineWriter, PieceStyle};
use super::turn_text::TurnText;
use crate::replays::RewrittenSurface;
use mangle_report::conversation::PieceKind;
use mangle_report::sink;
use mangle_settings::TranscriptSettings;
use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::account::AccountEntry;
use piggyback::envelope::runtime::RuntimeReading;
use piggyback::envelope::{Object, Reply};

/// Indentation of the surface and other texts of a turn.
pub(super) const REPLY_INDENT: usize = 2;
const ENVELOPE: usize = 4;

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
            writer.value(json.root(), (ENVELOPE, 0), false);
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
                self.text.write_value((&value, &map), &style, self.out);
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
