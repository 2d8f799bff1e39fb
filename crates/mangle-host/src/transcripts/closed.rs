//! The texts of workspace transcripts that are not open in the editor, within a size limit.

use std::io::{self, Read as _};
use std::path::Path;

use super::{TranscriptFile, is_archive, plain_name};
use crate::disk::{Content, open};
use crate::{FileTable, FileText, Overlay};
use mangle_settings::TRANSCRIPT_LEFT_OUT;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{FileId, TextRange};

/// In bytes, for all closed transcripts together.
const MAX_TOTAL_BYTES: u64 = 32 << 20;

/// Returns the maximum number of bytes to read of each closed transcript, in order. The limit is 0
/// for a transcript that exceeds its own limit or the remaining budget. Transcripts that are
/// reported only while open are omitted.
pub(crate) fn closed_limits(
    transcripts: &[TranscriptFile],
    overlay: &Overlay,
    table: &FileTable,
) -> Vec<(FileId, u64)> {
    let mut left = MAX_TOTAL_BYTES;
    let mut limits = Vec::new();
    for found in transcripts {
        let limit = found.settings.closed_limit as u64;
        if limit == 0 || found.is_document || overlay.get(&found.path).is_some() {
            continue;
        }
        let len = table.path(found.file).metadata().map_or(0, |metadata| metadata.len());
        let is_taken = len <= limit && len <= left;
        left -= if is_taken { len } else { 0 };
        limits.push((found.file, if is_taken { limit } else { 0 }));
    }
    limits
}

/// Reads the text of a transcript that is not open. A file of more than `limit` bytes is not read
/// and has a finding.
///
/// # Errors
///
/// If the file cannot be opened or read, or is not a regular file.
pub(crate) fn read_closed(path: &Path, limit: u64) -> io::Result<FileText> {
    let name = path.to_string_lossy();
    let is_compressed = plain_name(&name) != name || is_archive(path);
    let file = open(path, Content::Transcript)?;
    let len = file.len().unwrap_or(0);
    if is_compressed || len > limit {
        return Ok(left_out(is_compressed));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Ok(left_out(false));
    }
    // Editors show invalid UTF-8 with the same replacement characters.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    // Editors hide the byte order mark.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(FileText { text: text.into(), findings: Vec::new() })
}

fn left_out(is_compressed: bool) -> FileText {
    let finding = |message: &str| Finding::new(&TRANSCRIPT_LEFT_OUT, TextRange::default(), message);
    let finding = match is_compressed {
        true => finding("transcript not checked: it is compressed").help("run `mangle-ls check`"),
        false => finding("transcript not checked: over the size limit")
            .note(format!(
                "closed transcripts are read up to `closed_limit` of `[transcripts]` each and {} MiB in all",
                MAX_TOTAL_BYTES >> 20
            ))
            .help("open it, or run `mangle-ls check`"),
    };
    FileText { text: "".into(), findings: vec![finding] }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_larger_than_the_limit_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "{}\n\u{e9}").unwrap();
        let read = |limit| read_closed(&path, limit).unwrap();
        assert_eq!((&*read(5).text, read(5).findings.len()), ("{}\n\u{e9}", 0));
        assert_eq!(&*read(4).text, "");
        assert!(read(4).findings.iter().all(|found| found.rule == &TRANSCRIPT_LEFT_OUT));
        let compressed = folder.path().join("a.jsonl.gz");
        std::fs::write(&compressed, "{}").unwrap();
        assert_eq!(read_closed(&compressed, 9).unwrap().findings.len(), 1);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_editors_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, b"a\xff").unwrap();
        assert_eq!(&*read_closed(&path, 9).unwrap().text, "a\u{fffd}");
    }
}
