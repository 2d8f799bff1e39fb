//! Settings in `# @preview` comments: their lines at the top of a file, and parsers for their values.

use crate::origin::SourcedText;
use crate::sections::Mode;
use mangle_syntax::syntax::{SourceFile, TokenKind};
use mangle_syntax::text::{TextRange, TextSize, size, text_len};

/// A comment with a key: `# @preview key: value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreviewSetting<'t> {
    /// The range from `#` to the end of the line.
    pub range: TextRange,
    /// The key; empty if missing.
    pub key: &'t str,
    /// The range of the key.
    pub key_range: TextRange,
    /// The text after the colon, trimmed.
    pub value: &'t str,
    /// The range of the value.
    pub value_range: TextRange,
}

impl PreviewSetting<'_> {
    /// The setting on the line at `offset` in the header of a sample kernel.
    #[must_use]
    pub fn at(text: &str, offset: TextSize) -> Option<PreviewSetting<'_>> {
        let is_around = |line: &str, start: TextSize| start <= offset && offset <= start + text_len(line);
        let (line, start) = header_lines(text).filter(|(line, start)| is_around(line, *start)).last()?;
        comment(line, start)
    }

    /// The settings in the header of a sample kernel, in text order.
    pub fn all(text: &str) -> impl Iterator<Item = PreviewSetting<'_>> {
        header_lines(text).filter_map(|(line, start)| comment(line, start))
    }

    /// The comma-separated entries of the value. An empty value has one empty entry.
    #[must_use]
    pub fn entries(&self) -> Vec<SourcedText> {
        list(self)
    }
}

/// The lines of a text with their offsets.
fn lines(text: &str) -> impl Iterator<Item = (&str, TextSize)> {
    let mut start = TextSize::new(0);
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += text_len(line);
        (line, at)
    })
}

/// True if a line can precede the first statement.
fn is_header(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// The lines before the first statement, with their offsets.
pub(super) fn header_lines(text: &str) -> impl Iterator<Item = (&str, TextSize)> {
    lines(text).take_while(|(line, _)| is_header(line))
}

/// Settings after the first statement, or on the same line as a statement.
pub(super) fn misplaced_settings(text: &str) -> impl Iterator<Item = TextRange> {
    let below = lines(text).skip_while(|(line, _)| is_header(line));
    let found = below.filter_map(|(line, start)| {
        let at = line.find('#')?;
        let comment = comment(line.get(at..)?, start + size(at))?;
        Some(comment.range)
    });
    let found: Vec<_> = found.collect();
    // A line inside a backquoted string can look like a comment.
    let source = (!found.is_empty()).then(|| SourceFile::parse(text.into()));
    let comments: Vec<_> =
        source.iter().flat_map(|source| source.tokens(TextRange::up_to(text_len(text)))).collect();
    found.into_iter().filter(move |range| {
        comments.iter().any(|token| token.kind == TokenKind::Comment && token.range.contains_range(*range))
    })
}

pub(super) fn comment(line: &str, start: TextSize) -> Option<PreviewSetting<'_>> {
    let whole = line.trim();
    let setting = whole.trim_start_matches('#').trim_start().strip_prefix("@preview")?;
    // Accepts a colon after `@preview`: the intended meaning is clear.
    let setting = setting.strip_prefix(':').unwrap_or(setting);
    let rest = setting.trim_start();
    let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    if setting.starts_with(is_word) {
        return None;
    }
    let (key, value) = rest.split_once(':').unwrap_or((rest, ""));
    let range = |piece: &str| {
        let at = (piece.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len());
        TextRange::at(start + size(at), text_len(piece))
    };
    let (key, value) = (key.trim(), value.trim());
    Some(PreviewSetting { range: range(whole), key, key_range: range(key), value, value_range: range(value) })
}

/// The comma-separated entries; one empty entry if the value is empty.
pub(super) fn list(comment: &PreviewSetting<'_>) -> Vec<SourcedText> {
    let mut at = comment.value_range.start();
    let mut all = Vec::new();
    for piece in comment.value.split(',') {
        let name = piece.trim();
        let indent = text_len(piece) - text_len(piece.trim_start());
        if !name.is_empty() || all.is_empty() {
            all.push(SourcedText::in_header(
                name,
                TextRange::at(at + indent.min(text_len(piece)), text_len(name)),
            ));
        }
        at += text_len(piece) + TextSize::new(1);
    }
    all
}

/// Parses a mode such as `legacy`, `section`, `jit` or `jit(atoms=../atoms)`.
pub(super) fn mode(comment: &PreviewSetting<'_>) -> Option<(Mode, Option<SourcedText>)> {
    if let Some(mode) = Mode::parse(comment.value) {
        return Some((mode, None));
    }
    let (word, inner) = comment.value.strip_suffix(')')?.split_once('(')?;
    let mode = Mode::parse(word.trim())?;
    let folder = inner.trim().strip_prefix("atoms")?.trim_start().strip_prefix('=')?.trim();
    let at = comment.value.find(folder).unwrap_or(0);
    let range = TextRange::at(comment.value_range.start() + size(at), text_len(folder));
    (!folder.is_empty()).then(|| (mode, Some(SourcedText::in_header(folder, range))))
}

/// Error: a quote without a closing quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnclosedQuote;

/// Splits a text into words. `start` is the offset of the text. Quoted words can contain the
/// escapes `\"` and `\\`.
pub(super) fn words(text: &str, start: TextSize) -> Result<Vec<SourcedText>, UnclosedQuote> {
    let mut words = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((from, char)) = chars.next() {
        if char.is_whitespace() {
            continue;
        }
        let mut word = String::new();
        let mut end = from + char.len_utf8();
        if char == '"' {
            loop {
                match chars.next() {
                    Some((at, '"')) => {
                        end = at + 1;
                        break;
                    }
                    Some((_, '\\')) => word.extend(chars.next().map(|(_, char)| char)),
                    Some((_, char)) => word.push(char),
                    None => return Err(UnclosedQuote),
                }
            }
        } else {
            word.push(char);
            while let Some((at, char)) = chars.next_if(|(_, char)| !char.is_whitespace()) {
                word.push(char);
                end = at + char.len_utf8();
            }
        }
        words.push(SourcedText::in_header(word, TextRange::new(start + size(from), start + size(end))));
    }
    Ok(words)
}
