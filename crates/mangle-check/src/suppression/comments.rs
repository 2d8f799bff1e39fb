//! Suppression comments of a file: their scopes, and the insertion of new ones.
//!
//! Files keep no tree after parsing, so comments are found in the text. A fast search for the mark
//! precedes a scan from the start of the statement.

use memchr::memmem;

use super::directive;
use super::directive::{Directive, MARK};
use crate::Registry;
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Diagnostic, FileEdit};
use mangle_syntax::text::{TextRange, TextSize, size};

#[derive(Debug)]
pub(super) struct Suppression {
    /// From `#` to the end of its line.
    pub(super) comment: TextRange,
    /// The range of suppressed findings. `None` for the whole file.
    pub(super) covers: Option<TextRange>,
    /// The parsed content, with ranges relative to the start of the file.
    pub(super) directive: Directive,
}

/// All suppression comments, in order.
pub(super) fn suppressions(file: &FileSummary, registry: &Registry) -> Vec<Suppression> {
    let text = file.text.as_bytes();
    let mut scanner = Scanner { file, at: 0 };
    let hits = memmem::find_iter(text, MARK);
    let starts: Vec<usize> = hits.filter_map(|hit| scanner.comment_at(hit)).collect();
    let mut all = Vec::with_capacity(starts.len());
    let mut later = None;
    // Processed from last to first, because a comment above another one covers the same code.
    for hash in starts.into_iter().rev() {
        let end = line_end(text, hash);
        let comment = file.text.get(hash..end).unwrap_or("");
        let mark = hash + (comment.len() - trim_hashes(comment).len());
        let Some(directive) = directive::read(trim_hashes(comment), size(mark), registry) else { continue };
        let covers = if directive.whole_file {
            None
        } else if is_alone(text, hash) {
            let code = next_code(text, end, later);
            later = Some((hash, code));
            Some(next_statement(file, code))
        } else {
            Some(TextRange::new(size(line_start(text, hash)), size(end)))
        };
        all.push(Suppression { comment: TextRange::new(size(hash), size(end)), covers, directive });
    }
    all.reverse();
    all
}

/// The text of a comment after its `#`s.
fn trim_hashes(comment: &str) -> &str {
    comment.trim_start_matches('#').trim_start()
}

/// The statement that starts at the next code after the comment. Inside of a statement, the rest of
/// the line with that code.
fn next_statement(file: &FileSummary, code: usize) -> TextRange {
    let start = size(code);
    let line = size(line_end(file.text.as_bytes(), code));
    let item = file.item_at(start).and_then(|index| file.items.get(index)).filter(|item| item.start == start);
    TextRange::new(start, item.map_or(line, |item| (item.start + item.statement.len).max(line)))
}

/// The first code at or after `at`, skipping blank lines and comments. The end of the text if no
/// code follows. `later` is a later comment with its result.
fn next_code(text: &[u8], mut at: usize, later: Option<(usize, usize)>) -> usize {
    while let Some(byte) = text.get(at) {
        match (byte, later) {
            (b'#', Some((hash, code))) if hash == at => return code,
            (b'#', _) => at = line_end(text, at),
            (byte, _) if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

/// True if only white space precedes the comment on its line.
pub(super) fn is_alone(text: &[u8], hash: usize) -> bool {
    let before = text.get(line_start(text, hash)..hash).unwrap_or_default();
    before.iter().all(u8::is_ascii_whitespace)
}

pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', text.get(..at).unwrap_or_default()).map_or(0, |lf| lf + 1)
}

/// The end of the line without its line ending. Only a line feed ends a comment.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let carriage_return = end > 0 && end < rest.len() && rest.get(end - 1) == Some(&b'\r');
    at + end - usize::from(carriage_return)
}

/// True if a byte of a statement is inside of a string.
fn is_in_string(file: &FileSummary, at: usize) -> bool {
    let mut scanner = Scanner { file, at: 0 };
    let (start, end) = scanner.segment(at);
    scanner.at = start;
    while scanner.at < at {
        let is_comment = file.text.as_bytes().get(scanner.at) == Some(&b'#');
        scanner.at = scanner.next_token(end);
        if scanner.at > at {
            return !is_comment;
        }
    }
    false
}

/// Distinguishes comments from strings. Scans a file at most once, and only segments with marks.
struct Scanner<'f> {
    file: &'f FileSummary,
    /// The start of the unread text, which is code.
    at: usize,
}

