//! Prints values in the notation of the engine, and in a short form for people.
//!
//! A value with a longer text than the limit is shortened in the middle. The placeholder contains
//! the number of missing bytes and a hash of the whole value, to distinguish values that differ
//! only in the missing part.
//!
//! Only printed pieces are visited, and each only once. The cost of printing the start and end of a
//! value is therefore independent of the size of the middle.

use std::fmt::{self, Display, Write};

use super::{Datum, Key, ValueId, Values, duration_text, escape_bytes, escape_string, float_text, time_text};

/// The default maximum size of a printed value in bytes.
pub const PRINTED_BYTES: usize = 4096;

impl Values {
    /// Prints a value in the notation of the engine, at most [`PRINTED_BYTES`] bytes.
    #[must_use]
    pub fn display(&self, id: ValueId) -> impl Display + '_ {
        self.display_within(id, PRINTED_BYTES)
    }

    /// Prints a value in the notation of the engine, in at most `bytes` bytes.
    ///
    /// A longer text is shortened in the middle, with a placeholder for the missing bytes. If
    /// `bytes` is less than the size of the placeholder, the result is longer.
    #[must_use]
    pub fn display_within(&self, id: ValueId, bytes: usize) -> impl Display + '_ {
        PrintedValue { values: self, id, bytes }
    }

    /// Prints a value for people in at most `max_chars` characters, ending with `…` if it is
    /// longer.
    ///
    /// Control characters are escaped. Times and durations are printed without a function call.
    #[must_use]
    pub fn short(&self, id: ValueId, max_chars: usize) -> String {
        let mut text = Bounded { text: String::new(), room: max_chars, cut: false };
        // An error means that the limit is reached.
        let _ = self.write_all(&mut text, id, Style::People);
        if text.cut && max_chars > 0 {
            text.text.pop();
            text.text.push('…');
        }
        text.text
    }

    fn write_all(&self, out: &mut dyn Write, id: ValueId, style: Style) -> fmt::Result {
        Walk::forward(self, id).try_for_each(|piece| self.write_piece(out, piece, style))
    }

    fn write_piece(&self, out: &mut dyn Write, piece: Piece, style: Style) -> fmt::Result {
        match piece {
            Piece::Text(text) => out.write_str(text),
            Piece::Leaf(id) => leaf(out, self.get(id), style),
        }
    }

    /// The first `bytes` bytes (or slightly fewer) of the text of a value, and true if that is all.
    fn head(&self, id: ValueId, bytes: usize) -> (String, bool) {
        let mut text = Head { text: String::new(), room: bytes };
        // An error means that the limit is reached.
        let all = Walk::forward(self, id).try_for_each(|piece| self.write_start(&mut text, piece, bytes));
        (text.text, all.is_ok())
    }

    /// Writes a piece. Of a long string, only the first bytes are written: the escaped text is not
    /// shorter than the original.
    fn write_start(&self, out: &mut dyn Write, piece: Piece, bytes: usize) -> fmt::Result {
        let datum = if let Piece::Leaf(id) = piece { Some(self.get(id)) } else { None };
        match datum {
            Some(Datum::String(text)) if text.len() > bytes => {
                let start = text.get(..ceil_end(text, bytes)).unwrap_or_default();
                quoted(out, "\"", |out| escape_string(out, start))
            }
            Some(Datum::Bytes(all)) if all.len() > bytes => {
                quoted(out, "b\"", |out| escape_bytes(out, all.get(..bytes).unwrap_or_default()))
            }
            _ => self.write_piece(out, piece, Style::Engine),
        }
    }

    /// The last `bytes` bytes (or slightly fewer) of the text of a value.
    fn tail(&self, id: ValueId, bytes: usize) -> String {
        let (mut pieces, mut room) = (Vec::new(), bytes);
        for piece in Walk::backward(self, id) {
            let text = self.end_of(piece, room);
            let start = ceil(&text, room);
            let end = text.get(start..).unwrap_or_default().to_owned();
            room -= end.len();
            pieces.push(end);
            if room == 0 || start > 0 {
                break;
            }
        }
        pieces.into_iter().rev().collect()
    }

    /// At least the last `bytes` bytes of the text of a piece, or all of it.
    fn end_of(&self, piece: Piece, bytes: usize) -> String {
        let mut text = String::new();
        // Writing to memory does not fail. Only the end of a long text is escaped.
        let _ = match piece {
            Piece::Leaf(id) => match self.get(id) {
                Datum::String(string) if string.len() > bytes => {
                    let end = string.get(ceil(string, bytes)..).unwrap_or_default();
                    escape_string(&mut text, end).and_then(|()| text.write_str("\""))
                }
                Datum::Bytes(all) if all.len() > bytes => {
                    let end = all.get(all.len().saturating_sub(bytes)..).unwrap_or_default();
                    escape_bytes(&mut text, end).and_then(|()| text.write_str("\""))
                }
                datum => leaf(&mut text, datum, Style::Engine),
            },
            Piece::Text(piece) => text.write_str(piece),
        };
        text
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Engine,
    People,
}

