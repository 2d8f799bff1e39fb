//! Plain text and Markdown (K12).
//!
//! Plain text is one reply, or several turns with separator lines. In Markdown, replies are in code
//! fences; the front matter can request that the whole file is one reply.

use std::ops::Range;

use regex::bytes::Regex;

use super::entry::{self, Prefix};
use super::turn::{Details, Record, Skip, TextKind, Turn, TurnRole};
use super::words::{has_control_key, has_quoted_control_key};
use super::{findings, shapes};
use mangle_settings::Profile;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{SegmentMapBuilder, TextRange, size};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainTurn {
    pub(super) role: TurnRole,
    pub(super) kind: TextKind,
    pub(super) range: Range<usize>,
}

/// A line that separates turns.
struct Separator {
    role: TurnRole,
    /// Start of the turn's text in the line. The end of the line if the line is only a separator.
    text: usize,
}

/// Returns the turns of a text.
///
/// `separator` matches the lines between turns. By default, lines such as `=== …`, `--- turn 3` and
/// `Assistant:` separate turns. If `is_one` is true and there is no separator, the text is
/// one reply.
pub(super) fn parts(text: &[u8], separator: Option<&Regex>, is_one: bool) -> Vec<PlainTurn> {
    let is_separator = |line: &[u8]| match separator {
        Some(regex) => regex.find(line).map(|found| configured_separator(line, found.end())),
        None => usual_separator(line).or_else(|| labelled_separator(line)),
    };
    let mut parts: Vec<PlainTurn> = Vec::new();
    let mut at = 0;
    if !is_one || separator.is_some() {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let start = at;
            at += line.len();
            let Some(found) = is_separator(line.trim_ascii_end()) else { continue };
            if let Some(last) = parts.last_mut() {
                last.range.end = start;
            } else if !text.get(..start).unwrap_or(&[]).trim_ascii().is_empty() {
                parts.push(part(TurnRole::Other, 0..start));
            }
            parts.push(part(found.role, start + found.text..text.len()));
        }
    }
    if !parts.iter().any(|part| part.role == TurnRole::Assistant) {
        return vec![part(TurnRole::Assistant, 0..text.len())];
    }
    parts.retain(|part| !text.get(part.range.clone()).unwrap_or(&[]).trim_ascii().is_empty());
    parts.into_iter().flat_map(|part| without_damage(part, text)).collect()
}

/// Splits a reply after a damaged envelope, so that the next envelope is not part of the damage.
fn without_damage(part: PlainTurn, text: &[u8]) -> Vec<PlainTurn> {
    let bytes = text.get(part.range.clone()).unwrap_or(&[]);
    if part.role != TurnRole::Assistant {
        return vec![part];
    }
    let start = part.range.start;
    let ranges = entry::parts(bytes).into_iter().map(|range| start + range.start..start + range.end);
    ranges.map(|range| PlainTurn { range, ..part.clone() }).collect()
}

/// Interprets a line that matches the configured separator up to `end`.
///
/// The rest of the line belongs to the turn if it is a reply or if the line names a speaker.
fn configured_separator(line: &[u8], end: usize) -> Separator {
    let prefix = Prefix::parse(line);
    let after = |at: usize| line.get(at..).unwrap_or(&[]).trim_ascii_start();
    let brace = memchr::memchr(b'{', line).filter(|at| entry::begins_envelope(after(*at)));
    let text = match prefix {
        Some(prefix) if prefix.role.is_some() && prefix.end >= end => prefix.end,
        _ => brace.filter(|at| *at >= end).unwrap_or(line.len()),
    };
    let role = prefix.and_then(|prefix| prefix.role);
    Separator { role: role.unwrap_or_else(|| role_in(line.get(..text).unwrap_or(line))), text }
}

/// Recognizes a line that begins with a speaker: `[user]`, `Assistant>`, `<- model`.
fn labelled_separator(line: &[u8]) -> Option<Separator> {
    let prefix = Prefix::parse(line)?;
    Some(Separator { role: prefix.role.filter(|_| prefix.is_speaker())?, text: prefix.end })
}

fn part(role: TurnRole, range: Range<usize>) -> PlainTurn {
    let kind = if role == TurnRole::Assistant { TextKind::Reply } else { TextKind::Prompt };
    PlainTurn { role, kind, range }
}

/// Recognizes the built-in separators.
fn usual_separator(line: &[u8]) -> Option<Separator> {
    let whole = |role| Some(Separator { role, text: line.len() });
    let heading = line.strip_prefix(b"=== ").or_else(|| line.strip_prefix(b"--- "));
    if let Some(heading) = heading {
        let is_turn = heading.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"turn "));
        return (line.starts_with(b"===") || is_turn).then(|| role_in(heading)).and_then(whole);
    }
    let colon = memchr::memchr(b':', line.get(..16.min(line.len()))?)?;
    let label = std::str::from_utf8(line.get(..colon)?).ok()?;
    let role = TurnRole::parse(label);
    (role != TurnRole::Other).then_some(Separator { role, text: colon + 1 })
}