impl Scanner<'_> {
    /// The start of the comment that begins with the mark at `hit`. `None` if the mark is not in a
    /// comment.
    fn comment_at(&mut self, hit: usize) -> Option<usize> {
        let text = self.file.text.as_bytes();
        let before = text.get(..hit)?.trim_ascii_end();
        let hashes = before.iter().rev().take_while(|byte| **byte == b'#').count();
        let (hash, line) = (before.len() - hashes, line_start(text, hit));
        if hashes == 0 || hash < line {
            return None;
        }
        let (start, end) = self.segment(hit);
        self.at = self.at.max(start);
        while self.at < hash {
            self.at = self.next_token(end);
        }
        let found = (self.at == hash).then_some(hash);
        if found.is_some() {
            self.at = line_end(text, hash);
        }
        found
    }

    /// The statement that contains a byte, or the gap between two statements. The scan restarts at
    /// each segment, so that a missing quote only affects one statement.
    fn segment(&self, at: usize) -> (usize, usize) {
        let items = &self.file.items;
        let next = items.partition_point(|item| usize::from(item.start) <= at);
        let until = items.get(next).map_or(self.file.text.len(), |item| usize::from(item.start));
        let Some(item) = next.checked_sub(1).and_then(|index| items.get(index)) else { return (0, until) };
        let (start, end) = (usize::from(item.start), usize::from(item.start + item.statement.len));
        if at < end { (start, end.min(until)) } else { (end, until) }
    }

    /// The end of the comment, string or single byte at the current position.
    fn next_token(&self, end: usize) -> usize {
        let text = self.file.text.as_bytes();
        match text.get(self.at) {
            Some(b'#') => line_end(text, self.at).max(self.at + 1),
            Some(quote @ (b'"' | b'\'' | b'`')) => {
                let closed = string_end(text.get(..end).unwrap_or(text), self.at + 1, *quote);
                // An unterminated string ends with its line, as in the parser.
                closed.unwrap_or_else(|| line_end(text, self.at))
            }
            _ => self.at + 1,
        }
    }
}

fn string_end(text: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        at += memchr::memchr2(b'\\', quote, rest)?;
        if text.get(at) == Some(&quote) {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The scope of a suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionScope {
    /// The line of the finding.
    Here,
    /// The whole file.
    File,
}

/// The edit that suppresses a diagnostic of `file`. `None` if its rule cannot be suppressed.
#[must_use]
pub fn suppress(
    file: &FileSummary,
    diagnostic: &Diagnostic,
    scope: SuppressionScope,
    registry: &Registry,
) -> Option<FileEdit> {
    if !diagnostic.rule.is_silenceable() {
        return None;
    }
    let name = diagnostic.rule.name;
    let at = diagnostic.range.start();
    let edit = |at, text| Some(FileEdit { file: file.id, range: TextRange::empty(at), text });
    let all = suppressions(file, registry);
    // The last comment that covers the position is the nearest above it.
    if let Some(known) = all.iter().rev().find(|known| extends(known, at, scope)) {
        let directive = &known.directive;
        let comma = if directive.names.is_empty() { " " } else { ", " };
        return edit(directive.list.end(), format!("{comma}{name}"));
    }
    let end = line_ending(&file.text);
    match scope {
        SuppressionScope::File => {
            let bom = if file.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            edit(size(bom), format!("# mangle-ls: ignore-file {name}{end}"))
        }
        SuppressionScope::Here => {
            let (line, indent) = line_above(file, usize::from(at));
            edit(size(line), format!("{indent}# mangle-ls: ignore {name}{end}"))
        }
    }
}

fn extends(known: &Suppression, at: TextSize, scope: SuppressionScope) -> bool {
    let is_readable = !known.directive.names.is_empty() || known.directive.list.is_empty();
    is_readable
        && match (scope, known.covers) {
            (SuppressionScope::File, None) => true,
            (SuppressionScope::Here, Some(range)) => range.contains_inclusive(at),
            _ => false,
        }
}

/// The position for a comment above the line of `at`, and its indentation. If the line is inside of
/// a multi-line string, the position is above the statement.
fn line_above(file: &FileSummary, at: usize) -> (usize, &str) {
    let text = file.text.as_bytes();
    let mut start = line_start(text, at.min(text.len()));
    if is_in_string(file, start) {
        let item = file.item_at(size(start)).and_then(|index| file.items.get(index));
        start = line_start(text, item.map_or(start, |item| usize::from(item.start)));
    }
    if start == 0 && file.text.starts_with('\u{feff}') {
        start = '\u{feff}'.len_utf8();
    }
    let line = file.text.get(start..line_end(text, start)).unwrap_or("");
    (start, line.get(..line.len() - line.trim_start().len()).unwrap_or(""))
}

/// The line ending of the first line of the file.
fn line_ending(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or("");
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}
