//! From the bytes of a file to its text, with findings for what is no text.

use std::io;
use std::sync::Arc;

use super::disk::Content;
use super::problem::plain;
use mangle_settings::{BINARY_FILE, FILE_TOO_LARGE, INVALID_UTF8, UNREADABLE_FILE};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::rules::{BOM, MARKED};
use mangle_syntax::text::{TextRange, TextSize, text_len};

/// Files longer than this many bytes are not parsed.
pub const MAX_FILE_LEN: usize = Content::Text.limit() as usize;

/// How much of a file is looked at to tell text from other things.
const HEAD_LEN: usize = 8 << 10;

/// Stands for one byte that is no UTF-8: the control character "substitute". It is as long as
/// the byte that it stands for, so that offsets stay those of the file.
const SUBSTITUTE: char = '\u{1a}';

/// What some editors write at the start of a file.
const MARK: &str = "\u{feff}";

/// The text of a file.
#[derive(Debug, Clone)]
pub struct FileText {
    /// The text; empty for a file that is not parsed.
    pub text: Arc<str>,
    /// What kept the file from being read as it is. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
}

impl FileText {
    /// The text that `bytes` are.
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

    /// The text of an open document, under the same limits.
    #[must_use]
    pub fn of_text(text: &Arc<str>) -> Self {
        match unreadable(text.as_bytes()) {
            Some(finding) => Self::unparsed(finding),
            None => Self { text: Arc::clone(text), findings: Vec::new() },
        }
    }

    /// Whether nothing of the file counts, since it is too long or no text.
    #[must_use]
    pub fn is_unparsed(&self) -> bool {
        self.findings.iter().any(is_unparsed)
    }

    /// The text as an editor has it: editors hide a byte order mark and keep it in the file.
    pub(super) fn without_mark(mut self) -> Self {
        if let Some(rest) = self.text.strip_prefix(MARK) {
            self.text = rest.into();
        }
        self
    }

    /// The policy as an editor has it. That the file starts with a byte order mark is reported at the start of the text.
    pub(super) fn policy_without_mark(self) -> Self {
        if self.text.starts_with(MARK) { self.without_mark().marked() } else { self }
    }

    /// The policy that an editor has of a file with a byte order mark.
    pub(super) fn marked(mut self) -> Self {
        if !self.text.starts_with(MARK) {
            self.findings.push(Finding::new(&BOM, TextRange::default(), MARKED));
        }
        self
    }

    /// A file of `len` bytes, which is more than the limit.
    pub(super) fn too_large(len: u64) -> Self {
        Self::unparsed(Finding::new(
            &FILE_TOO_LARGE,
            TextRange::default(),
            format!(
                "The file has {} MiB and is not checked; the limit is {} MiB.",
                len.div_ceil(1 << 20),
                MAX_FILE_LEN >> 20
            ),
        ))
    }

    /// A file that cannot be read.
    pub(super) fn unreadable(error: &io::Error) -> Self {
        let message = format!("This cannot be read: {}.", plain(error));
        Self::unparsed(Finding::new(&UNREADABLE_FILE, TextRange::default(), message))
    }

    fn unparsed(finding: Finding) -> Self {
        Self { text: "".into(), findings: vec![finding] }
    }
}

/// The finding for bytes that are not worth parsing.
fn unreadable(bytes: &[u8]) -> Option<Finding> {
    if bytes.len() > MAX_FILE_LEN {
        return FileText::too_large(bytes.len() as u64).findings.pop();
    }
    let what = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        "The file is UTF-16; the engine reads UTF-8 only. Save it as UTF-8."
    } else if is_binary(bytes) {
        "The file is not text. It is not checked, and the engine cannot load it."
    } else {
        return None;
    };
    Some(Finding::new(&BINARY_FILE, TextRange::default(), what))
}

/// Whether more than one byte in 32 is a control character that texts do not have. A stray one
/// does not make a file binary; the parser points at it.
fn is_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_LEN).unwrap_or(bytes);
    let is_odd = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a | 0x1b);
    let odd = head.iter().filter(is_odd).count();
    odd >= 4 && odd * 32 > head.len()
}

/// The text with a [`SUBSTITUTE`] for each byte that is no UTF-8, and the finding about them.
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
    let what = match bad {
        1 => "This byte is not UTF-8; the engine reads U+FFFD instead.".to_owned(),
        _ => format!("{bad} bytes are not UTF-8, the first here; the engine reads U+FFFD for each."),
    };
    let finding = Finding::new(&INVALID_UTF8, first, format!("{what} Save the file as UTF-8."));
    FileText { text: text.into(), findings: vec![finding] }
}

/// Whether a finding says that nothing of its file is read.
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
            MG905 5..6 2 bytes are not UTF-8, the first here; the engine reads U+FFFD for each. Save the file as UTF-8.
        "##]],
        );
        check(
            b"\xe2\x82",
            expect![[r#"
            "\u{1a}\u{1a}"
            MG905 0..2 2 bytes are not UTF-8, the first here; the engine reads U+FFFD for each. Save the file as UTF-8.
        "#]],
        );
    }

    #[test]
    fn other_things_are_not_parsed() {
        check(
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0",
            expect![[r#"
            ""
            MG906 0..0 The file is not text. It is not checked, and the engine cannot load it.
        "#]],
        );
        check(
            b"\xff\xfep\0(\0)\0.\0",
            expect![[r#"
            ""
            MG906 0..0 The file is UTF-16; the engine reads UTF-8 only. Save it as UTF-8.
        "#]],
        );
        check(
            &vec![b'#'; MAX_FILE_LEN + 1],
            expect![[r#"
            ""
            MG907 0..0 The file has 17 MiB and is not checked; the limit is 16 MiB.
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
