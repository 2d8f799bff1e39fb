//! Path syntax of an operating system: `/p/a.mg`, or `C:\p\a.mg` and `\\server\share\a.mg`. The
//! syntax is a parameter, so that tests cover each syntax on all systems.

use percent_encoding::{AsciiSet, percent_decode_str, percent_encode};

use mangle_report::escaped_but;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStyle {
    Unix,
    Windows,
}

impl PathStyle {
    /// The syntax of the current system.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    /// Returns the path of a `file:` URI, for its encoded authority and path. Returns `None` if
    /// they do not form an absolute path.
    #[must_use]
    pub fn path_of_uri(self, authority: &str, path: &str) -> Option<Vec<u8>> {
        let bytes = decode(path);
        match self {
            Self::Unix => bytes.starts_with(b"/").then_some(bytes),
            Self::Windows => {
                windows_path(authority, &String::from_utf8_lossy(&bytes)).map(String::into_bytes)
            }
        }
    }

    #[must_use]
    pub fn uri_of_path(self, path: &[u8]) -> String {
        match self {
            Self::Unix => format!("file://{}", encode(path)),
            Self::Windows => {
                let text = String::from_utf8_lossy(path);
                let text = self.plain(&text).unwrap_or_else(|| text.into_owned()).replace('\\', "/");
                match (text.strip_prefix("//"), drive(&text)) {
                    (Some(share), _) => format!("file://{}", encode(share.as_bytes())),
                    // Editors write drive letters in lower case.
                    (None, Some((letter, rest))) => {
                        format!("file:///{}%3A{}", letter.to_ascii_lowercase(), encode(rest.as_bytes()))
                    }
                    (None, None) => format!("file:///{}", encode(text.trim_start_matches('/').as_bytes())),
                }
            }
        }
    }

    /// Converts a path that begins with `\\?\` to the usual notation. Returns `None` for any other
    /// path.
    #[must_use]
    pub fn plain(self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(r"\\?\").filter(|_| self == Self::Windows)?;
        if let Some(share) = rest.strip_prefix(r"UNC\") {
            return Some(format!(r"\\{share}"));
        }
        drive(rest).is_some().then(|| rest.to_owned())
    }

    /// Returns a path with `/` as separator.
    #[must_use]
    pub fn slashes(self, path: &str) -> String {
        match self {
            Self::Unix => path.to_owned(),
            Self::Windows => path.replace('\\', "/"),
        }
    }
}

/// Splits a path into the drive letter and the rest.
fn drive(path: &str) -> Option<(char, &str)> {
    let letter = path.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = path.get(1..)?.strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with(['/', '\\'])).then_some((letter, rest))
}

fn windows_path(authority: &str, path: &str) -> Option<String> {
    if !authority.is_empty() && !authority.eq_ignore_ascii_case("localhost") {
        let authority = String::from_utf8_lossy(&decode(authority)).into_owned();
        return Some(format!(r"\\{authority}{}", path.replace('/', "\\")));
    }
    // Some programs write the server after an empty authority.
    if let Some(share) = path.strip_prefix("//").filter(|share| !share.is_empty()) {
        return Some(format!(r"\\{}", share.trim_start_matches('/').replace('/', "\\")));
    }
    let (letter, rest) = drive(path.strip_prefix('/')?)?;
    let rest = if rest.is_empty() { "/" } else { rest };
    Some(format!("{}:{}", letter.to_ascii_uppercase(), rest.replace('/', "\\")))
}

/// Characters that are percent-encoded in the path of a URI.
const ESCAPED: &AsciiSet = &escaped_but(b"-._~/");

/// Percent-encodes the characters that the path of a URI cannot contain.
fn encode(path: &[u8]) -> String {
    percent_encode(path, ESCAPED).to_string()
}

