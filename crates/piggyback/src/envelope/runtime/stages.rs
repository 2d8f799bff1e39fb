//! The runtime's attempts at a reply, one after the other: the text as it is, without fences, the objects in it, and
//! at last the text itself as what is shown.

use std::borrow::Cow;
use std::ops::Range;

use super::Caps;
use super::caps::{CappedPacket, Warning, cut, cut_surface};
use super::decode::{Decode, DecodeContext, DecodeError, Mismatch};
use super::failure::DecodeFailure;
use super::go::trim;
use super::packet::{Envelope, Packet};
use super::placeholder::{self, Placeholders};
use super::scan::each_candidate;
use super::{salvage, strict_keys};
use crate::envelope::json::{self, Flaw, Json, JsonKind};
use crate::envelope::profile;
use mangle_settings::Runtime;
use mangle_settings::versions::runtime::Decoding;
use mangle_syntax::text::{TextRange, size};

/// No object that shows something is shorter: `{"surface_response":"a"}`.
const SHORTEST: usize = 24;

/// How an envelope was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The reply is one (P1).
    Whole,
    /// It begins at the first brace (P1).
    Stream,
    /// Fences were taken off (P2).
    Fenced,
    /// It is an object in mixed text that has both keys (P3).
    EmbeddedRich,
    /// It is another object in mixed text (P3).
    EmbeddedOther,
    /// There is none, and the text itself is shown (P4).
    Fallback,
}

/// The envelope that the runtime took.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedEnvelope {
    /// Its bytes in the reply.
    pub range: Range<usize>,
    /// What it says, cut where the runtime cuts it.
    pub packet: Packet,
    /// What is left of its lists and texts.
    pub kept: CappedPacket,
}

impl AcceptedEnvelope {
    /// The reasoning trace. Where it was cut it need not be UTF-8.
    #[must_use]
    pub fn trace(&self) -> Cow<'_, [u8]> {
        self.kept.trace.as_deref().map_or_else(|| self.packet.trace.as_bytes().into(), Into::into)
    }
}

/// What the runtime makes of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct RuntimeReading {
    /// The stage of the parser that found the envelope.
    pub stage: Stage,
    /// The envelope; `None` where the text itself is shown.
    pub picked: Option<AcceptedEnvelope>,
    /// What is shown. Where it was cut it need not be UTF-8.
    pub surface: Vec<u8>,
    /// What the runtime warns of, in its order.
    pub warnings: Vec<Warning>,
    /// What it drops since it repeats an example of the prompt.
    pub placeholders: Placeholders,
    /// True if the surface comes from an incomplete envelope.
    pub is_salvaged: bool,
}

impl RuntimeReading {
    /// The text that the user sees in the end.
    #[must_use]
    pub fn shown(&self) -> &[u8] {
        if self.placeholders.surface { &[] } else { &self.surface }
    }
}

impl Stage {
    /// How sure the runtime is.
    #[must_use]
    pub fn confidence(self) -> f64 {
        match self {
            Self::Whole | Self::Stream => 1.0,
            Self::Fenced => 0.95,
            Self::EmbeddedRich | Self::EmbeddedOther => 0.85,
            Self::Fallback => 0.5,
        }
    }

    /// What the runtime calls it.
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

/// Reads a reply.
///
/// # Errors
/// Only where [`Caps::strict`] asks for a valid envelope: why the first attempt failed.
pub fn read(raw: &[u8], caps: &Caps) -> Result<RuntimeReading, DecodeFailure> {
    read_keeping(raw, caps).map(|(reading, _)| reading)
}

/// [`read`], and the JSON of the envelope that was taken.
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
        match text.len() >= SHORTEST {
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

/// [`read_keeping`], of a reply that is a tree from its first byte to its last, if that is an envelope.
pub(in crate::envelope) fn read_tree<'t>(json: Json<'t>, caps: &Caps) -> Option<(RuntimeReading, Json<'t>)> {
    let range = 0..json.text().len();
    let is_bare = json.is_valid_to_the_end() && json.range(json.root()) == TextRange::up_to(size(range.end));
    let envelope = is_bare.then(|| decode(&json, caps.runtime).ok()).flatten()?;
    strict_keys::check(&json, caps).ok()?;
    accept(&envelope, caps).ok()?;
    Some(accepted(Stage::Whole, (range, json, envelope), caps))
}

/// What became of the first two attempts at a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempts {
    /// At all of it.
    pub whole: Result<(), DecodeFailure>,
    /// From its first brace on; `None` where that was not tried, or there is none.
    pub stream: Option<Result<(), DecodeFailure>>,
}

/// Tries to decode a reply, from its beginning or else from its first brace on, and ignores what it shows.
#[must_use]
pub fn attempts(raw: &[u8], runtime: Runtime) -> Attempts {
    let caps = Caps { runtime, ..Caps::default() };
    let part = trim(raw, 0..raw.len());
    let whole = first(raw, part.clone(), &caps).map(drop);
    let brace = raw.get(part.clone()).and_then(|text| memchr::memchr(b'{', text));
    let stream = match (&whole, brace) {
        (Err(_), Some(brace)) => Some(one(raw, part.start + brace..part.end, &caps).map(drop)),
        _ => None,
    };
    Attempts { whole, stream }
}

