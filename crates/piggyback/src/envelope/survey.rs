//! The inputs of the rules: a reply with its classified objects ([`Survey`]), and one envelope of it
//! ([`Subject`]).
//!
//! Objects are envelopes, other JSON, braces in prose, and truncated objects.

use super::atoms::UpdateContext;
use super::context::ReplyContext;
use super::json::{Json, JsonKind, Member};
use super::profile::{self, ProfileOrigin};
use super::reply::{Object, Reply};
use super::runtime::{AcceptedEnvelope, DecodeFailure, Stage};
use super::table::ENVELOPE;
use super::view::View;
use mangle_settings::{Profile, Strictness};
use mangle_syntax::text::{TextRange, size};

/// The role of an object in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectRole {
    /// An envelope, or an object that was intended as an envelope.
    Envelope,
    /// An object that is cut off at the end of the reply.
    Truncated,
    /// Another JSON object.
    Json,
    /// A brace in prose.
    Prose,
    /// A part of a truncated object.
    Inside,
    /// An unclosed brace before an envelope.
    Unclosed,
}

/// The state of the runtime's object search at the start of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScannerState {
    /// The offset of the quote that opened the current string.
    pub quote: Option<usize>,
    /// The offset of the outermost open brace.
    pub brace: Option<usize>,
}

/// A reply with the roles of its objects.
#[derive(Debug)]
pub struct Survey<'a> {
    /// The reply.
    pub reply: &'a Reply<'a>,
    /// The context of the check.
    pub context: &'a ReplyContext<'a>,
    /// The role of each object.
    pub roles: Vec<ObjectRole>,
    /// The search state at the start of each object.
    pub scanner_states: Vec<ScannerState>,
    /// The first brace that exceeds the depth limit of the search.
    pub too_deep: Option<usize>,
    /// The array around the objects, or the string, number or word that forms the reply.
    pub wrapper: Option<Json<'a>>,
}

impl<'a> Survey<'a> {
    /// Classifies the objects of a reply.
    #[must_use]
    pub fn new(reply: &'a Reply<'a>, context: &'a ReplyContext<'a>) -> Self {
        let wrapper = wrapper(reply);
        let is_string = wrapper.as_ref().is_some_and(|json| json.kind(json.root()) != JsonKind::Array);
        let roles = if is_string { vec![ObjectRole::Prose; reply.objects.len()] } else { roles(reply) };
        let (sights, too_deep) = match reply.reading.as_ref().map(|reading| reading.stage) {
            // The runtime did not search for objects.
            Ok(Stage::Whole) => (vec![ScannerState::default(); reply.objects.len()], None),
            _ => scanner_states(reply, context.settings.caps.depth()),
        };
        Self { reply, context, roles, scanner_states: sights, too_deep, wrapper }
    }

    /// Returns the objects that are, or were intended as, envelopes.
    pub fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        let is_subject = |(object, role): &(&Object<'_>, &ObjectRole)| {
            **role == ObjectRole::Envelope || **role == ObjectRole::Truncated && is_envelope(&object.json)
        };
        let objects = self.reply.objects.iter().zip(&self.roles);
        objects.filter(is_subject).map(|(object, role)| {
            Subject::new(self.reply, self.context, object, *role == ObjectRole::Truncated)
        })
    }

    /// Returns the objects with a role and their indices in the reply.
    pub fn with_role(&self, role: ObjectRole) -> impl Iterator<Item = (usize, &'a Object<'a>)> {
        let objects = self.reply.objects.iter().zip(&self.roles).enumerate();
        objects.filter(move |(_, (_, found))| **found == role).map(|(at, (object, _))| (at, object))
    }

    /// Returns the stage that found the envelope. `None` if strict mode rejects the reply.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.reply.reading.as_ref().ok().map(|reading| reading.stage)
    }

    /// True if the runtime uses no envelope of the reply.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.stage(), None | Some(Stage::Fallback))
    }

    /// True if the runtime shows the surface of an incomplete envelope instead of the reply.
    #[must_use]
    pub fn is_salvaged(&self) -> bool {
        self.reply.reading.as_ref().is_ok_and(|reading| reading.is_salvaged)
    }

    /// Returns the reason for a rejection in strict mode.
    #[must_use]
    pub fn refusal(&self) -> Option<&DecodeFailure> {
        self.reply.reading.as_ref().err()
    }

    /// Returns the envelope that the runtime uses.
    #[must_use]
    pub fn picked(&self) -> Option<&AcceptedEnvelope> {
        self.reply.reading.as_ref().ok()?.accepted.as_ref()
    }

    /// Returns the indices of the objects that the runtime would accept if they came first.
    #[must_use]
    pub fn acceptable(&self) -> Vec<usize> {
        let objects = self.reply.objects.iter().enumerate();
        objects.filter(|(_, object)| object.is_acceptable()).map(|(at, _)| at).collect()
    }

    /// Returns the envelope that the runtime uses instead of the envelope at the end of the reply.
    #[must_use]
    pub fn accepted_decoy(&self) -> Option<&'a Object<'a>> {
        let reply = self.reply;
        let decoy = reply.accepted.filter(|picked| reply.preferred.is_some_and(|safe| safe != *picked))?;
        reply.objects.get(decoy).filter(|_| self.acceptable().len() > 1)
    }

    /// Returns the range of the opening brace of an object.
    #[must_use]
    pub fn brace(&self, object: &Object<'_>) -> TextRange {
        let start = object.range.start;
        TextRange::new(size(start), size((start + 1).min(object.range.end)))
    }

    /// Returns the range of the first line of the trimmed reply.
    #[must_use]
    pub fn first_line(&self) -> TextRange {
        let raw = self.reply.raw;
        let start = raw.len() - raw.trim_ascii_start().len();
        let rest = raw.get(start..).unwrap_or(&[]);
        let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest);
        TextRange::new(size(start), size(start + line.trim_ascii_end().len()))
    }
}

