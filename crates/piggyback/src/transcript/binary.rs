//! Detection of files that are not text, from their first bytes.

/// Description of a file in UTF-16.
pub(super) const UTF_16: &str = "text in UTF-16";

/// Signatures of known file types, with a description of the type.
const BEGINNINGS: [(&[u8], &str); 22] = [
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
    (b"ARROW1\0", "an Arrow table"),
    (b"Obj\x01", "an Avro file"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive without members"),
    (b"\x1f\x8b", "data compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "data compressed with Zstandard"),
    (b"BZh", "data compressed with bzip2"),
    (b"\xfd7zXZ\0", "data compressed with xz"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\0asm", "a WebAssembly module"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"\x80\x04\x95", "pickled Python data"),
];

/// Number of leading bytes that are searched for control characters.
const HEAD: usize = 8 << 10;

/// Returns a description of the file type that these first bytes indicate, or `None` for text.
#[must_use]
pub fn kind(head: &[u8]) -> Option<&'static str> {
    let known = BEGINNINGS.iter().find(|(start, _)| head.starts_with(start)).map(|(_, kind)| *kind);
    // Some signatures are valid text. For these, the rest must contain bytes that are not text.
    let known =
        known.filter(|_| is_odd(head) || std::str::from_utf8(head).is_err() || head.starts_with(b"%PDF-"));
    known.or_else(|| is_odd(head).then_some("binary data"))
}

/// True if more than one byte in 32 is a control character that does not occur in text.
fn is_odd(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let is_control =
        |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1a | 0x1b);
    let odd = head.iter().filter(is_control).count();
    odd >= 2 && odd * 32 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files_are_told_by_their_beginning() {
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("a PNG image"));
        assert_eq!(kind(b"SQLite format 3\0\x10\0\x01\x01\0@  \0\0"), Some("an SQLite database"));
        assert_eq!(kind(b"PAR1\x15\x04\x15\0\x15\x02L\x15\0"), Some("a Parquet table"));
        assert_eq!(kind(b"\xff\xfe{\0\"\0a\0"), Some(UTF_16));
        assert_eq!(kind(b"{\0\"\0a\0\"\0:\0"), Some("binary data"));
    }

    #[test]
    fn texts_are_no_binary_data() {
        for text in [
            "",
            "{\"a\":1}",
            "GIF8 is a word",
            "BZh",
            "a\0b and more of a text that is long enough",
            "PAR1 de texte",
        ] {
            assert_eq!(kind(text.as_bytes()), None, "{text}");
        }
        assert_eq!(kind("\u{1b}[31mred\u{1b}[0m é".as_bytes()), None);
    }
}
