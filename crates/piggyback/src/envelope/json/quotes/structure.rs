//! The structure of damaged JSON outside of strings, with a cost for each syntax error.

use rustc_hash::FxHashMap;

use super::super::tokens::{FULL_WIDTH, comment_len, full_width_sign, is_word_part, space_len};

/// Costs of corrections. A word between two strings has the highest cost because it is probably
/// part of a string.
mod cost {
    pub(super) const COMMENT: u32 = 1;
    pub(super) const SIGN: u32 = 1;
    pub(super) const BARE_KEY: u32 = 1;
    pub(super) const EXTRA_COMMA: u32 = 1;
    pub(super) const SEPARATOR: u32 = 1;
    pub(super) const WORD: u32 = 2;
    pub(super) const STRAY: u32 = 2;
    pub(super) const NO_COMMA: u32 = 2;
    pub(super) const NO_COMMA_NOR_SPACE: u32 = 4;
    pub(super) const NO_COLON: u32 = 3;
    pub(super) const NO_VALUE: u32 = 3;
    pub(super) const NO_KEY: u32 = 3;
    pub(super) const WRONG_BRACKET: u32 = 3;
    pub(super) const MISPLACED_WORD: u32 = 4;
    /// Prose after the value.
    pub(super) const TAIL: u32 = 2;
    /// A bracket after the value.
    pub(super) const TAIL_BRACKET: u32 = 4;
}

/// The next expected token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
enum ExpectedToken {
    /// The outermost value.
    #[default]
    Root,
    /// A key, an element, or the end.
    Item,
    Colon,
    Value,
    /// A comma or the end.
    Comma,
    /// Nothing, because the value is complete.
    Nothing,
}

/// The kind of the current comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Comment {
    Line,
    Block,
}

/// Open arrays and objects, and the next expected token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Structure {
    /// The innermost open array or object in [`Stacks`].
    stack: Stack,
    wants: ExpectedToken,
    comment: Option<Comment>,
    /// True if the last byte ended a value.
    is_tight: bool,
    /// True if text follows the complete value, and true if that text has a bracket.
    tail: (bool, bool),
}

/// The index of a stack of open arrays and objects in [`Stacks`].
type Stack = Option<u32>;

/// All stacks of a search, without duplicates.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// The stack below the innermost level, and true if the innermost level is an object.
    levels: Vec<(Stack, bool)>,
    ids: FxHashMap<(Stack, bool), u32>,
}

impl Stacks {
    fn push(&mut self, below: Stack, is_object: bool) -> Stack {
        let new = u32::try_from(self.levels.len()).unwrap_or(u32::MAX);
        let id = *self.ids.entry((below, is_object)).or_insert(new);
        if id == new {
            self.levels.push((below, is_object));
        }
        Some(id)
    }

    fn top(&self, stack: Stack) -> Option<(Stack, bool)> {
        self.levels.get(stack? as usize).copied()
    }

    fn is_object(&self, stack: Stack) -> bool {
        self.top(stack).is_some_and(|(_, is_object)| is_object)
    }
}

impl Structure {
    pub(super) fn is_done(&self) -> bool {
        self.wants == ExpectedToken::Nothing
    }

    /// True if quotes have no role at this position: in a comment or after the value.
    pub(super) fn ignores_quotes(&self) -> bool {
        self.comment.is_some() || self.is_done()
    }

    /// Begins a string. Returns its cost, and true if the string is a key.
    pub(super) fn begin_string(&mut self, stacks: &Stacks) -> Option<(bool, u32)> {
        if self.ignores_quotes() {
            return None;
        }
        let is_object = stacks.is_object(self.stack);
        Some(match self.wants {
            ExpectedToken::Item => (is_object, 0),
            ExpectedToken::Comma if self.is_tight => (is_object, cost::NO_COMMA_NOR_SPACE),
            ExpectedToken::Comma => (is_object, cost::NO_COMMA),
            ExpectedToken::Colon => (false, cost::NO_COLON),
            ExpectedToken::Root | ExpectedToken::Value | ExpectedToken::Nothing => (false, 0),
        })
    }

    pub(super) fn end_string(&mut self, is_key: bool) {
        self.wants = if is_key { ExpectedToken::Colon } else { self.after_value() };
        self.is_tight = true;
    }

    fn after_value(&self) -> ExpectedToken {
        if self.stack.is_some() { ExpectedToken::Comma } else { ExpectedToken::Nothing }
    }

