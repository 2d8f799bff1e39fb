//! Strings, numbers and words of the JSON parser.

use super::super::JsonKind;
use super::super::problem::JsonProblemKind;
use super::super::quotes::{PlannedQuote, QuoteRole};
use super::super::tokens::{self, is_number, number_len, words_len};
use super::{Parser, ParserState, number};

impl Parser<'_> {
    /// Parses a string with planned quotes, from its opening quote.
    pub(super) fn planned_string(&mut self) {
        let (start, escapes, problems) = (self.at, self.escapes.len(), self.problems.len());
        let first = self.plan.find(start).unwrap_or(usize::MAX);
        let of_string = self.plan.quotes.get(first..).unwrap_or(&[]);
        let len = of_string.iter().position(|quote| quote.role == QuoteRole::Close);
        let quotes = of_string.get(..len.map_or(of_string.len(), |len| len + 1)).unwrap_or(&[]).to_vec();
        let close = quotes.last().copied().filter(|quote| quote.role == QuoteRole::Close);
        let open = quotes.first().map_or(0, |quote| quote.len as usize);
        let end = close.map_or(self.text.len(), |quote| quote.at as usize);
        let is_quoted = |quote: Option<PlannedQuote>, byte: u8| {
            quote.is_some_and(|quote| self.text.get(quote.at as usize) == Some(&byte) && quote.len == 1)
        };
        let first = quotes.first().copied();
        let is_single = is_quoted(first, b'\'') && is_quoted(close, b'\'');
        let inner = quotes.iter().filter(|quote| quote.role == QuoteRole::Inner);
        let inner: Vec<_> = inner.filter(|_| !is_single).map(|quote| quote.at as usize).collect();
        let wrong = [first, close]
            .into_iter()
            .flatten()
            .filter(|quote| quote.len > 0 && !is_single && self.text.get(quote.at as usize) != Some(&b'"'));
        let wrong: Vec<_> = wrong.collect();
        self.at += open;
        let mut inner = inner.into_iter().peekable();
        while let Some(byte) = self.text.get(self.at..end).and_then(|rest| rest.first().copied()) {
            let at = self.at;
            self.at += 1;
            match byte {
                b'\\' => self.at = self.escape(at).min(end),
                0..0x20 => self.problem(JsonProblemKind::RawControl, at, at + 1),
                _ if inner.next_if_eq(&at).is_some() && byte == b'"' => {
                    self.problem(JsonProblemKind::UnescapedQuote, at, at + 1);
                }
                _ => {}
            }
        }
        for quote in wrong {
            let at = quote.at as usize;
            self.problem(JsonProblemKind::WrongQuote, at, at + quote.len as usize);
        }
        self.at = end + close.map_or(0, |quote| quote.len as usize);
        for quote in [first, close].into_iter().flatten().filter(|quote| quote.len == 0) {
            self.problem(JsonProblemKind::NoQuote, quote.at as usize, quote.at as usize);
        }
        if is_single {
            self.problem(JsonProblemKind::SingleQuotes, start, self.at);
        }
        if close.is_none() {
            self.problem(JsonProblemKind::Unclosed, start, self.at);
        }
        let is_plain = self.problems.len() == problems
            && self.escapes.len() == escapes
            && std::str::from_utf8(self.text.get(start..self.at).unwrap_or(&[])).is_ok();
        self.node(if is_plain { JsonKind::Plain } else { JsonKind::Escaped }, start, self.at);
    }

    /// Parses a string from its opening quote.
    pub(super) fn string(&mut self, quote: u8) {
        let (start, escapes) = (self.at, self.escapes.len());
        let is_closed = self.string_rest(quote);
        if !is_closed {
            self.problem(JsonProblemKind::Unclosed, start, self.at);
        }
        let is_plain = is_closed
            && self.escapes.len() == escapes
            && quote == b'"'
            && (self.is_text || std::str::from_utf8(self.text.get(start..self.at).unwrap_or(&[])).is_ok());
        self.node(if is_plain { JsonKind::Plain } else { JsonKind::Escaped }, start, self.at);
    }

    /// Parses the rest of a string after its opening quote. Returns true if it has a closing quote.
    fn string_rest(&mut self, quote: u8) -> bool {
        self.at += 1;
        while self.at < self.text.len() {
            let start = self.at;
            let mut marks = tokens::string_marks(self.text, start, quote);
            self.at += tokens::BLOCK;
            while marks != 0 {
                let at = start + marks.trailing_zeros() as usize;
                match self.text.get(at) {
                    Some(b'\\') => {
                        let behind = self.escape(at);
                        if behind >= start + tokens::BLOCK {
                            self.at = behind;
                            break;
                        }
                        marks &= u32::MAX << (behind - start);
                    }
                    Some(byte) if *byte == quote => {
                        self.at = at + 1;
                        return true;
                    }
                    _ => {
                        self.problem(JsonProblemKind::RawControl, at, at + 1);
                        marks &= marks - 1;
                    }
                }
            }
        }
        self.at = self.text.len();
        false
    }

    /// Records the escape at an offset and returns its end.
    #[inline]
    fn escape(&mut self, at: usize) -> usize {
        self.escapes.push(number(at));
        match self.text.get(at + 1) {
            // Fast path for the most common escapes.
            Some(b'"' | b'\\' | b'n') => at + 2,
            _ => self.rare_escape(at),
        }
    }

    fn rare_escape(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or(&[]);
        let len = match rest.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if super::super::string::unit(rest).is_some() => 6,
            // The unclosed string is reported instead.
            None => 1,
            Some(_) => {
                self.problem(JsonProblemKind::BadEscape, at, (at + 2).min(self.text.len()));
                2
            }
        };
        (at + len).min(self.text.len())
    }

    pub(super) fn number(&mut self) {
        let start = self.at;
        self.at +=
            number_len(self.text.get(start..).unwrap_or(&[]), self.open.last().map(|open| open.is_object));
        let written = self.text.get(start..self.at).unwrap_or(&[]);
        let kind = if is_number(written) { JsonKind::Number } else { JsonKind::Broken };
        self.node(kind, start, self.at);
        if kind == JsonKind::Broken {
            self.problem(JsonProblemKind::BadNumber, start, self.at);
        }
    }

    pub(super) fn word(&mut self) {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        let is_key = self.open.last().is_some_and(|open| open.wants == ParserState::Colon);
        let kind = match self.text.get(start..self.at) {
            Some(b"null") if !is_key => JsonKind::Null,
            Some(b"true") if !is_key => JsonKind::Bool(true),
            Some(b"false") if !is_key => JsonKind::Bool(false),
            _ => JsonKind::Broken,
        };
        if kind == JsonKind::Broken {
            self.words(start, is_key);
        }
        self.node(kind, start, self.at);
        if kind == JsonKind::Broken {
            self.problem(JsonProblemKind::Word, start, self.at);
        }
    }

    /// Skips the remaining words of unquoted text after its first word.
    fn words(&mut self, start: usize, is_key: bool) {
        let rest = self.text.get(start..).unwrap_or(&[]);
        let len = words_len(rest);
        let is_followed = rest.get(len..).unwrap_or(&[]).trim_ascii_start().first() == Some(&b':');
        let is_planned = |at: usize| self.plan.find(at).is_some();
        if is_key == is_followed && !(self.at..start + len).any(is_planned) {
            self.at = self.at.max(start + len);
        }
    }
}
