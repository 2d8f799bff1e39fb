//! Reads JSON into nodes, without recursion. Where the grammar is broken it goes on as somebody would who meant well.

use std::ops::Range;

use super::{Json, JsonKind, Node, key_bit, scan};
use mangle_syntax::text::{TextRange, size, whole_characters};

/// How deep values may nest, as in Go's decoder.
const DEEPEST: usize = 10_000;

/// How many bytes a node takes, mostly, and for how many room is made in advance.
const BYTES_A_NODE: usize = 24;
const MOST_IN_ADVANCE: usize = 4_096;

/// How many problems are kept; more of them help nobody.
const MOST_PROBLEMS: usize = 1_000;

/// Something that JSON does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonProblem {
    /// What JSON does not allow there.
    pub kind: JsonProblemKind,
    /// The bytes at fault, from the start of the text.
    pub range: TextRange,
}

/// The ways in which a text can break the grammar of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonProblemKind {
    /// There is no value.
    NoValue,
    /// A comma is missing between members or elements.
    NoComma,
    /// A comma that nothing follows, or nothing stands before.
    ExtraComma,
    /// A colon is missing behind a key.
    NoColon,
    /// A key is missing in front of a value.
    NoKey,
    /// A word that means nothing here: `True`, `NaN`, a key without quotes.
    Word,
    /// A number that is written in another way: `01`, `+1`, `.5`.
    BadNumber,
    /// A string in single quotes.
    SingleQuotes,
    /// A byte below U+0020 inside a string.
    RawControl,
    /// An escape that there is not.
    BadEscape,
    /// A comment, which JSON does not have.
    Comment,
    /// Bytes that begin nothing.
    Stray,
    /// A bracket of the other kind.
    WrongBracket,
    /// The text ends inside this value.
    Unclosed,
    /// Deeper than 10,000 levels.
    TooDeep,
}

/// Reads one value from a part of a text.
pub(super) fn parse(text: &[u8], part: Range<usize>) -> Json<'_> {
    let limit = part.end.min(text.len()).min(u32::MAX as usize);
    let seen = text.get(..limit).unwrap_or(text);
    let at = part.start.min(limit);
    let utf8 = seen.get(at..).and_then(|part| simdutf8::basic::from_utf8(part).ok());
    let mut parser = Parser {
        text: seen,
        is_text: utf8.is_some(),
        at,
        nodes: Vec::with_capacity(((limit - at) / BYTES_A_NODE + 8).min(MOST_IN_ADVANCE)),
        escapes: Vec::new(),
        problems: Vec::new(),
        open: Vec::new(),
    };
    parser.run();
    let end = number(parser.at);
    Json {
        text,
        nodes: parser.nodes,
        escapes: parser.escapes,
        problems: parser.problems,
        end,
        limit: number(limit),
        utf8: utf8.map(|utf8| (at, utf8)),
    }
}

struct Parser<'t> {
    text: &'t [u8],
    /// Whether all of it is UTF-8.
    is_text: bool,
    at: usize,
    nodes: Vec<Node>,
    /// Where the backslashes of escapes are.
    escapes: Vec<u32>,
    problems: Vec<JsonProblem>,
    /// The arrays and objects around the place.
    open: Vec<Open>,
}

