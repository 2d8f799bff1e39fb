//! Decoding of file contents, with findings for bytes that are not text.

use std::io;
use std::sync::Arc;

use super::disk::{Content, plain};
use mangle_settings::{BINARY_FILE, FILE_TOO_LARGE, INVALID_UTF8, UNREADABLE_FILE};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::rules::byte_order_mark;
use mangle_syntax::text::{TextRange, TextSize, text_len};

/// In bytes. Longer files are not parsed.
pub const MAX_FILE_LEN: usize = Content::Text.limit() as usize;

/// In bytes: the prefix that is inspected to detect binary files.
const HEAD_LEN: usize = 8 << 10;

/// Replacement for one invalid UTF-8 byte: the control character "substitute". The replacement is
/// one byte long, so that offsets in the text equal offsets in the file.
const SUBSTITUTE: char = '\u{1a}';

/// Byte order mark.
const MARK: &str = "\u{feff}";

#[derive(Debug, Clone)]
pub struct FileText {
    /// Empty if the file is not parsed.
    pub text: Arc<str>,
    /// Problems with reading or decoding the file. Ranges are relative to the start of the file.
    pub findings: Vec<Finding>,
}

impl FileText {
    #[must_use]
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        if let Some(finding) = unreadable(&bytes) {
            return Self::unparsed(finding);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self { text: text.into(), findings: Vec::new() },
            Err(error) => substitute(error.as_bytes()),
        }
    }

    /// Applies the same limits to the text of an open document.
    #[must_use]
    pub fn of_text(text: &Arc<str>) -> Self {
        match unreadable(text.as_bytes()) {
            Some(finding) => Self::unparsed(finding),
            None => Self { text: Arc::clone(text), findings: Vec::new() },
        }
    }

    /// True if the file is ignored because it is too long or not text.
    #[must_use]
    pub fn is_unparsed(&self) -> bool {
        self.findings.iter().any(is_unparsed)
    }

    /// Removes the byte order mark, because editors hide it from the document text.
    pub(super) fn without_mark(mut self) -> Self {
        if let Some(rest) = self.text.strip_prefix(MARK) {
            self.text = rest.into();
        }
        self
    }

    /// Removes the byte order mark of a policy, and reports it at the start of the text.
    pub(super) fn policy_without_mark(self) -> Self {
        if self.text.starts_with(MARK) { self.without_mark().marked() } else { self }
    }

    /// Adds the finding about a byte order mark.
    pub(super) fn marked(mut self) -> Self {
        if !self.text.starts_with(MARK) {
            self.findings.push(byte_order_mark(TextRange::default()));
        }
        self
    }

    /// A file of `len` bytes, which exceeds the limit.
    pub(super) fn too_large(len: u64) -> Self {
        let message =
            format!("file has {} MiB, the limit is {} MiB", len.div_ceil(1 << 20), MAX_FILE_LEN >> 20);
        Self::unparsed(Finding::new(&FILE_TOO_LARGE, TextRange::default(), message).note(NOT_CHECKED))
    }

    pub(super) fn unreadable(error: &io::Error) -> Self {
        let message = format!("file cannot be read: {}", plain(error));
        Self::unparsed(Finding::new(&UNREADABLE_FILE, TextRange::default(), message).note(NOT_CHECKED))
    }

    fn unparsed(finding: Finding) -> Self {
        Self { text: "".into(), findings: vec![finding] }
    }
}

const NOT_CHECKED: &str = "nothing in it is checked";

/// Returns a finding if the bytes are not worth parsing.
fn unreadable(bytes: &[u8]) -> Option<Finding> {
    if bytes.len() > MAX_FILE_LEN {
        return FileText::too_large(bytes.len() as u64).findings.pop();
    }
    let finding = |message: &str| Finding::new(&BINARY_FILE, TextRange::default(), message);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let finding = finding("file is UTF-16").note("the engine reads only UTF-8");
        return Some(finding.help("save the file as UTF-8"));
    }
    is_binary(bytes).then(|| finding("file is not text").note("the engine cannot load it").note(NOT_CHECKED))
}

/// True if more than one byte in 32 is a control character that text does not contain. Fewer
/// control characters are reported by the parser.
fn is_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_LEN).unwrap_or(bytes);
    let is_odd = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a | 0x1b);
    let odd = head.iter().filter(is_odd).count();
    odd >= 4 && odd * 32 > head.len()
}

/// Replaces each invalid UTF-8 byte with [`SUBSTITUTE`] and reports the bytes in one finding.
fn substitute(bytes: &[u8]) -> FileText {
    let mut text = String::with_capacity(bytes.len());
    let mut bad = 0;
    let mut first = TextRange::default();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() && bad == 0 {
            let len = TextSize::new(u32::try_from(chunk.invalid().len()).unwrap_or(1));
            first = TextRange::at(text_len(&text), len);
        }
        bad += chunk.invalid().len();
        text.extend(chunk.invalid().iter().map(|_| SUBSTITUTE));
    }
    let message = match bad {
        1 => "byte is not UTF-8".to_owned(),
        _ => format!("{bad} bytes of the file are not UTF-8"),
    };
    let finding = Finding::new(&INVALID_UTF8, first, message)
        .label(if bad == 1 { "not UTF-8" } else { "the first of them" })
        .note("the engine reads the replacement character U+FFFD for each")
        .help("save the file as UTF-8");
    FileText { text: text.into(), findings: vec![finding] }
}

/// True if the finding means that its file was not parsed at all.
pub(super) fn is_unparsed(finding: &Finding) -> bool {
    finding.rule == &FILE_TOO_LARGE || finding.rule == &BINARY_FILE
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(bytes: &[u8], expected: Expect) {
        let file = FileText::of_bytes(bytes.to_vec());
        let findings = file.findings.iter().map(|f| format!("{} {:?} {}\n", f.rule.code, f.range, f.message));
        expected.assert_eq(&format!("{:?}\n{}", file.text, findings.collect::<String>()));
    }

    #[test]
    fn text_is_text() {
        check(
            "p(\"é\").\r\n".as_bytes(),
            expect![[r#"
            "p(\"é\").\r\n"
        "#]],
        );
        check(
            b"",
            expect![[r#"
            ""
        "#]],
        );
        check(
            b"p().\rq().\r",
            expect![[r#"
            "p().\rq().\r"
        "#]],
        );
    }

    #[test]
    fn bytes_that_are_no_utf8_keep_their_offsets() {
        check(
            b"# caf\xe9 \xe9\np().",
            expect![[r##"
            "# caf\u{1a} \u{1a}\np()."
            MG905 5..6 2 bytes of the file are not UTF-8
        "##]],
        );
        check(
            b"\xe2\x82",
            expect![[r#"
            "\u{1a}\u{1a}"
            MG905 0..2 2 bytes of the file are not UTF-8
        "#]],
        );
    }

    #[test]
    fn other_things_are_not_parsed() {
        check(
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0",
            expect![[r#"
            ""
            MG906 0..0 file is not text
        "#]],
        );
        check(
            b"\xff\xfep\0(\0)\0.\0",
            expect![[r#"
            ""
            MG906 0..0 file is UTF-16
        "#]],
        );
        check(
            &vec![b'#'; MAX_FILE_LEN + 1],
            expect![[r#"
            ""
            MG907 0..0 file has 17 MiB, the limit is 16 MiB
        "#]],
        );
    }

    #[test]
    fn a_stray_nul_is_left_to_the_parser() {
        check(
            b"p(\0).",
            expect![[r#"
            "p(\0)."
        "#]],
        );
    }
}
