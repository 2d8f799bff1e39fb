//! The texts of open documents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::FileText;
use super::version_options::VersionOptions;

/// Texts that count instead of what is on disk: an editor's open documents, or standard input.
/// Documents that are not on disk at all exist through it.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    texts: FxHashMap<PathBuf, FileText>,
    /// What transcripts are: of any length, and not always text.
    bytes: FxHashMap<PathBuf, Arc<[u8]>>,
    hides_marks: bool,
    versions: VersionOptions,
    repository: Option<PathBuf>,
}

impl Overlay {
    /// The open documents of an editor: what is read from disk beside them is read as editors have it, without a byte
    /// order mark, so that places in a file do not depend on whether it is open.
    #[must_use]
    pub fn of_editor() -> Self {
        Self { hides_marks: true, ..Self::default() }
    }

    /// Whether what is read from disk is without a byte order mark.
    #[must_use]
    pub fn hides_marks(&self) -> bool {
        self.hides_marks
    }

    /// The same texts, with the versions that options choose for everything that is resolved with them.
    #[must_use]
    pub fn with_versions(self, versions: VersionOptions) -> Self {
        Self { versions, ..self }
    }

    /// The versions that options choose.
    #[must_use]
    pub fn versions(&self) -> VersionOptions {
        self.versions
    }

    /// The root of a repository whose files are only here.
    #[must_use]
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// Sets the root of a repository whose files are only here.
    pub fn set_repository(&mut self, root: PathBuf) {
        self.repository = Some(root);
    }

    /// Sets the text of an absolute path.
    pub fn insert(&mut self, path: PathBuf, text: Arc<str>) {
        self.texts.insert(path, FileText::of_text(&text));
    }

    /// Sets the bytes of an absolute path.
    pub fn insert_bytes(&mut self, path: PathBuf, bytes: Vec<u8>) {
        self.texts.insert(path, FileText::of_bytes(bytes));
    }

    /// Sets the bytes of a transcript.
    pub fn insert_transcript(&mut self, path: PathBuf, bytes: Arc<[u8]>) {
        self.bytes.insert(path, bytes);
    }

    /// The bytes of a transcript, as far as they are known here.
    #[must_use]
    pub fn bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        let text = || self.texts.get(path).map(|text| text.text.as_bytes().into());
        self.bytes.get(path).map(Arc::clone).or_else(text)
    }

    /// Forgets a path: from now on what is on disk counts.
    pub fn remove(&mut self, path: &Path) {
        self.texts.remove(path);
        self.bytes.remove(path);
    }

    /// The text of a path, if it is open.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&FileText> {
        self.texts.get(path)
    }

    /// All paths, in no particular order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.texts.keys().map(PathBuf::as_path)
    }
}
