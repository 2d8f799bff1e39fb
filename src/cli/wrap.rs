//! Text wrapping for terminals: breaks long lines between words and indents continuation lines.

use std::io::IsTerminal as _;

use unicode_width::UnicodeWidthChar as _;

/// The width of standard output in columns. `None` if it is not a terminal, so that other readers
/// get unwrapped lines.
pub(super) fn columns() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (width, _) = terminal_size::terminal_size()?;
    Some(width.0.into()).filter(|width| *width >= 20)
}

/// Wraps a colored text so that no line exceeds `columns`, unless a single word does.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        fit_line(line, columns, &mut out);
    }
    out
}

fn fit_line(line: &str, columns: usize, out: &mut String) {
    let own = line.len() - line.trim_start_matches(' ').len();
    let indent = (own + 2).min(columns / 2);
    // The start of the next piece, the last possible break, and the width up to it.
    let (mut start, mut gap, mut width, mut since_gap) = (0, None, 0, 0);
    let (mut is_escape, mut has_words) = (false, false);
    for (at, char) in line.char_indices() {
        is_escape |= char == '\u{1b}';
        if is_escape {
            is_escape = !char.is_ascii_alphabetic();
            continue;
        }
        if char == ' ' && has_words {
            gap = Some(at);
            since_gap = 0;
        }
        has_words |= char != ' ';
        let wide = char.width().unwrap_or(0);
        width += wide;
        since_gap += wide;
        if let Some(end) = gap.filter(|_| width > columns && char != ' ') {
            out.push_str(line.get(start..end).unwrap_or_default().trim_end_matches(' '));
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            let rest = line.get(end..).unwrap_or_default();
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            (start, gap) = (end + blanks, None);
            width = indent + since_gap.saturating_sub(1);
        }
    }
    out.push_str(line.get(start..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, columns: usize, expected: &str) {
        assert_eq!(fit(text, columns), expected);
    }

    #[test]
    fn lines_break_between_words() {
        check("one two three\nfour\n", 8, "one two\n  three\nfour\n");
        check("  one two three\n", 9, "  one two\n    three\n");
        check("one two three four five\n", 10, "one two\n  three\n  four\n  five\n");
        check("", 8, "");
    }

    #[test]
    fn words_stay_whole() {
        check("a-very-long-word and more\n", 8, "a-very-long-word\n  and\n  more\n");
        check("short", 8, "short");
    }

    #[test]
    fn colours_have_no_width() {
        check("\u{1b}[32mone two\u{1b}[0m\n", 7, "\u{1b}[32mone two\u{1b}[0m\n");
        check("\u{1b}[32mone two three\u{1b}[0m\n", 8, "\u{1b}[32mone two\n  three\u{1b}[0m\n");
    }

    #[test]
    fn wide_signs_count_twice() {
        check("日本 日本 日本\n", 9, "日本 日本\n  日本\n");
    }

    #[test]
    fn a_gap_is_no_indent() {
        check("one             ← two\n", 12, "one\n  ← two\n");
    }
}