/// An array or an object that is being read.
struct Open {
    node: usize,
    is_object: bool,
    wants: ParserState,
    /// Where the last comma is.
    comma: Option<usize>,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParserState {
    /// A key, an element, or the end.
    Item,
    Colon,
    Value,
    /// A comma or the end.
    Comma,
}

fn number(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl Parser<'_> {
    fn run(&mut self) {
        self.space();
        self.value();
        while let Some(open) = self.open.last() {
            let (wants, is_object) = (open.wants, open.is_object);
            self.space();
            let Some(byte) = self.peek() else {
                self.unclosed();
                return;
            };
            match byte {
                b'}' | b']' => self.close(byte),
                b',' => self.comma(),
                b':' if wants == ParserState::Colon => {
                    self.at += 1;
                    self.want(ParserState::Value);
                }
                _ => self.item(wants, is_object),
            }
        }
    }

    /// A key, a value, or something in the place of a comma or a colon.
    fn item(&mut self, wants: ParserState, is_object: bool) {
        match wants {
            ParserState::Comma => {
                let before = self.at;
                // What begins nothing is no missing comma.
                if self.begins() {
                    self.problem(JsonProblemKind::NoComma, before, before);
                } else {
                    return self.stray();
                }
            }
            ParserState::Colon => {
                self.problem(JsonProblemKind::NoColon, self.at, self.at);
                self.want(ParserState::Value);
                return;
            }
            ParserState::Item | ParserState::Value => {}
        }
        let is_key = is_object && wants != ParserState::Value;
        if is_key {
            self.key();
        } else {
            self.want(ParserState::Comma);
            self.value();
        }
    }

    fn want(&mut self, wants: ParserState) {
        if let Some(open) = self.open.last_mut() {
            open.wants = wants;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn problem(&mut self, kind: JsonProblemKind, start: usize, end: usize) {
        if self.problems.len() < MOST_PROBLEMS {
            let range = TextRange::new(size(start), size(end.max(start)));
            // CR and LF are two problems, each with its own fix.
            let is_control = kind == JsonProblemKind::RawControl;
            let range = if is_control { range } else { whole_characters(self.text, range) };
            self.problems.push(JsonProblem { kind, range });
        }
    }

    fn node(&mut self, kind: JsonKind, start: usize, end: usize) -> usize {
        let next = number(self.nodes.len() + 1);
        self.nodes.push(Node { kind, keys: 0, start: number(start), end: number(end), next });
        self.nodes.len() - 1
    }

    /// Passes white space, and comments, which are none.
    fn space(&mut self) {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.at += 1;
            }
            let rest = self.text.get(self.at..).unwrap_or(&[]);
            let end = match rest {
                [b'/', b'/', ..] => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                [b'/', b'*', inner @ ..] => {
                    memchr::memmem::find(inner, b"*/").map_or(rest.len(), |end| end + 4)
                }
                _ => return,
            };
            self.problem(JsonProblemKind::Comment, self.at, self.at + end);
            self.at += end;
        }
    }

    /// Whether a value begins here.
    fn begins(&self) -> bool {
        let is_start = |byte: u8| {
            matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'+' | b'-' | b'.') || byte.is_ascii_alphanumeric()
        };
        self.peek().is_some_and(is_start)
    }

    /// Bytes that begin nothing.
    fn stray(&mut self) {
        let start = self.at;
        while self.peek().is_some_and(|byte| !byte.is_ascii_whitespace() && !b",:{}[]\"".contains(&byte)) {
            self.at += 1;
        }
        self.at = self.at.max(start + 1);
        self.problem(JsonProblemKind::Stray, start, self.at);
    }

