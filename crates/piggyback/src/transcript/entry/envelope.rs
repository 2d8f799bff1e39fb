//! Search for envelopes in the text of a log entry: in one piece, in strings and literals, and over
//! lines with a common prefix.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::literal;
use crate::envelope::json::{Json, JsonKind};
use crate::envelope::{is_envelope, json};
use crate::transcript::words::is_string;

/// Maximum number of objects of an entry that are examined.
const OBJECTS: usize = 32;

/// First keys of envelopes.
const KEYS: [&[u8]; 2] = [b"\"control_packet\"", b"\"surface_response\""];

/// Position and notation of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EnvelopePlace {
    /// Unquoted, starting at its brace or at the code fence around it.
    Bare(Range<usize>),
    /// In a JSON string with its opening quote at this offset.
    Quoted(usize),
    /// In a literal of a programming language with its opening quote at this offset.
    Literal(usize),
}

/// True if a text begins with an envelope, possibly damaged or truncated.
pub(in crate::transcript) fn begins_envelope(text: &[u8]) -> bool {
    let Some(inner) = text.strip_prefix(b"{") else { return false };
    let inner = inner.trim_ascii();
    let is_start = |key: &&[u8]| inner.len() < key.len() && inner.len() > 1 && key.starts_with(inner);
    KEYS.iter().any(|key| inner.starts_with(key)) || KEYS.iter().any(is_start) || {
        let json = Json::parse(text);
        is_envelope(&json)
    }
}

/// True if a text contains an envelope.
pub(in crate::transcript) fn holds_envelope(text: &[u8]) -> bool {
    find(text).is_some()
}

/// Returns the first envelope of a text.
pub(super) fn find(text: &[u8]) -> Option<EnvelopePlace> {
    find_from(text, 0)
}

/// Returns the first envelope of a text at or after an offset.
pub(super) fn find_from(text: &[u8], from: usize) -> Option<EnvelopePlace> {
    let mut at = from;
    for _ in 0..OBJECTS {
        let brace = at + memchr::memchr(b'{', text.get(at..)?)?;
        let rest = text.get(brace..)?;
        if let Some(quote) = opening_quote(text, brace)
            && string_holds_envelope(text, quote)
        {
            return Some(EnvelopePlace::Quoted(quote));
        }
        let end = json::value_end(rest).ok().map(|len| brace + len);
        if let Some(quote) = literal_quote(text, brace, end) {
            return Some(EnvelopePlace::Literal(quote));
        }
        if begins_envelope(rest.get(..end.map_or(rest.len(), |end| end - brace)).unwrap_or(rest)) {
            let start = fence(text, brace).unwrap_or(brace);
            return Some(EnvelopePlace::Bare(start..end_of(text, start, end)));
        }
        at = end.unwrap_or(brace + 1);
    }
    None
}

/// Returns the opening quote of the string around a brace, if quotes after the brace are escaped.
fn opening_quote(text: &[u8], brace: usize) -> Option<usize> {
    let inner = text.get(brace + 1..)?;
    let is_space = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, b'n' | b'r' | b't' | b'\\');
    let skipped = inner.iter().take_while(is_space).count();
    let is_escaped =
        skipped > 0 && inner.get(skipped) == Some(&b'"') && inner.get(skipped - 1) == Some(&b'\\');
    let before = text.get(..brace)?;
    let quote = memchr::memrchr(b'"', before)?;
    // The string may contain words before the envelope.
    let is_near = !before.get(quote + 1..)?.contains(&b'\n');
    (is_escaped && is_near).then_some(quote)
}

