//! How values are printed: as the engine does, and short for people.

use std::fmt::{self, Display, Write};

use super::text::{duration_text, escape_bytes, escape_string, float_text, time_text};
use super::{Datum, ValueId, Values};

/// Values that share parts can be far larger written out than kept; printing ends with `…` after so
/// many parts.
const MOST_PARTS: usize = 1 << 24;

impl Values {
    /// The value as the engine prints it.
    #[must_use]
    pub fn display(&self, id: ValueId) -> impl Display + '_ {
        Shown { values: self, id, style: Style::Engine }
    }

    /// The value for people, cut with `…` to at most `max_chars` characters: text as it reads, with
    /// control characters escaped; times and durations without the function around them.
    #[must_use]
    pub fn short(&self, id: ValueId, max_chars: usize) -> String {
        let mut text = Bounded { text: String::new(), room: max_chars, cut: false };
        // An error says that there was no more room.
        let _ = write!(text, "{}", Shown { values: self, id, style: Style::People });
        if text.cut && max_chars > 0 {
            text.text.pop();
            text.text.push('…');
        }
        text.text
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Engine,
    People,
}

struct Shown<'a> {
    values: &'a Values,
    id: ValueId,
    style: Style,
}

/// What is still to be printed.
#[derive(Clone, Copy)]
enum Piece {
    Value(ValueId),
    Text(&'static str),
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![Piece::Value(self.id)];
        let mut parts = 0;
        while let Some(piece) = open.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Value(_) if parts == MOST_PARTS => return f.write_str("…"),
                Piece::Value(id) => {
                    parts += 1;
                    self.value(f, self.values.get(id), &mut open)?;
                }
            }
        }
        Ok(())
    }
}

impl Shown<'_> {
    /// Prints a value without parts; of one with parts the beginning, and puts the rest on `open`.
    fn value(&self, f: &mut fmt::Formatter<'_>, datum: &Datum, open: &mut Vec<Piece>) -> fmt::Result {
        let engine = self.style == Style::Engine;
        match datum {
            Datum::Name(name) => f.write_str(name),
            Datum::Number(number) => write!(f, "{number}"),
            Datum::Float(bits) => self.float(f, f64::from_bits(*bits)),
            Datum::String(text) if engine => quoted(f, "\"", |f| escape_string(f, text)),
            Datum::String(text) => write!(f, "{text:?}"),
            Datum::Bytes(bytes) => quoted(f, "b\"", |f| escape_bytes(f, bytes)),
            Datum::Time(nanos) if engine => write!(f, "fn:time:parse_rfc3339(\"{}\")", time_text(*nanos)),
            Datum::Time(nanos) => f.write_str(&time_text(*nanos)),
            Datum::Duration(nanos) if engine => {
                write!(f, "fn:duration:parse(\"{}\")", duration_text(*nanos))
            }
            Datum::Duration(nanos) => f.write_str(&duration_text(*nanos)),
            Datum::Pair(first, second) => {
                let rest = [Piece::Value(*first), Piece::Text(", "), Piece::Value(*second), Piece::Text(")")];
                open.extend(rest.into_iter().rev());
                f.write_str("fn:pair(")
            }
            Datum::List(values) => {
                open.push(Piece::Text("]"));
                for (index, value) in values.iter().enumerate().rev() {
                    open.push(Piece::Value(*value));
                    open.extend((index > 0).then_some(Piece::Text(", ")));
                }
                f.write_str("[")
            }
            Datum::Map(entries) if entries.is_empty() => f.write_str("fn:map()"),
            Datum::Map(entries) => {
                self.entries(entries, "]", open);
                f.write_str("[")
            }
            Datum::Struct(entries) => {
                self.entries(entries, "}", open);
                f.write_str("{")
            }
        }
    }

    fn entries(&self, entries: &[(ValueId, ValueId)], close: &'static str, open: &mut Vec<Piece>) {
        open.push(Piece::Text(close));
        for (index, (key, value)) in entries.iter().enumerate().rev() {
            open.extend([Piece::Value(*value), Piece::Text(" : "), Piece::Value(*key)]);
            open.extend((index > 0).then_some(Piece::Text(", ")));
        }
    }

    /// For people a float is told from an integer; the engine prints `1` for both.
    fn float(&self, f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
        match self.style {
            Style::People if value.is_finite() => write!(f, "{value:?}"),
            _ => f.write_str(&float_text(value)),
        }
    }
}

fn quoted(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    content: impl FnOnce(&mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    content(f)?;
    f.write_str("\"")
}

/// Text that takes only so many characters.
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
