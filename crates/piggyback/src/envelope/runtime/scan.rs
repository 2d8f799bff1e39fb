//! The runtime's search in texts that are not one envelope: objects in mixed text, and the surface
//! of an envelope that cannot be decoded.
//!
//! The search for objects counts braces byte by byte. Any quote opens a string, including quotes in
//! prose.

use std::collections::VecDeque;
use std::ops::Range;

use super::go::trim;
use super::live::{self, Escape};
use mangle_settings::Caps;

/// Returns the top-level objects of a text that the runtime tries, in order.
#[must_use]
pub fn candidates(text: &[u8], caps: &Caps) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each_candidate(text, caps, &mut |object| found.push(object));
    found
}

/// Visits the top-level objects of a text that the runtime tries, in order.
pub(in crate::envelope) fn each_candidate(text: &[u8], caps: &Caps, see: &mut dyn FnMut(Range<usize>)) {
    let Some(limits) = caps.runtime.scanner_candidates else { return each_object(text, caps, see) };
    let (mut rich, mut others) = (VecDeque::new(), VecDeque::new());
    each_object(text, caps, &mut |object: Range<usize>| {
        let is_rich = text.get(object.clone()).is_some_and(has_surface_key);
        let (kept, limit) =
            if is_rich { (&mut rich, limits.with_surface) } else { (&mut others, limits.others) };
        kept.push_back(object);
        if kept.len() > limit {
            kept.pop_front();
        }
    });
    let mut all: Vec<_> = rich.into_iter().chain(others).collect();
    all.sort_unstable_by_key(|object| object.start);
    all.into_iter().for_each(see);
}

/// Visits all top-level objects of a text in order.
fn each_object(text: &[u8], caps: &Caps, see: &mut dyn FnMut(Range<usize>)) {
    let (mut depth, mut start) = (0usize, None);
    let (mut in_string, mut escaped) = (false, false);
    let (deepest, largest) = (caps.depth(), caps.candidate());
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => {
                if depth == 0 {
                    start = Some(at);
                }
                depth += 1;
                if depth > deepest {
                    (depth, start) = (0, None);
                }
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let object = start.take().map(|start| start..at + 1);
                    object.filter(|object| object.len() <= largest).into_iter().for_each(&mut *see);
                }
            }
            _ => {}
        }
    }
}

/// True if a text contains the quoted key of the surface.
fn has_surface_key(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\"surface_response\"").is_some()
}

/// Keys of an incomplete envelope. At least one is required.
const MARKERS: [&[u8]; 3] = [b"\"control_packet\"", b"\"reasoning_trace\"", b"\"intent_classification\""];

/// The minimum length in bytes of a truncated surface that is shown.
const MIN_LEN: usize = 8;

/// The maximum number of characters of the reasoning trace in the message.
const MAX_TRACE_LEN: usize = 600;

const CUT: &str = " […truncated]";

const MESSAGE: &str =
    "_The model's response was cut off before it could write a reply (likely an output-token limit).";

/// True if a trimmed text looks like an incomplete envelope.
pub(super) fn is_partial(text: &[u8]) -> bool {
    (text.starts_with(b"{") || text.starts_with(b"```"))
        && MARKERS.iter().any(|marker| memchr::memmem::find(text, marker).is_some())
}

/// Returns the surface of an incomplete envelope. `None` if it is missing or too short.
pub(super) fn salvaged_surface(text: &[u8]) -> Option<Vec<u8>> {
    let (value, is_closed) = string_of_key(text, b"\"surface_response\"")?;
    let mut value = trimmed(&value).to_vec();
    if is_closed {
        return (!value.is_empty()).then_some(value);
    }
    let is_enough = value.len() >= MIN_LEN;
    value.extend_from_slice(CUT.as_bytes());
    is_enough.then_some(value)
}