/// True if an object is, or was intended as, an envelope.
#[must_use]
pub fn is_envelope(json: &Json<'_>) -> bool {
    let (mut has_surface, mut has_control) = (false, false);
    for Member { key, .. } in json.members(json.root()) {
        let Some(key) = json.key_text(key) else { continue };
        let field = ENVELOPE.find(&key).map(|(field, _)| field).or_else(|| ENVELOPE.similar_field(&key));
        if field.is_some_and(|field| field.name != "piggyback_version") {
            return true;
        }
        has_surface |= key == "surface";
        has_control |= key == "control";
    }
    has_surface && has_control
}

/// Returns the JSON of the whole reply, if it is not an object.
fn wrapper<'a>(reply: &Reply<'a>) -> Option<Json<'a>> {
    if reply.reading.as_ref().is_ok_and(|reading| reading.stage == Stage::Whole) {
        return None;
    }
    let raw = reply.raw.trim_ascii();
    let is_other = matches!(raw.first(), Some(b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f'));
    if !is_other {
        return None;
    }
    let json = Json::parse(reply.raw);
    let is_one = json.is_valid_to_the_end() || json.kind(json.root()) == JsonKind::Array;
    (is_one && json.problems.is_empty()).then_some(json)
}

fn roles(reply: &Reply<'_>) -> Vec<ObjectRole> {
    let is_found =
        |object: &Object<'_>| object.is_closed && object.is_acceptable() && is_envelope(&object.json);
    let last = reply.objects.iter().rposition(is_found);
    let mut is_cut = false;
    let role = |(at, object): (usize, &Object<'_>)| {
        let role = match object.is_closed {
            _ if is_cut => ObjectRole::Inside,
            true if is_envelope(&object.json) => ObjectRole::Envelope,
            true if is_json(object, reply.raw) => ObjectRole::Json,
            true => ObjectRole::Prose,
            false if ends_inside(object) && !object.json.is_closed() => ObjectRole::Truncated,
            false if last.is_some_and(|last| last > at) => ObjectRole::Unclosed,
            // All brackets are closed, although quotes are wrong.
            false if is_json(object, reply.raw) && object.json.is_closed() => {
                is_cut = true;
                if is_envelope(&object.json) { ObjectRole::Envelope } else { ObjectRole::Json }
            }
            false if is_json(object, reply.raw) => ObjectRole::Truncated,
            false => ObjectRole::Prose,
        };
        is_cut |= role == ObjectRole::Truncated;
        role
    };
    reply.objects.iter().enumerate().map(role).collect()
}

/// True if the only problem of an object is that it does not end.
pub(super) fn ends_inside(object: &Object<'_>) -> bool {
    matches!(&object.decoded, Err(DecodeFailure::Syntax(flaw)) if flaw.is_end)
}

/// True if an object is JSON, possibly damaged, and not a brace in prose.
fn is_json(object: &Object<'_>, raw: &[u8]) -> bool {
    let json = &object.json;
    let first = json.members(json.root()).next().map(|member| member.key);
    let text = raw.get(object.range.clone()).unwrap_or(&[]);
    first.is_none_or(|key| matches!(json.raw(key).first(), Some(b'"' | b'\''))) && text.len() > 1
        || super::runtime::is_rich(text)
}

/// Returns the search state at the start of each object, and the first brace that exceeds the depth
/// limit.
fn scanner_states(reply: &Reply<'_>, deepest: usize) -> (Vec<ScannerState>, Option<usize>) {
    let mut sights = Vec::with_capacity(reply.objects.len());
    let mut starts = reply.objects.iter().map(|object| object.range.start).peekable();
    let (mut depth, mut sight, mut is_escaped, mut too_deep) = (0usize, ScannerState::default(), false, None);
    for (at, byte) in reply.raw.iter().enumerate() {
        if starts.next_if_eq(&at).is_some() {
            sights.push(sight);
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if sight.quote.is_some() => is_escaped = true,
            b'"' => sight.quote = if sight.quote.is_some() { None } else { Some(at) },
            _ if sight.quote.is_some() => {}
            b'{' => {
                depth += 1;
                sight.brace = sight.brace.or(Some(at));
                if depth > deepest {
                    too_deep = too_deep.or(Some(at));
                    (depth, sight.brace) = (0, None);
                }
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    sight.brace = None;
                }
            }
            _ => {}
        }
    }
    sights.resize(reply.objects.len(), sight);
    (sights, too_deep)
}

