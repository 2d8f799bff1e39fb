//! Edits of the text of an update, encoded for the surrounding JSON string in its existing style.

use std::fmt::Write as _;

use super::Update;
use crate::envelope::json::Json;
use mangle_syntax::lint::{Applicability, Fix, SharedText};
use mangle_syntax::text::{TextRange, size};

/// An edit of one update.
#[derive(Debug)]
pub(super) struct UpdateEdit<'u, 't> {
    update: &'u Update<'t>,
    fix: Fix,
}

impl<'u, 't> UpdateEdit<'u, 't> {
    /// Creates an edit with a certain result.
    pub(super) fn safe(update: &'u Update<'t>, title: impl Into<SharedText>) -> Self {
        Self { update, fix: Fix::safe(title) }
    }

    /// Creates an edit that is a guess.
    pub(super) fn guess(update: &'u Update<'t>, title: impl Into<SharedText>) -> Self {
        Self { update, fix: Fix::guess(title) }
    }

    /// Creates an edit with the same applicability as another fix.
    pub(super) fn like(update: &'u Update<'t>, fix: &Fix) -> Self {
        match fix.applicability {
            Applicability::Safe => Self::safe(update, fix.title.as_str()),
            Applicability::Unsafe => Self::guess(update, fix.title.as_str()),
        }
    }

    /// Adds a replacement of a part of the update's text.
    pub(super) fn replace(mut self, part: TextRange, text: &str) -> Self {
        let place = self.update.place(part);
        self.fix = self.fix.replace(place, encoded(text, self.update.raw()));
        self
    }

    /// Adds a replacement of bytes in the surrounding JSON.
    pub(super) fn outside(mut self, place: TextRange, text: &str) -> Self {
        self.fix = self.fix.replace(place, text);
        self
    }

    pub(super) fn fix(self) -> Fix {
        self.fix
    }
}

/// Returns the fix that deletes an update from its list.
pub(super) fn removal(update: &Update<'_>, title: &str) -> Fix {
    Fix::guess(title).replace(with_comma(update.json(), update.range), "")
}

/// Returns the range of an element with the comma after it, or with the comma before it.
fn with_comma(json: &Json<'_>, item: TextRange) -> TextRange {
    let text = json.text();
    let behind = text.get(usize::from(item.end())..).unwrap_or(&[]);
    let rest = behind.trim_ascii_start();
    if let Some(rest) = rest.strip_prefix(b",") {
        let left = rest.trim_ascii_start().len();
        return TextRange::new(item.start(), item.end() + size(behind.len() - left));
    }
    let before = text.get(..usize::from(item.start())).unwrap_or(&[]).trim_ascii_end();
    match before.last() {
        Some(b',') => TextRange::new(size(before.len() - 1), item.end()),
        _ => item,
    }
}

/// Encodes a text for a JSON string in the style of `neighbour`, without quotes.
pub(super) fn encoded(text: &str, neighbour: &[u8]) -> String {
    let has = |escape: &str| memchr::memmem::find(neighbour, escape.as_bytes()).is_some();
    let style = Style {
        quote: has("\\u0022") && !has("\\\""),
        backslash: has("\\u005c") && !has("\\\\"),
        slash: has("\\/"),
        ascii: neighbour.is_ascii() && has("\\u"),
    };
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|char| style.write(char, &mut out));
    out
}

/// The style of a JSON string.
struct Style {
    /// True to write quotes as `\u0022`.
    quote: bool,
    /// True to write backslashes as `\u005c`.
    backslash: bool,
    /// True to write slashes as `\/`.
    slash: bool,
    /// True to write only ASCII.
    ascii: bool,
}

impl Style {
    fn write(&self, char: char, out: &mut String) {
        match char {
            '"' if self.quote => out.push_str("\\u0022"),
            '"' => out.push_str("\\\""),
            '\\' if self.backslash => out.push_str("\\u005c"),
            '\\' => out.push_str("\\\\"),
            '/' if self.slash => out.push_str("\\/"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            _ if self.ascii && !char.is_ascii() => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(char),
        }
    }
}