    /// Reads text without strings and returns the cost.
    pub(super) fn read(&mut self, text: &[u8], stacks: &mut Stacks) -> u32 {
        let (mut at, mut cost) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (len, extra) = self.step(rest, stacks);
            at += len.max(1);
            cost += extra;
        }
        cost
    }

    /// Reads the next token of the text. Returns its length and cost.
    fn step(&mut self, rest: &[u8], stacks: &mut Stacks) -> (usize, u32) {
        if let Some(comment) = self.comment {
            return (self.end_comment(rest, comment), 0);
        }
        if self.is_done() {
            return self.tail(rest);
        }
        let is_tight = std::mem::take(&mut self.is_tight);
        let space = space_len(rest);
        if space > 0 {
            return (space, 0);
        }
        if comment_len(rest).is_some() {
            let is_block = rest.starts_with(b"/*");
            self.comment = Some(if is_block { Comment::Block } else { Comment::Line });
            return (if is_block { 2 } else { 1 }, cost::COMMENT);
        }
        match full_width_sign(rest) {
            Some(b',') => return (FULL_WIDTH, cost::SIGN + self.comma()),
            Some(_) if self.wants == ExpectedToken::Colon => {
                self.wants = ExpectedToken::Value;
                return (FULL_WIDTH, cost::SIGN);
            }
            _ => {}
        }
        match rest.first().copied().unwrap_or(b' ') {
            byte @ (b'{' | b'[') => (1, self.open(byte == b'{', is_tight, stacks)),
            byte @ (b'}' | b']') => (1, self.close(byte == b'}', stacks)),
            b',' => (1, self.comma()),
            b':' if self.wants == ExpectedToken::Colon => {
                self.wants = ExpectedToken::Value;
                (1, 0)
            }
            // A key in an array means that the closing bracket of the array is missing.
            b':' if self.wants == ExpectedToken::Comma && self.leave_array(stacks) => {
                (1, cost::WRONG_BRACKET)
            }
            byte if is_word_part(byte) => self.word(rest, stacks),
            _ => (rest.iter().take_while(|byte| is_stray(**byte)).count(), cost::STRAY),
        }
    }

    fn end_comment(&mut self, rest: &[u8], comment: Comment) -> usize {
        let end = match comment {
            Comment::Line => memchr::memchr(b'\n', rest),
            Comment::Block => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
        };
        if end.is_some() {
            self.comment = None;
        }
        end.unwrap_or(rest.len())
    }

    /// Reads text after the complete value.
    fn tail(&mut self, rest: &[u8]) -> (usize, u32) {
        let len = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b'`').count();
        if len > 0 {
            return (len, 0);
        }
        let before = self.tail;
        let has_bracket = rest.iter().any(|byte| b"{}[]".contains(byte));
        self.tail = (true, before.1 || has_bracket);
        let prose = if before.0 { 0 } else { cost::TAIL };
        let bracket = if has_bracket && !before.1 { cost::TAIL_BRACKET } else { 0 };
        (rest.len(), prose + bracket)
    }

    fn open(&mut self, is_object: bool, is_tight: bool, stacks: &mut Stacks) -> u32 {
        let in_object = stacks.is_object(self.stack);
        let no_key = if in_object { cost::NO_KEY } else { 0 };
        let cost = match self.wants {
            ExpectedToken::Item => no_key,
            ExpectedToken::Comma if is_tight => cost::NO_COMMA_NOR_SPACE + no_key,
            ExpectedToken::Comma => cost::NO_COMMA + no_key,
            ExpectedToken::Colon => cost::NO_COLON,
            ExpectedToken::Root | ExpectedToken::Value | ExpectedToken::Nothing => 0,
        };
        self.stack = stacks.push(self.stack, is_object);
        self.wants = ExpectedToken::Item;
        cost
    }

    fn close(&mut self, is_object: bool, stacks: &Stacks) -> u32 {
        let mut cost = match self.wants {
            ExpectedToken::Colon | ExpectedToken::Value => cost::NO_VALUE,
            _ => 0,
        };
        let mut stack = self.stack;
        while let Some((below, is_match)) =
            stacks.top(stack).map(|(below, found)| (below, found == is_object))
        {
            if is_match {
                self.stack = below;
                self.wants = self.after_value();
                self.is_tight = true;
                return cost;
            }
            cost += cost::WRONG_BRACKET;
            stack = below;
        }
        cost::WRONG_BRACKET
    }

    /// Closes an array that is directly inside an object. Returns true if the array was closed.
    fn leave_array(&mut self, stacks: &Stacks) -> bool {
        let below = stacks.top(self.stack).filter(|(_, is_object)| !is_object).map(|(below, _)| below);
        let Some(below) = below.filter(|below| stacks.is_object(*below)) else { return false };
        (self.stack, self.wants) = (below, ExpectedToken::Value);
        true
    }

    fn comma(&mut self) -> u32 {
        let cost = match self.wants {
            ExpectedToken::Comma => 0,
            ExpectedToken::Item => cost::EXTRA_COMMA,
            ExpectedToken::Colon | ExpectedToken::Value => cost::NO_VALUE,
            ExpectedToken::Root | ExpectedToken::Nothing => cost::STRAY,
        };
        if self.stack.is_some() {
            self.wants = ExpectedToken::Item;
        }
        cost
    }

    /// Reads a word, a literal or a number.
    fn word(&mut self, rest: &[u8], stacks: &Stacks) -> (usize, u32) {
        let len = rest.iter().take_while(|byte| is_word_part(**byte)).count();
        let word = rest.get(..len).unwrap_or(rest);
        let len = len + more_words(rest.get(len..).unwrap_or(&[]));
        let is_value = matches!(word, b"true" | b"false" | b"null") || is_number_start(word);
        let behind = rest.get(len..).unwrap_or(&[]).trim_ascii_start();
        let is_key = behind.first() == Some(&b':');
        let in_object = stacks.is_object(self.stack);
        let cost = match self.wants {
            ExpectedToken::Item | ExpectedToken::Comma if in_object && is_key => {
                let no_comma = if self.wants == ExpectedToken::Comma { cost::NO_COMMA } else { 0 };
                self.wants = ExpectedToken::Colon;
                return (len, cost::BARE_KEY + no_comma);
            }
            // `1,000`
            ExpectedToken::Item if in_object && is_number_start(word) => cost::SEPARATOR,
            ExpectedToken::Item if in_object => cost::MISPLACED_WORD,
            ExpectedToken::Root | ExpectedToken::Item | ExpectedToken::Value if is_value => 0,
            ExpectedToken::Root | ExpectedToken::Item | ExpectedToken::Value => cost::WORD,
            ExpectedToken::Comma | ExpectedToken::Colon | ExpectedToken::Nothing => cost::MISPLACED_WORD,
        };
        // A word at the position of a key is probably a key.
        let is_new_key =
            in_object && !is_value && matches!(self.wants, ExpectedToken::Item | ExpectedToken::Comma);
        self.wants = if is_new_key { ExpectedToken::Colon } else { self.after_value() };
        self.is_tight = true;
        (len, cost)
    }
}

