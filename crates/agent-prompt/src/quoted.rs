//! Quoted and truncated names for messages.

/// Quotes a name or text for a headline or a note, truncated to 32 characters.
pub(crate) fn quoted(text: &str) -> String {
    mangle_syntax::text::quoted(text, 32)
}

/// Quotes a name or text for a label, truncated to 24 characters.
pub(crate) fn quoted_in_label(text: &str) -> String {
    mangle_syntax::text::quoted(text, 24)
}