/// What was decoded, and from which bytes of the reply.
type DecodedEnvelope<'t> = (Range<usize>, Json<'t>, Envelope);

/// Decodes a part of a reply: all of it, or else one value from its first brace on.
fn attempt<'t>(
    raw: &'t [u8],
    part: Range<usize>,
    caps: &Caps,
) -> Result<(Stage, DecodedEnvelope<'t>), DecodeFailure> {
    let part = trim(raw, part);
    let (stage, found) = match first(raw, part.clone(), caps) {
        Ok(found) => (Stage::Whole, found),
        Err(failure) => {
            let brace = raw.get(part.clone()).and_then(|text| memchr::memchr(b'{', text));
            let Some(start) = brace.map(|brace| part.start + brace) else { return Err(failure) };
            let Ok(found) = one(raw, start..part.end, caps) else { return Err(failure) };
            (Stage::Stream, found)
        }
    };
    accept(&found.2, caps)?;
    Ok((stage, found))
}

/// Decodes a text from its beginning.
fn first<'t>(raw: &'t [u8], part: Range<usize>, caps: &Caps) -> Result<DecodedEnvelope<'t>, DecodeFailure> {
    match caps.runtime.decoding {
        Decoding::WholeText => whole(raw, part, caps),
        Decoding::FirstValue => one(raw, part, caps),
    }
}

/// Decodes a text that is one value.
fn whole<'t>(raw: &'t [u8], part: Range<usize>, caps: &Caps) -> Result<DecodedEnvelope<'t>, DecodeFailure> {
    let json = Json::parse_part(raw, part.clone());
    let text = raw.get(part.clone()).unwrap_or(&[]);
    // What has no problem is JSON. Where Go notices one is not where ours begins.
    if !json.is_valid_to_the_end() {
        json::whole(text).map_err(DecodeFailure::Syntax)?;
    }
    strict_keys::check(&json, caps)?;
    let envelope = decode(&json, caps.runtime)?;
    Ok((part, json, envelope))
}

/// Decodes the first value of a text.
fn one<'t>(raw: &'t [u8], part: Range<usize>, caps: &Caps) -> Result<DecodedEnvelope<'t>, DecodeFailure> {
    let text = raw.get(part.clone()).unwrap_or(&[]);
    let failure = |flaw: Flaw| if flaw.is_end { DecodeFailure::End } else { DecodeFailure::Syntax(flaw) };
    let range = part.start..part.start + json::value_end(text).map_err(failure)?;
    let json = Json::parse_part(raw, range.clone());
    strict_keys::check(&json, caps)?;
    let envelope = decode(&json, caps.runtime)?;
    Ok((range, json, envelope))
}

/// Why a part of a reply is no JSON.
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

/// What a value is, in the runtime's words. Of a number that fits none it names the text.
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
    let surface = cut_surface(surface.into_bytes(), caps, &mut warnings);
    let needs_full_stops = || profile::needs_full_stops(&json, caps.full_stops);
    let kept = cut(&mut packet, caps, needs_full_stops, &mut warnings);
    let mut placeholders = Placeholders::default();
    if caps.runtime.placeholders {
        placeholders.surface = placeholder::is_surface(&surface);
        placeholders.feedback =
            packet.feedback.as_ref().is_some_and(|feedback| placeholder::is_feedback(feedback));
    }
    let picked = Some(AcceptedEnvelope { range, packet, kept });
    (RuntimeReading { stage, picked, surface, warnings, placeholders, is_salvaged: false }, json)
}

fn fallback(raw: &[u8], caps: &Caps) -> RuntimeReading {
    let text = raw.get(trim(raw, 0..raw.len())).unwrap_or(&[]);
    let is_partial = caps.runtime.surface_salvage && salvage::is_partial(text);
    let (surface, warning) = if is_partial {
        salvage::surface(text).map_or_else(
            || (salvage::cut_off_message(text), Warning::CutOff),
            |surface| (surface, Warning::Recovered),
        )
    } else {
        (text.to_vec(), Warning::Fallback)
    };
    let mut warnings = vec![warning];
    let surface = cut_surface(surface, caps, &mut warnings);
    let is_placeholder = caps.runtime.placeholders && placeholder::is_surface(&surface);
    RuntimeReading {
        stage: Stage::Fallback,
        picked: None,
        surface,
        warnings,
        placeholders: Placeholders { surface: is_placeholder, feedback: false },
        is_salvaged: is_partial,
    }
}

/// Whether both keys are somewhere in a text, quotes included.
pub(in crate::envelope) fn is_rich(text: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    has(b"\"surface_response\"") && has(b"\"control_packet\"")
}

/// The part of a reply between its fences.
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
