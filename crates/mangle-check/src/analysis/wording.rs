//! Small pieces of sentences that several families use.

/// `1 argument`, `2 arguments`, `no arguments`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