/// Returns the opening quote of the programming language literal around a brace.
fn literal_quote(text: &[u8], brace: usize, end: Option<usize>) -> Option<usize> {
    let quote = literal::quote_before(text, brace)?;
    let mark = *text.get(quote)?;
    // Fast path: most braces are not in a literal with escapes.
    let shown = text.get(brace..end.unwrap_or(text.len()))?;
    memchr::memchr(b'\\', text.get(quote..)?)?;
    let found = literal::read(text, quote).filter(|found| found.has_escapes && found.end > brace)?;
    let value = found.value.get(memchr::memchr(b'{', &found.value)?..)?;
    if !begins_envelope(value) {
        return None;
    }
    let is_sound = |text: &[u8]| Json::parse(text).problems.is_empty() && json::value_end(text).is_ok();
    let (is_shown, is_meant) = (end.is_some() && begins_envelope(shown) && is_sound(shown), is_sound(value));
    let tells = || {
        let raw = text.get(quote + 1..found.end).unwrap_or(&[]);
        let has = |word: &[u8]| memchr::memmem::find(raw, word).is_some();
        has(br#"\\""#) || has(br"\'") && mark == b'\'' || has(br"\x")
    };
    let is_literal = match (is_shown, is_meant) {
        (true, true) => mark != b'"' && literal::is_doubled(shown, mark),
        (true, false) => false,
        (false, true) => found.is_closed || tells(),
        (false, false) => tells(),
    };
    is_literal.then_some(quote)
}

fn string_holds_envelope(text: &[u8], quote: usize) -> bool {
    let json = Json::parse_part(text, quote..text.len());
    let root = json.root();
    let Some(value) = is_string(&json, root).then(|| json.string(root)).flatten() else { return false };
    let start = value.find('{').unwrap_or(value.len());
    begins_envelope(value.as_bytes().get(start..).unwrap_or(&[]))
}

/// Returns the start of the code fence before an envelope.
fn fence(text: &[u8], brace: usize) -> Option<usize> {
    let before = text.get(..brace)?.trim_ascii_end();
    let tags: [&[u8]; 3] = [b"```json", b"```JSON", b"```"];
    tags.iter().find_map(|tag| before.ends_with(tag).then(|| before.len() - tag.len()))
}

/// Returns the end of a reply. Text that the logging program adds after the envelope is excluded.
fn end_of(text: &[u8], start: usize, end: Option<usize>) -> usize {
    let all = text.trim_ascii_end().len().max(start);
    let Some(end) = end.filter(|_| text.get(start) == Some(&b'{')) else { return all };
    let behind = text.get(end..).unwrap_or(&[]).trim_ascii();
    if is_of_the_program(behind) { end } else { all }
}

/// True for a suffix that a logging program adds: `(took 3s)`, `duration=3s tokens=40`, `"`, `')`.
fn is_of_the_program(behind: &[u8]) -> bool {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b')' | b']' | b',' | b';');
    let rest =
        behind.iter().position(|byte| !is_quote(byte)).map_or(&[][..], |at| behind.get(at..).unwrap_or(&[]));
    let rest = rest.trim_ascii();
    if rest.contains(&b'\n') || rest.contains(&b'{') {
        return false;
    }
    let is_pair = |word: &[u8]| word.first().is_some_and(u8::is_ascii_alphabetic) && word.contains(&b'=');
    let is_aside =
        rest.starts_with(b"(") && rest.ends_with(b")") || rest.starts_with(b"[") && rest.ends_with(b"]");
    is_aside || rest.split(|byte| byte.is_ascii_whitespace()).all(|word| word.is_empty() || is_pair(word))
}

/// True if a text is a truncated JSON object.
pub(super) fn is_cut(text: &[u8]) -> bool {
    let json = Json::parse(text);
    text.starts_with(b"{") && json.kind(json.root()) == JsonKind::Object && !json.is_valid_to_the_end()
}

/// Matches a line of JSON that begins with a string.
static MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?-u)^"(?:|[^"\\{](?:[^"\\]|\\.)*)"[ \t]*(?:[:,]|$)"#).ok());

/// Braces that are open at the end of a text. The text begins outside of JSON.
#[derive(Debug, Default, Clone)]
pub(in crate::transcript) struct Nesting {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl Nesting {
    pub(in crate::transcript) fn is_open(&self) -> bool {
        self.depth > 0
    }

    pub(super) fn is_in_string(&self) -> bool {
        self.is_in_string
    }

    /// True if an object was opened and closed again.
    pub(in crate::transcript) fn is_complete(&self) -> bool {
        self.has_begun && self.depth == 0
    }

    /// Updates the nesting with the next text.
    pub(in crate::transcript) fn read(&mut self, text: &[u8]) {
        for byte in text {
            match byte {
                b'{' if !self.is_in_string => (self.depth, self.has_begun) = (self.depth + 1, true),
                b'}' if !self.is_in_string => self.depth = self.depth.saturating_sub(1),
                _ if self.depth == 0 => {}
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ => {}
            }
        }
    }

    /// True if a line can continue the open multi-line JSON. `gap` is the length of the white space
    /// before its first line.
    pub(super) fn can_continue(&self, text: &[u8], gap: usize) -> bool {
        let inner = text.trim_ascii();
        let is_indented = text.len() - text.trim_ascii_start().len() > gap + 1;
        match inner.first() {
            Some(b'}' | b']') => true,
            Some(b'"') => MEMBER.as_ref().is_some_and(|member| member.is_match(inner)),
            Some(b'{') => is_indented && !begins_envelope(inner),
            Some(b'[' | b'0'..=b'9' | b't' | b'f' | b'n' | b'-') => is_indented,
            Some(_) => false,
            None => true,
        }
    }
}

/// Maximum length of the prefix, in bytes.
const MAX_PREFIX: usize = 200;

/// Maximum number of lines of a block.
const MAX_LINES: usize = 100_000;

/// Lines of an envelope with a common prefix: a word, a mark or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PrefixedBlock {
    /// Range of all lines.
    pub(super) lines: Range<usize>,
    /// Ranges of the envelope, one per line, without the prefix.
    pub(super) pieces: Vec<Range<usize>>,
    /// Prefix of the first line.
    pub(super) prefix: Range<usize>,
}

/// Returns the blocks of a text in order.
pub(super) fn prefixed_blocks(text: &[u8]) -> Vec<PrefixedBlock> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(line) = line_at(text, at) {
        match block(text, line.clone()) {
            Some(block) => {
                at = block.lines.end;
                found.push(block);
            }
            None => at = line.end,
        }
    }
    found
}

/// Returns the range of the line at an offset, including its line end.
fn line_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    Some(at..at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1))
}

