//! A session as lines of JSON, the form that transcripts are read in, and the way back from a byte of a line to a byte of a text. The text of
//! a turn becomes a string in its line; a record is a line as it is.

use std::sync::Arc;

use piggyback::transcript::MAX_RECORD_LEN;

use super::Session;

/// What a line begins with, in front of the role.
const ROLE: &str = "{\"role\":";

/// What is between the role and the text.
const CONTENT: &str = ",\"content\":";

/// A session as lines of JSON, one for each turn.
#[derive(Debug)]
pub(super) struct SessionLines {
    /// All lines.
    pub(super) bytes: Arc<[u8]>,
    /// Where each line begins, and where the string of its text does.
    starts: Vec<LineStart>,
    form: TurnForm,
}

/// What the text of a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnForm {
    /// What is said.
    Said,
    /// A record of a log, in JSON: who speaks and what is said is in it.
    Record,
}

#[derive(Debug, Clone, Copy)]
struct LineStart {
    line: usize,
    text: usize,
}

/// A byte of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextPlace {
    /// The index of the turn in its session.
    pub(super) turn: usize,
    /// The byte in the text of the turn.
    pub(super) offset: usize,
}

/// The longest text that is written into a line. A longer one makes its record too long whatever follows, so the rest of it changes
/// nothing and is not copied.
const LONGEST_TEXT: usize = MAX_RECORD_LEN + 1;

impl SessionLines {
    pub(super) fn of(session: &Session<'_>, form: TurnForm) -> Self {
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for turn in &session.turns {
            let line = bytes.len();
            let text = turn.text.get(..LONGEST_TEXT).unwrap_or(turn.text);
            let start = match form {
                TurnForm::Said => said(turn.role, text, &mut bytes),
                TurnForm::Record => record(text, &mut bytes),
            };
            starts.push(LineStart { line, text: start });
        }
        Self { bytes: bytes.into(), starts, form }
    }

    /// The place in the texts of a byte of the lines; of one outside of every text, the start of its turn's text.
    pub(super) fn place(&self, at: usize) -> Option<TextPlace> {
        let turn = self.starts.partition_point(|start| start.line <= at).checked_sub(1)?;
        let start = self.starts.get(turn)?;
        let text = self.bytes.get(start.text..at.max(start.text))?;
        let offset = match self.form {
            // The string begins with a quote.
            TurnForm::Said => unescaped(text.get(1..).unwrap_or_default()),
            TurnForm::Record => text.len(),
        };
        Some(TextPlace { turn, offset })
    }

    /// The index of the turn that a line is of, counted from 1.
    pub(super) fn turn_of_line(&self, line: u64) -> Option<usize> {
        let turn = usize::try_from(line).ok()?.checked_sub(1)?;
        (turn < self.starts.len()).then_some(turn)
    }
}

/// Writes the line of what is said; gives where the string of the text begins.
fn said(role: &str, text: &[u8], bytes: &mut Vec<u8>) -> usize {
    bytes.extend_from_slice(ROLE.as_bytes());
    bytes.extend_from_slice(&json(role.as_bytes()));
    bytes.extend_from_slice(CONTENT.as_bytes());
    let start = bytes.len();
    bytes.extend_from_slice(&json(text));
    bytes.extend_from_slice(b"}\n");
    start
}

/// Writes a record as a line; gives where it begins. In JSON a line can only end between tokens, where a space is as good.
fn record(text: &[u8], bytes: &mut Vec<u8>) -> usize {
    let start = bytes.len();
    bytes.extend(text.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    bytes.push(b'\n');
    start
}

/// A text as a string of JSON. What is not UTF-8 stays as it is.
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

/// How many bytes of a text the bytes of its JSON string stand for.
fn unescaped(string: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < string.len() {
        // Only characters of one byte are escaped.
        at += match (string.get(at), string.get(at + 1)) {
            (Some(b'\\'), Some(b'u')) => 6,
            (Some(b'\\'), _) => 2,
            _ => 1,
        };
        count += 1;
    }
    count
}
