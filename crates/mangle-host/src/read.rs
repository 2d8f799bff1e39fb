//! Texts of files: from open documents, or decoded from disk.

use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::disk::{Content, TooLong};
use super::{FileText, MAX_FILE_LEN, disk};
use mangle_engine::program::FileSummary;
use mangle_settings::{
    CONFIG_SYNTAX, EngineChoice, FILE_NAME, FILE_TOO_LARGE, INVALID_UTF8, RuntimeChoice, UNREADABLE_FILE,
};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// The maximum number of files per work item, so that all threads finish at about the same time.
pub(super) const MAX_FILES_PER_JOB: usize = 8;

/// Returns the text of an open document or of a file on disk.
///
/// # Errors
///
/// If the file cannot be opened or read, or is not a regular file.
pub fn read(path: &Path, overlay: &Overlay) -> io::Result<FileText> {
    if let Some(text) = overlay.get(path) {
        return Ok(text.clone());
    }
    let text = match disk::read(path, Content::Text) {
        Ok(bytes) => FileText::of_bytes(bytes),
        Err(error) => TooLong::from_error(&error).map(|found| FileText::too_large(found.len)).ok_or(error)?,
    };
    Ok(if overlay.hides_marks() { text.without_mark() } else { text })
}

/// True if a file on disk starts with a byte order mark.
#[must_use]
pub(super) fn is_marked(path: &Path) -> bool {
    disk::starts_with(path, b"\xef\xbb\xbf", Content::Text)
}

/// True if an entry exists at a path.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Reads a file that is not part of a program, such as a baseline.
///
/// # Errors
///
/// If the file cannot be read, exceeds the size limit, or is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let bytes = disk::read(path, Content::Text)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Returns the only finding about a configuration in `language` that is not text. `finding` has
/// the reason.
pub(super) fn no_text(finding: &Finding, language: &str) -> Finding {
    if finding.rule == &UNREADABLE_FILE {
        return finding.clone();
    }
    let what = if finding.rule == &INVALID_UTF8 {
        format!("file is not UTF-8, which {language} requires")
    } else if finding.rule == &FILE_TOO_LARGE {
        format!("file is larger than {} MiB, the limit of a configuration", MAX_FILE_LEN >> 20)
    } else {
        "file is not text".to_owned()
    };
    Finding::new(&CONFIG_SYNTAX, finding.range, what).note("the whole file is ignored")
}

/// Opens a table of facts for sequential reading, from an open document or from disk.
///
/// # Errors
///
/// If the file cannot be opened, is not a regular file, or is too long.
pub fn open_facts(path: &Path, overlay: &Overlay) -> io::Result<Box<dyn Read>> {
    if let Some(text) = overlay.get(path) {
        return Ok(Box::new(io::Cursor::new(text.text.as_bytes().to_vec())));
    }
    Ok(Box::new(disk::open(path, Content::Facts)?))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// The reason, as the end of a sentence.
    pub why: String,
    /// True if the caller named the path, so that the request failed. False if the path was
    /// reached by a walk.
    pub named: bool,
}

/// Texts that override the files on disk: the open documents of an editor, or standard input. The
/// paths may be missing on disk.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    texts: FxHashMap<PathBuf, FileText>,
    /// The contents of transcripts, which may be long and may contain invalid text.
    bytes: FxHashMap<PathBuf, Arc<[u8]>>,
    hides_marks: bool,
    versions: VersionOptions,
    repository: Option<PathBuf>,
}

impl Overlay {
    /// Open documents of an editor. Files on disk are then also read without a byte order mark, so
    /// that positions do not depend on open documents.
    #[must_use]
    pub fn of_editor() -> Self {
        Self { hides_marks: true, ..Self::default() }
    }

    /// True if byte order marks are removed from files on disk.
    #[must_use]
    pub fn hides_marks(&self) -> bool {
        self.hides_marks
    }

    /// Sets the versions of command-line options, for all resolutions with this overlay.
    #[must_use]
    pub fn with_versions(self, versions: VersionOptions) -> Self {
        Self { versions, ..self }
    }

    /// The versions of command-line options.
    #[must_use]
    pub fn versions(&self) -> VersionOptions {
        self.versions
    }

    /// The root of a repository whose files exist only in this overlay.
    #[must_use]
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// Sets the root of a repository whose files exist only in this overlay.
    pub fn set_repository(&mut self, root: PathBuf) {
        self.repository = Some(root);
    }

    pub fn insert(&mut self, path: PathBuf, text: Arc<str>) {
        self.texts.insert(path, FileText::of_text(&text));
    }

    pub fn insert_bytes(&mut self, path: PathBuf, bytes: Vec<u8>) {
        self.texts.insert(path, FileText::of_bytes(bytes));
    }

    pub fn insert_transcript(&mut self, path: PathBuf, bytes: Arc<[u8]>) {
        self.bytes.insert(path, bytes);
    }

    /// The bytes of a transcript, if they are in this overlay.
    #[must_use]
    pub fn bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        let text = || self.texts.get(path).map(|text| text.text.as_bytes().into());
        self.bytes.get(path).map(Arc::clone).or_else(text)
    }

    /// Removes a path. The file on disk is then used.
    pub fn remove(&mut self, path: &Path) {
        self.texts.remove(path);
        self.bytes.remove(path);
    }

    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&FileText> {
        self.texts.get(path)
    }

    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.texts.keys().map(PathBuf::as_path)
    }
}

/// The versions for all programs. `None` uses the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VersionOptions {
    pub engine: Option<EngineChoice>,
    pub runtime: Option<RuntimeChoice>,
}

impl VersionOptions {
    /// Rejects version options for a server, which uses the settings of each project.
    ///
    /// # Errors
    ///
    /// If a version is set.
    pub fn refuse(self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self == Self::default(),
            "a server takes no `--engine` and `--runtime`; set them in {FILE_NAME}"
        );
        Ok(())
    }
}

/// Returns the summary of a file for linking. `findings` are the findings of its
/// [`super::FileText`], about reading and decoding.
#[must_use]
pub fn summarise(id: FileId, source: &SourceFile, findings: &[Finding]) -> Arc<FileSummary> {
    let mut summary = FileSummary::new(id, source);
    if !findings.is_empty() {
        summary.findings = findings.iter().chain(source.findings().iter()).cloned().collect();
    }
    Arc::new(summary)
}
