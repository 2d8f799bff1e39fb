//! Conversion of paths to URIs.

use std::fmt::Write as _;
use std::path::{Component, Path, Prefix};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// The escaped bytes of a URI path. Other bytes are literal in RFC 3986 (`pchar` without percent
/// signs) and in all readers.
const IN_PATH: &AsciiSet = &escaped_but(b"-._~!$&'()*+,;=@/");

/// The escaped bytes of a URI part. Letters, digits and `plain` are literal.
#[must_use]
pub const fn escaped_but(plain: &[u8]) -> AsciiSet {
    let (mut escaped, mut at) = (NON_ALPHANUMERIC.remove(plain[0]), 1);
    while at < plain.len() {
        escaped = escaped.remove(plain[at]);
        at += 1;
    }
    escaped
}

/// The escaped URI path of `path`, with `/` as separator. Invalid UTF-8 is preserved.
#[must_use]
pub(super) fn relative_uri(path: &Path) -> String {
    let mut uri = String::new();
    for (index, part) in path.components().enumerate() {
        if index > 0 {
            uri.push('/');
        }
        if let Component::Normal(name) = part {
            escape(&mut uri, name.as_encoded_bytes());
        }
    }
    uri
}

/// A link from a page to `path`: relative unless the path is absolute. Parent steps are kept.
#[must_use]
pub fn link_uri(path: &Path) -> String {
    if path.is_absolute() {
        return file_uri(path);
    }
    // After `./`, a name with a colon is not parsed as a scheme.
    let mut uri = String::from(".");
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                uri.push('/');
                escape(&mut uri, name.as_encoded_bytes());
            }
            Component::ParentDir => uri.push_str("/.."),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    uri
}

/// The URI `file:///…` of an absolute path.
#[must_use]
pub(super) fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                uri.push('/');
                escape(&mut uri, name.as_encoded_bytes());
            }
            Component::Prefix(prefix) => push_prefix(&mut uri, prefix.kind()),
            Component::RootDir | Component::CurDir | Component::ParentDir => {}
        }
    }
    uri
}

/// The URI of an absolute folder, as the base of relative URIs.
#[must_use]
pub(super) fn folder_uri(path: &Path) -> String {
    format!("{}/", file_uri(path))
}

/// Appends a drive or share of Windows.
fn push_prefix(uri: &mut String, prefix: Prefix<'_>) {
    match prefix {
        Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
            // Writing to a string cannot fail.
            let _ = write!(uri, "/{}:", letter as char);
        }
        Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
            escape(uri, server.as_encoded_bytes());
            uri.push('/');
            escape(uri, share.as_encoded_bytes());
        }
        Prefix::Verbatim(name) | Prefix::DeviceNS(name) => {
            uri.push('/');
            escape(uri, name.as_encoded_bytes());
        }
    }
}

fn escape(uri: &mut String, bytes: &[u8]) {
    uri.extend(percent_encode(bytes, IN_PATH));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped() {
        assert_eq!(file_uri(Path::new("/p q/50%/é#?:.mg")), "file:///p%20q/50%25/%C3%A9%23%3F%3A.mg");
        assert_eq!(relative_uri(Path::new("a b/[c].mg")), "a%20b/%5Bc%5D.mg");
        assert_eq!(folder_uri(Path::new("/")), "file:///");
        assert_eq!(folder_uri(Path::new("/p")), "file:///p/");
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_utf8_survive() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(relative_uri(Path::new(OsStr::from_bytes(b"a\xff.mg"))), "a%FF.mg");
    }
}
