//! Rules about containers and their findings: `PB040` to `PB047`, `PB049`, `PB050`.

use super::sketch;
use super::turn::NonReplyPlace;
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
    &NOT_A_REPLY,
    &REPLY_NOT_READ,
];

/// Rule: a log contains only a preview of a reply.
pub static PREVIEW_ONLY: Rule = rule!("preview-only.md");

/// Rule: a line or part is not a valid record.
pub static BAD_RECORD: Rule = rule!("bad-record.md");

/// Rule: a file mixes records of several formats.
pub static MIXED_CONTAINER: Rule = rule!("mixed-container.md");

/// Rule: a code fence is never closed.
pub static OPEN_FENCE: Rule = rule!("open-fence.md");

/// Rule: a record contains bytes that are not UTF-8.
pub static INVALID_UTF8: Rule = rule!("record-invalid-utf8.md");

/// Rule: a transcript contains no reply.
pub static NO_REPLY_FOUND: Rule = rule!("no-reply-found.md");

/// Rule: a reply is empty.
pub static EMPTY_REPLY: Rule = rule!("empty-reply.md");

/// Rule: replies are in records of an unknown format.
pub static UNKNOWN_FORMAT: Rule = rule!("unknown-format.md");

/// Rule: an envelope is in a place that is not a reply.
pub static NOT_A_REPLY: Rule = rule!("not-a-reply.md");

/// Rule: envelopes of a record are not read.
pub static REPLY_NOT_READ: Rule = rule!("reply-not-read.md");

pub(super) fn not_a_reply(range: TextRange, place: NonReplyPlace) -> Finding {
    Finding::new(&NOT_A_REPLY, range, format!("envelope in {} is not a reply", place.place()))
        .note("nothing in it is asserted, and no request in it is evaluated")
}

/// Creates a finding for envelopes that are not read because of nesting or number. `range` is the
/// first one.
pub(super) fn too_many(range: TextRange, count: usize) -> Finding {
    let headline = match count {
        1 => "an envelope of the record is not read".to_owned(),
        _ => format!("{count} envelopes of the record are not read"),
    };
    Finding::new(&REPLY_NOT_READ, range, headline)
        .note("they are nested too deeply, or the record has too many")
        .help("split the record, or describe its format with `[[transcripts.shape]]`")
}

/// Creates a finding for a reply that only refers to a missing attachment.
pub(super) fn lost_attachment(range: TextRange) -> Finding {
    Finding::new(&REPLY_NOT_READ, range, "reply is a reference to an attachment that is missing")
        .note("the record has no text with this name in `attachments`")
        .help("export the record with its attachments")
}

pub(super) fn preview(range: TextRange) -> Finding {
    Finding::new(&PREVIEW_ONLY, range, "only the beginning of a reply was logged")
        .note("the entry is not checked, because its reply is cut off")
        .help("log the whole reply")
}

/// Note for records that cannot be read.
const UNREAD: &str = "its turns are not checked; reading continues after it";

/// Creates a finding for invalid JSON in a record. `part` is the name of the part.
pub(super) fn bad_record(json: &Json<'_>, range: TextRange, part: &str) -> Finding {
    let (detail, at) = match json.problems.first() {
        Some(problem) => (detail(problem.kind), problem.range.start()),
        None => ("text follows its end", json.end()),
    };
    Finding::new(&BAD_RECORD, range, format!("{part} is not valid JSON: {detail}"))
        .label(format!("at byte {}", u32::from(at)))
        .note(UNREAD)
}

/// Returns a description of a JSON problem, to follow a colon.
fn detail(problem: JsonProblemKind) -> &'static str {
    match problem {
        JsonProblemKind::NoValue => "a value is missing",
        JsonProblemKind::NoComma => "a comma is missing",
        JsonProblemKind::ExtraComma => "an extra comma",
        JsonProblemKind::NoColon => "a colon is missing",
        JsonProblemKind::NoKey => "a key is missing",
        JsonProblemKind::Word => "an unknown word",
        JsonProblemKind::BadNumber => "a malformed number",
        JsonProblemKind::SingleQuotes => "a string in single quotes",
        JsonProblemKind::WrongQuote => "a quote that is not `\"`",
        JsonProblemKind::UnescapedQuote => "a quote inside a string without a backslash",
        JsonProblemKind::NoQuote => "a quote is missing",
        JsonProblemKind::WrongSpace => "white space that JSON does not allow",
        JsonProblemKind::WrongSign => "a sign of another script",
        JsonProblemKind::NoBracket => "a bracket is missing",
        JsonProblemKind::RawControl => "a control character in a string",
        JsonProblemKind::BadEscape => "an unknown escape",
        JsonProblemKind::Comment => "a comment",
        JsonProblemKind::Stray => "unexpected text",
        JsonProblemKind::WrongBracket => "an unmatched bracket",
        JsonProblemKind::Unclosed => "a value is never closed",
        JsonProblemKind::TooDeep => "values are nested too deeply",
    }
}

