//! Emulation of the reference runtime, including its bugs.
//!
//! Input: the bytes of a reply. Output: the parsing stage, the accepted parts and the dropped parts
//! ([`read`]). All rules follow the behavior recorded in `tests/conformance/envelopes`.
//!
//! The stages are the whole text, the text without fences, embedded objects, and plain text.

mod caps;
mod decode;
mod fact;
mod filter;
mod go;
mod live;
mod packet;
mod payload;
mod record;
mod scan;
mod shell;

pub use caps::{
    CappedPacket, DropReason, Placeholders, Warning, is_placeholder, lacks_full_stop, reason, reason_in,
    shell_characters,
};
pub use decode::{AnyValue, LenientMember, List, Mismatch, names};
pub use fact::{RuntimeFact, Value, becomes_name, has_extension, is_constant, is_variable};
pub use filter::{
    FilterProgram, FilterVerdict, ReadUpdate, accepts, built_in, consumer_of, consumers, is_host_witness,
    is_requested, lists_predicate, parsed_text, refusal, shell_text, stops_the_engine,
};
pub use go::{go_quoted, lower_case};
pub use live::{LiveChannel, live};
pub use mangle_settings::Caps;
pub use packet::{
    Envelope, Feedback, Intent, Knowledge, MemoryOperation, Packet, SelfCorrection, Tool, fits_leniently,
};
pub use payload::{GateCall, action, go_float, payload, target};
pub use record::{failure_record, live_record, record, update_record};
pub use scan::candidates;
pub(super) use scan::each_candidate;
pub use shell::{ShellEffect, command, effect, is_shell_tool, shell_refusal};

use std::borrow::Cow;
use std::ops::Range;

use super::json::{self, Flaw, Json, JsonKind};
use super::profile;
use decode::{Decode, DecodeContext, DecodeError};
use go::trim;
use mangle_settings::Runtime;
use mangle_settings::versions::runtime::Decoding;
use mangle_syntax::text::{TextRange, size};

/// The minimum length in bytes of an object with a surface: `{"surface_response":"a"}`.
const MIN_LEN: usize = 24;

/// The stage that found an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The whole reply is an envelope (P1).
    Whole,
    /// The envelope begins at the first brace (P1).
    Stream,
    /// The envelope was found after code fences were removed (P2).
    Fenced,
    /// The envelope is an object with both keys in mixed text (P3).
    EmbeddedRich,
    /// The envelope is another object in mixed text (P3).
    EmbeddedOther,
    /// No envelope was found, so the reply text is shown (P4).
    Fallback,
}

/// The envelope that the runtime accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedEnvelope {
    /// The byte range of the envelope in the reply.
    pub range: Range<usize>,
    /// The decoded packet, truncated to the size limits.
    pub packet: Packet,
    /// The lists and texts that remain after the size limits.
    pub kept: CappedPacket,
}

impl AcceptedEnvelope {
    /// The reasoning trace. May be invalid UTF-8 if it was truncated.
    #[must_use]
    pub fn trace(&self) -> Cow<'_, [u8]> {
        self.kept.trace.as_deref().map_or_else(|| self.packet.trace.as_bytes().into(), Into::into)
    }
}

/// The result of the runtime for a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct RuntimeReading {
    /// The stage that found the envelope.
    pub stage: Stage,
    /// The accepted envelope. `None` if the reply text is shown.
    pub accepted: Option<AcceptedEnvelope>,
    /// The shown text. May be invalid UTF-8 if it was truncated.
    pub surface: Vec<u8>,
    /// The warnings of the runtime, in order.
    pub warnings: Vec<Warning>,
    /// The parts that the runtime drops because they repeat an example of the prompt.
    pub placeholders: Placeholders,
    /// True if the surface comes from an incomplete envelope.
    pub is_salvaged: bool,
}

impl RuntimeReading {
    /// The text that the user finally sees.
    #[must_use]
    pub fn visible_text(&self) -> &[u8] {
        if self.placeholders.surface { &[] } else { &self.surface }
    }
}

impl Stage {
    /// The confidence of the runtime in this stage.
    #[must_use]
    pub fn confidence(self) -> f64 {
        match self {
            Self::Whole | Self::Stream => 1.0,
            Self::Fenced => 0.95,
            Self::EmbeddedRich | Self::EmbeddedOther => 0.85,
            Self::Fallback => 0.5,
        }
    }

