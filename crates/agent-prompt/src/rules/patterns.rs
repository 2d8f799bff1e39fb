//! Regular expressions for the texts of prompts.

use std::sync::LazyLock;

use regex::Regex;

/// Expressions of the rules.
pub(super) struct Patterns {
    /// A request for a reply format other than JSON.
    pub(super) other_form: Regex,
    /// The list of updates in an example.
    pub(super) update_list: Regex,
    /// An update in such a list.
    pub(super) update: Regex,
    /// A packet that is empty, or text instead of an object.
    pub(super) empty_packet: Regex,
    /// A string in the JSON text of an update, including escaped quotes.
    pub(super) string: Regex,
}

/// `None` if an expression is invalid.
pub(super) static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| Patterns::compile().ok());

impl Patterns {
    fn compile() -> Result<Self, regex::Error> {
        let verbs = "answer|reply|respond|output|return";
        let forms = "yaml|xml|csv|html|plain text|markdown|toml";
        Ok(Self {
            other_form: Regex::new(&format!(
                r"(?i)\b(?:{verbs})\b[^.!?\n]{{0,40}}\b(?:in|as|with|only)\b[^.!?\n]{{0,20}}\b({forms})\b"
            ))?,
            update_list: Regex::new(r#""?mangle_updates"?\s*:\s*\[([^\]]*)\]"#)?,
            update: Regex::new(r#""((?:[^"\\]|\\.)*)""#)?,
            empty_packet: Regex::new(r#""control_packet"\s*:\s*(?:\{\s*\}|")"#)?,
            string: Regex::new(r#"\\?"(?:[^"\\]|\\[^"])*\\?""#)?,
        })
    }
}