/// Creates a finding for a record that is valid JSON, but not an object.
pub(super) fn no_object(range: TextRange) -> Finding {
    Finding::new(&BAD_RECORD, range, "record is not a JSON object").note(UNREAD)
}

/// Creates a finding for a record that is longer than `limit` bytes. `range` is the known part.
pub(super) fn too_long(range: TextRange, limit: usize) -> Finding {
    Finding::new(&BAD_RECORD, range, format!("record is longer than {} MiB", limit >> 20)).note(UNREAD)
}

pub(super) fn open_fence(range: TextRange, end: TextSize, closing: String) -> Finding {
    Finding::new(&OPEN_FENCE, range, "fence is never closed")
        .note("all text after it is read as part of the reply")
        .fix(Fix::safe("close the fence at the end of the file").insert(end, closing))
}

/// Returns a finding at the first invalid byte of a record, or `None` if the record is UTF-8.
pub(super) fn invalid_utf8(bytes: &[u8]) -> Option<Finding> {
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return None;
    }
    let error = std::str::from_utf8(bytes).err()?;
    let start = error.valid_up_to();
    let rest = bytes.get(start..).unwrap_or(&[]);
    let count: usize = rest.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let len = error.error_len().unwrap_or(rest.len());
    let (message, first) = match count {
        1 => ("a byte of the record is not UTF-8".to_owned(), ""),
        _ => (format!("{count} bytes of the record are not UTF-8"), "first "),
    };
    let finding = Finding::new(&INVALID_UTF8, TextRange::at(size(start), size(len)), message)
        .label(format!("{first}at byte {start}"))
        .note("the runtime reads each such byte as U+FFFD");
    Some(finding)
}

/// Creates a finding for a file that is not text. `kind` is a description of its type.
pub(super) fn binary(kind: &str) -> Finding {
    let finding =
        Finding::new(&BAD_RECORD, TextRange::default(), format!("file is {kind}, not a transcript"))
            .note("nothing of it is checked");
    if kind == sketch::UTF_16 { finding.help("save it as UTF-8") } else { finding }
}

pub(super) fn empty_reply(range: TextRange) -> Finding {
    Finding::new(&EMPTY_REPLY, range, "reply is empty").note("the runtime shows nothing and stores nothing")
}

pub(super) fn empty_file() -> Finding {
    Finding::new(&EMPTY_REPLY, TextRange::default(), "transcript is empty")
        .note("it has no reply that can be checked")
}

/// Creates a finding for a file without a reply.
///
/// `prompts` is the number of prompts, `first` a description of the first record, and `tried` the
/// list of known formats. If the file was not named explicitly and has prompts, the severity is
/// information.
pub(super) fn no_reply(prompts: u64, is_named: bool, first: &str, tried: &str) -> Finding {
    let message = match prompts {
        0 => "no reply found in this transcript".to_owned(),
        1 => "transcript has 1 prompt and no reply".to_owned(),
        _ => format!("transcript has {prompts} prompts and no reply"),
    };
    let mut finding = Finding::new(&NO_REPLY_FOUND, TextRange::default(), message);
    finding = match prompts {
        0 => finding
            .note(format!("the first record is {first}"))
            .note(format!("known formats: {tried}"))
            .help("name the format with `--container`, or describe it with `[[transcripts.shape]]`"),
        _ => finding.note("only replies are checked"),
    };
    finding.severity = (prompts > 0 && !is_named).then_some(Severity::Information);
    finding
}

/// Replies in records of an unknown format; `path` is the first of them.
pub(super) fn unknown_format(records: u64, path: &str) -> Finding {
    let plural = if records == 1 { "1 record has".to_owned() } else { format!("{records} records have") };
    Finding::new(&UNKNOWN_FORMAT, TextRange::default(), format!("{plural} an unknown format"))
        .note(format!("the first reply is at `{path}`"))
        .note("only replies with the keys of an envelope are found")
        .help("describe the format with `[[transcripts.shape]]`")
}
