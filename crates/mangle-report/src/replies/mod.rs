//! Reports about the parsing of replies: JSON records, stages as text, and the two channels.

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

#[derive(Debug, Clone, Copy)]
pub struct TranscriptReply<'a> {
    /// The display name of the file.
    pub file: &'a str,
    pub record: &'a Record<'a>,
    pub turn: &'a Turn,
    pub reply: &'a Reply<'a>,
    /// The outcomes of the updates.
    pub account: &'a [AccountEntry],
}

impl TranscriptReply<'_> {
    /// Converts a range of the reply to a byte range of the file.
    fn place(&self, range: Range<usize>) -> [u64; 2] {
        let range = TextRange::new(size(range.start), size(range.end.max(range.start)));
        let place = self.turn.place(range);
        [place.start(), place.end()].map(|offset| self.record.start + u64::from(u32::from(offset)))
    }
}

/// The value with masked secrets (keys excluded), unless output shows them.
#[must_use]
pub fn without_secrets(value: Value) -> Value {
    if are_shown() { value } else { redacted_value("", value) }
}

/// Masks the secrets in a value of a member with this name.
fn redacted_value(name: &str, value: Value) -> Value {
    match value {
        Value::String(text) => redacted_of(name, &text).into_owned().into(),
        Value::Array(values) => values.into_iter().map(|value| redacted_value(name, value)).collect(),
        Value::Object(members) => {
            // Example: `{"key": "db_password", "value": "…"}`.
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