/// Decodes `%XX`. An invalid `%` is kept as is.
fn decode(path: &str) -> Vec<u8> {
    percent_decode_str(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(style: PathStyle, uri: &str) -> Option<String> {
        let rest = uri.strip_prefix("file://")?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        style.path_of_uri(authority, path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    #[test]
    fn windows_uris_name_drives_and_shares() {
        for (uri, expected) in [
            ("file:///c%3A/Users/x/a.mg", Some(r"C:\Users\x\a.mg")),
            ("file:///C:/Users/x/a.mg", Some(r"C:\Users\x\a.mg")),
            ("file:///c:/Users/x/a.mg", Some(r"C:\Users\x\a.mg")),
            ("file://localhost/c:/a.mg", Some(r"C:\a.mg")),
            ("file:///d:", Some(r"D:\")),
            ("file:///d:/", Some(r"D:\")),
            ("file:///c%3A/a%20b/%23c/100%25.mg", Some(r"C:\a b\#c\100%.mg")),
            ("file:///c:/%C3%A9.mg", Some(r"C:\é.mg")),
            ("file://server/share/a%20b.mg", Some(r"\\server\share\a b.mg")),
            ("file://wsl%24/Debian/a.mg", Some(r"\\wsl$\Debian\a.mg")),
            ("file:////server/share/a.mg", Some(r"\\server\share\a.mg")),
            ("file:///Users/x/a.mg", None),
            ("file:///cd:/a.mg", None),
            ("file:///", None),
        ] {
            assert_eq!(path(PathStyle::Windows, uri).as_deref(), expected, "{uri}");
        }
    }

    #[test]
    fn unix_uris_name_paths() {
        for (uri, expected) in [
            ("file:///a/b%20c/%C3%A9.mg", Some("/a/b c/é.mg")),
            ("file://localhost/a.mg", Some("/a.mg")),
            ("file:///c%3A/a.mg", Some("/c:/a.mg")),
            ("file:///a/%23%3F%25.mg", Some("/a/#?%.mg")),
            ("file:///a/50%.mg", Some("/a/50%.mg")),
            (r"file:///a\b.mg", Some(r"/a\b.mg")),
            // Both Unicode normal forms of an accented letter are left unchanged.
            ("file:///a/e%CC%81.mg", Some("/a/e\u{301}.mg")),
            ("file:///a/%C3%A9.mg", Some("/a/\u{e9}.mg")),
            ("file:", None),
        ] {
            assert_eq!(path(PathStyle::Unix, uri).as_deref(), expected, "{uri}");
        }
    }

    #[test]
    fn paths_become_uris() {
        for (style, path, expected) in [
            (PathStyle::Windows, r"C:\Users\x y\a.mg", "file:///c%3A/Users/x%20y/a.mg"),
            (PathStyle::Windows, r"c:\a#b%c.mg", "file:///c%3A/a%23b%25c.mg"),
            (PathStyle::Windows, r"\\server\share\é.mg", "file://server/share/%C3%A9.mg"),
            (PathStyle::Windows, r"\\?\C:\a.mg", "file:///c%3A/a.mg"),
            (PathStyle::Windows, r"\\?\UNC\server\share\a.mg", "file://server/share/a.mg"),
            (PathStyle::Windows, r"D:\", "file:///d%3A/"),
            (PathStyle::Unix, "/p q/é#?.mg", "file:///p%20q/%C3%A9%23%3F.mg"),
            (PathStyle::Unix, r"/p/a\b.mg", "file:///p/a%5Cb.mg"),
            (PathStyle::Unix, "/p/e\u{301}.mg", "file:///p/e%CC%81.mg"),
        ] {
            assert_eq!(style.uri_of_path(path.as_bytes()), expected, "{path}");
        }
    }

    #[test]
    fn paths_come_back_from_their_uris() {
        let windows =
            [r"C:\p\a.mg", r"C:\p q\#1\%41\é.mg", r"Z:\", r"\\server\share\a b\c.mg", "C:\\e\u{301}.mg"];
        let unix = ["/", "/p/a.mg", "/p q/#1/%41/é.mg", r"/a\b", "/c:/a", "/e\u{301}/\u{e9}", "/日本語.mg"];
        let all = windows.map(|path| (PathStyle::Windows, path));
        for (style, text) in all.into_iter().chain(unix.map(|path| (PathStyle::Unix, path))) {
            let uri = style.uri_of_path(text.as_bytes());
            assert_eq!(path(style, &uri).as_deref(), Some(text), "{uri}");
        }
    }

    #[test]
    fn verbatim_paths_are_written_plainly() {
        for (path, expected) in [
            (r"\\?\C:\a.mg", Some(r"C:\a.mg")),
            (r"\\?\UNC\server\share\a.mg", Some(r"\\server\share\a.mg")),
            (r"\\?\Volume{1}\a.mg", None),
            (r"C:\a.mg", None),
        ] {
            assert_eq!(PathStyle::Windows.plain(path).as_deref(), expected);
            assert_eq!(PathStyle::Unix.plain(path), None);
        }
        assert_eq!(PathStyle::Windows.slashes(r"a\b/c"), "a/b/c");
        assert_eq!(PathStyle::Unix.slashes(r"a\b/c"), r"a\b/c");
    }
}
