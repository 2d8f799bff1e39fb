//! A string of `mangle_updates`: its map to the reply, the parts of its text, and edits in the style of
//! the surrounding JSON string.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::Write as _;

use crate::envelope::json::{Json, NodeId};
use mangle_syntax::lint::{Applicability, Fix, SharedText};
use mangle_syntax::text::{Embedded, EmbeddedKind, SegmentMap, TextRange, size};

/// A string of `mangle_updates`.
#[derive(Debug)]
pub struct Update<'t> {
    /// The index in the list.
    pub index: usize,
    /// The text of the update, with JSON escapes decoded.
    pub text: Cow<'t, str>,
    /// The byte range in the reply, including quotes.
    pub range: TextRange,
    json: &'t Json<'t>,
    node: NodeId,
    /// Created on demand, because most updates have no findings.
    map: OnceCell<SegmentMap>,
}

impl<'t> Update<'t> {
    /// Creates an update from an element of the list, if it is a string.
    #[must_use]
    pub fn new(json: &'t Json<'t>, node: NodeId, index: usize) -> Option<Self> {
        let text = json.string(node)?;
        Some(Self { index, text, range: json.range(node), json, node, map: OnceCell::new() })
    }

    /// Returns the strings of a list of updates.
    #[must_use]
    pub fn all(json: &'t Json<'t>, list: NodeId) -> Vec<Self> {
        let elements = json.elements(list).enumerate();
        elements.filter_map(|(index, node)| Self::new(json, node, index)).collect()
    }

    /// Returns the map from the bytes of the text to the reply.
    #[must_use]
    pub fn map(&self) -> &SegmentMap {
        self.map.get_or_init(|| self.json.string_with_map(self.node).map(|(_, map)| map).unwrap_or_default())
    }

    /// Maps a part of the text to its range in the reply.
    #[must_use]
    pub fn place(&self, part: TextRange) -> TextRange {
        self.map().to_source(part)
    }

    /// The source of the string, including quotes.
    #[must_use]
    pub fn raw(&self) -> &'t [u8] {
        self.json.raw(self.node)
    }

    /// True if the source is a valid JSON string.
    #[must_use]
    pub fn is_json(&self) -> bool {
        serde_json::from_slice::<String>(self.raw()).is_ok()
    }

    /// The JSON document of the update.
    #[must_use]
    pub fn json(&self) -> &'t Json<'t> {
        self.json
    }
}

/// Returns an update as an embedded text for Mangle editor features.
#[must_use]
pub fn atom_text(update: &Update<'_>) -> Embedded {
    Embedded { text: update.text.as_ref().into(), map: update.map().clone(), kind: EmbeddedKind::Atom }
}

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

/// The kind of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// Text outside of strings and comments.
    Code,
    /// The content of a closed string, with its quote character.
    String(u8),
    /// A comment.
    Comment,
    /// Text after a quote that is not closed.
    Unclosed,
}

/// Returns the parts of a text in order. Only quotes are omitted.
pub(super) fn stretches(text: &str) -> Vec<(TextRange, Stretch)> {
    let bytes = text.as_bytes();
    let range = |from: usize, to: usize| TextRange::new(size(from), size(to));
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = bytes.get(at..) {
        let Some(next) = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'#')) else {
            found.push((range(at, bytes.len()), Stretch::Code));
            break;
        };
        let next = at + next;
        found.push((range(at, next), Stretch::Code));
        let Some(&sign) = bytes.get(next) else { break };
        if sign == b'#' {
            let end =
                bytes.iter().skip(next).position(|byte| *byte == b'\n').map_or(bytes.len(), |len| next + len);
            found.push((range(next, end), Stretch::Comment));
            at = end;
        } else if let Some(end) = string_end(bytes, next + 1, sign) {
            found.push((range(next + 1, end), Stretch::String(sign)));
            at = end + 1;
        } else {
            found.push((range(next + 1, bytes.len()), Stretch::Unclosed));
            break;
        }
    }
    found
}

/// Returns the offset of the closing quote of a string with its content at `at`.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}
