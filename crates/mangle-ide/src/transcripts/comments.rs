//! Ignore comments in Markdown and raw text: `<!-- mangle-ls: ignore NAME -- reason -->`.

use std::ops::Range;

use memchr::memmem;

use crate::registry;
use mangle_settings::Container;
use mangle_syntax::lint::Rule;

/// Maximum file size in bytes for the search of comments.
pub const MAX_COMMENTED: usize = 16 << 20;

/// Delimiters of a comment, and the prefix of its content.
const OPEN: &[u8] = b"<!--";
const CLOSE: &[u8] = b"-->";
const MARK: &str = "mangle-ls:";

/// Ignore comments of a file.
#[derive(Debug, Default)]
pub struct Comments(Vec<Comment>);

#[derive(Debug)]
struct Comment {
    /// Byte range of the silenced findings. `None` silences the whole file.
    covers: Option<Range<u64>>,
    rules: Vec<&'static Rule>,
    /// Offset after the last rule name.
    list_end: usize,
}

impl Comments {
    /// Parses the comments of a text. A standalone comment covers the next fence or nonblank line.
    /// A comment after other text covers its own line.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        let mut comments = Vec::new();
        let mut at = 0;
        while let Some(start) =
            text.get(at..).and_then(|rest| memmem::find(rest, OPEN)).map(|found| at + found)
        {
            let inside = start + OPEN.len();
            let Some(len) = text.get(inside..).and_then(|rest| memmem::find(rest, CLOSE)) else { break };
            let end = inside + len + CLOSE.len();
            comments.extend(comment(text, start, text.get(inside..inside + len).unwrap_or(&[]), end));
            at = end;
        }
        Self(comments)
    }

    /// Parses the comments of Markdown and raw files. In JSON containers, no comments exist.
    #[must_use]
    pub fn in_container(text: &[u8], container: Option<Container>) -> Self {
        match container {
            Some(Container::Markdown | Container::Raw) => Self::parse(text),
            _ => Self::default(),
        }
    }

    /// Returns the end of the names in the last comment that covers the line starting at an offset.
    /// Excludes comments about the file.
    pub(super) fn list_of(&self, line: u64) -> Option<usize> {
        let is_about = |range: &Range<u64>| range.start == line;
        self.0.iter().rev().find(|one| one.covers.as_ref().is_some_and(is_about)).map(|one| one.list_end)
    }

    /// Returns the end of the names in a comment about the file.
    pub(super) fn list_of_file(&self) -> Option<usize> {
        self.0.iter().find(|one| one.covers.is_none()).map(|one| one.list_end)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a comment silences a rule at a byte offset of the file.
    #[must_use]
    pub fn silence(&self, rule: &'static Rule, offset: u64) -> bool {
        rule.is_silenceable()
            && self.0.iter().any(|comment| {
                let covers = comment.covers.as_ref().is_none_or(|range| range.contains(&offset));
                covers && comment.rules.contains(&rule)
            })
    }
}

fn comment(text: &[u8], start: usize, inside: &[u8], end: usize) -> Option<Comment> {
    let written = std::str::from_utf8(inside).ok()?;
    let words = written.trim().strip_prefix(MARK)?.trim_start();
    let (verb, names) = words.split_once(char::is_whitespace)?;
    let behind = start + OPEN.len() + written.trim_end().len() - names.len();
    let names = names.split(" --").next().unwrap_or_default();
    let list_end = behind + names.trim_end().len();
    let rules = names.split(',').filter_map(|name| registry::find(name.trim())).collect();
    let covers = match verb {
        "ignore-file" => None,
        "ignore" => Some(covered(text, start, end)),
        _ => return None,
    };
    Some(Comment { covers, rules, list_end })
}

/// Returns the range that a comment covers.
fn covered(text: &[u8], start: usize, end: usize) -> Range<u64> {
    let line_start = |at: usize| {
        let before = text.get(..at).unwrap_or(&[]);
        memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1)
    };
    let own = line_start(start);
    let is_alone = text.get(own..start).is_some_and(|before| before.trim_ascii().is_empty());
    let range = if is_alone { next_block(text, end) } else { own..line_end(text, end) };
    range.start as u64..range.end as u64
}

/// Returns the end of the line at an offset, including its line ending.
fn line_end(text: &[u8], at: usize) -> usize {
    text.get(at..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(text.len(), |lf| at + lf + 1)
}

/// Returns the fence or line after an offset.
fn next_block(text: &[u8], at: usize) -> Range<usize> {
    let mut start = line_end(text, at);
    let line = |start: usize| text.get(start..line_end(text, start)).unwrap_or(&[]);
    while start < text.len() && line(start).trim_ascii().is_empty() {
        start = line_end(text, start);
    }
    let opening = line(start).trim_ascii_start();
    let Some(mark) = opening.first().copied().filter(|byte| matches!(byte, b'`' | b'~')) else {
        return start..line_end(text, start);
    };
    let fence: Vec<u8> = opening.iter().copied().take_while(|byte| *byte == mark).collect();
    if fence.len() < 3 {
        return start..line_end(text, start);
    }
    let mut end = line_end(text, start);
    while end < text.len() {
        let is_closing = line(end).trim_ascii().starts_with(&fence);
        end = line_end(text, end);
        if is_closing {
            break;
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let comments = Comments::parse(text.as_bytes());
        let covered = comments.0.iter().map(|comment| match &comment.covers {
            Some(range) => text
                .get(usize::try_from(range.start).unwrap_or(0)..usize::try_from(range.end).unwrap_or(0))
                .unwrap_or("?"),
            None => "all",
        });
        assert_eq!(covered.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_comments_cover() {
        check("<!-- mangle-ls: ignore MG950 -->\n\n```json\n{}\n```\nx\n", &["```json\n{}\n```\n"]);
        check(
            "a <!-- mangle-ls: ignore MG950 -- why --> b\nc\n",
            &["a <!-- mangle-ls: ignore MG950 -- why --> b\n"],
        );
        check("<!-- mangle-ls: ignore MG950 -->\nUser: x\ny", &["User: x\n"]);
        check("x\n<!-- mangle-ls: ignore-file MG950 -->", &["all"]);
        check("<!-- mangle-ls: ignore MG950 -->\n```\nopen", &["```\nopen"]);
        check("<!-- a --><!-- mangle-ls ignore MG950 --><!-- mangle-ls: ignore MG950", &[]);
    }

    #[test]
    fn rules_are_found_by_name_and_code() {
        let comments = Comments::parse(b"<!-- mangle-ls: ignore-file undefined-predicate, MG215 -- both -->");
        let silenced = ["MG301", "MG215", "MG202", "MG950"];
        let silenced =
            silenced.map(|code| registry::find(code).is_some_and(|rule| comments.silence(rule, 3)));
        assert_eq!(silenced, [true, true, false, false]);
    }
}
