//! Names and texts in messages.

/// A name or text for a headline or a note: at most 32 characters.
pub(crate) fn quoted(text: &str) -> String {
    mangle_syntax::text::quoted(text, 32)
}

/// The same for a label.
pub(crate) fn quoted_in_label(text: &str) -> String {
    mangle_syntax::text::quoted(text, 24)
}
