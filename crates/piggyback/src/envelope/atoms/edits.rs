//! Changes of an update, written at the level of its text and encoded for the JSON string that it stands in, in the
//! style of what stands there.

use std::fmt::Write as _;

use super::Update;
use crate::envelope::json::Json;
use mangle_syntax::lint::{Applicability, Fix, SharedText};
use mangle_syntax::text::{TextRange, size};

/// A change of one update.
#[derive(Debug)]
pub(super) struct UpdateEdit<'u, 't> {
    update: &'u Update<'t>,
    fix: Fix,
}

impl<'u, 't> UpdateEdit<'u, 't> {
    /// One that means what was evidently meant.
    pub(super) fn safe(update: &'u Update<'t>, title: impl Into<SharedText>) -> Self {
        Self { update, fix: Fix::safe(title) }
    }

    /// One that guesses.
    pub(super) fn guess(update: &'u Update<'t>, title: impl Into<SharedText>) -> Self {
        Self { update, fix: Fix::guess(title) }
    }

    /// One that is as sure as another.
    pub(super) fn like(update: &'u Update<'t>, fix: &Fix) -> Self {
        match fix.applicability {
            Applicability::Safe => Self::safe(update, fix.title.as_str()),
            Applicability::Unsafe => Self::guess(update, fix.title.as_str()),
        }
    }

    /// Adds: replace a part of the update's text.
    pub(super) fn replace(mut self, part: TextRange, text: &str) -> Self {
        let place = self.update.place(part);
        self.fix = self.fix.replace(place, encoded(text, self.update.raw()));
        self
    }

    /// Adds: put something else for bytes of the JSON around the text.
    pub(super) fn outside(mut self, place: TextRange, text: &str) -> Self {
        self.fix = self.fix.replace(place, text);
        self
    }

    pub(super) fn fix(self) -> Fix {
        self.fix
    }
}

/// The fix that takes an update out of its list.
pub(super) fn removal(update: &Update<'_>, title: &str) -> Fix {
    Fix::guess(title).replace(with_comma(update.json(), update.range), "")
}

/// The bytes of an element together with the comma behind it, or else the one before it.
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

/// A text as it stands in a JSON string that is written like `neighbour`, without quotes.
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

/// How a string is written where JSON leaves a choice.
struct Style {
    /// `\u0022`
    quote: bool,
    /// `\u005c`
    backslash: bool,
    /// `\/`
    slash: bool,
    /// Nothing but ASCII.
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
