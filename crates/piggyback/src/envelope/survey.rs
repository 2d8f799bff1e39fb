//! What the objects in a reply are: envelopes, other JSON, braces in prose, parts of something that was cut off.

use super::context::ReplyContext;
use super::json::{Json, JsonKind, Member};
use super::reply::{Object, Reply};
use super::runtime::{AcceptedEnvelope, DecodeFailure, Stage};
use super::subject::Subject;
use super::table::ENVELOPE;
use mangle_syntax::text::{TextRange, size};

/// What an object in a reply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectRole {
    /// An envelope, or what was meant as one.
    Envelope,
    /// An object that the reply ends in.
    Truncated,
    /// Another object.
    Json,
    /// A brace in prose.
    Prose,
    /// A part of an object that the reply ends in.
    Inside,
    /// A brace that is not closed, with an envelope behind it.
    Swallows,
}

/// What the runtime's search believes where an object begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScannerState {
    /// The quote that opened the string that it believes to be in.
    pub quote: Option<usize>,
    /// The brace that it believes to be in.
    pub brace: Option<usize>,
}

/// A reply and what its objects are.
#[derive(Debug)]
pub struct Survey<'a> {
    /// The reply whose objects are told apart.
    pub reply: &'a Reply<'a>,
    /// What it is judged by.
    pub context: &'a ReplyContext<'a>,
    /// What each of its objects is.
    pub roles: Vec<ObjectRole>,
    /// What the runtime's search believes at the start of each.
    pub sights: Vec<ScannerState>,
    /// The first brace that is too deep for that search.
    pub too_deep: Option<usize>,
    /// The array around the objects, or the string, number or word that the reply is.
    pub wrapper: Option<Json<'a>>,
}

impl<'a> Survey<'a> {
    /// Looks at a reply.
    #[must_use]
    pub fn new(reply: &'a Reply<'a>, context: &'a ReplyContext<'a>) -> Self {
        let wrapper = wrapper(reply);
        let is_string = wrapper.as_ref().is_some_and(|json| json.kind(json.root()) != JsonKind::Array);
        let roles = if is_string { vec![ObjectRole::Prose; reply.objects.len()] } else { roles(reply) };
        let (sights, too_deep) = match reply.reading.as_ref().map(|reading| reading.stage) {
            // Nothing was searched for.
            Ok(Stage::Whole) => (vec![ScannerState::default(); reply.objects.len()], None),
            _ => sights(reply, context.settings.caps.depth()),
        };
        Self { reply, context, roles, sights, too_deep, wrapper }
    }

    /// The objects that are, or were meant as, envelopes.
    pub fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        let is_subject = |(object, role): &(&Object<'_>, &ObjectRole)| {
            **role == ObjectRole::Envelope || **role == ObjectRole::Truncated && is_envelope(&object.json)
        };
        let objects = self.reply.objects.iter().zip(&self.roles);
        objects.filter(is_subject).map(|(object, role)| {
            Subject::new(self.reply, self.context, object, *role == ObjectRole::Truncated)
        })
    }

    /// The objects of a role, with their places among the objects of the reply.
    pub fn with_role(&self, role: ObjectRole) -> impl Iterator<Item = (usize, &'a Object<'a>)> {
        let objects = self.reply.objects.iter().zip(&self.roles).enumerate();
        objects.filter(move |(_, (_, found))| **found == role).map(|(at, (object, _))| (at, object))
    }

    /// How the runtime found the envelope; `None` where strict mode refuses the reply.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.reply.reading.as_ref().ok().map(|reading| reading.stage)
    }

    /// Whether the runtime takes no envelope from the reply.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.stage(), None | Some(Stage::Fallback))
    }

    /// True if the runtime shows what it finds of an incomplete envelope in place of the reply.
    #[must_use]
    pub fn is_salvaged(&self) -> bool {
        self.reply.reading.as_ref().is_ok_and(|reading| reading.is_salvaged)
    }

    /// Why strict mode refuses the reply.
    #[must_use]
    pub fn refusal(&self) -> Option<&DecodeFailure> {
        self.reply.reading.as_ref().err()
    }

    /// The envelope that the runtime takes.
    #[must_use]
    pub fn picked(&self) -> Option<&AcceptedEnvelope> {
        self.reply.reading.as_ref().ok()?.picked.as_ref()
    }

    /// The objects that the runtime would take if they came first.
    #[must_use]
    pub fn acceptable(&self) -> Vec<usize> {
        let objects = self.reply.objects.iter().enumerate();
        objects.filter(|(_, object)| object.is_acceptable()).map(|(at, _)| at).collect()
    }

    /// The envelope that the runtime takes in the place of the one that ends the reply.
    #[must_use]
    pub fn accepted_decoy(&self) -> Option<&'a Object<'a>> {
        let reply = self.reply;
        let decoy = reply.picked.filter(|picked| reply.safe.is_some_and(|safe| safe != *picked))?;
        reply.objects.get(decoy).filter(|_| self.acceptable().len() > 1)
    }

    /// The brace that opens an object.
    #[must_use]
    pub fn brace(&self, object: &Object<'_>) -> TextRange {
        let start = object.range.start;
        TextRange::new(size(start), size((start + 1).min(object.range.end)))
    }

    /// The reply without the white space around it; of several lines the first.
    #[must_use]
    pub fn first_line(&self) -> TextRange {
        let raw = self.reply.raw;
        let start = raw.len() - raw.trim_ascii_start().len();
        let rest = raw.get(start..).unwrap_or(&[]);
        let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest);
        TextRange::new(size(start), size(start + line.trim_ascii_end().len()))
    }
}

/// Whether an object is an envelope, or was meant as one.
#[must_use]
pub fn is_envelope(json: &Json<'_>) -> bool {
    let (mut has_surface, mut has_control) = (false, false);
    for Member { key, .. } in json.members(json.root()) {
        let Some(key) = json.key_text(key) else { continue };
        let field = ENVELOPE.find(&key).map(|(field, _)| field).or_else(|| ENVELOPE.near(&key));
        if field.is_some_and(|field| field.name != "piggyback_version") {
            return true;
        }
        has_surface |= key == "surface";
        has_control |= key == "control";
    }
    has_surface && has_control
}

/// What the reply is as a whole, where that is JSON, but no object.
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
            false if last.is_some_and(|last| last > at) => ObjectRole::Swallows,
            // Its brackets close, but for the quotes.
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

/// Whether all is well with an object but that it does not end.
pub(super) fn ends_inside(object: &Object<'_>) -> bool {
    matches!(&object.decoded, Err(DecodeFailure::Syntax(flaw)) if flaw.is_end)
}

/// Whether an object is JSON that may be damaged, and no brace in prose.
fn is_json(object: &Object<'_>, raw: &[u8]) -> bool {
    let json = &object.json;
    let first = json.members(json.root()).next().map(|member| member.key);
    let text = raw.get(object.range.clone()).unwrap_or(&[]);
    first.is_none_or(|key| matches!(json.raw(key).first(), Some(b'"' | b'\''))) && text.len() > 1
        || super::runtime::is_rich(text)
}

/// What the runtime's search believes at the start of each object, and the first brace that is too deep for it.
fn sights(reply: &Reply<'_>, deepest: usize) -> (Vec<ScannerState>, Option<usize>) {
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
