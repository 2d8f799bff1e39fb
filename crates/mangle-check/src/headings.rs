//! Banners: comments that divide a file into sections.
//!
//! ```text
//! # ==========      # ----------      # === Title ===      # --- Title ---
//! # Title           # Title
//! # ==========      # ----------
//! ```

use mangle_engine::program::FileSummary;
use mangle_syntax::text::{TextRange, TextSize, size, slice, text_len};

/// Minimum length of a ruler line, and of the rulers next to a title.
const RULE: usize = 5;
const EDGE: usize = 3;

/// The level of a banner: `=` is above `-`, and several lines are above one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// `# =====` above a title.
    Section,
    /// `# === Title ===`.
    Part,
    /// `# -----` above a title.
    Subsection,
    /// `# --- Title ---`.
    Paragraph,
}

/// A banner with its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// The level of the banner.
    pub rank: Rank,
    /// The start of its first line.
    pub start: TextSize,
    /// The end of the line with the title.
    pub end: TextSize,
    /// The range of all its lines.
    pub range: TextRange,
    /// The range of the title, without ruler characters. Never empty.
    pub title: TextRange,
}

/// A comment line and its shape.
struct Line {
    range: TextRange,
    /// The range of the text, without ruler characters.
    words: TextRange,
    look: LineKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// Only this character.
    Rule(char),
    /// Text between two rulers of this character.
    Titled(char),
    Words,
    Empty,
}

/// The banners of a file, in order: a ruler, a title, and usually another ruler, or a title between
/// rulers. Comments inside of statements are not banners.
#[must_use]
pub fn headings(file: &FileSummary) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut from = TextSize::new(0);
    let ends = file.items.iter().map(|item| (item.start, item.start + item.statement.len));
    for (start, end) in ends.chain([(text_len(&file.text), text_len(&file.text))]) {
        if start > from {
            between(&file.text, TextRange::new(from, start), &mut found);
        }
        from = from.max(end);
    }
    found
}

/// The banner lines of a comment above a statement: titles between rulers, and boxes that end with
/// a ruler. Text below a single ruler can describe the statement and is not included.
#[must_use]
pub fn banners_of_comment(text: &str, comment: TextRange) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut block = lines_of(text, comment);
    let titles: Vec<_> = underlined(&block).chain(raised(text, &block)).collect();
    of_block(&mut block, &mut found);
    let is_closed = |heading: &Heading| {
        matches!(heading.rank, Rank::Part | Rank::Paragraph) || heading.range.end() > heading.end
    };
    let mut all: Vec<_> = found.into_iter().filter(is_closed).map(|heading| heading.range).collect();
    let is_new = |title: &TextRange| !all.iter().any(|known| known.contains_range(*title));
    let titles: Vec<_> = titles.into_iter().filter(is_new).collect();
    all.extend(titles);
    all.sort_by_key(|range| range.start());
    all
}

/// A title above a ruler if nothing else is above it.
fn underlined(lines: &[Line]) -> impl Iterator<Item = TextRange> {
    let title = match lines {
        [title, line, ..] if title.look == LineKind::Words && matches!(line.look, LineKind::Rule(_)) => {
            Some(TextRange::new(title.range.start(), line.range.end()))
        }
        _ => None,
    };
    title.into_iter()
}

/// `## Title` if other lines below it have one `#`.
fn raised<'l>(text: &'l str, lines: &'l [Line]) -> impl Iterator<Item = TextRange> + 'l {
    let hashes = move |line: &Line| {
        let line = slice(text, line.range).trim_start();
        line.len() - line.trim_start_matches('#').len()
    };
    let words: Vec<_> = lines.iter().filter(|line| line.look == LineKind::Words).collect();
    let last_plain = words.iter().rposition(|line| hashes(line) == 1).unwrap_or(0);
    words.into_iter().take(last_plain).filter(move |line| hashes(line) > 1).map(|line| line.range)
}

fn lines_of(text: &str, comment: TextRange) -> Vec<Line> {
    let mut start = comment.start();
    let line = |line: &str| {
        let at = TextRange::at(start, text_len(line.trim_end()));
        start += text_len(line);
        read(line.trim_end(), at)
    };
    slice(text, comment).split_inclusive('\n').map(line).collect()
}

/// The banners in text without statements.
fn between(text: &str, range: TextRange, found: &mut Vec<Heading>) {
    let mut block: Vec<Line> = Vec::new();
    let mut start = range.start();
    for line in slice(text, range).split_inclusive('\n') {
        let at = TextRange::at(start, text_len(line.trim_end()));
        start += text_len(line);
        // A comment after a statement describes the statement.
        let is_behind = at.start() == range.start() && at.start() != TextSize::new(0);
        let is_whole = line.trim_start().starts_with('#') && !is_behind;
        match is_whole.then(|| read(line.trim_end(), at)) {
            Some(line) => block.push(line),
            None => of_block(&mut block, found),
        }
    }
    of_block(&mut block, found);
}

