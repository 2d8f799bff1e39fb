//! A JSON parser without recursion. After a syntax error, it continues with the most likely
//! intended structure. Strings, numbers and words are in `literals`.

mod literals;

use std::ops::Range;

use super::problem::{JsonProblem, JsonProblemKind};
use super::quotes::{PlannedQuote, QuotePlan, QuoteRole, plan};
use super::tokens::{
    FULL_WIDTH, comment_len, foreign_space, full_width_sign, space_run, trimmed_comment, words_len,
};
use super::{Json, JsonKind, Node, key_bits};
use mangle_syntax::text::{TextRange, size, whole_characters};

/// The maximum nesting depth, the same as in Go's decoder.
const MAX_DEPTH: usize = 10_000;

/// The estimated number of bytes per node, for the initial capacity.
const BYTES_A_NODE: usize = 24;
const MAX_PREALLOCATED: usize = 4_096;

/// The maximum number of problems that are kept.
const MAX_PROBLEMS: usize = 1_000;

/// The maximum number of positions with invalid white space. One fix replaces all of them.
const MAX_SPACES: usize = 100_000;

/// Parses one value of a part of a text.
pub(super) fn parse(text: &[u8], part: Range<usize>) -> Json<'_> {
    parse_with(text, part, QuotePlan::certain())
}

/// Parses one value of damaged text and determines the roles of its quotes.
pub(super) fn parse_damaged(text: &[u8], part: Range<usize>) -> Json<'_> {
    let seen = text.get(..part.end.min(text.len())).unwrap_or(text);
    let plain = parse(text, part.clone());
    if plain.is_valid_to_the_end() {
        return plain;
    }
    let Some(plan) = plan(seen, part.start) else { return plain };
    let planned = parse_with(text, part, plan);
    if planned.problems.is_empty() { plain } else { planned }
}

fn parse_with(text: &[u8], part: Range<usize>, plan: QuotePlan) -> Json<'_> {
    let limit = part.end.min(text.len()).min(u32::MAX as usize);
    let seen = text.get(..limit).unwrap_or(text);
    let at = part.start.min(limit);
    let utf8 = seen.get(at..).and_then(|part| simdutf8::basic::from_utf8(part).ok());
    let mut parser = Parser {
        text: seen,
        is_text: utf8.is_some(),
        at,
        nodes: Vec::with_capacity(((limit - at) / BYTES_A_NODE + 8).min(MAX_PREALLOCATED)),
        escapes: Vec::new(),
        problems: Vec::new(),
        open: Vec::new(),
        plan,
        spaces: 0,
    };
    parser.run();
    let end = number(parser.at);
    Json {
        text,
        nodes: parser.nodes,
        escapes: parser.escapes,
        problems: parser.problems,
        is_certain: parser.plan.is_certain,
        end,
        limit: number(limit),
        utf8: utf8.map(|utf8| (at, utf8)),
    }
}

struct Parser<'t> {
    text: &'t [u8],
    /// True if the parsed part is UTF-8.
    is_text: bool,
    at: usize,
    nodes: Vec<Node>,
    /// Offsets of the backslashes of escapes.
    escapes: Vec<u32>,
    problems: Vec<JsonProblem>,
    /// Open arrays and objects, outermost first.
    open: Vec<Open>,
    /// Roles of the quotes in damaged text.
    plan: QuotePlan,
    /// The number of positions with invalid white space.
    spaces: usize,
}

/// An open array or object.
struct Open {
    node: usize,
    is_object: bool,
    wants: ParserState,
    /// The offset of the last comma.
    comma: Option<usize>,
}

