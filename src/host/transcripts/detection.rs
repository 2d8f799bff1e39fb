//! Which files are transcripts: what their names say, and the beginning of what is in them.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::Input;
use crate::host::Overlay;
use crate::ide::transcripts::has_mangle;
use mangle_settings::{Container, Globs, TranscriptSettings};
use mangle_syntax::text::FileId;
use piggyback::transcript::channels::is_channels;
use piggyback::transcript::{Transcript, TranscriptOptions, binary_kind};

/// The ends of names of compressed files.
const COMPRESSED: [&str; 2] = [".gz", ".zst"];

/// The ends of names of files with JSON.
const JSON: [&str; 4] = [".json", ".jsonl", ".ndjson", ".traj"];

/// The ends of names of texts that replies may be in.
const TEXTS: [&str; 4] = [".txt", ".log", ".out", ".sse"];

/// The ends of names of texts that hold no transcript, or are read as documents.
const OTHERS: [&str; 7] = [".md", ".markdown", ".yaml", ".yml", ".toml", ".mg", ".gl"];

/// How much of a file is looked at to tell whether there are envelopes in it.
const HEAD_LEN: usize = 64 << 10;

/// Words for data that is not text and may hold transcripts.
const DATA: [&str; 6] = ["database", "table", "Avro", "archive", "UTF-16", "Python"];

/// How much of a file is looked at to tell text from other things.
const TEXT_LEN: usize = 4 << 10;

/// A transcript of a resolution.
#[derive(Debug, Clone)]
pub struct TranscriptFile {
    pub file: FileId,
    /// Where it is, as an absolute path.
    pub path: PathBuf,
    /// Whether it is a Markdown document that is no transcript, of which only the Mangle in fences counts.
    pub is_document: bool,
    /// Whether somebody named it, so that it must be readable.
    pub named: bool,
    /// Whether it counts only as long as an editor has it open: it is in no folder of the workspace, or ignored there.
    pub only_while_open: bool,
    /// The settings that hold for it, overrides applied.
    pub settings: Arc<TranscriptSettings>,
    /// The configuration file: an index into [`super::super::Resolution::projects`].
    pub project: Option<usize>,
    /// The configuration of the agent's runtime: an index into [`super::super::Resolution::agents`].
    pub agent: Option<usize>,
    /// The programs whose declarations its atoms are checked against: indices into
    /// [`super::super::Resolution::programs`].
    pub programs: Vec<usize>,
}

/// A path without the end that says that the file is compressed.
#[must_use]
pub fn plain_name(path: &str) -> &str {
    COMPRESSED.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path)
}

/// Whether globs match a path that is relative and has `/` between its parts, compressed or not.
pub(in crate::host) fn is_included(include: &Globs, path: &str) -> bool {
    include.matches(path) || include.matches(plain_name(path))
}

/// True if a named file is a transcript by its beginning: it has an envelope, however often that is escaped, or it is read as a
/// container with an answer of a model. Commands that read nothing but transcripts recognize containers by the same function.
pub(in crate::host) fn has_envelope(path: &Path, overlay: &Overlay) -> bool {
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

/// A kind of files that may hold replies of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::host) enum CaptureKind {
    /// JSON and JSON lines.
    Json,
    /// Text logs.
    Log,
}

/// Folders that tools fill.
const TOOL_FOLDERS: [&str; 4] = ["node_modules", "target", "dist", "vendor"];

/// Names of JSON files with settings of tools.
const TOOL_FILES: [&str; 4] = ["package.json", "composer.json", "jsconfig.json", "tsconfig.json"];

/// Ends of names of JSON files that are locks, schemas or sessions of previews.
const OTHER_JSON: [&str; 4] = ["-lock.json", ".lock.json", ".schema.json", ".session.json"];

/// The kind of a file by its path, relative to the folder that is checked. `None` if its content is
/// not examined.
pub(in crate::host) fn capture_kind(path: &str) -> Option<CaptureKind> {
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

/// True if the first bytes of a file show a reply of a model.
pub(in crate::host) fn has_replies(path: &Path, overlay: &Overlay) -> bool {
    /// Words of which each transcript has one: roles, and members with the texts of models.
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
    // A schema of envelopes has their keys and no reply.
    let is_schema = has(b"\"$schema\"") || has(b"\"properties\"");
    let has_key = || has(b"\"control_packet") || has(b"\"surface_response");
    !is_schema && (has_key() || is_channels(&head)) || has_answer(&name, &head)
}

/// Whether a file of this name is read as a transcript, and the first bytes of it show an answer.
fn has_answer(name: &str, head: &[u8]) -> bool {
    let options = TranscriptOptions { name: name.to_owned(), ..TranscriptOptions::default() };
    let transcript = Transcript::parse(options, head);
    transcript.container() != Some(Container::Raw) && transcript.summary().answers > 0
}

/// Whether a file is Markdown by its name.
pub(in crate::host) fn is_markdown(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    end.is_some_and(|end| ["md", "markdown"].contains(&end.as_str()))
}

/// Whether a file has a fence with Mangle in its beginning.
pub(in crate::host) fn has_fence(path: &Path, overlay: &Overlay) -> bool {
    head(path, overlay, HEAD_LEN).is_some_and(|head| has_mangle(&String::from_utf8_lossy(&head)))
}

/// Whether a file among transcripts is text by its name, begins like text, or like data that replies may be kept in: that
/// they are not read is reported then. So it is for one that cannot be read.
pub(in crate::host) fn is_text(path: &Path, overlay: &Overlay) -> bool {
    let name = path.to_string_lossy();
    let name = plain_name(&name);
    if JSON.iter().chain(&TEXTS).any(|end| name.ends_with(end)) {
        return true;
    }
    let is_data = |kind: &str| DATA.iter().any(|word| kind.contains(word));
    head(path, overlay, TEXT_LEN)
        .is_none_or(|head| !head.contains(&0) || binary_kind(&head).is_none_or(is_data))
}

/// The first bytes of a file, decompressed.
fn head(path: &Path, overlay: &Overlay, len: usize) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let input = Input::open(path, overlay).ok()?;
    input.take(len as u64).read_to_end(&mut head).ok()?;
    Some(head)
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
}
