//! What a value consists of when it is printed, piece by piece, from the front or from the back.
//!
//! Nothing is gone through twice and nothing is looked at that is not printed, so that the beginning and the end of a
//! value cost as much as they are long, however large what lies between them is.

use super::{Key, ValueId, Values};

/// How much room a mark takes at most.
pub(in crate::kernel) const MARK: usize = 64;

/// A part of a printed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// A value without parts.
    Leaf(ValueId),
    /// What stands around and between parts.
    Text(&'static str),
}

/// A piece of a value by its number.
enum Step {
    Into(ValueId),
    Text(&'static str),
}

/// Goes through the pieces of a value.
pub(super) struct Walk<'v> {
    values: &'v Values,
    /// The values around the place, each with the number of pieces that are done.
    open: Vec<(ValueId, usize)>,
    is_backward: bool,
}

impl<'v> Walk<'v> {
    /// From the first piece on.
    pub(super) fn forward(values: &'v Values, id: ValueId) -> Self {
        Self { values, open: vec![(id, 0)], is_backward: false }
    }

    /// From the last piece on.
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

/// How many pieces a value with parts has; `None` for one without.
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

/// What stands for the missing part of the text of a value of which so many bytes are shown.
pub(in crate::kernel) fn mark(values: &Values, id: ValueId, shown: usize) -> String {
    let (total, digest) = (values.printed_bytes(id), values.digest(id));
    let missing = total.saturating_sub(shown as u64);
    let more = if total == super::MOST_PRINTED { "more than " } else { "" };
    format!("…({more}{missing} bytes, hash {digest:08x})…")
}

/// The text of a value, cut in its middle if it has more than so many bytes.
pub(in crate::kernel) fn cut_text(values: &Values, id: ValueId, text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub(MARK);
    let (start, end) = (floor(text, room - room / 3), ceil(text, room / 3));
    let (head, tail) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{head}{}{tail}", mark(values, id, head.len() + tail.len()))
}

/// The length of the longest beginning of a text that has at most so many bytes and ends between two characters.
pub(super) fn floor(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// The length of the shortest beginning of a text that has at least so many bytes, or all of it, and ends between two
/// characters.
pub(super) fn ceil_end(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// Where the longest end of a text starts that has at most so many bytes and starts between two characters.
pub(super) fn ceil(text: &str, bytes: usize) -> usize {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}
