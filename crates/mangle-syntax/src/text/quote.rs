//! Quoting of names and code in messages.

use std::borrow::Cow;

/// Shortens `text` to one line, and omits the middle if it has more than `most` characters. Outputs
/// show other control characters as symbols.
///
/// The cost depends on `most` and not on the length of the text, so that many messages can quote a
/// long text.
///
/// ```
/// use mangle_syntax::text::shorten;
/// assert_eq!(shorten("p(X),\n q(X)", 20), "p(X),  q(X)");
/// assert_eq!(shorten("a_very_long_predicate(X)", 12), "a_very_…e(X)");
/// ```
#[must_use]
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    const LINE_ENDS: [char; 2] = ['\n', '\r'];
    let on_one_line = |part: &str| part.replace(LINE_ENDS, " ");
    if text.chars().nth(most).is_none() {
        return if text.contains(LINE_ENDS) { on_one_line(text).into() } else { text.into() };
    }
    let tail = most.saturating_sub(1) * 2 / 5;
    let head = most.saturating_sub(1) - tail;
    let head = text.char_indices().nth(head).map_or(text, |(at, _)| text.get(..at).unwrap_or(text));
    let tail = text.char_indices().rev().take(tail).last().map_or("", |(at, _)| text.get(at..).unwrap_or(""));
    format!("{}…{}", on_one_line(head), on_one_line(tail)).into()
}

/// [`shorten`], in backticks.
///
/// ```
/// assert_eq!(mangle_syntax::text::quoted("p(X)", 20), "`p(X)`");
/// ```
#[must_use]
pub fn quoted(text: &str, most: usize) -> String {
    format!("`{}`", shorten(text, most))
}

/// Formats names as a list, each in backticks.
///
/// ```
/// assert_eq!(mangle_syntax::text::listed(["a", "b"]), "`a`, `b`");
/// ```
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn long_text_lacks_its_middle() {
        assert_eq!(shorten("é", 1), "é");
        assert_eq!(shorten(&"é".repeat(13), 10), "éééééé…ééé");
        assert_eq!(shorten("a\nb", 10), "a b");
        assert_eq!(shorten("", 0), "");
        assert_eq!(shorten("abc", 0), "…");
    }
}
