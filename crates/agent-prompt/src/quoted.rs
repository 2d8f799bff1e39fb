//! Code in messages.

/// How many characters of a code a headline or a note shows.
const LONGEST: usize = 32;

/// How many a label shows.
const LONGEST_IN_LABEL: usize = 24;

/// A name or text in backticks, without its middle where it is long, and on one line.
pub(crate) fn quoted(text: &str) -> String {
    cut(text, LONGEST)
}

/// The same for a label.
pub(crate) fn quoted_in_label(text: &str) -> String {
    cut(text, LONGEST_IN_LABEL)
}

fn cut(text: &str, longest: usize) -> String {
    let visible = |char: char| if char.is_control() { ' ' } else { char };
    let count = text.chars().count();
    if count <= longest {
        return format!("`{}`", text.chars().map(visible).collect::<String>());
    }
    let head: String = text.chars().take(longest / 2).map(visible).collect();
    let tail: String = text.chars().skip(count - longest / 2 + 1).map(visible).collect();
    format!("`{head}…{tail}`")
}
