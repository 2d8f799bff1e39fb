//! Nesting depth of JSON that arrives in lines or pieces.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::begins_envelope;

/// Matches a line of JSON that begins with a string.
static MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?-u)^"(?:|[^"\\{](?:[^"\\]|\\.)*)"[ \t]*(?:[:,]|$)"#).ok());

/// Braces that are open at the end of a text. The text begins outside of JSON.
#[derive(Debug, Default, Clone)]
pub(in crate::transcript) struct Nesting {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl Nesting {
    pub(in crate::transcript) fn is_open(&self) -> bool {
        self.depth > 0
    }

    pub(super) fn is_in_string(&self) -> bool {
        self.is_in_string
    }

    /// True if an object was opened and closed again.
    pub(in crate::transcript) fn is_complete(&self) -> bool {
        self.has_begun && self.depth == 0
    }

    /// Updates the nesting with the next text.
    pub(in crate::transcript) fn read(&mut self, text: &[u8]) {
        for byte in text {
            match byte {
                b'{' if !self.is_in_string => (self.depth, self.has_begun) = (self.depth + 1, true),
                b'}' if !self.is_in_string => self.depth = self.depth.saturating_sub(1),
                _ if self.depth == 0 => {}
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ => {}
            }
        }
    }

    /// True if a line can continue the open multi-line JSON. `gap` is the length of the white space
    /// before its first line.
    pub(super) fn can_continue(&self, text: &[u8], gap: usize) -> bool {
        let inner = text.trim_ascii();
        let is_indented = text.len() - text.trim_ascii_start().len() > gap + 1;
        match inner.first() {
            Some(b'}' | b']') => true,
            Some(b'"') => MEMBER.as_ref().is_some_and(|member| member.is_match(inner)),
            Some(b'{') => is_indented && !begins_envelope(inner),
            Some(b'[' | b'0'..=b'9' | b't' | b'f' | b'n' | b'-') => is_indented,
            Some(_) => false,
            None => true,
        }
    }
}
