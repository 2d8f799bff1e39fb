//! Lines that are checked before the grammar: the line directives of codeNERD, and lone carriage
//! returns (line endings of old programs), which do not end a comment.
//!
//! Directives are `TAXONOMY: a > b`, `INTENT: "words" -> /verb` and `PROMPT: /id [text] "text"`.
//! codeNERD's loader removes these lines before the engine reads the file. mangle-ls removes them
//! in every file, so that parsing does not depend on settings. A separate rule checks that the file
//! may contain directives ([`crate::syntax::rules::DIRECTIVE_OUTSIDE_HYBRID`]).

use std::sync::Arc;

use tree_sitter::Tree;

use super::rules;
use super::rules::DIRECTIVE_OUTSIDE_HYBRID;
use crate::lint::{Finding, Fix};
use crate::text::{TextRange, TextSize, size, slice, text_len};

/// The words that start a directive, each ending with a colon, and the sign that must follow.
const DIRECTIVES: [(&str, &str); 3] = [("TAXONOMY:", ">"), ("INTENT:", "->"), ("PROMPT:", "->")];

/// The text of a file without its directives.
#[derive(Debug)]
pub(super) struct StrippedText {
    /// The text with blanks in place of directives, as long as the original.
    pub(super) text: Arc<str>,
    /// The removed lines, without line endings.
    pub(super) lines: Vec<TextRange>,
}

/// The directive lines of a file, without line endings and surrounding white space.
#[must_use]
pub fn directive_lines(text: &str) -> Vec<TextRange> {
    strip(text).map_or_else(Vec::new, |stripped| stripped.lines)
}

/// Removes the directives. `None` for a text without directives.
pub(super) fn strip(text: &str) -> Option<StrippedText> {
    // Fast path: nearly no file has directives, and this function runs at every keystroke.
    if !contains_directive_word(text.as_bytes()) {
        return None;
    }
    let lines = find_directives(text);
    if lines.is_empty() {
        return None;
    }
    let mut blanked = String::with_capacity(text.len());
    let mut done = TextSize::new(0);
    for &line in &lines {
        blanked.push_str(slice(text, TextRange::new(done, line.start())));
        blanked.extend(std::iter::repeat_n(' ', line.len().into()));
        done = line.end();
    }
    blanked.push_str(slice(text, TextRange::new(done, text_len(text))));
    Some(StrippedText { text: blanked.into(), lines })
}

/// True if the text contains the first word of a directive. Each of these words ends with a colon.
fn contains_directive_word(text: &[u8]) -> bool {
    let is_end = |colon: usize| {
        let before = text.get(..=colon).unwrap_or_default();
        DIRECTIVES.iter().any(|(word, _)| before.ends_with(word.as_bytes()))
    };
    memchr::memchr_iter(b':', text).any(is_end)
}

/// One finding for each run of directives, because they usually occur in lists.
pub(super) fn directive_findings(text: &str, lines: &[TextRange]) -> Vec<Finding> {
    let follows = |before: TextRange, line: TextRange| {
        slice(text, TextRange::new(before.end(), line.start())).trim().is_empty()
    };
    let runs = lines.chunk_by(|&before, &line| follows(before, line));
    runs.filter_map(|run| Some(directive_finding(text, *run.first()?, run.len() - 1))).collect()
}

fn directive_finding(text: &str, line: TextRange, more: usize) -> Finding {
    let word = slice(text, line).split_inclusive(':').next().unwrap_or_default();
    let message = format!("`{word}` directive in a file that is not hybrid");
    let finding = Finding::new(&DIRECTIVE_OUTSIDE_HYBRID, line, message)
        .note("codeNERD's loader removes such lines; the engine itself rejects them")
        .help("if codeNERD loads this file, list it in `hybrid` of its `[[program]]` in mangle-ls.toml");
    match more {
        0 => finding,
        1 => finding.label("and one more line below"),
        _ => finding.label(format!("and {more} more lines below")),
    }
}

/// The state of a scan over the lines of a file.
#[derive(Default)]
struct Place {
    /// The quote of the open string.
    quote: Option<u8>,
    /// The last byte of code.
    last: Option<u8>,
    /// True if the previous line was a directive.
    after_directive: bool,
}

/// The directives of a file, one per line, without surrounding white space. Similar text in a
/// string, or after a line break between the brackets of a map (`[⏎INTENT: 3]`), is not a
/// directive.
fn find_directives(text: &str) -> Vec<TextRange> {
    let mut lines = Vec::new();
    let mut place = Place::default();
    let mut start = TextSize::new(0);
    for line in text.split_inclusive('\n') {
        if place.is_directive(line) {
            let indent = text_len(line) - text_len(line.trim_start());
            lines.push(TextRange::at(start + indent, text_len(line.trim())));
            place.after_directive = true;
        } else {
            place.read(line);
        }
        start += text_len(line);
    }
    lines
}