/// Returns the block that begins with a line.
fn block(text: &[u8], first: Range<usize>) -> Option<PrefixedBlock> {
    let line = text.get(first.clone())?;
    let brace = memchr::memchr(b'{', line).filter(|brace| (1..=MAX_PREFIX).contains(brace))?;
    let (prefix, rest) = line.split_at_checked(brace)?;
    let is_start = rest.trim_ascii_end() == b"{" || begins_envelope(rest.trim_ascii_end());
    if !is_start
        || prefix.trim_ascii().is_empty()
        || prefix.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'`'))
    {
        return None;
    }
    let mut depth = Nesting::default();
    depth.read(rest);
    let (mut pieces, mut end) = (Vec::new(), first.end);
    pieces.push(first.start + brace..first.end);
    let mut is_begun = begins_envelope(rest.trim_ascii_end());
    while depth.is_open() && pieces.len() < MAX_LINES {
        let Some(next) = line_at(text, end) else { break };
        let bytes = text.get(next.clone())?;
        let Some(from) = shared_prefix_end(prefix, bytes) else { break };
        let inner = bytes.get(from..)?.trim_ascii();
        if !is_begun && !inner.is_empty() {
            // After a line with only a brace, the next line decides if this is an envelope.
            is_begun = begins_envelope(&[b"{", inner].concat());
            if !is_begun {
                return None;
            }
        }
        depth.read(bytes.get(from..).unwrap_or(&[]));
        pieces.push(next.start + from..next.end);
        end = next.end;
    }
    let is_block = pieces.len() > 1 && is_begun;
    is_block.then(|| PrefixedBlock {
        lines: first.start..end,
        pieces,
        prefix: first.start..first.start + brace,
    })
}

/// Returns the end of the prefix in a line, if the line has it. Numbers in the prefix may differ.
fn shared_prefix_end(prefix: &[u8], line: &[u8]) -> Option<usize> {
    let (mut one, mut other) = (0, 0);
    let is_number = |text: &[u8], at: usize| {
        let spaces = text.iter().skip(at).take_while(|byte| **byte == b' ').count();
        let digits = text.iter().skip(at + spaces).take_while(|byte| byte.is_ascii_digit()).count();
        (digits > 0).then_some(at + spaces + digits)
    };
    while let Some(byte) = prefix.get(one) {
        match (is_number(prefix, one), is_number(line, other)) {
            (Some(a), Some(b)) if a <= prefix.len() => (one, other) = (a, b),
            _ if line.get(other) == Some(byte) => (one, other) = (one + 1, other + 1),
            // An empty line lacks the white space after the mark.
            _ if prefix.get(one..)?.trim_ascii().is_empty() && line.get(other..)?.trim_ascii().is_empty() => {
                return Some(other);
            }
            _ => return None,
        }
    }
    Some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_alike_are_a_block() {
        for mark in ["ASSISTANT ", "| ", "> ", "[pod-7f] ", "llm.reply: ", "# ", "app.py:12 "] {
            let text = format!(
                "before\n{mark}{{\n{mark}  \"control_packet\": {{}},\n{mark}\n{mark}  \"surface_response\": \"a\"\n{mark}}}\n{mark}after\n"
            );
            let found = prefixed_blocks(text.as_bytes());
            let envelope: String =
                found.iter().flat_map(|one| &one.pieces).map(|piece| &text[piece.clone()]).collect();
            assert_eq!(
                envelope, "{\n  \"control_packet\": {},\n\n  \"surface_response\": \"a\"\n}\n",
                "{mark}"
            );
        }
    }

    #[test]
    fn numbers_of_lines_may_differ() {
        let text = " 9\t{\n10\t  \"control_packet\": {}\n11\t}\n";
        assert_eq!(prefixed_blocks(text.as_bytes()).len(), 1);
    }

    #[test]
    fn other_lines_are_no_block() {
        for text in [
            "a {\nb \"control_packet\": 1\n",
            "{\n  \"control_packet\": {}\n}\n",
            "  {\n    \"control_packet\": 1\n  }\n",
        ] {
            assert_eq!(prefixed_blocks(text.as_bytes()), [], "{text}");
        }
    }
}