/// An envelope of a reply.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The reply that contains the envelope.
    pub reply: &'a Reply<'a>,
    /// The envelope as an object of the reply.
    pub object: &'a Object<'a>,
    /// The context of the check.
    pub context: &'a ReplyContext<'a>,
    /// The parsed envelope, possibly damaged.
    pub json: &'a Json<'a>,
    /// The protocol version for the check.
    pub profile: Profile,
    /// The source of the protocol version.
    pub origin: ProfileOrigin,
    /// The members of the envelope.
    pub envelope: View<'a>,
    /// The control packet. If there are several, the result of merging them as in the runtime.
    pub control: View<'a>,
    /// The envelope and all known nested objects. The flag is true if the profile has their
    /// members.
    pub views: Vec<(View<'a>, bool)>,
    /// True if the envelope is cut off at the end of the reply.
    pub is_truncated: bool,
    /// True if the runtime uses this envelope.
    pub is_picked: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        reply: &'a Reply<'a>,
        context: &'a ReplyContext<'a>,
        object: &'a Object<'a>,
        is_truncated: bool,
    ) -> Self {
        let json = &object.json;
        let envelope = View::new(json, &ENVELOPE, [json.root()]);
        let (profile, origin) =
            profile::choose(&envelope, context.profile, context.settings.profile, context.session);
        let control = envelope.object("control_packet");
        let mut views = Vec::new();
        envelope.visit(profile, true, &mut |view, is_known| views.push((view.clone(), is_known)));
        let is_picked = reply.picked_object().is_some_and(|picked| std::ptr::eq(picked, object));
        Self {
            reply,
            object,
            context,
            json,
            profile,
            origin,
            envelope,
            control,
            views,
            is_truncated,
            is_picked,
        }
    }

    /// True if the envelope is valid JSON, so that absent members are really missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.is_truncated && self.json.problems.is_empty()
    }

    /// The context for checks of updates.
    #[must_use]
    pub fn judge(&self) -> UpdateContext<'a> {
        let ReplyContext { settings, declarations, .. } = *self.context;
        UpdateContext { settings, declarations, profile: self.profile }
    }

    /// True if the strict schema applies.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        self.context.settings.strict == Strictness::Schema
    }

    /// The range of the opening brace.
    #[must_use]
    pub fn brace(&self) -> TextRange {
        self.envelope.brace()
    }

    /// The range for findings about the whole control packet: its key, or the opening brace of the
    /// envelope.
    #[must_use]
    pub fn control_range(&self) -> TextRange {
        self.envelope.key_range("control_packet").unwrap_or_else(|| self.brace())
    }

    /// True if the envelope names an unknown newer version.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        matches!(self.origin, ProfileOrigin::NewerVersion(_))
    }
}
