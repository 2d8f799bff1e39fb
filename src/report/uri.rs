//! Paths as URIs.

use std::fmt::Write as _;
use std::path::{Component, Path, Prefix};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// The bytes that are escaped in a path of a URI. Others stand for themselves (RFC 3986, `pchar` without percent signs), as far as
/// all readers agree on them.
const IN_PATH: &AsciiSet = &escaped_but(b"-._~!$&'()*+,;=@/");

/// What is escaped in a part of a URI where letters, digits and `plain` stand for themselves.
#[must_use]
pub const fn escaped_but(plain: &[u8]) -> AsciiSet {
    let (mut escaped, mut at) = (NON_ALPHANUMERIC.remove(plain[0]), 1);
    while at < plain.len() {
        escaped = escaped.remove(plain[at]);
        at += 1;
    }
    escaped
}

/// `path` as the path of a URI: with `/`, other bytes than plain ones escaped. Also bytes that are no UTF-8
/// survive.
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

/// `path` as a link in a page: relative to the page unless it is absolute; steps upwards stay.
#[must_use]
pub fn link_uri(path: &Path) -> String {
    if path.is_absolute() {
        return file_uri(path);
    }
    // A name with a colon is no scheme behind `./`.
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

/// The absolute `path` as a URI `file:///…`.
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

/// The absolute path of a folder as a URI that others are relative to.
#[must_use]
pub(super) fn folder_uri(path: &Path) -> String {
    format!("{}/", file_uri(path))
}

/// A drive or a share of Windows.
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
