//! A parsed reply with all of its objects, including objects that the runtime's search does not
//! find.

use std::collections::VecDeque;
use std::ops::Range;

use super::json::{Json, NodeId};
use super::runtime::{self, Caps, DecodeFailure, RuntimeReading};
use mangle_settings::Runtime;

/// The maximum number of unclosed objects after which the search continues. Each unclosed object
/// costs a pass.
const MAX_UNCLOSED: usize = 16;

/// The maximum number of unclosed objects in a reply longer than [`LONG`]. Each unclosed object is
/// parsed to the end of the reply.
const MAX_UNCLOSED_IN_LONG_TEXT: usize = 2;

/// The minimum size in bytes of a long reply.
const LONG: usize = 1 << 20;

/// The maximum number of objects that are parsed from the start of a reply, and from its end.
const MAX_OBJECTS: usize = 2_000;

/// The budget in bytes for parsing damaged objects again: this factor times the reply length, and
/// at least the second value.
const READ_AGAIN: (usize, usize) = (4, 1 << 18);

/// A reply, the result of the runtime, and the objects in the reply.
#[derive(Debug)]
pub struct Reply<'t> {
    /// The bytes of the reply. All ranges are relative to its start.
    pub raw: &'t [u8],
    /// The result of the runtime.
    pub reading: Result<RuntimeReading, DecodeFailure>,
    /// The top-level objects in order, and the object that the runtime uses at any level.
    ///
    /// If there are more than 4,000 objects, only the first and last objects are included.
    pub objects: Vec<Object<'t>>,
    /// The index in `objects` of the object that the runtime uses.
    pub accepted: Option<usize>,
    /// The index of the object to use if a reply ends with its envelope.
    ///
    /// This is the last acceptable object with both keys, or the last acceptable object.
    pub preferred: Option<usize>,
}

/// An object in a reply.
#[derive(Debug)]
pub struct Object<'t> {
    /// The parsed object, possibly damaged. Ranges are relative to the start of the reply.
    pub json: Json<'t>,
    /// The byte range of the object.
    pub range: Range<usize>,
    /// True if the object is closed.
    pub is_closed: bool,
    /// True if the runtime's search finds the object.
    pub is_seen: bool,
    /// The result of decoding the object as the runtime does.
    pub decoded: Result<(), DecodeFailure>,
    /// True if the object has a surface to show.
    shows: bool,
    runtime: Runtime,
}

impl Object<'_> {
    /// True if the runtime would accept the object if it came first.
    #[must_use]
    pub fn is_acceptable(&self) -> bool {
        self.decoded.is_ok() && self.shows
    }

    /// Returns the updates as decoded by the runtime, before any limit. Empty if the object cannot
    /// be decoded.
    #[must_use]
    pub fn updates(&self) -> Vec<String> {
        if self.decoded.is_err() {
            return Vec::new();
        }
        runtime::decode(&self.json, self.runtime)
            .map_or_else(|_| Vec::new(), |found| found.control.updates.as_slice().to_vec())
    }
}

impl<'t> Reply<'t> {
    /// Parses a reply.
    #[must_use]
    pub fn new(raw: &'t [u8], caps: &Caps) -> Self {
        match runtime::read_keeping(raw, caps) {
            Ok((reading, Some(json))) if is_alone(raw, &reading) => {
                Self::from_single_envelope(raw, reading, json, caps.runtime)
            }
            Ok((reading, _)) => Self::from_mixed_text(raw, Ok(reading), caps),
            Err(failure) => Self::from_mixed_text(raw, Err(failure), caps),
        }
    }

    /// Creates a reply like [`Reply::new`], from a parsed JSON document.
    #[must_use]
    pub fn from_json(json: Json<'t>, caps: &Caps) -> Self {
        let raw = json.text();
        match runtime::read_tree(json, caps) {
            Some((reading, json)) => Self::from_single_envelope(raw, reading, json, caps.runtime),
            None => Self::new(raw, caps),
        }
    }

    /// Creates a reply that consists of one envelope.
    fn from_single_envelope(
        raw: &'t [u8],
        reading: RuntimeReading,
        json: Json<'t>,
        runtime: Runtime,
    ) -> Self {
        let range = reading.accepted.as_ref().map_or(0..raw.len(), |picked| picked.range.clone());
        let object =
            Object { json, range, is_closed: true, is_seen: true, decoded: Ok(()), shows: true, runtime };
        Self { raw, reading: Ok(reading), objects: vec![object], accepted: Some(0), preferred: Some(0) }
    }

