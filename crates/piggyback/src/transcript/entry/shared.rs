//! Envelopes of several lines that all begin alike: a program puts a word, a mark or a number before each line.

use std::ops::Range;

use super::envelope::begins;
use super::nesting::Nesting;

/// How long the beginning of a line may be, in bytes.
const MAX_PREFIX: usize = 200;

/// How many lines a block may have.
const MAX_LINES: usize = 100_000;

/// Lines of an envelope, without what they all begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The bytes of all its lines.
    pub(super) lines: Range<usize>,
    /// The bytes of the envelope, line by line.
    pub(super) pieces: Vec<Range<usize>>,
    /// What the first line begins with.
    pub(super) prefix: Range<usize>,
}

/// The blocks of a text, in their order.
pub(super) fn blocks(text: &[u8]) -> Vec<Block> {
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

/// The bytes of a line, its end included.
fn line_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    Some(at..at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1))
}

/// The block that begins with a line.
fn block(text: &[u8], first: Range<usize>) -> Option<Block> {
    let line = text.get(first.clone())?;
    let brace = memchr::memchr(b'{', line).filter(|brace| (1..=MAX_PREFIX).contains(brace))?;
    let (prefix, rest) = line.split_at_checked(brace)?;
    let is_start = rest.trim_ascii_end() == b"{" || begins(rest.trim_ascii_end());
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
    let mut is_begun = begins(rest.trim_ascii_end());
    while depth.is_open() && pieces.len() < MAX_LINES {
        let Some(next) = line_at(text, end) else { break };
        let bytes = text.get(next.clone())?;
        let Some(from) = shared(prefix, bytes) else { break };
        let inner = bytes.get(from..)?.trim_ascii();
        if !is_begun && !inner.is_empty() {
            // Behind a brace alone, the next line says if it is that of an envelope.
            is_begun = begins(&[b"{", inner].concat());
            if !is_begun {
                return None;
            }
        }
        depth.read(bytes.get(from..).unwrap_or(&[]));
        pieces.push(next.start + from..next.end);
        end = next.end;
    }
    let is_block = pieces.len() > 1 && is_begun;
    is_block.then(|| Block { lines: first.start..end, pieces, prefix: first.start..first.start + brace })
}

/// Where the text of a line begins that begins as another one does; numbers may differ.
fn shared(prefix: &[u8], line: &[u8]) -> Option<usize> {
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
            // An empty line lacks the white space behind the mark.
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
            let found = blocks(text.as_bytes());
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
        assert_eq!(blocks(text.as_bytes()).len(), 1);
    }

    #[test]
    fn other_lines_are_no_block() {
        for text in [
            "a {\nb \"control_packet\": 1\n",
            "{\n  \"control_packet\": {}\n}\n",
            "  {\n    \"control_packet\": 1\n  }\n",
        ] {
            assert_eq!(blocks(text.as_bytes()), [], "{text}");
        }
    }
}
