//! The document that a virtual document is made from: what stands behind the scheme.

use percent_encoding::{AsciiSet, percent_decode_str, utf8_percent_encode};
use tower_lsp::ls_types::Uri;

use crate::report::escaped_but;

/// What stands behind the scheme of a virtual document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SourceName {
    /// The document that it is made from; `None` where a name alone says that.
    pub(super) source: Option<Uri>,
    /// What it is called, for schemes with names.
    pub(super) name: String,
    /// What else is said of it.
    keys: Vec<(String, String)>,
}

impl SourceName {
    /// What is said under a key.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

pub(super) fn document(rest: &str) -> Option<SourceName> {
    Some(SourceName { source: Some(uri(rest)?), ..SourceName::default() })
}

/// `/NAME?KEY=VALUE&of=URI`, whose query may be percent-encoded once more, as editors do.
pub(super) fn named(rest: &str) -> Option<SourceName> {
    let whole = if rest.contains('?') { rest.to_owned() } else { rest.replacen("%3F", "?", 1) };
    let (path, query) = whole.split_once('?').unwrap_or((&whole, ""));
    let query = if query.contains('=') { query.to_owned() } else { decoded(query) };
    let name = decoded(path.strip_prefix('/')?);
    let mut named = SourceName { name, ..SourceName::default() };
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        match key {
            "of" => named.source = Some(uri(value)?),
            _ => named.keys.push((key.to_owned(), decoded(value))),
        }
    }
    (!named.name.is_empty()).then_some(named)
}

/// The URI behind the scheme of a virtual document: as it is, or percent-encoded once, as editors leave the path of
/// a URI. What is no URI after decoding, for editors decode blanks as well, is taken as one that was decoded
/// too much.
pub(super) fn uri(rest: &str) -> Option<Uri> {
    let is_uri = |text: &str| text.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
    if is_uri(rest) {
        return rest.parse().or_else(|_| encoded(rest).parse()).ok();
    }
    let decoded = decoded(rest);
    if !is_uri(&decoded) {
        return None;
    }
    decoded.parse().or_else(|_| encoded(&decoded).parse()).ok()
}

/// Whether this can be the scheme of a URI.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
}

/// Resolves `%XX`; a stray `%` stands for itself.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// What a value in the query of a URI has as `%XX`.
const IN_QUERY: &AsciiSet = &escaped_but(b"-_.!~*'()");

/// What no part of a URI can hold as it is.
const NOWHERE: &AsciiSet = &escaped_but(b"-._~:/?#@!$&'()*+,;=");

/// A text as a value in the query of a URI, as JavaScript's `encodeURIComponent` writes it.
pub(in crate::lsp) fn component(text: &str) -> String {
    utf8_percent_encode(text, IN_QUERY).to_string()
}

/// With `%XX` for what a URI cannot hold.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NOWHERE).to_string()
}

#[cfg(test)]
mod tests {
    use super::{named, uri};

    #[test]
    fn names_with_keys() {
        let check = |rest: &str, name: &str, shard: Option<&str>, of: Option<&str>| {
            let found = named(rest);
            let found = found.as_ref();
            assert_eq!(found.map(|found| found.name.as_str()), Some(name), "{rest}");
            assert_eq!(found.and_then(|found| found.get("shard")), shard, "{rest}");
            let source = found.and_then(|found| found.source.as_ref());
            assert_eq!(source.map(|uri| uri.as_str()), of, "{rest}");
        };
        check("/fix-auth", "fix-auth", None, None);
        check("/a%20b?shard=coder-7", "a b", Some("coder-7"), None);
        let of = Some("file:///a%20b.mg");
        check("/x?shard=coder-7&mode=jit&of=file%3A%2F%2F%2Fa%2520b.mg", "x", Some("coder-7"), of);
        check("/x?of=file:///a%20b.mg", "x", None, of);
        // As VS Code writes it.
        check("/x?shard%3Dcoder-7%26of%3Dfile%253A%252F%252F%252Fa%252520b.mg", "x", Some("coder-7"), of);
        for bad in ["", "x", "/", "/x?of=nothing"] {
            assert_eq!(named(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_document_behind_a_scheme() {
        let check = |rest: &str, expected: Option<&str>| {
            assert_eq!(uri(rest).as_ref().map(|uri| uri.as_str()), expected, "{rest}");
        };
        check("file:///a/b.mg", Some("file:///a/b.mg"));
        check("file:///a%20b.mg", Some("file:///a%20b.mg"));
        // As JavaScript's `encodeURIComponent` writes it, and as VS Code does.
        check("file%3A%2F%2F%2Fa%2520b.mg", Some("file:///a%20b.mg"));
        check("file%3A///a%2520b.mg", Some("file:///a%20b.mg"));
        check("file%3A///a%20%C3%A9.mg", Some("file:///a%20%C3%A9.mg"));
        check("file:///a é.mg", Some("file:///a%20%C3%A9.mg"));
        check("untitled:Untitled-1", Some("untitled:Untitled-1"));
        check("file:///100%.mg", Some("file:///100%25.mg"));
        check("", None);
        check("/a/b.mg", None);
        check("%", None);
        check("%é", None);
    }
}
