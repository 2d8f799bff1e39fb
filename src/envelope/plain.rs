//! Plain ground facts, read without the parser: `p(/name, "text", 3).` and nothing that is rarer.
//!
//! A log has millions of them. What is accepted here the grammar accepts, too, and finds the same in it (a property
//! test holds the two together); what is not accepted may still be a fact, and the parser decides.

use smallvec::SmallVec;

use crate::text::{TextRange, size};

/// Words that are no predicates, whatever follows.
const RESERVED: [&str; 8] = ["bound", "descr", "do", "inclusion", "let", "now", "opt", "temporal"];

/// The most digits of a float; more of them might be too large.
const MOST_DIGITS: usize = 40;

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `/a`
    Name,
    /// `1`
    Number(i64),
    /// `1.5`
    Float,
    /// `"a"` or `'a'`, which is its own value.
    String,
    /// The same with escapes.
    Escaped,
}

/// An argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Argument {
    /// What it is.
    pub kind: Kind,
    /// Its bytes, quotes included.
    pub range: TextRange,
}

/// A plain ground fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Plain<'t> {
    /// The predicate.
    pub predicate: &'t str,
    /// Its bytes.
    pub name: TextRange,
    /// The arguments.
    pub args: SmallVec<[Argument; 6]>,
    /// Predicate and arguments.
    pub range: TextRange,
    /// Whether a full stop ends it.
    pub has_period: bool,
}

/// Reads a text that is one plain ground fact, with or without its full stop, and white space.
#[must_use]
pub fn read(text: &str) -> Option<Plain<'_>> {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    cursor.space();
    let start = cursor.at;
    let name = cursor.predicate()?;
    let predicate = text.get(start..name)?;
    if RESERVED.contains(&predicate) {
        return None;
    }
    cursor.space();
    cursor.take(b'(')?;
    let mut args = SmallVec::new();
    cursor.space();
    while cursor.peek() != Some(b')') {
        args.push(cursor.argument()?);
        cursor.space();
        if cursor.take(b',').is_none() {
            break;
        }
        cursor.space();
    }
    cursor.take(b')')?;
    let end = cursor.at;
    cursor.space();
    let has_period = cursor.take(b'.').is_some();
    cursor.space();
    (cursor.at == text.len()).then(|| Plain {
        predicate,
        name: TextRange::new(size(start), size(name)),
        args,
        range: TextRange::new(size(start), size(end)),
        has_period,
    })
}

struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn space(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// Passes over bytes; gives how many.
    fn skip(&mut self, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let len = rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len());
        self.at += len;
        len
    }

    /// Passes over a predicate; gives where it ends.
    fn predicate(&mut self) -> Option<usize> {
        self.peek().filter(u8::is_ascii_lowercase)?;
        self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Some(self.at)
    }

    fn argument(&mut self) -> Option<Argument> {
        let start = self.at;
        let kind = match self.peek()? {
            b'/' => self.name()?,
            quote @ (b'"' | b'\'') => self.string(quote)?,
            _ => self.number()?,
        };
        Some(Argument { kind, range: TextRange::new(size(start), size(self.at)) })
    }

    fn name(&mut self) -> Option<Kind> {
        while self.take(b'/').is_some() {
            let is_part = |byte: u8| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%')
            };
            if self.skip(is_part) == 0 {
                return None;
            }
        }
        Some(Kind::Name)
    }

    fn string(&mut self, quote: u8) -> Option<Kind> {
        self.at += 1;
        let mut kind = Kind::String;
        loop {
            // What is left out here are control characters, of which some are no text to the engine.
            self.skip(|byte| byte >= b' ' && byte != quote && byte != b'\\');
            match self.peek()? {
                b'\\' => {
                    self.at += 1;
                    self.peek().filter(|byte| matches!(byte, b'n' | b't' | b'"' | b'\'' | b'\\'))?;
                    kind = Kind::Escaped;
                }
                byte if byte == quote => {
                    self.at += 1;
                    return Some(kind);
                }
                _ => return None,
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Option<Kind> {
        let start = self.at;
        let _ = self.take(b'-');
        let whole = self.skip(|byte| byte.is_ascii_digit());
        if self.take(b'.').is_some() {
            let fraction = self.skip(|byte| byte.is_ascii_digit());
            return (fraction > 0 && whole + fraction <= MOST_DIGITS).then_some(Kind::Float);
        }
        let digits = self.bytes.get(start..self.at)?;
        std::str::from_utf8(digits).ok()?.parse().ok().map(Kind::Number)
    }
}
