//! Any text is formatted in bounded time, and what comes out is formatted and says the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mangle_ls::syntax::SourceFile;
use mangle_ls::syntax::format::{Style, format};

fuzz_target!(|input: (&str, u8, u8)| {
    let (text, indent, width) = input;
    let style = Style { indent: u32::from(indent % 17), width: u32::from(width) };
    let formatting = format(&SourceFile::parse(text.into()), style, None);
    let new = formatting.apply(text);
    // White space comes and goes, and commas that end a body.
    let bare = |text: &str| text.chars().filter(|char| !char.is_ascii_whitespace() && *char != ',').collect::<String>();
    assert_eq!(bare(text), bare(&new));
    let again = format(&SourceFile::parse(new.as_str().into()), style, None);
    assert!(again.edits.is_empty() || !formatting.distrusted.is_empty(), "{new:?}");
});