    fn value(&mut self) {
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.open(true),
            Some(b'[') => self.open(false),
            Some(b'"') => {
                self.string(b'"');
            }
            Some(b'\'') => {
                self.string(b'\'');
                self.problem(JsonProblemKind::SingleQuotes, start, self.at);
            }
            Some(byte) if byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.') => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() => self.word(),
            _ => {
                self.node(JsonKind::Broken, start, start);
                self.problem(JsonProblemKind::NoValue, start, start);
                if !self.open.is_empty() && !matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
                    self.stray();
                }
            }
        }
    }

    fn open(&mut self, is_object: bool) {
        let start = self.at;
        self.at += 1;
        let kind = if is_object { JsonKind::Object } else { JsonKind::Array };
        if self.open.len() >= DEEPEST {
            self.problem(JsonProblemKind::TooDeep, start, self.at);
            self.node(JsonKind::Broken, start, self.text.len());
            self.at = self.text.len();
            return;
        }
        let node = self.node(kind, start, self.at);
        self.open.push(Open { node, is_object, wants: ParserState::Item, comma: None });
    }

    fn close(&mut self, byte: u8) {
        let is_object = byte == b'}';
        // A bracket that closes something further out says that what is inside was not closed.
        let Some(level) = self.open.iter().rposition(|open| open.is_object == is_object) else {
            let at = self.at;
            self.problem(JsonProblemKind::WrongBracket, at, at + 1);
            self.at += 1;
            return;
        };
        while self.open.len() > level {
            let is_last = self.open.len() == level + 1;
            if !is_last {
                let at = self.at;
                self.problem(JsonProblemKind::WrongBracket, at, at + 1);
            }
            self.end_one(usize::from(is_last));
        }
    }

    /// Ends the innermost array or object.
    fn end_one(&mut self, bracket: usize) {
        let Some(open) = self.open.pop() else { return };
        match open.wants {
            ParserState::Item => {
                open.comma
                    .into_iter()
                    .for_each(|comma| self.problem(JsonProblemKind::ExtraComma, comma, comma + 1));
            }
            ParserState::Colon | ParserState::Value => {
                self.problem(JsonProblemKind::NoValue, self.at, self.at);
                self.node(JsonKind::Broken, self.at, self.at);
            }
            ParserState::Comma => {}
        }
        self.at += bracket;
        let (end, next) = (number(self.at), number(self.nodes.len()));
        if let Some(node) = self.nodes.get_mut(open.node) {
            node.end = end;
            node.next = next;
        }
    }

    /// The text ends here: so does everything that is open.
    fn unclosed(&mut self) {
        while let Some(open) = self.open.last() {
            let start = self.nodes.get(open.node).map_or(self.at, |node| node.start as usize);
            if let Some(open) = self.open.last_mut()
                && open.wants == ParserState::Item
            {
                open.comma = None;
            }
            self.problem(JsonProblemKind::Unclosed, start, self.at);
            self.end_one(0);
        }
    }

    fn comma(&mut self) {
        let at = self.at;
        let Some(open) = self.open.last_mut() else { return };
        let wants = open.wants;
        (open.wants, open.comma) = (ParserState::Item, Some(at));
        match wants {
            ParserState::Comma => {}
            ParserState::Item => self.problem(JsonProblemKind::ExtraComma, at, at + 1),
            ParserState::Colon | ParserState::Value => {
                self.node(JsonKind::Broken, at, at);
                self.problem(JsonProblemKind::NoValue, at, at);
            }
        }
        self.at += 1;
    }

    fn key(&mut self) {
        let start = self.at;
        self.want(ParserState::Colon);
        match self.peek() {
            Some(b'"') => {
                self.string(b'"');
                self.note_key();
            }
            Some(b'\'') => {
                self.string(b'\'');
                self.note_key();
                self.problem(JsonProblemKind::SingleQuotes, start, self.at);
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.word(),
            Some(b'{' | b'[') | Some(b'0'..=b'9' | b'-') | Some(b':') => {
                self.node(JsonKind::Broken, start, start);
                self.problem(JsonProblemKind::NoKey, start, start);
                if self.peek() != Some(b':') {
                    self.want(ParserState::Value);
                }
            }
            _ => {
                self.want(ParserState::Item);
                self.stray();
            }
        }
    }

    /// Notes the key that was just read at its object.
    fn note_key(&mut self) {
        let (Some(key), Some(open)) = (self.nodes.last(), self.open.last()) else { return };
        let inner = self.text.get(key.start as usize + 1..(key.end as usize).saturating_sub(1));
        let bits = match key.kind {
            JsonKind::Plain => key_bit(inner.unwrap_or(&[])),
            _ => u16::MAX,
        };
        if let Some(object) = self.nodes.get_mut(open.node) {
            object.keys |= bits;
        }
    }

    /// A string, from its quote on.
    fn string(&mut self, quote: u8) {
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

    /// Passes what is behind the first quote of a string. Gives whether there is a last one.
    fn string_rest(&mut self, quote: u8) -> bool {
        self.at += 1;
        while self.at < self.text.len() {
            let start = self.at;
            let mut marks = scan::marks(self.text, start, quote);
            self.at += scan::BLOCK;
            while marks != 0 {
                let at = start + marks.trailing_zeros() as usize;
                match self.text.get(at) {
                    Some(b'\\') => {
                        let behind = self.escape(at);
                        if behind >= start + scan::BLOCK {
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

    /// Notes the escape at a place. Gives where it ends.
    #[inline]
    fn escape(&mut self, at: usize) -> usize {
        self.escapes.push(number(at));
        match self.text.get(at + 1) {
            // So it is nearly always.
            Some(b'"' | b'\\' | b'n') => at + 2,
            _ => self.rare_escape(at),
        }
    }

    fn rare_escape(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or(&[]);
        let len = match rest.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if super::string::unit(rest).is_some() => 6,
            // The text ends here, which is the problem of the string.
            None => 1,
            Some(_) => {
                self.problem(JsonProblemKind::BadEscape, at, (at + 2).min(self.text.len()));
                2
            }
        };
        (at + len).min(self.text.len())
    }

    fn number(&mut self) {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            self.at += 1;
        }
        let written = self.text.get(start..self.at).unwrap_or(&[]);
        let kind = if is_number(written) { JsonKind::Number } else { JsonKind::Broken };
        self.node(kind, start, self.at);
        if kind == JsonKind::Broken {
            self.problem(JsonProblemKind::BadNumber, start, self.at);
        }
    }

    fn word(&mut self) {
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
        self.node(kind, start, self.at);
        if kind == JsonKind::Broken {
            self.problem(JsonProblemKind::Word, start, self.at);
        }
    }
}

/// Whether this is a number as JSON writes it.
fn is_number(written: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = written.strip_prefix(b"-").unwrap_or(written);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return false;
    }
    rest = rest.get(whole..).unwrap_or(&[]);
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = fraction.get(len..).unwrap_or(&[]);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+")).unwrap_or(exponent);
        let len = digits(exponent);
        rest = exponent.get(len..).unwrap_or(&[]);
        return len > 0 && rest.is_empty();
    }
    rest.is_empty()
}
