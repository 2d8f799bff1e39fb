//! What is wrong with a container, before anybody looks at the replies in it: `PB040` to `PB047`.

use crate::envelope::json::{Json, ProblemKind};
use mangle_syntax::lint::{Finding, Fix, FixKind, Group, Rule, Severity};
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
pub static PREVIEW_ONLY: Rule = Rule {
    code: "PB040",
    name: "preview-only",
    group: Group::Replies,
    severity: Some(Severity::Information),
    summary: "A log holds only the beginning of a reply.",
    rationale: "The runtime logs the first 200 or 300 bytes of a reply, and `...`. What was cut off cannot be \
                judged, so the entry is passed over. Log the whole reply to have it checked.",
    bad: "#- session.log\n2026/03/01 12:00:00.000000 [DEBUG] Raw response preview: {\"control_packet\":{\"inte...\n",
    good: "#- session.log\n2026/03/01 12:00:00.000000 [DEBUG] Raw LLM Response: {\"control_packet\":\
           {\"intent_classification\":{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"parser\",\
           \"constraint\":\"none\",\"confidence\":0.9},\"mangle_updates\":[],\"memory_operations\":[]},\
           \"surface_response\":\"It reads tokens.\"}\n",
    fix: FixKind::None,
};

/// A line that is no record.
pub static BAD_RECORD: Rule = Rule {
    code: "PB041",
    name: "bad-record",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "A record of a transcript cannot be read.",
    rationale: "A line that is not one JSON value, or is longer than 16 MiB, holds no turn that could be found. It \
                is passed over, and reading goes on behind it.",
    bad: "#- session.jsonl\n{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"he\n",
    good: "#- session.jsonl\n{\"role\":\"user\",\"content\":\"hi\"}\n",
    fix: FixKind::None,
};

/// Records of several kinds in one file.
pub static MIXED_CONTAINER: Rule = Rule {
    code: "PB042",
    name: "mixed-container",
    group: Group::Replies,
    severity: Some(Severity::Information),
    summary: "A file holds records of several shapes.",
    rationale: "Envelopes, chat records and traces in one file are all read, but a runtime that reads only one kind \
                misses the others, and what belongs to which turn is guessed.",
    bad: "#- session.jsonl\n{\"role\":\"user\",\"content\":\"hi\"}\n{\"control_packet\":{\"intent_classification\":\
          {\"category\":\"/query\",\"verb\":\"/greet\",\"target\":\"none\",\"constraint\":\"none\",\
          \"confidence\":1},\"mangle_updates\":[],\"memory_operations\":[]},\"surface_response\":\"Hello.\"}\n",
    good: "#- session.jsonl\n{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"user\",\"content\":\"hello?\"}\n",
    fix: FixKind::None,
};

/// A fence without its end.
pub static OPEN_FENCE: Rule = Rule {
    code: "PB043",
    name: "open-fence",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "A fence with an envelope is never closed.",
    rationale: "Markdown ends such a fence at the end of the file, so all text behind the envelope is read as part \
                of the reply.",
    bad: "#- session.md\n```piggyback\n{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\
          \"verb\":\"/greet\",\"target\":\"none\",\"constraint\":\"none\",\"confidence\":1},\
          \"mangle_updates\":[],\"memory_operations\":[]},\"surface_response\":\"Hello.\"}\n",
    good: "#- session.md\n```piggyback\n{\"control_packet\":{\"intent_classification\":{\"category\":\"/query\",\
           \"verb\":\"/greet\",\"target\":\"none\",\"constraint\":\"none\",\"confidence\":1},\
           \"mangle_updates\":[],\"memory_operations\":[]},\"surface_response\":\"Hello.\"}\n```\n",
    fix: FixKind::Safe,
};

/// Bytes that are no text.
pub static INVALID_UTF8: Rule = Rule {
    code: "PB044",
    name: "record-invalid-utf8",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "A transcript holds bytes that are no UTF-8.",
    rationale: "The runtime's decoder puts one U+FFFD in the place of each byte of a string that belongs to no \
                character, so what is stored differs from what was sent. Outside of strings such a byte makes the \
                whole envelope unreadable.",
    bad: "#- session.txt (with \\xHH for a byte)\n{\"control_packet\":{\"intent_classification\":{\"category\":\
          \"/query\",\"verb\":\"/greet\",\"target\":\"none\",\"constraint\":\"none\",\"confidence\":1},\
          \"mangle_updates\":[],\"memory_operations\":[]},\"surface_response\":\"Caf\\xE9\"}\n",
    good: "#- session.txt (with \\xHH for a byte)\n{\"control_packet\":{\"intent_classification\":{\"category\":\
           \"/query\",\"verb\":\"/greet\",\"target\":\"none\",\"constraint\":\"none\",\"confidence\":1},\
           \"mangle_updates\":[],\"memory_operations\":[]},\"surface_response\":\"Caf\\xC3\\xA9\"}\n",
    fix: FixKind::None,
};

