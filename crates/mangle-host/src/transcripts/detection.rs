//! Detection of transcripts by file name and by the beginning of their content, and the texts of
//! closed transcripts of the workspace within a size limit.

use std::io;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::{Input, is_archive};
use crate::disk::{Content, open};
use crate::{FileTable, FileText, Overlay};
use mangle_ide::transcripts::has_mangle;
use mangle_settings::{Container, Globs, TRANSCRIPT_LEFT_OUT, TranscriptSettings};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{FileId, TextRange};
use piggyback::transcript::channels::is_channels;
use piggyback::transcript::{Transcript, TranscriptOptions, binary_kind};

/// File name extensions of compressed files.
const COMPRESSED: [&str; 2] = [".gz", ".zst"];

/// File name extensions of JSON files.
const JSON: [&str; 4] = [".json", ".jsonl", ".ndjson", ".traj"];

/// File name extensions of texts that may contain replies.
const TEXTS: [&str; 4] = [".txt", ".log", ".out", ".sse"];

/// File name extensions of texts that are not transcripts, or are read as documents.
const OTHERS: [&str; 7] = [".md", ".markdown", ".yaml", ".yml", ".toml", ".mg", ".gl"];

/// In bytes: the prefix that is searched for JSON replies (envelopes).
const HEAD_LEN: usize = 64 << 10;

/// Descriptions of binary data that may contain transcripts.
const DATA: [&str; 6] = ["database", "table", "Avro", "archive", "UTF-16", "Python"];

/// In bytes: the prefix that is inspected to detect text.
const TEXT_LEN: usize = 4 << 10;

#[derive(Debug, Clone)]
pub struct TranscriptFile {
    pub file: FileId,
    /// An absolute path.
    pub path: PathBuf,
    /// True if the file is a Markdown document and not a transcript. Only its Mangle code fences
    /// are checked.
    pub is_document: bool,
    /// True if the path was given explicitly, so that a read error is a failure.
    pub named: bool,
    /// True if the file is checked only while it is open in an editor, because it is outside the
    /// workspace or ignored.
    pub only_while_open: bool,
    /// The effective settings, including overrides.
    pub settings: Arc<TranscriptSettings>,
    /// Index into [`super::super::Resolution::projects`] of the configuration file.
    pub project: Option<usize>,
    /// Index into [`super::super::Resolution::agents`] of the agent runtime configuration.
    pub agent: Option<usize>,
    /// Indexes into [`super::super::Resolution::programs`] of the programs whose declarations the
    /// atoms are checked against.
    pub programs: Vec<usize>,
}

/// Removes the extension of a compressed file from a path.
#[must_use]
pub fn plain_name(path: &str) -> &str {
    COMPRESSED.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path)
}

/// True if globs match a relative path with `/` as separator. The extension of a compressed file
/// is ignored.
pub(crate) fn is_included(include: &Globs, path: &str) -> bool {
    include.matches(path) || include.matches(plain_name(path))
}

/// True if the beginning of a named file shows a transcript: a JSON reply (envelope), possibly
/// escaped, or a model reply in a known container. Commands that read only transcripts use the
/// same function for containers.
pub(crate) fn has_envelope(path: &Path, overlay: &Overlay) -> bool {
    let name = path.to_string_lossy();
    let name = plain_name(&name);
    let lower = name.to_ascii_lowercase();
    if OTHERS.iter().any(|end| lower.ends_with(end)) {
        return false;
    }
    let is_text = JSON.iter().chain(&TEXTS).any(|end| lower.ends_with(end));
    let keys = [&b"\"control_packet"[..], b"\"surface_response"];
    head(path, overlay, HEAD_LEN).is_some_and(|head| {
        let has_key = || keys.iter().any(|key| memmem::find(&head, key).is_some());
        is_text && (has_key() || is_channels(&head)) || !head.contains(&0) && has_answer(name, &head)
    })
}

/// A kind of file that may contain model replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CaptureKind {
    Json,
    Log,
}

/// Folders with generated or installed files.
const TOOL_FOLDERS: [&str; 4] = ["node_modules", "target", "dist", "vendor"];

/// Names of JSON files with settings of tools.
const TOOL_FILES: [&str; 4] = ["package.json", "composer.json", "jsconfig.json", "tsconfig.json"];

/// Ends of names of JSON files that are locks, schemas or sessions of previews.
const OTHER_JSON: [&str; 4] = ["-lock.json", ".lock.json", ".schema.json", ".session.json"];

/// The kind of a file by its path, relative to the folder that is checked. `None` if its content is
/// not examined.
pub(crate) fn capture_kind(path: &str) -> Option<CaptureKind> {
    let mut parts = path.rsplit('/');
    let name = parts.next()?.to_ascii_lowercase();
    let has = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    // A project may have a `tsconfig.NAME.json` for each of its targets.
    let is_tool_file =
        TOOL_FILES.contains(&name.as_str()) || name.starts_with("tsconfig.") || has(&OTHER_JSON);
    if is_tool_file || parts.any(|folder| TOOL_FOLDERS.contains(&folder)) {
        return None;
    }
    match (has(&JSON), has(&[".log", ".out", ".sse"])) {
        (true, _) => Some(CaptureKind::Json),
        (false, true) => Some(CaptureKind::Log),
        (false, false) => None,
    }
}