/// The next expected token.
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
            let Some(byte) = self.sign() else {
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
                b':' if wants == ParserState::Comma && !is_object && self.leave_array() => {}
                _ => self.item(wants, is_object),
            }
        }
    }

    /// Returns the next byte. A full-width sign is replaced by its JSON equivalent, and the
    /// position moves to its last byte.
    fn sign(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        let sign = if byte < 0x80 { None } else { self.text.get(self.at..).and_then(full_width_sign) };
        if sign.is_some() {
            self.problem(JsonProblemKind::WrongSign, self.at, self.at + FULL_WIDTH);
            self.at += FULL_WIDTH - 1;
        }
        Some(sign.unwrap_or(byte))
    }

    /// Parses a key, a value, or text at the position of a comma or colon.
    fn item(&mut self, wants: ParserState, is_object: bool) {
        match wants {
            ParserState::Comma => {
                let before = self.at;
                // Text that does not start a value is not reported as a missing comma.
                if self.is_misplaced_word(is_object) {
                    return self.misplaced_words();
                }
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
        let is_space = kind == JsonProblemKind::WrongSpace;
        self.spaces += usize::from(is_space);
        let has_room = match is_space {
            true => self.spaces <= MAX_SPACES,
            false => self.problems.len() < MAX_PROBLEMS + self.spaces.min(MAX_SPACES),
        };
        if has_room {
            let range = TextRange::new(size(start), size(end.max(start)));
            // CR and LF are two problems with separate fixes.
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

    /// Skips white space, comments and stray quotes.
    fn space(&mut self) {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.at += 1;
            }
            match self.peek() {
                Some(b'/' | b'#' | b'"' | b'\'' | 0xb | 0xc | 0x80..) => {}
                _ => return,
            }
            let rest = self.text.get(self.at..).unwrap_or(&[]);
            let (kind, len) = if let Some(len) = comment_len(rest) {
                (JsonProblemKind::Comment, trimmed_comment(rest, len))
            } else if let Some(space) = foreign_space(rest) {
                (JsonProblemKind::WrongSpace, space_run(rest, space))
            } else if let Some(quote) = self.planned(QuoteRole::Stray) {
                (JsonProblemKind::Stray, quote.len as usize)
            } else {
                return;
            };
            self.problem(kind, self.at, self.at + len);
            self.at += len;
        }
    }

    /// Returns the planned quote at the current position if it has this role.
    fn planned(&self, role: QuoteRole) -> Option<PlannedQuote> {
        let found = self.plan.find(self.at).and_then(|found| self.plan.quotes.get(found));
        found.copied().filter(|quote| quote.role == role)
    }

    /// True if a word that cannot be a key follows a complete value.
    fn is_misplaced_word(&self, is_object: bool) -> bool {
        if !self.peek().is_some_and(|byte| byte.is_ascii_alphabetic())
            || self.planned(QuoteRole::Open).is_some()
        {
            return false;
        }
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let words = words_len(rest);
        let is_key = is_object && rest.get(words..).unwrap_or(&[]).trim_ascii_start().first() == Some(&b':');
        let word = rest.get(..words).unwrap_or(&[]);
        !is_key && !matches!(word, b"true" | b"false" | b"null")
    }

    /// True if words precede an array element without a comma.
    fn is_note(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let len = words_len(rest);
        let is_literal =
            matches!(rest.get(..len), Some(b"true" | b"false" | b"null" | b"True" | b"False" | b"None"));
        let behind = rest.get(len..).unwrap_or(&[]).trim_ascii_start().first();
        let Some(open) = self.open.last_mut().filter(|open| !open.is_object) else { return false };
        let is_note = !is_literal && matches!(behind, Some(b'"' | b'{' | b'['));
        if is_note {
            open.wants = ParserState::Item;
        }
        is_note
    }

    /// Skips words that are not part of a value.
    fn misplaced_words(&mut self) {
        let start = self.at;
        self.at += words_len(self.text.get(start..).unwrap_or(&[])).max(1);
        self.problem(JsonProblemKind::Stray, start, self.at);
    }

    /// Closes an array whose last element is a key of the surrounding object. Returns true if the
    /// array was closed.
    fn leave_array(&mut self) -> bool {
        let around = self.open.len().checked_sub(2).and_then(|at| self.open.get(at));
        let Some(comma) = self.open.last().and_then(|open| open.comma) else { return false };
        let last = self.nodes.len().saturating_sub(1);
        let is_string = self.nodes.get(last).is_some_and(|node| {
            matches!(node.kind, JsonKind::Plain | JsonKind::Escaped) && node.start as usize > comma
        });
        if !is_string || !around.is_some_and(|around| around.is_object) {
            return false;
        }
        if let Some(node) = self.open.pop().and_then(|open| self.nodes.get_mut(open.node)) {
            (node.end, node.next) = (number(comma), number(last));
        }
        self.problem(JsonProblemKind::NoBracket, comma, comma);
        self.note_key();
        self.want(ParserState::Colon);
        true
    }

    /// True if a value begins at the current position.
    fn begins(&self) -> bool {
        let is_start = |byte: u8| {
            matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'+' | b'-' | b'.') || byte.is_ascii_alphanumeric()
        };
        self.peek().is_some_and(is_start) || self.planned(QuoteRole::Open).is_some()
    }

    /// Skips bytes that do not start a value.
    fn stray(&mut self) {
        let start = self.at;
        while self.peek().is_some_and(|byte| !byte.is_ascii_whitespace() && !b",:{}[]\"".contains(&byte))
            && (self.at == start || self.planned(QuoteRole::Open).is_none())
        {
            self.at += 1;
        }
        self.at = self.at.max(start + 1);
        self.problem(JsonProblemKind::Stray, start, self.at);
    }

    fn value(&mut self) {
        let start = self.at;
        if self.planned(QuoteRole::Open).is_some() {
            return self.planned_string();
        }
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
            Some(byte) if byte.is_ascii_alphabetic() && self.is_note() => self.misplaced_words(),
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
        if self.open.len() >= MAX_DEPTH {
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
        // If the bracket closes an outer value, all inner values are unclosed.
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

    /// Closes the innermost array or object.
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

    /// Closes all open values at the end of the text.
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
        if self.planned(QuoteRole::Open).is_some() {
            self.planned_string();
            self.note_key();
            return;
        }
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

    /// Adds the bits of the last parsed key to its object.
    fn note_key(&mut self) {
        let (Some(key), Some(open)) = (self.nodes.last(), self.open.last()) else { return };
        let inner = self.text.get(key.start as usize + 1..(key.end as usize).saturating_sub(1));
        let bits = match key.kind {
            JsonKind::Plain => key_bits(inner.unwrap_or(&[])),
            _ => u16::MAX,
        };
        if let Some(object) = self.nodes.get_mut(open.node) {
            object.keys |= bits;
        }
    }
}
