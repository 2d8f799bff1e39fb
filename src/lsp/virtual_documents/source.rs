//! The document that a virtual document is made from: what stands behind the scheme.

use tower_lsp::ls_types::Uri;

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
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        bytes.extend_from_slice(rest.get(..at).unwrap_or_default().as_bytes());
        let hex = rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(hex.unwrap_or(b'%'));
        rest = rest.get(if hex.is_some() { at + 3 } else { at + 1 }..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// With `%XX` for what a URI cannot hold.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::uri;

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
