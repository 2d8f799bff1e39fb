//! The data of the workspace, and its small queries.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};

use super::document::OpenDocument;
use super::file::SnapshotFile;
use super::programs::Programs;
use super::provenance::PromptRevisions;
use super::scan::Stage;
use super::snapshot::Snapshot;
use super::{document, transcript};
use crate::agents::is_agent_settings;
use crate::paths::{is_kernel, is_session, relative};
use crate::samples::uses;
use crate::{DiskListing, FileTable, Identities, Overlay, PartialScan, Problem, Project, is_mangle};
use agent_prompt::session::SessionForm;
use mangle_settings::FILE_NAME;
use mangle_syntax::memo::Memo;
use mangle_syntax::text::{Cancel, FileId};
use reply_grammar::lint::Origin;

/// The mutable state. Every change creates a new revision.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) table: Arc<FileTable>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) identities: Arc<Identities>,
    pub(super) documents: FxHashMap<FileId, OpenDocument>,
    pub(super) unopened: Unopened,
    /// The number of edits of all documents.
    pub(super) edits: u64,
    /// Further openings of the same files at other URIs, the most recently used one last.
    pub(super) duplicate_documents: Vec<OpenDocument>,
    /// Open documents by the path in their URI, if the path differs from the file's identity.
    pub(super) ids_by_uri_path: Arc<FxHashMap<PathBuf, FileId>>,
    /// The files on disk. Also contains the disk state of open files, from before they were
    /// opened.
    pub(super) closed: FxHashMap<FileId, Arc<SnapshotFile>>,
    pub(super) programs: Programs,
    pub(super) problems: Vec<Problem>,
    pub(super) due: Due,
    /// The files on disk at the last detection of changes.
    pub(super) listing: Arc<DiskListing>,
    /// A time before any file was read.
    pub(super) start: Option<SystemTime>,
    /// The token that cancels the running scan.
    pub(super) scanning: Option<Cancel>,
    pub(super) loaded: bool,
    pub(super) stage: Stage,
    pub(super) prompt_revisions: PromptRevisions,
    /// The open documents that previews may read, as of these `prompt_revisions`.
    pub(super) prompt_overlay: Memo<PromptRevisions, Arc<Overlay>>,
    pub(super) revision: u64,
    pub(super) current: Arc<Snapshot>,
}

impl Workspace {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Schedules a search for programs, because folders, configurations or the set of files
    /// changed.
    pub fn look_for_programs(&mut self) {
        self.due.programs = true;
    }

    /// Cancels the running scan. A new scan is due afterwards.
    pub fn stop_scan(&self) {
        self.scanning.iter().for_each(Cancel::cancel);
    }

    /// True if only the folders of open documents have been scanned.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.stage == Stage::Remaining
    }

    /// The incompletely scanned folders.
    #[must_use]
    pub fn partial_scans(&self) -> &[PartialScan] {
        self.programs.partial_scans()
    }

    /// The number of JSON files and logs that were not examined for replies of a model, because
    /// there are too many.
    #[must_use]
    pub fn unexamined(&self) -> usize {
        self.programs.unexamined()
    }

    /// True until the first scan of the workspace has finished. No findings are available before.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        !self.loaded
    }

    /// True if the program of a document is not known yet.
    #[must_use]
    pub fn is_unplaced(&self, path: &Path) -> bool {
        let is_known =
            |id| self.programs.reports(id) || self.programs.is_transcript(id) || self.programs.is_grammar(id);
        let is_placed = self.id(path).is_some_and(is_known);
        !is_placed && (self.due.programs || self.scanning.is_some())
    }

    /// The problems of the last scan.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn touch(&mut self) {
        self.revision += 1;
    }

    /// Returns the id of a known path. The path may have the spelling of an open document's URI.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.ids_by_uri_path.get(path).copied().or_else(|| self.table.known(path))
    }

    /// Updates previews that may read a changed document that is not a policy.
    pub(super) fn invalidate_previews_reading(&mut self, id: FileId, path: &Path) {
        let is_read = may_be_prompt_source(path) || self.programs.feeds_previews(path);
        if is_read && !self.programs.is_transcript(id) {
            self.touch_prompts(path);
        }
    }

    /// Records a change of a file that previews may read in addition to policies.
    pub(super) fn touch_prompts(&mut self, path: &Path) {
        self.prompt_revisions.all += 1;
        if !is_session(path) {
            self.prompt_revisions.atoms += 1;
        }
    }

    /// Applies a change to the text of a file, open or not. Schedules a search for programs if a
    /// sample kernel uses different files afterwards.
    pub(super) fn refresh_if_uses_changed<R>(
        &mut self,
        id: FileId,
        change: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.uses_of(id);
        let result = change(self);
        self.due.programs |= self.uses_of(id) != before;
        result
    }

    /// Returns the names of the files that a sample kernel uses in its current text, if it names
    /// any. Returns `None` for other files.
    fn uses_of(&mut self, id: FileId) -> Option<Option<Vec<String>>> {
        if !is_kernel(&self.table.path(id)) {
            return None;
        }
        let text = match self.documents.get_mut(&id) {
            Some(document) => document.flushed_text(),
            None => Arc::clone(self.closed.get(&id)?.text()),
        };
        Some(uses(&text).map(|names| names.into_iter().map(str::to_owned).collect()))
    }

    /// True while the files on disk are being read, or if a read is due.
    #[must_use]
    pub fn is_scanning(&self) -> bool {
        self.scanning.is_some() || self.due.programs || !self.due.files.is_empty()
    }
}