/// Returns the speaker that a separator names; the model if it names none.
fn role_in(line: &[u8]) -> TurnRole {
    let words =
        line.split(|byte| !byte.is_ascii_alphabetic()).filter_map(|word| std::str::from_utf8(word).ok());
    words.map(TurnRole::parse).find(|role| *role != TurnRole::Other).unwrap_or(TurnRole::Assistant)
}

/// Comment that excludes the following fence.
const IGNORE: &[u8] = b"mangle-ls: ignore-fence";

/// A code fence. Ranges are in bytes of the file.
#[derive(Debug)]
struct Fence {
    /// Includes the opening and closing lines.
    whole: Range<usize>,
    /// Text between the opening and closing lines.
    body: Range<usize>,
    /// Text after the opening marks.
    info: Range<usize>,
    /// Indentation in bytes.
    indent: usize,
    is_closed: bool,
    is_ignored: bool,
}

/// Options from the front matter of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FrontMatter {
    profile: Option<Profile>,
    mode: FenceMode,
    /// End offset of the front matter.
    end: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum FenceMode {
    /// The whole file is one reply.
    Response,
    /// Each fence is a reply.
    #[default]
    Blocks,
    /// Nothing in the file is a reply.
    Ignore,
}

/// Reads a file and passes one record per reply to `each`.
pub(super) fn read_markdown(text: &[u8], start: u64, each: &mut dyn FnMut(Record<'_>)) {
    let matter = front_matter(text);
    match matter.mode {
        FenceMode::Ignore => {}
        FenceMode::Response => {
            let bytes = text.get(matter.end..).unwrap_or(&[]);
            let mut record = Record::new(1, start + matter.end as u64, bytes);
            let turn = Turn::part(TurnRole::Assistant, TextKind::Reply, record.range());
            record.turns.push(with_profile(turn, matter.profile));
            each(record);
        }
        FenceMode::Blocks => {
            let fences = fences(text, matter.end);
            let words = |fence: &Fence| text.get(fence.info.clone()).unwrap_or(&[]).to_vec();
            let is_marked = |fence: &Fence| {
                words(fence).split(|byte| !byte.is_ascii_alphanumeric()).any(|word| word == b"piggyback")
            };
            let any_marked = fences.iter().any(is_marked);
            let mut number = 0;
            for fence in &fences {
                let is_reply = if any_marked { is_marked(fence) } else { is_envelope_fence(text, fence) };
                if is_reply {
                    number += 1;
                    each(fence_record(text, start, number, fence, !any_marked, matter.profile));
                }
            }
        }
    }
}

/// True if a fence of a documentation contains an envelope.
///
/// A fence without a language may be a diagram that mentions the keys, so the keys must be in
/// quotes.
fn is_envelope_fence(text: &[u8], fence: &Fence) -> bool {
    let info = text.get(fence.info.clone()).unwrap_or(&[]);
    let tag = info.split(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or(&[]);
    let body = text.get(fence.body.clone()).unwrap_or(&[]);
    match tag.to_ascii_lowercase().as_slice() {
        b"" => has_quoted_control_key(body),
        b"json" | b"jsonc" => has_control_key(body),
        _ => false,
    }
}

fn fence_record<'t>(
    text: &'t [u8],
    start: u64,
    number: u64,
    fence: &Fence,
    is_documentation: bool,
    profile: Option<Profile>,
) -> Record<'t> {
    let bytes = text.get(fence.whole.clone()).unwrap_or(&[]);
    let mut record = Record::new(number, start + fence.whole.start as u64, bytes);
    let body = fence.body.start - fence.whole.start..fence.body.end - fence.whole.start;
    let kind = if fence.is_ignored { TextKind::Skipped(Skip::Ignored) } else { TextKind::Reply };
    let mut turn = match fence.indent {
        0 => Turn::part(TurnRole::Assistant, kind, TextRange::new(size(body.start), size(body.end))),
        indent => outdented(bytes, body, indent, kind),
    };
    turn.is_documentation = is_documentation;
    record.turns.push(with_profile(turn, profile));
    if !fence.is_closed {
        record.findings.push(open_fence(bytes));
    }
    record
}

fn open_fence(bytes: &[u8]) -> Finding {
    let line = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    let first = bytes.get(..line).unwrap_or(&[]);
    let indent = first.len() - first.trim_ascii_start().len();
    let mark = first.trim_ascii_start().first().copied().unwrap_or(b'`');
    let marks = first.iter().skip(indent).take_while(|byte| **byte == mark).count();
    let closing = format!(
        "{}{}{}\n",
        if bytes.ends_with(b"\n") { "" } else { "\n" },
        " ".repeat(indent),
        char::from(mark).to_string().repeat(marks)
    );
    findings::open_fence(
        TextRange::at(size(indent), size(first.trim_ascii().len())),
        size(bytes.len()),
        closing,
    )
}

