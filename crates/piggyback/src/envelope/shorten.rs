//! Shortening of quoted text in messages.

use mangle_syntax::text::shorten;

/// Shortens a text to at most 40 characters.
pub(super) fn shortened(text: &str) -> String {
    shorten(text, 40).into_owned()
}
