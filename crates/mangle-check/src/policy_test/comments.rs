//! Directive comments of a test file, which start with `@`.
//!
//! The comments are found in the text, because files keep no tree after parsing. A line that starts
//! with `#` is a comment unless it is inside of a string, which depends on the surrounding
//! statement.

use mangle_engine::program::{FileSummary, PredicateKey, key_of};
use mangle_syntax::syntax::{SourceFile, TokenKind};
use mangle_syntax::text::{Symbol, TextRange, TextSize, size, text_len};

/// A comment with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment<'f> {
    /// From `#` to the end of the line.
    pub range: TextRange,
    /// The key, without `@`.
    pub key: &'f str,
    /// The range of the key.
    pub key_range: TextRange,
    /// The text after the key, trimmed.
    pub value: &'f str,
    /// The range of the value. If the value is missing, an empty range at the end of the comment.
    pub value_range: TextRange,
}

/// The directive comment on the line that contains `offset`.
#[must_use]
pub fn comment_at(file: &FileSummary, offset: TextSize) -> Option<Comment<'_>> {
    let at = usize::from(offset);
    let start = file.text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = file.text.get(start..)?.lines().next()?;
    let found = comment(line, size(start)).filter(|found| found.range.start() < offset)?;
    is_comment(file, found.range.start()).then_some(found)
}

/// All directive comments, in the order of the file.
pub(super) fn comments(file: &FileSummary) -> Vec<Comment<'_>> {
    let mut all = Vec::new();
    let mut start = TextSize::new(0);
    for line in file.text.split_inclusive('\n') {
        all.extend(comment(line, start).filter(|comment| is_comment(file, comment.range.start())));
        start += text_len(line);
    }
    all
}

/// The comment on a line that starts at `start`.
fn comment(line: &str, start: TextSize) -> Option<Comment<'_>> {
    let whole = line.trim();
    let rest = whole.trim_start_matches('#');
    let body = rest.trim_start().strip_prefix('@').filter(|_| rest.len() < whole.len())?;
    let (key, value) = body.split_at(body.find(char::is_whitespace).unwrap_or(body.len()));
    let value = value.trim();
    // The range of a part of the line.
    let range = |piece: &str, ends_at: usize| {
        let end = start + size(ends_at);
        TextRange::new(end - text_len(piece), end)
    };
    let end = line.trim_end().len();
    let key_end = end - (body.len() - key.len());
    Some(Comment {
        range: range(whole, end),
        key,
        key_range: range(key, key_end),
        value,
        value_range: range(value, end),
    })
}

/// A comment that resembles a directive but is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DirectiveLookalike {
    /// From `#` to the end of the line.
    pub(super) range: TextRange,
    /// The intended key.
    pub(super) key: TestKey,
    /// The position of the missing `@`. `None` if the comment follows a statement.
    pub(super) missing_at: Option<TextSize>,
    /// True if only the `@` is missing.
    pub(super) is_complete: bool,
}

/// Comments that resemble directives: without the `@`, or after a statement.
pub(super) fn ignored(file: &FileSummary) -> Vec<DirectiveLookalike> {
    let mut all = Vec::new();
    let mut start = TextSize::new(0);
    let has_case = comments(file).iter().any(|comment| TestKey::parse(comment.key) == Some(TestKey::Test));
    for line in file.text.split_inclusive('\n') {
        let found = match line.trim_start().starts_with('#') {
            true => without_at(line, start, has_case),
            false => behind_statement(line, start),
        };
        all.extend(found.filter(|found| is_comment(file, found.range.start())));
        start += text_len(line);
    }
    all
}

