//! Emulation of other parsers in the runtime: the request classifier, the context harness and the
//! rule learner.
//!
//! For some replies, these parsers select another envelope than the main parser.

use std::ops::Range;

use super::json::{self, Json, Member, NodeId};

/// A part of the runtime with its own parser for replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extractor {
    /// The request classifier. Uses the last span of balanced braces that is valid JSON, including
    /// nested spans. The outermost span ends last.
    Perception,
    /// The context harness. Uses the first `json` code fence, or the text from the first brace to
    /// its match.
    Harness,
    /// The rule learner. Uses the updates of the span of [`Extractor::Perception`], at the top
    /// level and in the packet, and adds final periods.
    Learning,
}

/// The text that an extractor selects from a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extract {
    /// The byte range of the selected text.
    pub range: Option<Range<usize>>,
    /// True if the selected text is valid JSON.
    pub is_json: bool,
    /// The updates, for [`Extractor::Learning`].
    pub updates: Vec<String>,
}

/// The search budget as a multiple of the reply length. If it is exceeded, nothing is selected.
const MAX_READ: usize = 64;

/// Parses a reply like another part of the runtime.
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

/// Returns the last balanced span that is valid JSON. Any quote opens a string, including quotes in
/// prose.
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
    let mut left = raw.len().saturating_mul(MAX_READ);
    spans.into_iter().rev().find(|span| {
        let fits = left >= span.len();
        left = left.saturating_sub(span.len());
        fits && raw.get(span.clone()).is_some_and(is_valid)
    })
}

/// Returns the range between the first `json` fence and the next fence.
fn fenced(raw: &[u8]) -> Option<Range<usize>> {
    let open = b"```json";
    let start = memchr::memmem::find(raw, open)? + open.len();
    let len = memchr::memmem::find(raw.get(start..)?, b"```")?;
    let inside = raw.get(start..start + len)?;
    let from = start + (inside.len() - inside.trim_ascii_start().len());
    Some(from..from + inside.trim_ascii().len())
}

/// Returns the range from the first brace to its match. Braces in strings are counted.
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

/// Returns the updates at the top level of an object and in its packet.
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
