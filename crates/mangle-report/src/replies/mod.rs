//! Reports about the parsing of replies: JSON records, stages as text, and the two channels. Also the
//! descriptions of the behavior of the runtime.

mod channels;
mod difference;
mod figures;
mod parsed;
mod repair;

use std::ops::Range;

use serde_json::Value;

use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, spaced};
use piggyback::envelope::runtime::{DecodeFailure, DropReason, RuntimeReading, Stage, Warning};
use piggyback::envelope::secrets::{are_shown, redacted_of};
use piggyback::transcript::{Record, Turn};

pub use channels::Channels;
pub use difference::{ReplyComparison, ReplyComparisonSummary, ReplyDifference, reply_differences};
pub use figures::{figures_json, figures_prometheus, figures_text};
pub use parsed::{explained, extracted, parsed, parsed_text};
pub use repair::{Attempt, Repair};

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

/// The extraction stage of the reply: P1 to P5.
fn stage_word(reading: &Result<RuntimeReading, DecodeFailure>) -> &'static str {
    match reading.as_ref().map(|reading| reading.stage) {
        Ok(Stage::Whole | Stage::Stream) => "P1",
        Ok(Stage::Fenced) => "P2",
        Ok(Stage::EmbeddedRich | Stage::EmbeddedOther) => "P3",
        Ok(Stage::Fallback) => "P4",
        Err(_) => "P5",
    }
}

/// The reason why a text is not an envelope, as the end of a sentence.
fn failure_words(failure: &DecodeFailure) -> String {
    match failure {
        DecodeFailure::End => "the text ends inside of the JSON".into(),
        DecodeFailure::Syntax(flaw) if flaw.is_end => "the text ends inside of the JSON".into(),
        DecodeFailure::Syntax(flaw) => format!("it is no JSON from its byte {} on", flaw.offset),
        DecodeFailure::Kind { field, found, .. } if found.starts_with("number ") => {
            format!("`{field}` is the {found}, which is too large")
        }
        DecodeFailure::Kind { field, found, .. } if field.is_empty() => {
            format!("it is {}, no object", article(found))
        }
        DecodeFailure::Kind { field, found, .. } => format!("`{field}` is {}", article(found)),
        DecodeFailure::Value { field, .. } => format!("`{field}` has a value without a meaning"),
        DecodeFailure::UnknownKeys(keys) => {
            let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            format!("strict mode rejects the unknown {}", keys.join(", "))
        }
        DecodeFailure::NoSurface => "`surface_response` is missing or empty".into(),
        DecodeFailure::NoIntent => "there is no category or no verb, which the strict mode asks for".into(),
    }
}

fn article(found: &str) -> String {
    match found {
        "null" => "`null`".into(),
        "bool" => "`true` or `false`".into(),
        "array" | "object" => format!("an {found}"),
        _ => format!("a {found}"),
    }
}

/// The code for the reason of a lost update.
fn drop_word(reason: &DropReason) -> &'static str {
    match reason {
        DropReason::Empty => "empty",
        DropReason::Long => "long",
        DropReason::Syntax(_) => "syntax",
        DropReason::Meta(_) => "meta",
    }
}

/// The reason of a lost update as the end of a sentence.
fn drop_reason(word: &str) -> &'static str {
    match word {
        "empty" => "it is empty",
        "long" => "it is too long",
        "syntax" => "it has no `(`, or no full stop at its end",
        "meta" => "it has one of the characters ` $ ; |",
        _ => "there are too many",
    }
}

/// The text of a warning of the runtime.
fn warning_words(warning: &Warning) -> String {
    match warning {
        Warning::Extracted => "the envelope was taken out of mixed text".into(),
        Warning::Fallback => "there is no valid JSON; the text itself is shown".into(),
        Warning::Recovered => "the surface of an incomplete envelope is shown".into(),
        Warning::CutOff => "the reply was cut off before its surface; a message is shown".into(),
        Warning::SelfCorrection(hypothesis) => format!("the model corrects itself: {hypothesis}"),
        Warning::SurfaceCut => "the surface was cut".into(),
        Warning::UpdatesCut => "updates at the end were lost".into(),
        Warning::Update(DropReason::Meta(characters)) => {
            format!("an update was dropped: it has one of the characters {}", spaced(characters))
        }
        Warning::Update(reason) => format!("an update was dropped: {}", drop_reason(drop_word(reason))),
        Warning::MemoryCut => "memory operations at the end were lost".into(),
        Warning::TraceCut => "the reasoning trace was cut".into(),
        Warning::ToolsCut => "tool requests at the end were lost".into(),
        Warning::KnowledgeCut => "knowledge requests at the end were lost".into(),
    }
}