impl Place {
    fn is_directive(&self, line: &str) -> bool {
        if self.quote.is_some() {
            return false;
        }
        let line = line.trim();
        let between_statements = self.after_directive || matches!(self.last, None | Some(b'.'));
        DIRECTIVES.iter().any(|(word, sign)| {
            line.strip_prefix(word).is_some_and(|rest| between_statements || rest.contains(sign))
        })
    }

    /// Scans a line of Mangle.
    fn read(&mut self, line: &str) {
        let mut bytes = line.bytes();
        while let Some(byte) = bytes.next() {
            match (self.quote, byte) {
                (Some(_), b'\\') => drop(bytes.next()),
                (Some(quote), byte) if byte == quote => self.quote = None,
                (Some(_), _) => continue,
                (None, b'#') => return,
                (None, b'"' | b'\'' | b'`') => self.quote = Some(byte),
                (None, byte) if byte.is_ascii_whitespace() => continue,
                (None, _) => {}
            }
            self.last = Some(byte);
            self.after_directive = false;
        }
    }
}

/// Maximum number of line endings that one fix replaces.
const MAX_EDITS: usize = 5_000;

/// The finding for the first comment that continues after a lone carriage return.
pub(super) fn check_line_ends(text: &str, tree: &Tree) -> Option<Finding> {
    let mut last_comment = 0..0;
    let swallowing = |at: &usize| {
        if last_comment.contains(at) {
            return false;
        }
        let node = tree.root_node().descendant_for_byte_range(*at, *at + 1);
        let Some(comment) = node.filter(|node| node.kind() == "comment") else { return false };
        last_comment = comment.byte_range();
        text.get(*at..comment.end_byte()).is_some_and(|rest| !rest.trim().is_empty())
    };
    let at = lone_returns(text).find(swallowing)?;
    let range = |at| TextRange::at(size(at), TextSize::new(1));
    let finding = Finding::new(&rules::LONE_CR, range(at), "lone carriage return does not end this comment")
        .note("the engine ignores everything up to the next line feed");
    if lone_returns(text).nth(MAX_EDITS).is_some() {
        return Some(finding);
    }
    let fix = Fix::guess("replace the lone carriage returns of the file by line feeds");
    Some(finding.fix(lone_returns(text).fold(fix, |fix, at| fix.replace(range(at), "\n"))))
}

/// The carriage returns without a line feed.
fn lone_returns(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::syntax::SourceFile;

    #[track_caller]
    fn check_directives(text: &str, expected: Expect) {
        let stripped = strip(text);
        let shown = stripped.map_or_else(
            || "as it is\n".to_owned(),
            |stripped| {
                assert_eq!(stripped.text.len(), text.len());
                stripped.text.replace(' ', "·").replace('\r', "␍")
            },
        );
        expected.assert_eq(&shown);
    }

    #[test]
    fn directives_become_blanks() {
        check_directives(
            "p(1).\r\n  INTENT: \"é\" -> /fix \"all\"\r\nTAXONOMY: a > b\nPROMPT: /x [y] -> \"it's\"\nq(2).\n",
            expect![[r#"
                p(1).␍
                ····························␍
                ···············
                ························
                q(2).
            "#]],
        );
        check_directives("TAXONOMY:", expect!["·········"]);
        check_directives(
            "# Of no use:\nINTENT: nothing\nPROMPT: nothing either\np(1).",
            expect![[r#"
            #·Of·no·use:
            ···············
            ······················
            p(1)."#]],
        );
        check_directives(
            "p(X) :-\nINTENT: x -> y\nq(X).\n",
            expect![[r#"
            p(X)·:-
            ··············
            q(X).
        "#]],
        );
    }

    #[test]
    fn what_only_looks_like_a_directive_stays() {
        check_directives(
            "p(\"\nINTENT: x -> y\").\n",
            expect![[r#"
            as it is
        "#]],
        );
        check_directives(
            "p(`a\\`\nPROMPT: x -> y`).\n",
            expect![[r#"
            as it is
        "#]],
        );
        check_directives(
            "p([\nINTENT: 3]).\n",
            expect![[r#"
            as it is
        "#]],
        );
        check_directives(
            "# INTENT: x -> y\np(/a). INTENT: x\n",
            expect![[r#"
            as it is
        "#]],
        );
    }

    fn check_line_ends(text: &str, places: &[u32]) {
        let source = SourceFile::parse(text.into());
        let found: Vec<u32> = source
            .findings()
            .iter()
            .filter(|finding| finding.rule.name == "lone-cr")
            .map(|finding| finding.range.start().into())
            .collect();
        assert_eq!(found, places, "{text:?}");
    }

    #[test]
    fn only_comments_that_swallow_something_are_reported() {
        check_line_ends("p(1).\r# why\rq(2).\r", &[11]);
        check_line_ends("# a\r# b\rp().\n# c\rq().\n", &[3]);
        check_line_ends("p(1).\rq(2).\r", &[]);
        check_line_ends("# a\r\np().\r\n", &[]);
        check_line_ends("# a\r\r\np().\n", &[]);
        check_line_ends("p(\"# a\rb\").\n", &[]);
        check_line_ends("p(1). # end\r", &[]);
    }
}
