//! Message fragments that several rule families use.

use crate::excerpt;
use mangle_syntax::lint::{Finding, Fix};

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