/// True if the first bytes of a file that was not explicitly given contain a model reply.
pub(crate) fn has_replies(path: &Path, overlay: &Overlay) -> bool {
    /// Keywords; each transcript contains at least one. The keywords are roles, and members with
    /// model texts.
    const WORDS: [&[u8]; 10] = [
        b"control_packet",
        b"surface_response",
        b"assistant",
        b"model",
        b"role",
        b"completion",
        b"choices",
        b"response",
        b"output",
        b"message",
    ];
    let Some(head) = head(path, overlay, HEAD_LEN) else { return false };
    let has = |word: &[u8]| memmem::find(&head, word).is_some();
    if head.contains(&0) || !WORDS.iter().any(|word| has(word)) {
        return false;
    }
    let name = path.to_string_lossy();
    // A schema of envelopes contains their keys but no reply.
    let is_schema = has(b"\"$schema\"") || has(b"\"properties\"");
    let has_key = || has(b"\"control_packet") || has(b"\"surface_response");
    !is_schema && (has_key() || is_channels(&head)) || has_answer(&name, &head)
}

/// True if a file with this name is read as a transcript, and its first bytes contain a model
/// reply.
fn has_answer(name: &str, head: &[u8]) -> bool {
    let options = TranscriptOptions { name: name.to_owned(), ..TranscriptOptions::default() };
    let transcript = Transcript::parse(options, head);
    transcript.container() != Some(Container::Raw) && transcript.summary().answers > 0
}

/// True if the extension of a file is a Markdown extension.
pub(crate) fn is_markdown(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    end.is_some_and(|end| ["md", "markdown"].contains(&end.as_str()))
}

/// True if the beginning of a file contains a Mangle code fence.
pub(crate) fn has_fence(path: &Path, overlay: &Overlay) -> bool {
    head(path, overlay, HEAD_LEN).is_some_and(|head| has_mangle(&String::from_utf8_lossy(&head)))
}

/// True if a file among transcripts has a text extension, begins like text, or begins like binary
/// data that may contain replies. Such data is then reported as unsupported. Also true for an
/// unreadable file.
pub(crate) fn is_text(path: &Path, overlay: &Overlay) -> bool {
    let name = path.to_string_lossy();
    let name = plain_name(&name);
    if JSON.iter().chain(&TEXTS).any(|end| name.ends_with(end)) {
        return true;
    }
    let is_data = |kind: &str| DATA.iter().any(|word| kind.contains(word));
    head(path, overlay, TEXT_LEN)
        .is_none_or(|head| !head.contains(&0) || binary_kind(&head).is_none_or(is_data))
}

/// Returns the first bytes of a file, decompressed.
fn head(path: &Path, overlay: &Overlay, len: usize) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let input = Input::open(path, overlay).ok()?;
    input.take(len as u64).read_to_end(&mut head).ok()?;
    Some(head)
}

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
    fn names_of_compressed_files() {
        assert_eq!(["a.jsonl.gz", "a.json.zst", "a.json"].map(plain_name), ["a.jsonl", "a.json", "a.json"]);
    }

    #[test]
    fn files_of_tools_below_the_checked_folder_are_not_examined() {
        for (path, expected) in [
            ("captured.json", Some(CaptureKind::Json)),
            ("logs/packaged-run.json", Some(CaptureKind::Json)),
            ("composer-agent.json", Some(CaptureKind::Json)),
            ("run.LOG", Some(CaptureKind::Log)),
            ("package.json", None),
            ("web/tsconfig.build.json", None),
            ("package-lock.json", None),
            ("reply.schema.json", None),
            ("web/node_modules/a/b.json", None),
            ("target/run.log", None),
            ("notes.txt", None),
        ] {
            assert_eq!(capture_kind(path), expected, "{path}");
        }
    }

    #[test]
    fn what_is_included_by_default() {
        let include = TranscriptSettings::default().include;
        for (path, expected) in [
            ("transcripts/a.json", true),
            ("x/transcripts/y/a.log", true),
            ("x/a.piggyback.jsonl", true),
            ("x/a.piggyback.jsonl.gz", true),
            ("transcripts/a.jsonl.zst", true),
            ("a.jsonl", false),
            ("a.piggyback.csv", false),
        ] {
            assert_eq!(is_included(&include, path), expected, "{path}");
        }
    }

    #[test]
    fn a_file_that_is_no_text_is_passed_over_only_if_its_name_says_so_too() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, expected) in [
            ("a.txt", &b"{\"surface_response\": \"\0\"}"[..], true),
            ("a.json", b"{\0\"\0a\0\"\0", true),
            ("a.json.gz", b"\x1f\x8b\x08\0", true),
            ("reply", b"one control character \0 among others", true),
            ("page.parquet", b"PAR1\x15\x04\x15\0", true),
            ("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", false),
            ("store", b"\0\0\0\x01Bud1\0\0\x10\0", false),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(is_text(&path, &Overlay::default()), expected, "{name}");
        }
    }

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
