//! How envelopes quote text in messages.

use mangle_syntax::text::shorten;

/// A text for a message: at most 40 characters.
pub(super) fn shortened(text: &str) -> String {
    shorten(text, 40).into_owned()
}
