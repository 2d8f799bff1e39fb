//! Multi-line envelopes with a common prefix on each line: a word, a mark or a number.

use std::ops::Range;

use super::envelope::begins;
use super::nesting::Nesting;

/// Maximum length of the prefix, in bytes.
const MAX_PREFIX: usize = 200;

/// Maximum number of lines of a block.
const MAX_LINES: usize = 100_000;

/// Lines of an envelope with a common prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Range of all lines.
    pub(super) lines: Range<usize>,
    /// Ranges of the envelope, one per line, without the prefix.
    pub(super) pieces: Vec<Range<usize>>,
    /// Prefix of the first line.
    pub(super) prefix: Range<usize>,
}

/// Returns the blocks of a text in order.
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

/// Returns the range of the line at an offset, including its line end.
fn line_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    Some(at..at + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1))
}

/// Returns the block that begins with a line.
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
        let Some(from) = shared_prefix_end(prefix, bytes) else { break };
        let inner = bytes.get(from..)?.trim_ascii();
        if !is_begun && !inner.is_empty() {
            // After a line with only a brace, the next line decides if this is an envelope.
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
