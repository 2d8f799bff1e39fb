//! The text that a completion inserts, for editors that have snippets and for those that have not.

use std::fmt::Write as _;

/// A text, and the same with places to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// The text to insert where there are no snippets.
    pub plain: String,
    /// The text in the snippet syntax of the protocol; `None` when there is nothing to fill in.
    pub snippet: Option<String>,
}

impl Insertion {
    /// A text without places.
    pub(in crate::ide) fn plain(text: impl Into<String>) -> Self {
        Self { plain: text.into(), snippet: None }
    }

    /// A snippet: in `parts` text and places alternate, text first; a place holds what it proposes. Without
    /// snippets `plain` is inserted.
    pub(in crate::ide) fn snippet(plain: impl Into<String>, parts: &[&str]) -> Self {
        let mut snippet = String::new();
        for (index, part) in parts.iter().enumerate() {
            match (index % 2, *part) {
                (0, text) => snippet.push_str(&escaped(text)),
                (_, "") => {
                    let _ = write!(snippet, "${}", index / 2 + 1);
                }
                (_, proposed) => {
                    let _ = write!(snippet, "${{{}:{}}}", index / 2 + 1, escaped(proposed));
                }
            }
        }
        Self { plain: plain.into(), snippet: Some(snippet) }
    }

    /// `name(A, B)` with a place for each argument; the bare name where there are no snippets, unless there
    /// is nothing to fill in.
    pub(super) fn call(name: &str, arguments: &[String]) -> Self {
        if arguments.is_empty() {
            return Self::plain(format!("{name}()"));
        }
        let open = format!("{name}(");
        let mut parts = vec![open.as_str()];
        for (index, argument) in arguments.iter().enumerate() {
            parts.push(argument);
            parts.push(if index + 1 == arguments.len() { ")" } else { ", " });
        }
        Self::snippet(name, &parts)
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}
