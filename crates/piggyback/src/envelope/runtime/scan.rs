//! The runtime's search for objects in mixed text: braces are counted byte by byte, and a quote anywhere opens a
//! string, also in prose.

use std::ops::Range;

use super::Caps;

/// The objects at the top level of a text, in their order.
#[must_use]
pub fn candidates(text: &[u8], caps: &Caps) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each_candidate(text, caps, &mut |object| found.push(object));
    found
}

/// Shows the objects at the top level of a text, in their order.
pub(in crate::envelope) fn each_candidate(text: &[u8], caps: &Caps, see: &mut dyn FnMut(Range<usize>)) {
    let (mut depth, mut start) = (0usize, None);
    let (mut in_string, mut escaped) = (false, false);
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
                if depth > caps.depth {
                    (depth, start) = (0, None);
                }
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let object = start.take().map(|start| start..at + 1);
                    object.filter(|object| object.len() <= caps.candidate).into_iter().for_each(&mut *see);
                }
            }
            _ => {}
        }
    }
}
