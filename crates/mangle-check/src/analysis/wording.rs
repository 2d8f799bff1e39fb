//! Small pieces of messages that several families use.

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
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = line.chars().count();
    if count <= most {
        return format!("`{line}`");
    }
    let kept = most.saturating_sub(1);
    let tail = kept / 3;
    let head: String = line.chars().take(kept - tail).collect();
    let tail: String = line.chars().skip(count - tail).collect();
    format!("`{head}…{tail}`")
}

/// Adds the fix, or what to do where there is none.
pub(super) fn fix_or_help(finding: Finding, fix: Option<Fix>, help: &str) -> Finding {
    match fix {
        Some(fix) => finding.fix(fix),
        None => finding.help(help),
    }
}
