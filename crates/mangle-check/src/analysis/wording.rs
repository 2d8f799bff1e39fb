//! Texts and edits that several rule families use.

use std::borrow::Cow;

use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Finding, Fix};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{TextRange, TextSize, shorten, text_len};

/// Formats a count: `1 argument`, `2 arguments`, `no arguments`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Formats code in backticks on one line. The middle of text with more than `most` characters is
/// omitted.
pub(super) fn code(text: &str, most: usize) -> String {
    format!("`{}`", excerpt(text, most))
}

/// Adds the fix, or the help text if `fix` is `None`.
pub(super) fn fix_or_help(finding: Finding, fix: Option<Fix>, help: &str) -> Finding {
    match fix {
        Some(fix) => finding.fix(fix),
        None => finding.help(help),
    }
}

/// Shortens program text for a message: one line, without comments, with the middle omitted beyond
/// `most` characters.
///
/// ```
/// assert_eq!(mangle_check::excerpt("p(X, # first\n  Y)", 10), "p(X, Y)");
/// ```
#[must_use]
pub fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    // A comment ends with its line, so a single line has none, and a string can contain a `#`.
    if !text.contains(['\n', '\r']) {
        return shorten(text, most);
    }
    let words = || text.lines().flat_map(|line| line.split('#').next().unwrap_or(line).split_whitespace());
    // Collect only as many words as are shown: the text can be long and quoted by many findings.
    let mut start = String::new();
    let is_whole = words().all(|word| {
        start.push_str(if start.is_empty() { "" } else { " " });
        start.extend(word.chars().take(most + 1));
        start.chars().count() <= most
    });
    if is_whole {
        return start.into();
    }
    let mut shown = 0;
    let enough = words().rev().take_while(|word| {
        let is_wanted = shown <= most;
        shown += word.chars().take(most + 1).count() + 1;
        is_wanted
    });
    let mut end: Vec<&str> = enough.collect();
    end.reverse();
    // The two parts can overlap; the omitted text is between them.
    shorten(&format!("{start} {}", end.join(" ")), most).into_owned().into()
}

/// The range to delete for a statement, relative to its start. Includes the rest of the line if the
/// line is otherwise empty.
pub(super) fn statement_removal(file: &FileSummary, item: &Item) -> TextRange {
    let start = usize::from(item.start);
    let end = usize::from(item.start + item.statement.len);
    let before = file.text.get(..start).unwrap_or("");
    let after = file.text.get(end..).unwrap_or("");
    let rest = after.split_inclusive('\n').next().unwrap_or("");
    let alone = before.is_empty() || before.ends_with('\n');
    let with_line_end = if alone && rest.trim().is_empty() { text_len(rest) } else { TextSize::new(0) };
    TextRange::up_to(item.statement.len + with_line_end)
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn long_text_is_cut_in_the_middle() {
        assert_eq!(excerpt("p(X)", 10), "p(X)");
        assert_eq!(excerpt("p(\"# a\")", 10), "p(\"# a\")");
        assert_eq!(excerpt("p(X, # first\n  Y)", 10), "p(X, Y)");
        assert_eq!(excerpt("parcel(\n  Number,\n  Weight)\n", 12), "parcel(…ght)");
        assert_eq!(excerpt("parcel(\n  Number,\n  Weight)\n", 20), "parcel( Numb…Weight)");
    }
}
