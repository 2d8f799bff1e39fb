//! Descriptions of the behavior of the runtime for a reply.

use piggyback::envelope::account::spaced;
use piggyback::envelope::runtime::{DecodeFailure, DropReason, RuntimeReading, Stage, Warning};

/// The extraction stage of the reply: P1 to P5.
pub(super) fn stage_word(reading: &Result<RuntimeReading, DecodeFailure>) -> &'static str {
    match reading.as_ref().map(|reading| reading.stage) {
        Ok(Stage::Whole | Stage::Stream) => "P1",
        Ok(Stage::Fenced) => "P2",
        Ok(Stage::EmbeddedRich | Stage::EmbeddedOther) => "P3",
        Ok(Stage::Fallback) => "P4",
        Err(_) => "P5",
    }
}

/// The reason why a text is not an envelope, as the end of a sentence.
pub(super) fn failure_words(failure: &DecodeFailure) -> String {
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
pub(super) fn drop_word(reason: &DropReason) -> &'static str {
    match reason {
        DropReason::Empty => "empty",
        DropReason::Long => "long",
        DropReason::Syntax(_) => "syntax",
        DropReason::Meta(_) => "meta",
    }
}

/// The reason of a lost update as the end of a sentence.
pub(super) fn drop_reason(word: &str) -> &'static str {
    match word {
        "empty" => "it is empty",
        "long" => "it is too long",
        "syntax" => "it has no `(`, or no full stop at its end",
        "meta" => "it has one of the characters ` $ ; |",
        _ => "there are too many",
    }
}

/// The text of a warning of the runtime.
pub(super) fn warning_words(warning: &Warning) -> String {
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