/// Returns the message that replaces a missing surface.
pub(super) fn cut_off_message(text: &[u8]) -> Vec<u8> {
    let trace = string_of_key(text, b"\"reasoning_trace\"")
        .map(|(value, _)| trimmed(&value).to_vec())
        .unwrap_or_default();
    if trace.is_empty() {
        return format!("{MESSAGE} Please ask again — possibly more narrowly._").into_bytes();
    }
    let mut message = format!("{MESSAGE} It was working on:_\n\n> ").into_bytes();
    let shown = runes(&trace);
    if shown.len() > MAX_TRACE_LEN {
        message.extend(shown.iter().take(MAX_TRACE_LEN).collect::<String>().bytes());
        message.extend_from_slice("…".as_bytes());
    } else {
        message.extend(trace);
    }
    message
}

/// Returns the characters of a text. Each byte that is not UTF-8 becomes U+FFFD.
fn runes(text: &[u8]) -> Vec<char> {
    let mut runes = Vec::new();
    for chunk in text.utf8_chunks() {
        runes.extend(chunk.valid().chars());
        runes.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    runes
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.get(trim(text, 0..text.len())).unwrap_or(&[])
}

/// Returns the string value of a quoted key outside of strings, and true if the string is closed.
///
/// An unfinished string is decoded up to its end and is ignored if it is empty.
fn string_of_key(text: &[u8], key: &[u8]) -> Option<(Vec<u8>, bool)> {
    let colon = colon_after(text, key)?;
    let open = colon + memchr::memchr(b'"', text.get(colon..)?)?;
    let (value, is_closed) = string(text.get(open + 1..)?);
    (is_closed || !value.is_empty()).then_some((value, is_closed))
}

/// Returns the offset of the colon after the first occurrence of a quoted key outside of strings.
fn colon_after(text: &[u8], key: &[u8]) -> Option<usize> {
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' if in_string => in_string = false,
            b'"' => {
                let behind = text.get(at..).and_then(|rest| rest.strip_prefix(key));
                let space = |rest: &[u8]| rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
                if let Some(rest) = behind
                    && rest.get(space(rest)) == Some(&b':')
                {
                    return Some(at + key.len() + space(rest));
                }
                in_string = true;
            }
            _ => {}
        }
    }
    None
}

/// Decodes a string after its opening quote. Returns true if it has a closing quote.
fn string(text: &[u8]) -> (Vec<u8>, bool) {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return (out, true),
            b'\\' => match live::read_escape(text.get(at..).unwrap_or_default()) {
                Escape::Byte(byte) => {
                    out.push(byte);
                    at += 2;
                }
                Escape::Char(char, len) => {
                    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    at += len;
                }
                Escape::Bad | Escape::Cut => break,
            },
            byte => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    (out, false)
}

#[cfg(test)]
mod tests {
    use super::{is_partial, salvaged_surface};

    #[track_caller]
    fn check(text: &str, shown: Option<&str>) {
        let found =
            salvaged_surface(text.as_bytes()).map(|found| String::from_utf8_lossy(&found).into_owned());
        assert_eq!(found.as_deref(), shown, "{text}");
    }

    #[test]
    fn the_next_quote_opens_the_value() {
        check(r#"{"surface_response": 5, "x": "taken"}"#, Some("x"));
        check(r#"{"a": "\"surface_response\": 1", "surface_response" : " b\u00e9 "}"#, Some("bé"));
        check(r#"{"surface_response" "a"}"#, None);
    }

    #[test]
    fn a_cut_value_needs_eight_bytes() {
        check(r#"{"surface_response": "12345678"#, Some("12345678 […truncated]"));
        check(r#"{"surface_response": "1234567"#, None);
        check(r#"{"surface_response": "12345678\u00"#, Some("12345678 […truncated]"));
        check(r#"{"surface_response": "1234567\ud83d"#, Some("1234567\u{fffd} […truncated]"));
    }

    #[test]
    fn a_marker_needs_its_quotes() {
        assert!(is_partial(b"{\"control_packet\"") && is_partial(b"```json\n{\"reasoning_trace\""));
        assert!(!is_partial(b"{control_packet") && !is_partial(b"[\"control_packet\""));
    }
}