    /// The name of the stage in the runtime.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Whole | Self::Stream => "json",
            Self::Fenced => "json_markdown",
            Self::EmbeddedRich | Self::EmbeddedOther => "json_extracted",
            Self::Fallback => "fallback",
        }
    }
}

/// The reason for an envelope that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeFailure {
    /// A JSON syntax error. The offset is relative to the start of the decoded text.
    Syntax(Flaw),
    /// The text ends inside the value that begins at the first brace.
    End,
    /// A value of the wrong kind.
    Kind {
        /// The path without array indices, for example `control_packet.mangle_updates`.
        field: String,
        /// The actual value, for example `array` or `number 1e999`.
        found: String,
        /// The byte range of the value in the reply.
        range: Range<usize>,
    },
    /// A member that accepts several kinds of values has an invalid value.
    Value {
        /// The member.
        member: LenientMember,
        /// The path, for example `control_packet.intent_classification.confidence`.
        field: String,
        /// The byte range of the value in the reply.
        range: Range<usize>,
    },
    /// Unknown keys in strict mode. The runtime reports one of them at random.
    UnknownKeys(Vec<String>),
    /// The surface is missing or empty.
    NoSurface,
    /// The category or verb is missing although both are required.
    NoIntent,
}

/// Parses a reply as the runtime does.
///
/// # Errors
/// Only if [`Caps::strict`] requires a valid envelope: the failure of the first attempt.
pub fn read(raw: &[u8], caps: &Caps) -> Result<RuntimeReading, DecodeFailure> {
    read_keeping(raw, caps).map(|(reading, _)| reading)
}

/// Parses a reply like [`read`], and also returns the JSON of the accepted envelope.
pub(in crate::envelope) fn read_keeping<'t>(
    raw: &'t [u8],
    caps: &Caps,
) -> Result<(RuntimeReading, Option<Json<'t>>), DecodeFailure> {
    let kept = |(reading, json)| (reading, Some(json));
    let first = match attempt(raw, 0..raw.len(), caps) {
        Ok((stage, found)) => return Ok(kept(accepted(stage, found, caps))),
        Err(failure) => failure,
    };
    if caps.fenced
        && let Ok((_, found)) = attempt(raw, without_fences(raw), caps)
    {
        return Ok(kept(accepted(Stage::Fenced, found, caps)));
    }
    let (mut rich, mut other) = (Vec::new(), Vec::new());
    each_candidate(raw, caps, &mut |object| {
        let text = raw.get(object.clone()).unwrap_or(&[]);
        match text.len() >= MIN_LEN {
            true if is_rich(text) => rich.push(object),
            true => other.push(object),
            false => {}
        }
    });
    for (stage, objects) in [(Stage::EmbeddedRich, rich), (Stage::EmbeddedOther, other)] {
        for object in objects.into_iter().rev() {
            if let Ok((_, found)) = attempt(raw, object, caps) {
                return Ok(kept(accepted(stage, found, caps)));
            }
        }
    }
    if caps.strict { Err(first) } else { Ok((fallback(raw, caps), None)) }
}

/// Parses a reply like [`read_keeping`], if the whole reply is one parsed value and a valid
/// envelope.
pub(in crate::envelope) fn read_tree<'t>(json: Json<'t>, caps: &Caps) -> Option<(RuntimeReading, Json<'t>)> {
    let range = 0..json.text().len();
    let is_bare = json.is_valid_to_the_end() && json.range(json.root()) == TextRange::up_to(size(range.end));
    let envelope = is_bare.then(|| decode(&json, caps.runtime).ok()).flatten()?;
    packet::check_keys(&json, caps).ok()?;
    accept(&envelope, caps).ok()?;
    Some(accepted(Stage::Whole, (range, json, envelope), caps))
}

/// The results of the first two attempts to decode a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempts {
    /// The attempt to decode the whole reply.
    pub whole: Result<(), DecodeFailure>,
    /// The attempt to decode from the first brace. `None` if it was not made or no brace exists.
    pub stream: Option<Result<(), DecodeFailure>>,
}

