//! One reply with all objects in it, those included that the runtime's search does not see.

use std::ops::Range;

use super::json::{Json, NodeId};
use super::runtime::{self, Caps, Failure, Reading, candidates};

/// How many objects that are not closed the search looks behind; more of them are no prose, and would cost a pass each.
const MOST_UNCLOSED: usize = 16;

/// A reply, what the runtime makes of it, and what is in it.
#[derive(Debug)]
pub struct Reply<'t> {
    /// Its bytes. All ranges count from its start.
    pub raw: &'t [u8],
    /// What the runtime makes of it.
    pub reading: Result<Reading, Failure>,
    /// The objects at its top level in their order, and the one that the runtime takes, wherever that is.
    pub objects: Vec<Object<'t>>,
    /// Which of `objects` the runtime takes.
    pub picked: Option<usize>,
    /// Which of them somebody would take who knows that a reply ends with its envelope: of the acceptable ones the
    /// last that has both keys, else the last.
    pub safe: Option<usize>,
}

/// An object in a reply.
#[derive(Debug)]
pub struct Object<'t> {
    /// It, read as far as it can be; ranges count from the start of the reply.
    pub json: Json<'t>,
    /// Its bytes.
    pub range: Range<usize>,
    /// Whether it ends.
    pub is_closed: bool,
    /// Whether the runtime's search sees it.
    pub is_seen: bool,
    /// Whether the runtime can decode it.
    pub decoded: Result<(), Failure>,
    /// Whether it shows something.
    shows: bool,
}

impl Object<'_> {
    /// Whether the runtime would take it if it came first: it decodes, and shows something.
    #[must_use]
    pub fn is_acceptable(&self) -> bool {
        self.decoded.is_ok() && self.shows
    }

    /// Its updates as the runtime decodes them, before any limit; none of what cannot be decoded.
    #[must_use]
    pub fn updates(&self) -> Vec<String> {
        if self.decoded.is_err() {
            return Vec::new();
        }
        runtime::decode(&self.json)
            .map_or_else(|_| Vec::new(), |found| found.control.updates.as_slice().to_vec())
    }
}

impl<'t> Reply<'t> {
    /// Reads a reply.
    #[must_use]
    pub fn new(raw: &'t [u8], caps: &Caps) -> Self {
        match runtime::read_keeping(raw, caps) {
            Ok((reading, Some(json))) if reading.stage == runtime::Stage::Whole => {
                Self::of_one(raw, reading, json)
            }
            Ok((reading, _)) => Self::of_mixed(raw, Ok(reading), caps),
            Err(failure) => Self::of_mixed(raw, Err(failure), caps),
        }
    }

    /// [`Reply::new`], for a reply that was read as JSON already.
    #[must_use]
    pub fn of_tree(json: Json<'t>, caps: &Caps) -> Self {
        let raw = json.text();
        match runtime::read_tree(json, caps) {
            Some((reading, json)) => Self::of_one(raw, reading, json),
            None => Self::new(raw, caps),
        }
    }

    /// A reply that is one envelope and nothing else.
    fn of_one(raw: &'t [u8], reading: Reading, json: Json<'t>) -> Self {
        let range = reading.picked.as_ref().map_or(0..raw.len(), |picked| picked.range.clone());
        let object = Object { json, range, is_closed: true, is_seen: true, decoded: Ok(()), shows: true };
        Self { raw, reading: Ok(reading), objects: vec![object], picked: Some(0), safe: Some(0) }
    }

    fn of_mixed(raw: &'t [u8], reading: Result<Reading, Failure>, caps: &Caps) -> Self {
        let taken = reading.as_ref().ok().and_then(|reading| Some(reading.picked.as_ref()?.range.clone()));
        let mut found = objects(raw);
        if let Some(taken) = &taken
            && !found.iter().any(|(range, _)| range == taken)
        {
            let at = found.partition_point(|(range, _)| range.start <= taken.start);
            found.insert(at, (taken.clone(), true));
        }
        let seen = candidates(raw, caps);
        let object = |(range, is_closed): (Range<usize>, bool)| {
            let json = Json::parse_part(raw, range.clone());
            let is_seen = seen.binary_search_by_key(&range.start, |seen| seen.start).is_ok();
            let decoded = match json.is_valid_to_the_end() {
                true => runtime::decode(&json),
                false => Err(runtime::flaw(raw, range.clone())),
            };
            let shows = decoded.as_ref().is_ok_and(|envelope| !envelope.surface.is_empty());
            let is_seen = is_seen || taken.as_ref() == Some(&range);
            Object { is_seen, json, range, is_closed, decoded: decoded.map(drop), shows }
        };
        let objects: Vec<_> = found.into_iter().map(object).collect();
        let picked = taken.and_then(|taken| objects.iter().position(|object| object.range == taken));
        let is_rich = |object: &Object<'_>| {
            raw.get(object.range.clone()).is_some_and(runtime::is_rich) && object.is_acceptable()
        };
        let safe =
            objects.iter().rposition(is_rich).or_else(|| objects.iter().rposition(Object::is_acceptable));
        Self { raw, reading, objects, picked, safe }
    }

    /// The value that the runtime takes for a member of the envelope that it takes: the last one of that name, in small
    /// letters or capitals.
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

    /// The object that the runtime takes.
    #[must_use]
    pub fn picked_object(&self) -> Option<&Object<'t>> {
        self.objects.get(self.picked?)
    }
}

/// The objects of a text, and whether they are closed. Quotes count inside of objects only; behind the brace of an
/// object that does not end, the search goes on.
fn objects(raw: &[u8]) -> Vec<(Range<usize>, bool)> {
    let (mut found, mut at, mut unclosed) = (Vec::new(), 0, 0);
    while let Some(brace) = raw.get(at..).and_then(|rest| memchr::memchr(b'{', rest)) {
        let start = at + brace;
        if let Some(end) = object_end(raw, start) {
            found.push((start..end, true));
            at = end;
        } else {
            found.push((start..raw.len(), false));
            unclosed += 1;
            if unclosed == MOST_UNCLOSED {
                break;
            }
            at = start + 1;
        }
    }
    found
}

/// Where the object that starts at `start` ends, by its braces.
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

/// Where the string whose quote is at `start` ends: its other quote.
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
        objects(text.as_bytes()).into_iter().map(|(range, closed)| (&text[range], closed)).collect()
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
        assert_eq!(found(&"{\"".repeat(100_000)).len(), MOST_UNCLOSED);
    }

    #[test]
    fn the_first_is_taken_and_the_last_is_safe() {
        let one = r#"{"control_packet":{},"surface_response":"a"}"#;
        let text = format!("{one} and {one}");
        let reply = Reply::new(text.as_bytes(), &Caps::default());
        assert_eq!((reply.picked, reply.safe), (Some(0), Some(1)));
        let alone = Reply::new(one.as_bytes(), &Caps::default());
        assert_eq!((alone.objects.len(), alone.picked, alone.safe), (1, Some(0), Some(0)));
    }
}
