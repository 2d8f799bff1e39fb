//! What the runtime makes of replies, as output: a record in JSON, stage by stage as text, the two channels.

mod channels;
mod difference;
mod explain;
mod extraction;
mod figures;
mod parsed;
mod repair;
mod words;

pub use channels::Channels;
pub use difference::{ReplyComparison, ReplyComparisonSummary, ReplyDifference, reply_differences};
pub use explain::explained;
pub use extraction::extracted;
pub use figures::{figures_json, figures_prometheus, figures_text};
pub use parsed::{parsed, parsed_text};
pub use repair::{Attempt, Repair};

use std::ops::Range;

use serde_json::Value;

use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::Reply;
use piggyback::envelope::account::AccountEntry;
use piggyback::envelope::secrets::{are_shown, redacted_of};
use piggyback::transcript::{Record, Turn};

/// A reply in its transcript.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptReply<'a> {
    /// What output calls the file.
    pub file: &'a str,
    /// The record that it stands in.
    pub record: &'a Record<'a>,
    /// The turn that it is.
    pub turn: &'a Turn,
    pub reply: &'a Reply<'a>,
    /// What became of its updates.
    pub account: &'a [AccountEntry],
}

impl TranscriptReply<'_> {
    /// Bytes of the reply as bytes of the file.
    fn place(&self, range: Range<usize>) -> [u64; 2] {
        let range = TextRange::new(size(range.start), size(range.end.max(range.start)));
        let place = self.turn.place(range);
        [place.start(), place.end()].map(|offset| self.record.start + u64::from(u32::from(offset)))
    }
}

/// A value with its secrets masked, keys apart, unless output shows them.
#[must_use]
pub fn without_secrets(value: Value) -> Value {
    if are_shown() { value } else { redacted_value("", value) }
}

/// A value that is called `name`.
fn redacted_value(name: &str, value: Value) -> Value {
    match value {
        Value::String(text) => redacted_of(name, &text).into_owned().into(),
        Value::Array(values) => values.into_iter().map(|value| redacted_value(name, value)).collect(),
        Value::Object(members) => {
            // `{"key": "db_password", "value": "…"}`
            let key = members.get("key").and_then(Value::as_str).unwrap_or("value").to_owned();
            let redact = |(name, value): (String, Value)| {
                let said = if name == "value" { key.as_str() } else { name.as_str() };
                let value = redacted_value(said, value);
                (name, value)
            };
            members.into_iter().map(redact).collect()
        }
        other => other,
    }
}
