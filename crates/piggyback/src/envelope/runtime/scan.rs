//! The runtime's search for objects in mixed text.
//!
//! The search counts braces byte by byte. Any quote opens a string, including quotes in prose.

use std::collections::VecDeque;
use std::ops::Range;

use super::Caps;

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