struct PrintedValue<'a> {
    values: &'a Values,
    id: ValueId,
    bytes: usize,
}

impl Display for PrintedValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.values.printed_bytes(self.id);
        if total <= self.bytes as u64 {
            return self.values.write_all(f, self.id, Style::Engine);
        }
        let (start, is_whole) = self.values.head(self.id, self.bytes);
        if is_whole {
            // The size of some leaves is an upper bound.
            return f.write_str(&start);
        }
        let room = self.bytes.saturating_sub(MARK);
        // The start shows the kind of the value, so it receives more space than the end.
        let tail = self.values.tail(self.id, room / 3);
        let head = start.get(..floor(&start, room - tail.len())).unwrap_or_default();
        write!(f, "{head}{}{tail}", mark(self.values, self.id, head.len() + tail.len()))
    }
}

/// Prints a value without parts.
fn leaf(out: &mut dyn Write, datum: &Datum, style: Style) -> fmt::Result {
    let engine = style == Style::Engine;
    match datum {
        Datum::Name(name) => out.write_str(name),
        Datum::Number(number) => write!(out, "{number}"),
        // People see a difference between floats and integers. The engine prints `1` for both.
        Datum::Float(bits) if !engine && f64::from_bits(*bits).is_finite() => {
            write!(out, "{:?}", f64::from_bits(*bits))
        }
        Datum::Float(bits) => out.write_str(&float_text(f64::from_bits(*bits))),
        Datum::String(text) if engine => quoted(out, "\"", |out| escape_string(out, text)),
        Datum::String(text) => write!(out, "{text:?}"),
        Datum::Bytes(bytes) => quoted(out, "b\"", |out| escape_bytes(out, bytes)),
        Datum::Time(nanos) if engine => write!(out, "fn:time:parse_rfc3339(\"{}\")", time_text(*nanos)),
        Datum::Time(nanos) => out.write_str(&time_text(*nanos)),
        Datum::Duration(nanos) if engine => write!(out, "fn:duration:parse(\"{}\")", duration_text(*nanos)),
        Datum::Duration(nanos) => out.write_str(&duration_text(*nanos)),
        // Compound values are printed in pieces.
        Datum::Pair(..) | Datum::List(_) | Datum::Map(_) | Datum::Struct(_) => Ok(()),
    }
}

fn quoted(
    out: &mut dyn Write,
    open: &str,
    content: impl FnOnce(&mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    out.write_str(open)?;
    content(out)?;
    out.write_str("\"")
}

/// A text with a limited number of characters.
struct Bounded {
    text: String,
    room: usize,
    cut: bool,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for char in text.chars() {
            if self.room == 0 {
                self.cut = true;
                return Err(fmt::Error);
            }
            self.text.push(char);
            self.room -= 1;
        }
        Ok(())
    }
}

/// A text with a limited number of bytes.
struct Head {
    text: String,
    room: usize,
}

impl Write for Head {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = floor(text, self.room);
        self.text.push_str(text.get(..end).unwrap_or_default());
        self.room -= end;
        if end < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// The maximum printed size of each of several values for a total of about `room` bytes. Long
/// values receive the unused bytes of short values.
#[must_use]
pub(in crate::kernel) fn shares(sizes: impl Iterator<Item = u64> + Clone, room: usize) -> usize {
    let mut share = room / sizes.clone().count().max(1);
    // Each round gives unused bytes of short values to long values. A few rounds are sufficient.
    for _ in 0..8 {
        let (mut long, mut left) = (0, room);
        for size in sizes.clone().map(|size| usize::try_from(size).unwrap_or(usize::MAX)) {
            if size > share { long += 1 } else { left = left.saturating_sub(size) }
        }
        let Some(fair) = left.checked_div(long) else { return usize::MAX };
        if fair <= share {
            break;
        }
        share = fair;
    }
    share.max(2 * MARK)
}

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
struct Walk<'v> {
    values: &'v Values,
    /// The values that contain the current position, each with the number of visited pieces.
    open: Vec<(ValueId, usize)>,
    is_backward: bool,
}

impl<'v> Walk<'v> {
    /// Starts at the first piece.
    fn forward(values: &'v Values, id: ValueId) -> Self {
        Self { values, open: vec![(id, 0)], is_backward: false }
    }

    /// Starts at the last piece.
    fn backward(values: &'v Values, id: ValueId) -> Self {
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
fn floor(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// The smallest character boundary of a text that is at least `bytes`, or its length.
fn ceil_end(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// The start of the longest suffix of a text with at most `bytes` bytes, at a character boundary.
fn ceil(text: &str, bytes: usize) -> usize {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}
