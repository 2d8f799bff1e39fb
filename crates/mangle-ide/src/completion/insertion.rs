//! Insertion text of a completion, for editors with and without snippet support.

use std::fmt::Write as _;

/// Text to insert, in plain and snippet form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Text for editors without snippet support.
    pub plain: String,
    /// Text in the snippet syntax of the LSP. `None` if the text has no placeholders.
    pub snippet: Option<String>,
}

impl Insertion {
    /// Creates an insertion without placeholders.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { plain: text.into(), snippet: None }
    }

    /// Creates a snippet. `parts` alternates between text and placeholders, starting with text; a
    /// placeholder contains its default. `plain` is inserted if the editor does not support
    /// snippets.
    pub(crate) fn snippet(plain: impl Into<String>, parts: &[&str]) -> Self {
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

    /// Creates `name(A, B)` with a placeholder for each argument. Without snippet support, inserts
    /// only the name, or `name()` if there are no arguments.
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