/// Returns the text of an indented fence, with the indentation removed from each line.
fn outdented(bytes: &[u8], body: Range<usize>, indent: usize, kind: TextKind) -> Turn {
    let (mut text, mut map) = (Vec::with_capacity(body.len()), SegmentMapBuilder::default());
    let mut at = body.start;
    for line in bytes.get(body).unwrap_or(&[]).split_inclusive(|byte| *byte == b'\n') {
        let blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count().min(indent);
        text.extend_from_slice(line.get(blank..).unwrap_or(&[]));
        map.copy(TextRange::new(size(at + blank), size(at + line.len())));
        at += line.len();
    }
    Turn::from_decoded(TurnRole::Assistant, kind, text, map.finish())
}

fn with_profile(mut turn: Turn, profile: Option<Profile>) -> Turn {
    if profile.is_some() {
        turn.details = Some(Box::new(Details { profile, ..Details::default() }));
    }
    turn
}

/// Returns the fences of a text from an offset on.
fn fences(text: &[u8], from: usize) -> Vec<Fence> {
    let mut found: Vec<Fence> = Vec::new();
    let mut open: Option<(Fence, u8, usize)> = None;
    let (mut at, mut is_ignored) = (from, false);
    for line in text.get(from..).unwrap_or(&[]).split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let inner = line.trim_ascii_start();
        let indent = line.len() - inner.len();
        let mark = inner.first().copied().filter(|byte| matches!(byte, b'`' | b'~')).unwrap_or(0);
        let marks = inner.iter().take_while(|byte| **byte == mark && mark != 0).count();
        let rest = inner.get(marks..).unwrap_or(&[]).trim_ascii();
        if let Some((fence, opened_with, opened_marks)) = &mut open {
            if mark == *opened_with && marks >= *opened_marks && rest.is_empty() {
                fence.body.end = start;
                fence.whole.end = start + line.trim_ascii_end().len();
                fence.is_closed = true;
                found.extend(open.take().map(|(fence, ..)| fence));
            }
        } else if marks >= 3 && !(mark == b'`' && rest.contains(&b'`')) {
            let info = start + indent + marks..start + line.trim_ascii_end().len();
            let (whole, body) = (start..text.len(), at..text.len());
            let is_ignored = std::mem::take(&mut is_ignored);
            open = Some((Fence { whole, body, info, indent, is_closed: false, is_ignored }, mark, marks));
        } else if !inner.is_empty() {
            is_ignored = memchr::memmem::find(inner, IGNORE).is_some();
        }
    }
    found.extend(open.map(|(fence, ..)| fence));
    found
}

/// Parses the front matter, `piggyback: {profile: …, mode: …}`, on one or several lines.
fn front_matter(text: &[u8]) -> FrontMatter {
    let mut matter = FrontMatter::default();
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let mut at = match lines.next() {
        Some(first) if first.trim_ascii() == b"---" => first.len(),
        _ => return matter,
    };
    let mut is_ours = false;
    for line in lines {
        at += line.len();
        if line.trim_ascii() == b"---" {
            return FrontMatter { end: at, ..matter };
        }
        let Ok(written) = std::str::from_utf8(line) else { continue };
        let inner = match written.strip_prefix("piggyback:") {
            Some(inner) => {
                is_ours = true;
                inner
            }
            None if is_ours && written.starts_with([' ', '\t']) => written,
            None => {
                is_ours = false;
                continue;
            }
        };
        for member in inner.trim().trim_matches(['{', '}']).split(',') {
            set_option(&mut matter, member);
        }
    }
    // Front matter without an end is ordinary text.
    FrontMatter::default()
}

fn set_option(matter: &mut FrontMatter, member: &str) {
    let Some((key, value)) = member.split_once(':') else { return };
    let value = value.trim().trim_matches(['"', '\'']);
    match (key.trim(), value) {
        ("profile", value) => matter.profile = shapes::profile(value),
        ("mode", "response") => matter.mode = FenceMode::Response,
        ("mode", "blocks") => matter.mode = FenceMode::Blocks,
        ("mode", "ignore") => matter.mode = FenceMode::Ignore,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shown(text: &str, separator: Option<&str>) -> Vec<(TurnRole, String)> {
        let separator = separator.map(|regex| Regex::new(regex).unwrap());
        let parts = parts(text.as_bytes(), separator.as_ref(), false);
        parts.into_iter().map(|part| (part.role, text[part.range].trim().to_owned())).collect()
    }

    #[test]
    fn lines_separate_turns() {
        let turns = [(TurnRole::User, "go".to_owned()), (TurnRole::Assistant, "{}".to_owned())];
        assert_eq!(shown("User: go\nAssistant:\n{}\n", None), turns);
        assert_eq!(shown("=== user ===\ngo\n=== turn 2 ===\n{}\n", None), turns);
        assert_eq!(shown("--- turn 1, user\ngo\n--- turn 2\n{}", None), turns);
        assert_eq!(shown("~user\ngo\n~\n{}", Some("^~")), turns);
    }

    #[test]
    fn an_echo_of_the_user_is_no_turn() {
        let text = "User: {}\n\n{}";
        assert_eq!(shown(text, None), [(TurnRole::Assistant, text.to_owned())]);
        assert_eq!(parts(b"User: a\nAssistant: b", None, true).len(), 1);
    }
}
