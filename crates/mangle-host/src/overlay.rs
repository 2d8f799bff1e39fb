//! The texts of open documents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::FileText;
use super::version_options::VersionOptions;

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
