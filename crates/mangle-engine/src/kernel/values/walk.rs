//! Iterates over the pieces of a printed value, from the start or from the end.
//!
//! Only printed pieces are visited, and each only once. The cost of printing the start and end of a
//! value is therefore independent of the size of the middle.

use super::{Key, ValueId, Values};

/// The maximum size of a placeholder in bytes.
pub(in crate::kernel) const MARK: usize = 64;

/// A part of a printed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// A value without parts.
    Leaf(ValueId),
    /// The text around and between parts.
    Text(&'static str),
}

/// The content of a numbered piece of a value.
enum Step {
    Into(ValueId),
    Text(&'static str),
}

/// An iterator over the pieces of a value.
pub(super) struct Walk<'v> {
    values: &'v Values,
    /// The values that contain the current position, each with the number of visited pieces.
    open: Vec<(ValueId, usize)>,
    is_backward: bool,
}

impl<'v> Walk<'v> {
    /// Starts at the first piece.
    pub(super) fn forward(values: &'v Values, id: ValueId) -> Self {
        Self { values, open: vec![(id, 0)], is_backward: false }
    }

    /// Starts at the last piece.
    pub(super) fn backward(values: &'v Values, id: ValueId) -> Self {
        Self { is_backward: true, ..Self::forward(values, id) }
    }
}

impl Iterator for Walk<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            let (id, done) = self.open.last_mut()?;
            let key = self.values.get(*id).as_key();
            let Some(pieces) = pieces(key) else {
                let leaf = Piece::Leaf(*id);
                self.open.pop();
                return Some(leaf);
            };
            if *done == pieces {
                self.open.pop();
                continue;
            }
            let at = if self.is_backward { pieces - 1 - *done } else { *done };
            *done += 1;
            match step(key, at, pieces) {
                Step::Text(text) => return Some(Piece::Text(text)),
                Step::Into(part) => self.open.push((part, 0)),
            }
        }
    }
}

/// The number of pieces of a compound value. `None` for a simple value.
fn pieces(key: Key<'_>) -> Option<usize> {
    Some(match key {
        Key::Pair(..) => 5,
        Key::List([]) | Key::Struct([]) => 2,
        Key::Map([]) => 1,
        Key::List(elements) => 2 * elements.len() + 1,
        Key::Map(entries) | Key::Struct(entries) => 4 * entries.len() + 1,
        _ => return None,
    })
}

fn step(key: Key<'_>, at: usize, pieces: usize) -> Step {
    let is_last = at + 1 == pieces;
    match key {
        Key::Pair(first, second) => match at {
            0 => Step::Text("fn:pair("),
            1 => Step::Into(first),
            2 => Step::Text(", "),
            3 => Step::Into(second),
            _ => Step::Text(")"),
        },
        Key::Map([]) => Step::Text("fn:map()"),
        Key::List(_) if is_last => Step::Text("]"),
        Key::List(_) if at == 0 => Step::Text("["),
        Key::List(elements) if at % 2 == 1 => {
            elements.get(at / 2).map_or(Step::Text(""), |part| Step::Into(*part))
        }
        Key::List(_) => Step::Text(", "),
        Key::Map(_) if is_last => Step::Text("]"),
        Key::Map(_) if at == 0 => Step::Text("["),
        Key::Struct(_) if is_last => Step::Text("}"),
        Key::Struct(_) if at == 0 => Step::Text("{"),
        Key::Map(entries) | Key::Struct(entries) => entry_step(entries, at - 1),
        _ => Step::Text(""),
    }
}

/// A piece of the entries: key, colon, value, comma.
fn entry_step(entries: &[(ValueId, ValueId)], at: usize) -> Step {
    let Some((key, value)) = entries.get(at / 4) else { return Step::Text("") };
    match at % 4 {
        0 => Step::Into(*key),
        1 => Step::Text(" : "),
        2 => Step::Into(*value),
        _ => Step::Text(", "),
    }
}

/// The placeholder for the missing part of a value. `shown` is the number of printed bytes.
pub(in crate::kernel) fn mark(values: &Values, id: ValueId, shown: usize) -> String {
    let (total, digest) = (values.printed_bytes(id), values.digest(id));
    let missing = total.saturating_sub(shown as u64);
    let more = if total == super::MAX_PRINTED { "more than " } else { "" };
    format!("…({more}{missing} bytes, hash {digest:08x})…")
}

/// The text of a value, shortened in the middle if it has more than `bytes` bytes.
pub(in crate::kernel) fn cut_text(values: &Values, id: ValueId, text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub(MARK);
    let (start, end) = (floor(text, room - room / 3), ceil(text, room / 3));
    let (head, tail) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{head}{}{tail}", mark(values, id, head.len() + tail.len()))
}

/// The largest character boundary of a text that is at most `bytes`.
pub(super) fn floor(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// The smallest character boundary of a text that is at least `bytes`, or its length.
pub(super) fn ceil_end(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// The start of the longest suffix of a text with at most `bytes` bytes, at a character boundary.
pub(super) fn ceil(text: &str, bytes: usize) -> usize {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}