/// The files and searches for the next scan.
#[derive(Debug, Default)]
pub(super) struct Due {
    pub(super) programs: bool,
    pub(super) files: FxHashSet<FileId>,
}

/// Returns the kind of a document, or `None` if it is irrelevant.
pub(super) fn kind(path: &Path, language: &str) -> Option<document::Kind> {
    if is_configuration(path) {
        Some(document::Kind::Configuration)
    } else {
        let is_policy = language == "mangle" || is_mangle(path);
        let is_other = transcript::can_be(path, language)
            || (path.is_absolute()
                && (may_be_prompt_source(path)
                    || Origin::from_file_name(&path.to_string_lossy(), "").is_some()));
        let other = is_other.then_some(document::Kind::Other);
        if is_policy { Some(document::Kind::Policy) } else { other }
    }
}

/// True if a file affects other files. Only a search for programs reads it.
pub(super) fn is_configuration(path: &Path) -> bool {
    path.ends_with(FILE_NAME) || path.ends_with("go.mod") || is_agent_settings(path)
}

/// True if the name may belong to a session file or a prompt atom file.
pub(super) fn may_be_prompt_source(path: &Path) -> bool {
    SessionForm::from_file_name(&path.file_name().unwrap_or_default().to_string_lossy()).is_some()
}

/// True if a configuration declares a file as a reply grammar.
pub(super) fn names_grammar(path: &Path, projects: &[Project]) -> bool {
    let mut around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.any(|project| project.settings.decoding.files.matches(&relative(&project.root, path)))
}

#[derive(Debug, Default)]
pub(super) struct Unopened {
    /// Documents that may be policies, transcripts or configurations.
    pub(super) missed: FxHashMap<FileId, MissedDocument>,
    /// Documents in irrelevant languages.
    pub(super) foreign: FxHashSet<FileId>,
}

/// A document that the editor edits although its text was never received.
#[derive(Debug)]
pub(super) struct MissedDocument {
    pub(super) uri: Arc<str>,
    /// True if the opening message arrived but could not be read. The next whole text replaces it.
    pub(super) is_opening_lost: bool,
}

impl Unopened {
    /// Adds a document in an irrelevant language.
    pub(super) fn add_foreign(&mut self, file: FileId) {
        self.missed.remove(&file);
        self.foreign.insert(file);
    }

    /// Removes a document that was opened or closed. Returns true if it was missed.
    pub(super) fn remove(&mut self, file: FileId) -> bool {
        self.foreign.remove(&file);
        self.missed.remove(&file).is_some()
    }

    pub(super) fn is_missed(&self, file: FileId) -> bool {
        self.missed.contains_key(&file)
    }

    /// Returns the missed documents with their URIs.
    pub(super) fn missed(&self) -> impl Iterator<Item = (FileId, &Arc<str>)> {
        self.missed.iter().map(|(file, missed)| (*file, &missed.uri))
    }
}
