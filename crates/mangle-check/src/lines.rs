//! Line starts and comments on lines.

use mangle_syntax::syntax::Token;
use mangle_syntax::text::{TextRange, TextSize, size, slice};

/// The start of the line that contains an offset.
pub fn line_start(text: &str, offset: TextSize) -> usize {
    let before = text.get(..usize::from(offset)).unwrap_or("");
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// True if the comment is alone on its line.
pub fn is_alone(text: &str, comment: Token) -> bool {
    let start = line_start(text, comment.range.start());
    text.get(start..usize::from(comment.range.start())).is_some_and(|before| before.trim().is_empty())
}

/// True if exactly one line end is between two tokens.
pub fn are_neighbours(text: &str, first: Token, second: Token) -> bool {
    let between = slice(text, TextRange::new(first.range.end(), second.range.start()));
    between.trim().is_empty() && between.matches('\n').count() == 1
}

/// The start of the comment directly above a statement, or the start of the statement if there is
/// no comment.
pub fn comment_start(text: &str, statement: TextSize) -> TextSize {
    let mut start = line_start(text, statement);
    if !text.get(start..usize::from(statement)).is_some_and(|before| before.trim().is_empty()) {
        return statement;
    }
    let mut found = statement;
    while let Some(above) = start.checked_sub(1) {
        start = line_start(text, size(above));
        if !text.get(start..above).is_some_and(|line| line.trim_start().starts_with('#')) {
            break;
        }
        found = size(start);
    }
    found
}
