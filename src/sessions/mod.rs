//! Checking of many agent sessions in memory, for programs that embed the checker, such as the
//! Python package.
//!
//! [`Checker::load`] reads policies and settings once, and nothing is read from disk afterwards. A
//! [`Session`] is checked, parsed and replayed like a transcript with one record per turn.
//! Positions are relative to the given texts.

mod checker;
mod findings;
mod program;
mod replies;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use piggyback::transcript::MAX_RECORD_LEN;

pub use checker::{Checker, LINE_CONTAINERS, LoadError};
pub use findings::{COLUMNS, Figure, SessionFinding};
pub use program::{PolicyAnswer, PolicyProgram};
pub use replies::{SessionReply, SessionVerdict};

pub use mangle_report::fleet::OriginTime as TurnTime;

/// A complete session of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session<'t> {
    /// The identifier of the caller.
    pub id: String,
    pub turns: Vec<SessionTurn<'t>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTurn<'t> {
    /// The turn number of the caller.
    pub turn: i64,
    /// The role: `assistant`, `user`, `system`, `tool`, or a synonym. A record contains its own
    /// role.
    pub role: &'t str,
    /// The text or a record (`Checker::of_records`). Invalid UTF-8 is reported as in a file.
    pub text: &'t [u8],
    pub labels: TurnLabels<'t>,
}

/// Metadata of a turn for the report about many sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnLabels<'t> {
    pub time: TurnTime,
    /// The model of the reply.
    pub model: Option<&'t str>,
    /// The protocol version, or another value for comparisons. Default: the version for checking
    /// the reply.
    pub version: Option<&'t str>,
    /// The shard of the reply. Default: the shard in the reply.
    pub shard: Option<&'t str>,
}

/// The start of a line before the role.
const ROLE: &str = "{\"role\":";

/// The text between the role and the content.
const CONTENT: &str = ",\"content\":";

/// A session as JSON lines, the format of transcripts, one per turn, with a map from lines to texts.
/// The text of a turn becomes a string in its line. A record becomes a line without changes.
#[derive(Debug)]
struct SessionLines {
    bytes: Arc<[u8]>,
    /// The offsets of each line and of the string with its text.
    starts: Vec<LineStart>,
    form: TurnForm,
}

/// The format of a turn's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnForm {
    /// The text of a message.
    Message,
    /// A JSON record of a log, which contains role and text.
    Record,
}

#[derive(Debug, Clone, Copy)]
struct LineStart {
    line: usize,
    text: usize,
}

/// A byte position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TextPlace {
    turn: usize,
    offset: usize,
}

/// The maximum length of a text that is copied to a line. Longer records are rejected, so the rest
/// of the text has no effect.
const MAX_TEXT_LEN: usize = MAX_RECORD_LEN + 1;

impl SessionLines {
    fn from_session(session: &Session<'_>, form: TurnForm) -> Self {
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for turn in &session.turns {
            let line = bytes.len();
            let text = turn.text.get(..MAX_TEXT_LEN).unwrap_or(turn.text);
            let start = match form {
                TurnForm::Message => message_line(turn.role, text, &mut bytes),
                TurnForm::Record => record(text, &mut bytes),
            };
            starts.push(LineStart { line, text: start });
        }
        Self { bytes: bytes.into(), starts, form }
    }

    /// Maps a byte of the lines to the texts. A byte outside of all texts is mapped to the start of
    /// the text of its turn.
    fn place(&self, at: usize) -> Option<TextPlace> {
        let turn = self.starts.partition_point(|start| start.line <= at).checked_sub(1)?;
        let start = self.starts.get(turn)?;
        let text = self.bytes.get(start.text..at.max(start.text))?;
        let offset = match self.form {
            // Skip the opening quote.
            TurnForm::Message => unescaped(text.get(1..).unwrap_or_default()),
            TurnForm::Record => text.len(),
        };
        Some(TextPlace { turn, offset })
    }

    /// Returns the index of the turn of a line. Lines are counted from 1.
    fn turn_of_line(&self, line: u64) -> Option<usize> {
        let turn = usize::try_from(line).ok()?.checked_sub(1)?;
        (turn < self.starts.len()).then_some(turn)
    }
}

/// Appends the line of a message. Returns the start of the string with its text.
fn message_line(role: &str, text: &[u8], bytes: &mut Vec<u8>) -> usize {
    bytes.extend_from_slice(ROLE.as_bytes());
    bytes.extend_from_slice(&json(role.as_bytes()));
    bytes.extend_from_slice(CONTENT.as_bytes());
    let start = bytes.len();
    bytes.extend_from_slice(&json(text));
    bytes.extend_from_slice(b"}\n");
    start
}

/// Appends a record as a line. Returns its start. Line breaks in JSON occur only between tokens, so
/// they are replaced by spaces.
fn record(text: &[u8], bytes: &mut Vec<u8>) -> usize {
    let start = bytes.len();
    bytes.extend(text.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    bytes.push(b'\n');
    start
}

/// Encodes a text as a JSON string. Invalid UTF-8 is kept.
fn json(text: &[u8]) -> Vec<u8> {
    let mut string = Vec::with_capacity(text.len() + 2);
    string.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' => string.extend([b'\\', *byte]),
            b'\n' => string.extend_from_slice(b"\\n"),
            b'\r' => string.extend_from_slice(b"\\r"),
            b'\t' => string.extend_from_slice(b"\\t"),
            0..=0x1f => string.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => string.push(*byte),
        }
    }
    string.push(b'"');
    string
}

/// Returns the number of decoded bytes of a part of a JSON string.
fn unescaped(string: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < string.len() {
        // Only single-byte characters are escaped.
        at += match (string.get(at), string.get(at + 1)) {
            (Some(b'\\'), Some(b'u')) => 6,
            (Some(b'\\'), _) => 2,
            _ => 1,
        };
        count += 1;
    }
    count
}
