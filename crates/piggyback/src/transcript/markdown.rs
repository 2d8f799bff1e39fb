//! Markdown (K12): replies in code fences, or the whole file if the front matter requests it.

use std::ops::Range;

use super::turn::{Details, Record, Skip, TextKind, Turn, TurnRole};
use super::words::{has_control_key, has_quoted_control_key};
use super::{findings, shapes};
use mangle_settings::Profile;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{SegmentMapBuilder, TextRange, size};

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
pub(super) fn read(text: &[u8], start: u64, each: &mut dyn FnMut(Record<'_>)) {
    let matter = matter(text);
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
                let is_reply = if any_marked { is_marked(fence) } else { is_envelope(text, fence) };
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
fn is_envelope(text: &[u8], fence: &Fence) -> bool {
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
fn matter(text: &[u8]) -> FrontMatter {
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
            set(&mut matter, member);
        }
    }
    // Front matter without an end is ordinary text.
    FrontMatter::default()
}

fn set(matter: &mut FrontMatter, member: &str) {
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
