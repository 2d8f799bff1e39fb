//! Banners: the lines of signs with a title that authors divide their files by.

use crate::syntax::{Token, TokenKind};
use crate::text::{TextRange, TextSize, slice};

/// How much a banner is above others: `=` above `-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// `# =====`
    Section,
    /// `# -----`
    Subsection,
}

/// A banner with its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// How it stands to others.
    pub rank: Rank,
    /// Where its first line starts.
    pub start: TextSize,
    /// Where its title ends.
    pub end: TextSize,
    /// The title, without its sign.
    pub title: TextRange,
}

/// The banners of a file: a line of signs, a title, and mostly another line of signs.
#[must_use]
pub fn headings(text: &str, tokens: &[Token]) -> Vec<Heading> {
    let comments: Vec<_> = tokens
        .iter()
        .copied()
        .filter(|token| token.kind == TokenKind::Comment && is_alone(text, *token))
        .collect();
    let mut headings: Vec<Heading> = Vec::new();
    for pair in comments.windows(2) {
        let [rule, title] = *pair else { continue };
        let inside = headings.last().is_some_and(|last| last.end >= rule.range.start());
        let (Some(rank), None, false) = (rank(rule.text(text)), rank(title.text(text)), inside) else {
            continue;
        };
        if !are_neighbours(text, rule, title) {
            continue;
        }
        let words = title.text(text).trim_start_matches('#').trim();
        if words.is_empty() || closes(text, &comments, rule, rank) {
            continue;
        }
        let start =
            title.range.end() - crate::text::text_len(title.text(text).trim_start_matches('#').trim_start());
        headings.push(Heading {
            rank,
            start: rule.range.start(),
            end: title.range.end(),
            title: TextRange::at(start, crate::text::text_len(words)),
        });
    }
    headings
}

/// Whether a line of signs is the lower one of a banner whose title is right above it.
fn closes(text: &str, comments: &[Token], rule: Token, own: Rank) -> bool {
    let at = comments.partition_point(|comment| comment.range.start() < rule.range.start());
    let (Some(title), Some(above)) = (
        at.checked_sub(1).and_then(|at| comments.get(at)),
        at.checked_sub(2).and_then(|at| comments.get(at)),
    ) else {
        return false;
    };
    rank(title.text(text)).is_none()
        && rank(above.text(text)) == Some(own)
        && are_neighbours(text, *title, rule)
        && are_neighbours(text, *above, *title)
}

/// The rank of a comment that is nothing but signs.
fn rank(comment: &str) -> Option<Rank> {
    let signs = comment.trim_start_matches('#').trim();
    let all = |sign| signs.len() >= 5 && signs.chars().all(|char| char == sign);
    if all('=') || (signs.is_empty() && comment.trim().len() >= 5) {
        Some(Rank::Section)
    } else if all('-') {
        Some(Rank::Subsection)
    } else {
        None
    }
}

/// Where the line of an offset starts.
pub(super) fn line_start(text: &str, offset: TextSize) -> usize {
    let before = text.get(..usize::from(offset)).unwrap_or("");
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Whether a comment has its line to itself.
pub(super) fn is_alone(text: &str, comment: Token) -> bool {
    let start = line_start(text, comment.range.start());
    text.get(start..usize::from(comment.range.start())).is_some_and(|before| before.trim().is_empty())
}

/// Whether only one line end is between two tokens.
pub(super) fn are_neighbours(text: &str, first: Token, second: Token) -> bool {
    let between = slice(text, TextRange::new(first.range.end(), second.range.start()));
    between.trim().is_empty() && between.matches('\n').count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::SourceFile;

    #[test]
    fn of_a_file() {
        let text = "# =======\n# One\n# =======\n\n# -----\n#  1.1 é\n# -----\np(1).\n# =======\n# words\n\n#######\n# Two\n# not one\n# --- no ---\n# x\n";
        let tokens = SourceFile::parse(text.into()).all_tokens();
        let found = headings(text, &tokens);
        let titles: Vec<_> = found.iter().map(|heading| (heading.rank, slice(text, heading.title))).collect();
        let expected = [
            (Rank::Section, "One"),
            (Rank::Subsection, "1.1 é"),
            (Rank::Section, "words"),
            (Rank::Section, "Two"),
        ];
        assert_eq!(titles, expected);
    }
}
