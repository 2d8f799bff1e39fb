//! Scanner for the common syntax of grammar notations: names, quoted texts, groups and repetitions.

use super::{MAX_LEVELS, Part, ReadError};
use crate::class::CharClass;
use crate::expr::Expr;

pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    levels: usize,
}

/// The differences between notations.
pub(super) trait Notation {
    /// The token between the name of a rule and its body.
    const DEFINES: &'static str;
    /// The prefixes of comments.
    const COMMENTS: &'static [&'static str];

    /// Parses notation-specific syntax; `None` if none is at this position.
    fn special(scanner: &mut Scanner<'_>) -> Option<Result<Expr, ReadError>>;
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, levels: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        self.at += if is_here { text.len() } else { 0 };
        is_here
    }

    pub(super) fn error<T>(&self, why: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError::new(self.at, why))
    }

    /// Skips white space and comments.
    pub(super) fn skip<N: Notation>(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            if !N::COMMENTS.iter().any(|start| rest.starts_with(start)) {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Parses a name, if present.
    pub(super) fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let end = rest.find(|char: char| !(char.is_ascii_alphanumeric() || "_-.".contains(char)));
        let name = rest.get(..end.unwrap_or(rest.len())).filter(|name| !name.is_empty())?;
        self.at += name.len();
        Some(name)
    }

    /// True at the start of a rule.
    fn is_at_rule<N: Notation>(&self) -> bool {
        let mut ahead = Scanner { text: self.text, at: self.at, levels: 0 };
        ahead.name().is_some() && {
            ahead.skip::<N>();
            ahead.take(N::DEFINES)
        }
    }

    /// Parses the alternatives of a rule or group.
    pub(super) fn alternatives<N: Notation>(&mut self) -> Result<Part, ReadError> {
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return self.error("groups nest too deep");
        }
        let mut alternatives = vec![self.sequence::<N>()?];
        while self.take("|") {
            alternatives.push(self.sequence::<N>()?);
        }
        self.levels -= 1;
        Ok(match alternatives.len() {
            1 => alternatives.remove(0),
            _ => Part::Choice(alternatives),
        })
    }

    fn sequence<N: Notation>(&mut self) -> Result<Part, ReadError> {
        let mut parts = Vec::new();
        loop {
            self.skip::<N>();
            if matches!(self.peek(), None | Some('|' | ')')) || self.is_at_rule::<N>() {
                return Ok(Part::Sequence(parts));
            }
            let part = self.item::<N>()?;
            parts.push(self.times(part)?);
        }
    }

    fn item<N: Notation>(&mut self) -> Result<Part, ReadError> {
        if self.take("(") {
            let inner = self.alternatives::<N>()?;
            return if self.take(")") { Ok(inner) } else { self.error("a group has no end") };
        }
        if self.take("\"") {
            return Ok(Part::Expr(Expr::Literal(self.quoted('"')?)));
        }
        if let Some(special) = N::special(self) {
            return Ok(Part::Expr(special?));
        }
        let at = self.at;
        match self.name() {
            Some(name) => Ok(Part::Name(name.to_owned(), at)),
            None => self.error("a rule has an unknown sign"),
        }
    }

    /// Parses a quoted text after its opening quote.
    fn quoted(&mut self, quote: char) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => return self.error("a quoted text has no end"),
                Some(char) if char == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(_) => text.push(self.character()?),
            }
        }
    }

    /// Parses a character or an escape.
    pub(super) fn character(&mut self) -> Result<char, ReadError> {
        match self.next() {
            Some('\\') => self.escape(),
            Some(char) => Ok(char),
            None => self.error("the text ends too early"),
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let digits = match self.next() {
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(char) => return Ok(char),
            None => return self.error("the text ends too early"),
        };
        let code = self.rest().get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(char) => {
                self.at += digits;
                Ok(char)
            }
            None => self.error("an escape is no character"),
        }
    }

    /// Parses a character class after its opening bracket.
    pub(super) fn class(&mut self) -> Result<Expr, ReadError> {
        let is_negative = self.take("^");
        let mut ranges = Vec::new();
        while !self.take("]") {
            let start = self.character()?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            self.at += usize::from(is_range);
            let end = if is_range { self.character()? } else { start };
            ranges.push(start..=end);
        }
        let class = CharClass::from_ranges(&ranges);
        Ok(Expr::Class(if is_negative { class.complement() } else { class }))
    }

    /// Parses the repetition suffix of a part.
    fn times(&mut self, part: Part) -> Result<Part, ReadError> {
        let (least, most) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, u32::MAX),
            Some('+') => (1, u32::MAX),
            Some('{') => return self.counted(part),
            _ => return Ok(part),
        };
        self.at += 1;
        Ok(Part::Repeat(Box::new(part), least, most))
    }

    fn counted(&mut self, part: Part) -> Result<Part, ReadError> {
        let body = self.rest().split_once('}').map(|(body, _)| body);
        let Some(body) = body else { return self.error("a repetition has no end") };
        let times = body.trim_start_matches('{');
        let (least, most) = times.split_once(',').unwrap_or((times, times));
        let number = |text: &str, usual| match text.trim() {
            "" => Some(usual),
            text => text.parse().ok(),
        };
        let (Some(least), Some(most)) = (number(least, 0), number(most, u32::MAX)) else {
            return self.error("a repetition has no number");
        };
        self.at += body.len() + 1;
        Ok(Part::Repeat(Box::new(part), least, most))
    }
}
