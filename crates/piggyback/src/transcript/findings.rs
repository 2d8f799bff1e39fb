//! What is wrong with a container, before anybody looks at the replies in it: `PB040` to `PB047`.

use crate::envelope::json::{Json, JsonProblemKind};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};
use mangle_syntax::text::{TextRange, TextSize, size};

/// The rules of this file, in the order of their codes.
pub(super) const RULES: &[&Rule] = &[
    &PREVIEW_ONLY,
    &BAD_RECORD,
    &MIXED_CONTAINER,
    &OPEN_FENCE,
    &INVALID_UTF8,
    &NO_REPLY_FOUND,
    &EMPTY_REPLY,
    &UNKNOWN_FORMAT,
];

/// A preview in a log.
pub static PREVIEW_ONLY: Rule = rule!("preview-only.md");

/// A line that is no record.
pub static BAD_RECORD: Rule = rule!("bad-record.md");

/// Records of several kinds in one file.
pub static MIXED_CONTAINER: Rule = rule!("mixed-container.md");

/// A fence without its end.
pub static OPEN_FENCE: Rule = rule!("open-fence.md");

/// Bytes that are no text.
pub static INVALID_UTF8: Rule = rule!("record-invalid-utf8.md");

/// A transcript in which nothing is a reply.
pub static NO_REPLY_FOUND: Rule = rule!("no-reply-found.md");

/// A reply without a text.
pub static EMPTY_REPLY: Rule = rule!("empty-reply.md");

/// Replies in records of an unknown format.
pub static UNKNOWN_FORMAT: Rule = rule!("unknown-format.md");

pub(super) fn preview(range: TextRange) -> Finding {
    Finding::new(&PREVIEW_ONLY, range, "only the beginning of a reply was logged; it is passed over")
}

/// A part of a record that is no JSON; `what` names it.
pub(super) fn bad_record(json: &Json<'_>, range: TextRange, what: &str) -> Finding {
    let detail = match json.problems.first() {
        Some(problem) => format!("{} at byte {}", detail(problem.kind), u32::from(problem.range.start())),
        None => format!("something stands behind its JSON, at byte {}", u32::from(json.end())),
    };
    Finding::new(&BAD_RECORD, range, format!("{what} is passed over: {detail}"))
}

/// What is wrong, in words that follow a colon.
fn detail(problem: JsonProblemKind) -> &'static str {
    match problem {
        JsonProblemKind::NoValue => "a value is missing",
        JsonProblemKind::NoComma => "a comma is missing",
        JsonProblemKind::ExtraComma => "there is a comma too many",
        JsonProblemKind::NoColon => "a colon is missing",
        JsonProblemKind::NoKey => "a key is missing",
        JsonProblemKind::Word => "a word that is no JSON",
        JsonProblemKind::BadNumber => "a number that is no JSON",
        JsonProblemKind::SingleQuotes => "a string in single quotes",
        JsonProblemKind::RawControl => "a control character in a string",
        JsonProblemKind::BadEscape => "an escape that JSON does not have",
        JsonProblemKind::Comment => "a comment",
        JsonProblemKind::Stray => "bytes that begin nothing",
        JsonProblemKind::WrongBracket => "a bracket that closes nothing",
        JsonProblemKind::Unclosed => "it ends inside a value that begins",
        JsonProblemKind::TooDeep => "it is nested too deeply",
    }
}

/// A record that is valid JSON, but no object.
pub(super) fn no_object(range: TextRange) -> Finding {
    Finding::new(&BAD_RECORD, range, "the record is passed over: it is no JSON object")
}

/// A record that is longer than `limit` bytes; `range` is the part of it that is known.
pub(super) fn too_long(range: TextRange, limit: usize) -> Finding {
    let message = format!("the record is passed over: it is longer than {} MiB", limit >> 20);
    Finding::new(&BAD_RECORD, range, message)
}

pub(super) fn open_fence(range: TextRange, end: TextSize, closing: String) -> Finding {
    Finding::new(
        &OPEN_FENCE,
        range,
        "this fence is never closed: all that follows is read as part of the reply",
    )
    .fix(Fix::safe("Close the fence at the end of the file").insert(end, closing))
}

/// The bytes of a record that are no UTF-8: one finding at the first of them.
pub(super) fn invalid_utf8(bytes: &[u8]) -> Option<Finding> {
    let error = std::str::from_utf8(bytes).err()?;
    let start = error.valid_up_to();
    let rest = bytes.get(start..).unwrap_or(&[]);
    let count: usize = rest.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let len = error.error_len().unwrap_or(rest.len());
    let more = if count > len { format!(", and at {} bytes more", count - len) } else { String::new() };
    let message = format!("invalid UTF-8 at byte {start}{more}: each such byte is read as U+FFFD");
    Some(Finding::new(&INVALID_UTF8, TextRange::at(size(start), size(len)), message))
}

/// A file that is not text; `kind` is what it is.
pub(super) fn binary(kind: &str) -> Finding {
    Finding::new(&BAD_RECORD, TextRange::default(), format!("this file is not a transcript but {kind}"))
}

/// An answer without a text.
pub(super) fn empty_reply(range: TextRange) -> Finding {
    Finding::new(&EMPTY_REPLY, range, "this reply is empty")
}

/// A file without a byte.
pub(super) fn empty_file() -> Finding {
    Finding::new(&EMPTY_REPLY, TextRange::default(), "this transcript is empty")
}

/// A file without a reply in which there are so many prompts; `first` is what its first record looks like, and `tried` what
/// was looked for. A file that was not named may well be meant to hold prompts alone.
pub(super) fn no_reply((prompts, is_named): (u64, bool), first: &str, tried: &str) -> Finding {
    let message = match prompts {
        0 => {
            format!("no reply is found in this transcript. The first record is {first}; looked for: {tried}")
        }
        1 => "no reply is found in this transcript, only 1 prompt".to_owned(),
        _ => format!("no reply is found in this transcript, only {prompts} prompts"),
    };
    let mut finding = Finding::new(&NO_REPLY_FOUND, TextRange::default(), message);
    finding.severity = (prompts > 0 && !is_named).then_some(Severity::Information);
    finding
}

/// Replies in records of an unknown format; `path` is the first of them.
pub(super) fn unknown_format(records: u64, path: &str) -> Finding {
    let plural = if records == 1 { "1 record has".to_owned() } else { format!("{records} records have") };
    let message = format!("{plural} an unknown format; the first reply is found at `{path}`");
    Finding::new(&UNKNOWN_FORMAT, TextRange::default(), message)
}