/// Matches `# expect p(1)`, `# @ expect p(1)`, and in a file without a case also `# test:`.
fn without_at(line: &str, start: TextSize, has_case: bool) -> Option<DirectiveLookalike> {
    let whole = line.trim();
    let body = whole.trim_start_matches('#').trim_start();
    let words = match body.strip_prefix('@') {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        Some(_) => return None,
        None => body,
    };
    let (word, value) = words.split_at(words.find(char::is_whitespace).unwrap_or(words.len()));
    let key = TestKey::parse(word.trim_end_matches(':'))?;
    let is_complete = fits(key, value.trim());
    let is_header = key == TestKey::Test && !has_case && (word.ends_with(':') || value.trim().is_empty());
    if !is_complete && !is_header {
        return None;
    }
    let end = start + size(line.trim_end().len());
    let range = TextRange::new(end - text_len(whole), end);
    Some(DirectiveLookalike { range, key, missing_at: Some(end - text_len(words)), is_complete })
}

/// Matches `p(1). # @expect q(1)`.
fn behind_statement(line: &str, start: TextSize) -> Option<DirectiveLookalike> {
    let hashes = line.match_indices('#').map(|(at, _)| at);
    hashes.into_iter().find_map(|at| {
        let comment = line.get(at..)?.trim_end();
        let body = comment.trim_start_matches('#').trim_start().strip_prefix('@')?;
        let word = body.split(char::is_whitespace).next()?;
        let key = TestKey::parse(word.trim_end_matches(':'))?;
        let range = TextRange::at(start + size(at), text_len(comment));
        Some(DirectiveLookalike { range, key, missing_at: None, is_complete: true })
    })
}

/// True if the text is a valid value of the key rather than prose.
fn fits(key: TestKey, value: &str) -> bool {
    match key {
        TestKey::Test => value.starts_with("name:"),
        TestKey::Exact => name_and_arity(value).is_some(),
        TestKey::Expect | TestKey::Forbid => {
            value.trim_end_matches('.').ends_with(')') && read_atom(value.trim_start_matches('!')).is_some()
        }
    }
}

/// True if `at`, the first non-blank character of a line, is not inside of a string. A statement
/// with syntax errors proves nothing, because it can include the text after it.
fn is_comment(file: &FileSummary, at: TextSize) -> bool {
    let around = file.item_at(at).and_then(|index| file.items.get(index));
    let Some(item) = around.filter(|item| !item.statement.damaged && at < item.start + item.statement.len)
    else {
        return true;
    };
    let source = SourceFile::parse(file.statement_text(item).into());
    let at = at - item.start;
    let tokens = source.tokens(TextRange::up_to(item.statement.len));
    tokens.iter().any(|token| token.kind == TokenKind::Comment && token.range.contains_inclusive(at))
}

/// The key of a directive comment in a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestKey {
    /// `@test name: …`: starts a case.
    Test,
    /// `@expect p(…)`: a matching fact must be derived.
    Expect,
    /// `@forbid p(…)`: no matching fact can be derived.
    Forbid,
    /// `@exact p/2`: each fact of the predicate must match an expectation of the case.
    Exact,
}

impl TestKey {
    /// All keys.
    pub const ALL: [Self; 4] = [Self::Test, Self::Expect, Self::Forbid, Self::Exact];

    /// The word, without `@`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Expect => "expect",
            Self::Forbid => "forbid",
            Self::Exact => "exact",
        }
    }

    /// Parses a key.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == word)
    }
}

/// Parses the predicate of an atom and the range of its name in the text.
pub(super) fn read_atom(text: &str) -> Option<(PredicateKey, TextRange)> {
    let text = format!("{}.", text.trim_end_matches('.'));
    let source = SourceFile::parse(text.as_str().into());
    let [item] = &source.items()[..] else { return None };
    let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged)?;
    let name = clause.head.name.range + item.start;
    clause.interval.is_none().then(|| (key_of(&clause.head), name))
}

/// Parses `name/arity`.
pub(super) fn name_and_arity(text: &str) -> Option<PredicateKey> {
    let (name, arity) = text.rsplit_once('/')?;
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | ':');
    let fits = name.starts_with(char::is_lowercase) && name.chars().all(is_name);
    Some(PredicateKey { name: Symbol::new(name), arity: arity.parse().ok().filter(|_| fits)? })
}
