//! How other parts of the runtime read a reply: its classifier of requests, its context harness, and what learns rules.
//! Each takes another envelope than the parse chain does, in some replies.

use std::ops::Range;

use super::json::{self, Json, Member, NodeId};

/// A part of the runtime that reads replies in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extractor {
    /// The last span of balanced braces that is JSON, nested ones included: the outermost closes last.
    Perception,
    /// What stands in the first `json` fence, else from the first brace to where as many are closed.
    Harness,
    /// The updates of what [`Extractor::Perception`] takes, at its top and in its packet, with full stops added.
    Learning,
}

/// What an extractor takes from a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extract {
    /// The bytes of the JSON, or of what is taken for it.
    pub range: Option<Range<usize>>,
    /// Whether it is JSON.
    pub is_json: bool,
    /// The updates, for [`Extractor::Learning`].
    pub updates: Vec<String>,
}

/// So often the length of a reply is read in search of a span that is JSON; then nothing is taken.
const MOST_READ: usize = 64;

/// Reads a reply as another part of the runtime does.
#[must_use]
pub fn extract(extractor: Extractor, raw: &[u8]) -> Extract {
    let (range, is_json) = match extractor {
        Extractor::Perception | Extractor::Learning => (last_valid(raw), true),
        Extractor::Harness => {
            let range = fenced(raw).or_else(|| braced(raw));
            let is_json = range.clone().and_then(|range| raw.get(range)).is_some_and(is_valid);
            (range, is_json)
        }
    };
    let updates = match (&range, extractor) {
        (Some(range), Extractor::Learning) => updates(raw, range.clone()),
        _ => Vec::new(),
    };
    Extract { is_json: is_json && range.is_some(), range, updates }
}

fn is_valid(text: &[u8]) -> bool {
    json::whole(text).is_ok()
}

/// The last balanced span that is JSON. A quote anywhere opens a string, also in prose.
fn last_valid(raw: &[u8]) -> Option<Range<usize>> {
    let (mut open, mut spans) = (Vec::new(), Vec::new());
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in raw.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => open.push(at),
            b'}' => spans.extend(open.pop().map(|start| start..at + 1)),
            _ => {}
        }
    }
    let mut left = raw.len().saturating_mul(MOST_READ);
    spans.into_iter().rev().find(|span| {
        let fits = left >= span.len();
        left = left.saturating_sub(span.len());
        fits && raw.get(span.clone()).is_some_and(is_valid)
    })
}

/// What stands between the first `json` fence and the next fence.
fn fenced(raw: &[u8]) -> Option<Range<usize>> {
    let open = b"```json";
    let start = memchr::memmem::find(raw, open)? + open.len();
    let len = memchr::memmem::find(raw.get(start..)?, b"```")?;
    let inside = raw.get(start..start + len)?;
    let from = start + (inside.len() - inside.trim_ascii_start().len());
    Some(from..from + inside.trim_ascii().len())
}

/// From the first brace to where as many are closed, strings or not.
fn braced(raw: &[u8]) -> Option<Range<usize>> {
    let start = memchr::memchr(b'{', raw)?;
    let mut depth = 0usize;
    for at in memchr::memchr2_iter(b'{', b'}', raw.get(start..)?) {
        match raw.get(start + at) {
            Some(b'{') => depth += 1,
            _ => depth -= 1,
        }
        if depth == 0 {
            return Some(start..start + at + 1);
        }
    }
    None
}

/// The updates at the top of an object and in its packet.
fn updates(raw: &[u8], range: Range<usize>) -> Vec<String> {
    let json = Json::parse_part(raw, range);
    let member = |object: NodeId, name: &str| {
        let is_it = |member: &Member| json.string(member.key).is_some_and(|key| key == name);
        json.members(object).filter(is_it).map(|member| member.value).last()
    };
    let root = json.root();
    let packet = member(root, "control_packet");
    let lists =
        [Some(root), packet].into_iter().flatten().filter_map(|object| member(object, "mangle_updates"));
    let texts = lists.flat_map(|list| json.elements(list).collect::<Vec<_>>());
    let texts = texts.filter_map(|text| Some(json.string(text)?.trim().to_owned()));
    let whole = |text: String| if text.ends_with('.') { text } else { text + "." };
    texts.filter(|text| !text.is_empty()).map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(extractor: Extractor, text: &str) -> (Option<&str>, bool, Vec<String>) {
        let found = extract(extractor, text.as_bytes());
        (found.range.and_then(|range| text.get(range)), found.is_json, found.updates)
    }

    #[test]
    fn the_classifier_takes_the_last_span() {
        let text = r#"think {x} {"a":{"b":1}} and {"c":2} then {bad}"#;
        assert_eq!(taken(Extractor::Perception, text), (Some(r#"{"c":2}"#), true, vec![]));
        assert_eq!(taken(Extractor::Perception, r#"{bad {"in":1} }"#).0, Some(r#"{"in":1}"#));
        assert_eq!(taken(Extractor::Perception, r#"a 5" bar {"c":2}"#).0, None);
        assert_eq!(taken(Extractor::Perception, "").0, None);
    }

    #[test]
    fn the_harness_takes_the_first_fence() {
        let text = "{\"a\":1}\n```json\n {\"b\":2}\n```\n```json\n{}\n```";
        assert_eq!(taken(Extractor::Harness, text), (Some("{\"b\":2}"), true, vec![]));
        assert_eq!(taken(Extractor::Harness, "x {\"a\":\"}\"} y"), (Some("{\"a\":\"}"), false, vec![]));
        assert_eq!(taken(Extractor::Harness, "x {\"a\":1"), (None, false, vec![]));
    }

    #[test]
    fn learning_adds_full_stops() {
        let text = r#"{"mangle_updates":["p(1)"," "],"control_packet":{"mangle_updates":["q(2). "]}}"#;
        assert_eq!(taken(Extractor::Learning, text).2, ["p(1).", "q(2)."]);
    }

    #[test]
    fn spans_that_are_no_json_cost_little() {
        let text = format!("{}{}", "{".repeat(20_000), "}".repeat(20_000));
        assert_eq!(taken(Extractor::Perception, &text).0, None);
    }
}
