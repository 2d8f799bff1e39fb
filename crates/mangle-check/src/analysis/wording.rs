//! Small pieces of messages that several families use.

use crate::excerpt;
use mangle_syntax::lint::{Finding, Fix};

/// `1 argument`, `2 arguments`, `no arguments`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// A piece of the program in backticks and on one line; the middle of what has more than `most` characters is cut.
pub(super) fn code(text: &str, most: usize) -> String {
    format!("`{}`", excerpt(text, most))
}

/// Adds the fix, or what to do where there is none.
pub(super) fn fix_or_help(finding: Finding, fix: Option<Fix>, help: &str) -> Finding {
    match fix {
        Some(fix) => finding.fix(fix),
        None => finding.help(help),
    }
}