/// A transcript in which nothing is a reply.
pub static NO_REPLY_FOUND: Rule = Rule {
    code: "PB045",
    name: "no-reply-found",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "A transcript holds no reply that is recognised.",
    rationale: "A file without findings should be a file whose replies were read. In this one there is none, or its \
                format is not known, so nothing was checked. Name the format with `--container`, or describe it with \
                `[[transcripts.shape]]`.",
    bad: "#- session.json\n{\"event\":\"done\",\"summary\":\"Greeted the user.\"}\n",
    good: "#- session.json\n{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":{\\\"intent_classification\\\":{\\\"category\\\":\\\"/query\\\",\\\"verb\\\":\\\"/greet\\\",\\\"target\\\":\\\"none\\\",\\\"constraint\\\":\\\"none\\\",\\\"confidence\\\":1},\\\"mangle_updates\\\":[],\\\"memory_operations\\\":[]},\\\"surface_response\\\":\\\"Hello.\\\"}\"}\n",
    fix: FixKind::None,
};

/// A reply without a text.
pub static EMPTY_REPLY: Rule = Rule {
    code: "PB046",
    name: "empty-reply",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "A reply of the model has no text.",
    rationale: "The runtime shows nothing to the user and keeps nothing of such a reply. The model was cut off, refused, or \
                the text was lost when it was logged.",
    bad: "#- session.jsonl\n{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"\"}\n",
    good: "#- session.jsonl\n{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":{\\\"intent_classification\\\":{\\\"category\\\":\\\"/query\\\",\\\"verb\\\":\\\"/greet\\\",\\\"target\\\":\\\"none\\\",\\\"constraint\\\":\\\"none\\\",\\\"confidence\\\":1},\\\"mangle_updates\\\":[],\\\"memory_operations\\\":[]},\\\"surface_response\\\":\\\"Hello.\\\"}\"}\n",
    fix: FixKind::None,
};

/// Replies in records of an unknown format.
pub static UNKNOWN_FORMAT: Rule = Rule {
    code: "PB047",
    name: "unknown-format",
    group: Group::Replies,
    severity: Some(Severity::Information),
    summary: "Replies are found by their keys only, because the format of the transcript is not known.",
    rationale: "Texts and objects with the keys of an envelope are read as replies. Replies without an envelope are not \
                found in such a file, and prompts are not told from replies. Describe the format with `[[transcripts.shape]]`.",
    bad: "#- session.json\n{\"event\":\"model_done\",\"result_of_step\":{\"raw\":\"{\\\"control_packet\\\":{\\\"intent_classification\\\":{\\\"category\\\":\\\"/query\\\",\\\"verb\\\":\\\"/greet\\\",\\\"target\\\":\\\"none\\\",\\\"constraint\\\":\\\"none\\\",\\\"confidence\\\":1},\\\"mangle_updates\\\":[],\\\"memory_operations\\\":[]},\\\"surface_response\\\":\\\"Hello.\\\"}\"}}\n",
    good: "#- session.json\n{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":{\\\"intent_classification\\\":{\\\"category\\\":\\\"/query\\\",\\\"verb\\\":\\\"/greet\\\",\\\"target\\\":\\\"none\\\",\\\"constraint\\\":\\\"none\\\",\\\"confidence\\\":1},\\\"mangle_updates\\\":[],\\\"memory_operations\\\":[]},\\\"surface_response\\\":\\\"Hello.\\\"}\"}\n",
    fix: FixKind::None,
};

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
fn detail(problem: ProblemKind) -> &'static str {
    match problem {
        ProblemKind::NoValue => "a value is missing",
        ProblemKind::NoComma => "a comma is missing",
        ProblemKind::ExtraComma => "there is a comma too many",
        ProblemKind::NoColon => "a colon is missing",
        ProblemKind::NoKey => "a key is missing",
        ProblemKind::Word => "a word that is no JSON",
        ProblemKind::BadNumber => "a number that is no JSON",
        ProblemKind::SingleQuotes => "a string in single quotes",
        ProblemKind::RawControl => "a control character in a string",
        ProblemKind::BadEscape => "an escape that JSON does not have",
        ProblemKind::Comment => "a comment",
        ProblemKind::Stray => "bytes that begin nothing",
        ProblemKind::WrongBracket => "a bracket that closes nothing",
        ProblemKind::Unclosed => "it ends inside a value that begins",
        ProblemKind::TooDeep => "it is nested too deeply",
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