    fn from_mixed_text(raw: &'t [u8], reading: Result<RuntimeReading, DecodeFailure>, caps: &Caps) -> Self {
        let taken = reading.as_ref().ok().and_then(|reading| Some(reading.accepted.as_ref()?.range.clone()));
        let mut found = objects(raw, MAX_OBJECTS);
        if let Some(taken) = &taken
            && !found.iter().any(|(range, _)| range == taken)
        {
            let at = found.partition_point(|(range, _)| range.start <= taken.start);
            found.insert(at, (taken.clone(), true));
        }
        let seen = seen(raw, &found, caps);
        let mut readable = raw.len() * READ_AGAIN.0 + READ_AGAIN.1;
        let object = |((range, is_closed), is_seen): ((Range<usize>, bool), bool)| {
            let json = Json::parse_part(raw, range.clone());
            let is_valid = json.is_valid_to_the_end();
            let (json, end) = match is_valid {
                true => (json, range.end),
                false => damaged(json, &range, &mut readable),
            };
            let decoded = match is_valid {
                true => runtime::decode(&json, caps.runtime),
                false => Err(runtime::flaw(raw, range.clone())),
            };
            let shows = decoded.as_ref().is_ok_and(|envelope| !envelope.surface.is_empty());
            let is_seen = is_seen || taken.as_ref() == Some(&range);
            let (is_closed, range) = (is_closed || end > range.end, range.start..end.max(range.end));
            Object {
                is_seen,
                json,
                range,
                is_closed,
                decoded: decoded.map(drop),
                shows,
                runtime: caps.runtime,
            }
        };
        let mut objects: Vec<_> = found.into_iter().zip(seen).map(object).collect();
        let mut end = 0;
        // Objects inside the strings of a damaged object are part of that object.
        objects.retain(|object| {
            let is_inside = object.range.end <= end && taken.as_ref() != Some(&object.range);
            if object.is_closed {
                end = end.max(object.range.end);
            }
            !is_inside
        });
        let picked = taken.and_then(|taken| objects.iter().position(|object| object.range == taken));
        let is_rich = |object: &Object<'_>| {
            raw.get(object.range.clone()).is_some_and(runtime::is_rich) && object.is_acceptable()
        };
        let safe =
            objects.iter().rposition(is_rich).or_else(|| objects.iter().rposition(Object::is_acceptable));
        Self { raw, reading, objects, accepted: picked, preferred: safe }
    }

    /// Returns the value that the runtime uses for a member of the used envelope: the last member
    /// with that name, in any case.
    #[must_use]
    pub fn member(&self, path: &[&str]) -> Option<(&Json<'t>, NodeId)> {
        let json = &self.picked_object()?.json;
        let step = |node, name: &&str| {
            let called = |key| json.string(key).is_some_and(|key| runtime::names(&key, name, false));
            json.members(node).filter(|member| called(member.key)).map(|member| member.value).last()
        };
        let node = path.iter().try_fold(json.root(), step)?;
        Some((json, node))
    }

    /// Returns the object that the runtime uses.
    #[must_use]
    pub fn picked_object(&self) -> Option<&Object<'t>> {
        self.objects.get(self.accepted?)
    }
}

/// True if the runtime accepts the whole reply and nothing follows the envelope.
fn is_alone(raw: &[u8], reading: &RuntimeReading) -> bool {
    let end = reading.accepted.as_ref().map_or(raw.len(), |picked| picked.range.end);
    let behind = raw.get(end..).unwrap_or_default();
    reading.stage == runtime::Stage::Whole && !behind.iter().any(u8::is_ascii_graphic) && behind.is_ascii()
}

/// Parses a damaged object. Returns it with its end.
///
/// The strings of the object may contain quotes and braces that were misinterpreted. `readable` is
/// the remaining budget in bytes.
fn damaged<'t>(json: Json<'t>, range: &Range<usize>, readable: &mut usize) -> (Json<'t>, usize) {
    let raw = json.text();
    let mut again = |range: Range<usize>| {
        *readable = readable.checked_sub(range.len())?;
        Some(Json::parse_damaged(raw, range))
    };
    let Some(inner) = again(range.clone()) else { return (json, range.end) };
    if inner.is_closed() || range.end == raw.len() {
        return (inner, range.end);
    }
    match again(range.start..raw.len()).filter(Json::is_closed) {
        Some(outer) => {
            let end = outer.end().into();
            (outer, end)
        }
        None => (inner, range.end),
    }
}