/// Tries to decode a reply from its start, then from its first brace. The shown text is ignored.
#[must_use]
pub fn attempts(raw: &[u8], runtime: Runtime) -> Attempts {
    let caps = Caps { runtime, ..Caps::default() };
    let part = trim(raw, 0..raw.len());
    let whole = decode_from_start(raw, part.clone(), &caps).map(drop);
    let brace = raw.get(part.clone()).and_then(|text| memchr::memchr(b'{', text));
    let stream = match (&whole, brace) {
        (Err(_), Some(brace)) => Some(decode_first_value(raw, part.start + brace..part.end, &caps).map(drop)),
        _ => None,
    };
    Attempts { whole, stream }
}

/// The byte range in the reply, its JSON, and the decoded envelope.
type DecodedEnvelope<'t> = (Range<usize>, Json<'t>, Envelope);

/// Decodes a part of a reply as a whole, or one value from its first brace.
fn attempt<'t>(
    raw: &'t [u8],
    part: Range<usize>,
    caps: &Caps,
) -> Result<(Stage, DecodedEnvelope<'t>), DecodeFailure> {
    let part = trim(raw, part);
    let (stage, found) = match decode_from_start(raw, part.clone(), caps) {
        Ok(found) => (Stage::Whole, found),
        Err(failure) => {
            let brace = raw.get(part.clone()).and_then(|text| memchr::memchr(b'{', text));
            let Some(start) = brace.map(|brace| part.start + brace) else { return Err(failure) };
            let Ok(found) = decode_first_value(raw, start..part.end, caps) else { return Err(failure) };
            (Stage::Stream, found)
        }
    };
    accept(&found.2, caps)?;
    Ok((stage, found))
}

/// Decodes a text from its start.
fn decode_from_start<'t>(
    raw: &'t [u8],
    part: Range<usize>,
    caps: &Caps,
) -> Result<DecodedEnvelope<'t>, DecodeFailure> {
    match caps.runtime.decoding {
        Decoding::WholeText => decode_whole_text(raw, part, caps),
        Decoding::FirstValue => decode_first_value(raw, part, caps),
    }
}

/// Decodes a text that consists of one value.
fn decode_whole_text<'t>(
    raw: &'t [u8],
    part: Range<usize>,
    caps: &Caps,
) -> Result<DecodedEnvelope<'t>, DecodeFailure> {
    let json = Json::parse_part(raw, part.clone());
    let text = raw.get(part.clone()).unwrap_or(&[]);
    // JSON without problems is valid. For other texts, Go's error offset differs from the problem
    // range.
    if !json.is_valid_to_the_end() {
        json::whole(text).map_err(DecodeFailure::Syntax)?;
    }
    packet::check_keys(&json, caps)?;
    let envelope = decode(&json, caps.runtime)?;
    Ok((part, json, envelope))
}

/// Decodes the first value of a text.
fn decode_first_value<'t>(
    raw: &'t [u8],
    part: Range<usize>,
    caps: &Caps,
) -> Result<DecodedEnvelope<'t>, DecodeFailure> {
    let text = raw.get(part.clone()).unwrap_or(&[]);
    let failure = |flaw: Flaw| if flaw.is_end { DecodeFailure::End } else { DecodeFailure::Syntax(flaw) };
    let range = part.start..part.start + json::value_end(text).map_err(failure)?;
    let json = Json::parse_part(raw, range.clone());
    packet::check_keys(&json, caps)?;
    let envelope = decode(&json, caps.runtime)?;
    Ok((range, json, envelope))
}

/// Returns the syntax error of a part of a reply.
pub(in crate::envelope) fn flaw(raw: &[u8], part: Range<usize>) -> DecodeFailure {
    let text = raw.get(part).unwrap_or(&[]);
    let end = Flaw { offset: text.len(), is_end: true };
    DecodeFailure::Syntax(json::whole(text).err().unwrap_or(end))
}

/// Decodes an envelope.
pub(in crate::envelope) fn decode(json: &Json<'_>, runtime: Runtime) -> Result<Envelope, DecodeFailure> {
    let mut envelope = Envelope::default();
    let mut context = DecodeContext::new(json, runtime);
    envelope.decode(json.root(), &mut context);
    let range = |mismatch: &Mismatch| {
        let range = json.range(mismatch.node);
        range.start().into()..range.end().into()
    };
    Err(match context.error() {
        None => return Ok(envelope),
        Some(DecodeError::Kind(mismatch)) => DecodeFailure::Kind {
            found: found(json, &mismatch),
            range: range(&mismatch),
            field: mismatch.field,
        },
        Some(DecodeError::Value(member, mismatch)) => {
            DecodeFailure::Value { member, range: range(&mismatch), field: mismatch.field }
        }
    })
}

