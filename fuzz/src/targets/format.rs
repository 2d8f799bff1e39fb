//! Any text is formatted in bounded time, and what comes out is formatted and says the same.

use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{Style, format};

use crate::generate::mangle;

pub(crate) fn run(bytes: &[u8]) {
    let [indent, width, rest @ ..] = bytes else { return };
    let text = mangle(rest);
    let style = Style { indent: u32::from(indent % 17), width: u32::from(*width) };
    let formatting = format(&SourceFile::parse(text.as_str().into()), style, None);
    let new = formatting.apply(&text);
    assert_eq!(bare(&text), bare(&new));
    let again = format(&SourceFile::parse(new.as_str().into()), style, None);
    assert!(formatting.distrusted.is_empty() && again.edits.is_empty(), "{new:?}");
}

/// White space comes and goes, and commas that end a body.
fn bare(text: &str) -> String {
    text.chars().filter(|char| !char.is_ascii_whitespace() && *char != ',').collect()
}