/// Returns one flag per object, in order: true if the runtime's search finds it.
fn seen(raw: &[u8], found: &[(Range<usize>, bool)], caps: &Caps) -> Vec<bool> {
    let (mut seen, mut next) = (vec![false; found.len()], 0);
    runtime::each_candidate(raw, caps, &mut |candidate| {
        let start = |at: usize| found.get(at).map(|(range, _)| range.start);
        while start(next).is_some_and(|start| start < candidate.start) {
            next += 1;
        }
        if let (Some(start), Some(seen)) = (start(next), seen.get_mut(next)) {
            *seen = start == candidate.start;
        }
    });
    seen
}

/// Returns the objects of a text, and true for closed objects.
///
/// Quotes are significant only inside objects. The search continues after the brace of an unclosed
/// object. Only the first `most` and the last `most` objects are returned.
fn objects(raw: &[u8], most: usize) -> Vec<(Range<usize>, bool)> {
    let most_unclosed = if raw.len() > LONG { MAX_UNCLOSED_IN_LONG_TEXT } else { MAX_UNCLOSED };
    let (mut first, mut last, mut at, mut unclosed) = (Vec::new(), VecDeque::new(), 0, 0);
    let mut keep = |found| {
        if first.len() < most {
            return first.push(found);
        }
        if last.len() == most {
            last.pop_front();
        }
        last.push_back(found);
    };
    while let Some(brace) = raw.get(at..).and_then(|rest| memchr::memchr(b'{', rest)) {
        let start = at + brace;
        if let Some(end) = object_end(raw, start) {
            keep((start..end, true));
            at = end;
        } else {
            keep((start..raw.len(), false));
            unclosed += 1;
            if unclosed == most_unclosed {
                break;
            }
            at = start + 1;
        }
    }
    first.extend(last);
    first
}

/// Returns the end of the object that starts at `start`, by counting braces.
fn object_end(raw: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = start;
    loop {
        at += memchr::memchr3(b'{', b'}', b'"', raw.get(at..)?)?;
        match raw.get(at)? {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => at = string_end(raw, at)?,
        }
        at += 1;
    }
}

/// Returns the offset of the closing quote of the string that opens at `start`.
fn string_end(raw: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', raw.get(at..)?)?;
        match raw.get(at)? {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, bool)> {
        objects(text.as_bytes(), MAX_OBJECTS)
            .into_iter()
            .map(|(range, closed)| (&text[range], closed))
            .collect()
    }

    #[test]
    fn quotes_of_prose_hide_nothing() {
        assert_eq!(found(r#"a 5" pipe {"a":"}"} {b}"#), [(r#"{"a":"}"}"#, true), ("{b}", true)]);
    }

    #[test]
    fn a_brace_that_is_not_closed_hides_nothing() {
        assert_eq!(found("{ oops {\"a\":1}"), [("{ oops {\"a\":1}", false), ("{\"a\":1}", true)]);
    }

    #[test]
    fn braces_without_end_cost_little() {
        assert_eq!(found(&"{\"".repeat(100_000)).len(), MAX_UNCLOSED);
    }

    #[test]
    fn of_long_replies_less_is_read_twice() {
        let text = "{\"a\":".repeat(LONG / 4);
        assert_eq!(found(&text).len(), MAX_UNCLOSED_IN_LONG_TEXT);
        let nodes = |len: usize| {
            let text = format!("{}[{}", "{\"a\":".repeat(20), "1,".repeat(len / 2));
            let reply = Reply::new(text.as_bytes(), &Caps::default());
            reply.objects.iter().map(|object| object.json.nodes().count()).sum::<usize>()
        };
        assert!(nodes(2 * LONG) < 3 * LONG, "{}", nodes(2 * LONG));
    }

    #[test]
    fn of_many_objects_the_first_and_the_last_count() {
        let many = format!("{}{{\"surface_response\":\"a\"}}", "{}".repeat(100_000));
        let reply = Reply::new(many.as_bytes(), &Caps::default());
        assert_eq!(reply.objects.len(), 2 * MAX_OBJECTS);
        assert_eq!(reply.accepted, Some(2 * MAX_OBJECTS - 1));
        assert!(reply.objects.iter().all(|object| object.is_seen));
    }

    #[test]
    fn the_first_is_taken_and_the_last_is_safe() {
        let one = r#"{"control_packet":{},"surface_response":"a"}"#;
        let text = format!("{one} and {one}");
        let reply = Reply::new(text.as_bytes(), &Caps::default());
        assert_eq!((reply.accepted, reply.preferred), (Some(0), Some(1)));
        let alone = Reply::new(one.as_bytes(), &Caps::default());
        assert_eq!((alone.objects.len(), alone.accepted, alone.preferred), (1, Some(0), Some(0)));
    }
}
