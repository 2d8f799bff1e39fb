//! Quoting code in messages.

use std::borrow::Cow;

/// The first line of `text` as a message quotes it: trimmed, and without its middle if it has more than `most` characters.
///
/// ```
/// use mangle_syntax::text::shorten;
/// assert_eq!(shorten("  p(X).\nq(X).", 20), "p(X).");
/// assert_eq!(shorten("a_very_long_predicate(X)", 12), "a_very_…e(X)");
/// ```
#[must_use]
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    let line = text.lines().next().unwrap_or("").trim();
    if line.chars().nth(most).is_none() {
        return line.into();
    }
    let tail = most.saturating_sub(1) * 2 / 5;
    let head = most.saturating_sub(1) - tail;
    let head = line.char_indices().nth(head).map_or(line, |(at, _)| line.get(..at).unwrap_or(line));
    let tail = line.char_indices().rev().take(tail).last().map_or("", |(at, _)| line.get(at..).unwrap_or(""));
    format!("{head}…{tail}").into()
}