/// Describes a value in the words of the runtime. If a number is too large, the description
/// contains its text.
fn found(json: &Json<'_>, mismatch: &Mismatch) -> String {
    let node = mismatch.node;
    if mismatch.is_overflow {
        return format!("number {}", String::from_utf8_lossy(json.raw(node)));
    }
    match json.kind(node) {
        JsonKind::Null | JsonKind::Broken => "null",
        JsonKind::Bool(_) => "bool",
        JsonKind::Number => "number",
        JsonKind::Plain | JsonKind::Escaped => "string",
        JsonKind::Array => "array",
        JsonKind::Object => "object",
    }
    .to_owned()
}

fn accept(envelope: &Envelope, caps: &Caps) -> Result<(), DecodeFailure> {
    let intent = &envelope.control.intent;
    if envelope.surface.is_empty() {
        Err(DecodeFailure::NoSurface)
    } else if caps.strict && (intent.category.is_empty() || intent.verb.is_empty()) {
        Err(DecodeFailure::NoIntent)
    } else {
        Ok(())
    }
}

fn accepted<'t>(
    stage: Stage,
    (range, json, envelope): DecodedEnvelope<'t>,
    caps: &Caps,
) -> (RuntimeReading, Json<'t>) {
    let Envelope { control: mut packet, surface } = envelope;
    let mut warnings = Vec::new();
    let correction = packet.self_correction.as_ref().filter(|correction| correction.triggered);
    match stage {
        Stage::EmbeddedRich | Stage::EmbeddedOther => warnings.push(Warning::Extracted),
        Stage::Whole | Stage::Stream => warnings
            .extend(correction.map(|correction| Warning::SelfCorrection(correction.hypothesis.clone()))),
        Stage::Fenced | Stage::Fallback => {}
    }
    let surface = caps::cut_surface(surface.into_bytes(), caps, &mut warnings);
    let needs_full_stops = || profile::needs_full_stops(&json, caps.full_stops);
    let kept = caps::cut(&mut packet, caps, needs_full_stops, &mut warnings);
    let mut placeholders = Placeholders::default();
    if caps.runtime.placeholders {
        placeholders.surface = caps::is_placeholder(&surface);
        placeholders.feedback =
            packet.feedback.as_ref().is_some_and(|feedback| caps::is_placeholder_feedback(feedback));
    }
    let picked = Some(AcceptedEnvelope { range, packet, kept });
    (RuntimeReading { stage, accepted: picked, surface, warnings, placeholders, is_salvaged: false }, json)
}

fn fallback(raw: &[u8], caps: &Caps) -> RuntimeReading {
    let text = raw.get(trim(raw, 0..raw.len())).unwrap_or(&[]);
    let is_partial = caps.runtime.surface_salvage && scan::is_partial(text);
    let (surface, warning) = if is_partial {
        scan::salvaged_surface(text).map_or_else(
            || (scan::cut_off_message(text), Warning::CutOff),
            |surface| (surface, Warning::Recovered),
        )
    } else {
        (text.to_vec(), Warning::Fallback)
    };
    let mut warnings = vec![warning];
    let surface = caps::cut_surface(surface, caps, &mut warnings);
    let is_placeholder = caps.runtime.placeholders && caps::is_placeholder(&surface);
    RuntimeReading {
        stage: Stage::Fallback,
        accepted: None,
        surface,
        warnings,
        placeholders: Placeholders { surface: is_placeholder, feedback: false },
        is_salvaged: is_partial,
    }
}

/// True if both quoted keys occur anywhere in a text.
pub(in crate::envelope) fn is_rich(text: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    has(b"\"surface_response\"") && has(b"\"control_packet\"")
}

/// Returns the part of a reply between its code fences.
fn without_fences(raw: &[u8]) -> Range<usize> {
    let mut part = trim(raw, 0..raw.len());
    for fence in [&b"```json"[..], b"```JSON", b"```"] {
        if raw.get(part.clone()).is_some_and(|text| text.starts_with(fence)) {
            part.start += fence.len();
        }
    }
    if raw.get(part.clone()).is_some_and(|text| text.ends_with(b"```")) {
        part.end -= 3;
    }
    trim(raw, part)
}