fn read(line: &str, range: TextRange) -> Line {
    let content = line.trim_start().trim_start_matches('#').trim();
    let row = |sign: char| content.chars().take_while(|char| *char == sign).count();
    let (words, look) = match content.chars().next() {
        None if line.trim().len() >= RULE => (content, LineKind::Rule('#')),
        None => (content, LineKind::Empty),
        Some(sign) if is_sign(sign) && row(sign) == content.chars().count() => {
            (content, if row(sign) >= RULE { LineKind::Rule(sign) } else { LineKind::Empty })
        }
        Some(sign) if is_sign(sign) && row(sign) >= edge(sign) && content.ends_with(sign) => {
            (content.trim_matches(sign).trim(), LineKind::Titled(sign))
        }
        Some(_) => (content, LineKind::Words),
    };
    let at = line.find(words).unwrap_or(0);
    Line { range, words: TextRange::at(range.start() + size(at), text_len(words)), look }
}

/// The banners in consecutive comment lines. Drains `block`.
fn of_block(block: &mut Vec<Line>, found: &mut Vec<Heading>) {
    let lines = std::mem::take(block);
    let mut rest = lines.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let (title, close, rank) = match (first.look, behind.first()) {
            (LineKind::Titled(sign), _) => {
                (first, 0, if is_high(sign) { Rank::Part } else { Rank::Paragraph })
            }
            (LineKind::Rule(sign), Some(title)) if title.look == LineKind::Words => {
                let close = behind.iter().position(|line| line.look == LineKind::Rule(sign)).unwrap_or(0);
                (title, close + 1, if is_high(sign) { Rank::Section } else { Rank::Subsection })
            }
            _ => continue,
        };
        let last = close.checked_sub(1).and_then(|last| behind.get(last)).unwrap_or(first);
        rest = behind.get(close..).unwrap_or(&[]);
        if !title.words.is_empty() {
            let range = TextRange::new(first.range.start(), last.range.end());
            let (start, end) = (first.range.start(), title.range.end());
            found.push(Heading { rank, start, end, range, title: title.words });
        }
    }
}

fn is_sign(char: char) -> bool {
    matches!(char, '=' | '-' | '*' | '~' | '#' | '─' | '━' | '═')
}

fn is_high(sign: char) -> bool {
    matches!(sign, '=' | '#' | '*' | '━' | '═')
}

/// Minimum length of a ruler of this character. Characters outside of ASCII need only two.
fn edge(sign: char) -> usize {
    if sign.is_ascii() { EDGE } else { 2 }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::program;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let mut out = String::new();
        for file in program(text).files.iter() {
            for heading in headings(file) {
                let lines = slice(text, heading.range).lines().count();
                let _ = writeln!(out, "{:?} {} [{lines}]", heading.rank, slice(text, heading.title));
            }
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn of_a_file() {
        check(
            "# =======\n# One\n# =======\n\n# -----\n#  1.1 é\r\n# more\n# -----\r\np(1).\n# =======\n# words\n\n#######\n# Two\n# not one\n# --- Three ---\n# x\n",
            expect![[r#"
                Section One [3]
                Subsection 1.1 é [4]
                Section words [2]
                Section Two [2]
                Paragraph Three [1]
            "#]],
        );
    }

    #[test]
    fn titles_above_a_comment_are_banners() {
        let banners = |text: &str| {
            let found = banners_of_comment(text, TextRange::up_to(text_len(text)));
            found.into_iter().map(|range| slice(text, range).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(banners("# SECTION 4: RULES\n# -----\n# Who works."), ["# SECTION 4: RULES\n# -----"]);
        assert_eq!(banners("## Banner\n# Who works."), ["## Banner"]);
        assert_eq!(banners("## Who works,\n## and where."), <[String; 0]>::default());
        assert_eq!(banners("# Who works.\n## Note"), <[String; 0]>::default());
        assert_eq!(banners("# =====\n# Title\n# =====\n# Who works."), ["# =====\n# Title\n# ====="]);
    }

    #[test]
    fn signs_of_other_alphabets_and_what_is_none() {
        check(
            "# ── Rules ──\np(1). # === no ===\n# ═════\n# Crew\n# ═════\r\nq(1).\n# - a list -\n# -- no --\n# --- neither\n# ------ -\n# ====\n# ====\n# =====\n\n# x\nr(X) :-\n# === no ===\n  q(X).\n",
            expect![[r#"
                Paragraph Rules [1]
                Section Crew [3]
            "#]],
        );
    }
}
