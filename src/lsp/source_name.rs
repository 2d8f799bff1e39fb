//! The source of a virtual document: the part of the URI after the scheme.

use percent_encoding::{AsciiSet, percent_decode_str, utf8_percent_encode};
use tower_lsp::ls_types::Uri;

use mangle_report::escaped_but;

/// The part of a virtual document's URI after the scheme.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SourceName {
    /// The source document. `None` if the name is sufficient.
    pub(super) source: Option<Uri>,
    /// The name, for schemes with names.
    pub(super) name: String,
    /// The other keys of the query.
    keys: Vec<(String, String)>,
}

impl SourceName {
    /// Returns the value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

pub(super) fn document(rest: &str) -> Option<SourceName> {
    Some(SourceName { source: Some(uri(rest)?), ..SourceName::default() })
}

/// Parses `/NAME?KEY=VALUE&of=URI`. The query may be percent-encoded a second time, as some
/// editors do.
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

/// Parses the source URI: unchanged, or percent-encoded once, as editors do with the path of a
/// URI. If the decoded text is not a URI, it was decoded too often, because editors also decode
/// spaces.
fn uri(rest: &str) -> Option<Uri> {
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

/// True if the text can be a URI scheme.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
}

/// Decodes `%XX`. An invalid `%` is kept as is.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Characters that are percent-encoded in the query of a URI.
const IN_QUERY: &AsciiSet = &escaped_but(b"-_.!~*'()");

/// Characters that are percent-encoded in every part of a URI.
const NOWHERE: &AsciiSet = &escaped_but(b"-._~:/?#@!$&'()*+,;=");

/// Encodes a text as a value in the query of a URI, like JavaScript's `encodeURIComponent`.
pub(super) fn component(text: &str) -> String {
    utf8_percent_encode(text, IN_QUERY).to_string()
}

/// Percent-encodes the characters that a URI cannot contain.
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
        // The encoding of VS Code.
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
        // The encoding of JavaScript's `encodeURIComponent`, and of VS Code.
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