/// Returns the end of a string without a closing quote, if the text up to the next quote is
/// structure.
pub(super) fn missing_end(gap: &[u8], is_key: bool, is_last: bool) -> Option<usize> {
    if is_key {
        let colon = memchr::memchr(b':', gap)?;
        let key = gap.get(..colon)?.trim_ascii_end();
        return (!key.is_empty() && key.iter().all(|byte| is_word_part(*byte))).then_some(key.len());
    }
    let is_structure = |byte: &u8| byte.is_ascii_whitespace() || b",{}[]".contains(byte);
    let len = gap.len() - gap.iter().rev().take_while(|byte| is_structure(byte)).count();
    let tail = gap.get(len..)?;
    let begins_line = tail.iter().take_while(|byte| byte.is_ascii_whitespace()).any(|byte| *byte == b'\n');
    let first = tail.trim_ascii_start().first();
    let is_end = match is_last {
        // Text that ends inside a string is truncated, unless closing brackets follow on a new
        // line.
        true => begins_line && matches!(first, Some(b'}' | b']')),
        false => begins_line || matches!(first, Some(b',' | b'}' | b']')),
    };
    is_end.then_some(len)
}

/// Returns the offset of the last words of a text, if only words follow up to its end.
pub(super) fn last_word(gap: &[u8]) -> Option<usize> {
    let from = gap.iter().rposition(|byte| b",:{}[]\n".contains(byte)).map_or(0, |at| at + 1);
    let words =
        gap.get(from..).filter(|words| words.last().is_some_and(|last| !last.is_ascii_whitespace()))?;
    let start = from + (words.len() - words.trim_ascii_start().len());
    gap.get(start).filter(|byte| is_word_part(**byte) || **byte == b'/').map(|_| start)
}

/// Returns the length of the words that follow a word.
fn more_words(text: &[u8]) -> usize {
    let is_part = |byte: &u8| is_word_part(*byte) || matches!(byte, b' ' | b'\t');
    let len = text.iter().take_while(|byte| is_part(byte)).count();
    text.get(..len).unwrap_or(text).trim_ascii_end().len()
}

fn is_stray(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b",:{}[]\"".contains(&byte) && !is_word_part(byte)
}

fn is_number_start(word: &[u8]) -> bool {
    let rest = word.iter().position(|byte| !matches!(byte, b'+' | b'-' | b'.'));
    rest.and_then(|at| word.get(at)).is_some_and(u8::is_ascii_digit)
}
