//! State of the language server: open documents, the programs of the workspace, and the files on
//! disk.
//!
//! A single thread applies edits, file events and scan results, and each change creates a new
//! revision with its [`Snapshot`]. The workspace itself reads nothing from disk, except that it
//! resolves the links of paths. A due scan is returned by [`Workspace::next_scan`], runs on
//! another thread, and is passed back.

mod disk_looks;
mod document;
mod evaluated;
mod file;
mod grammars;
mod kernels;
#[cfg(test)]
mod memo_tests;
mod openings;
mod previews;
mod program;
mod program_inputs;
mod programs;
mod provenance;
mod scan;
#[cfg(test)]
mod scan_tests;
mod snapshot;
mod suspects;
#[cfg(test)]
mod tests;
mod transcript;
mod transcript_requests;
mod unopened;
mod verified;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};

use self::document::OpenDocument;
use self::programs::Programs;
use self::provenance::PromptRevisions;
use self::scan::Stage;
use self::unopened::Unopened;
use super::agents::is_agent_settings;
use super::ignore_rules::is_ignore_file;
use super::paths::{is_kernel, is_session, relative};
use super::transcripts::is_markdown;
use super::versions::shown_runtime;
use super::{
    CheckTarget, DiskListing, FileTable, Identities, Overlay, PartialScan, Problem, Project, ResolvedPath,
    is_mangle,
};
use agent_prompt::session::SessionForm;
use mangle_settings::{FILE_NAME, RuleSettings};
use mangle_syntax::memo::Memo;
use mangle_syntax::text::{Cancel, ContentChange, Encoding, FileId, Half, SentChange};
use reply_grammar::lint::Origin;

pub use super::disk_look::FileEvent;
pub use document::ChangeError;
pub use evaluated::{Evaluated, editor_limits};
pub use file::{OpenState, Opening, SnapshotFile};
pub(super) use grammars::GrammarPrograms;
pub use grammars::SnapshotGrammar;
pub use previews::{PreviewError, Previewed};
pub use program::SnapshotProgram;
pub use provenance::PromptProvenance;
pub use scan::{Scan, ScanResult};
pub(super) use snapshot::ClosedWorkspace;
pub use snapshot::Snapshot;
pub use transcript::SnapshotTranscript;
pub(super) use transcript::embedding;
pub use transcript_requests::DiskStretch;
pub use verified::DiskLoader;

/// The mutable state. Every change creates a new revision.
#[derive(Debug, Default)]
pub struct Workspace {
    table: Arc<FileTable>,
    folders: Vec<PathBuf>,
    identities: Arc<Identities>,
    documents: FxHashMap<FileId, OpenDocument>,
    unopened: Unopened,
    /// The number of edits of all documents.
    edits: u64,
    /// Further openings of the same files at other URIs, the most recently used one last.
    duplicate_documents: Vec<OpenDocument>,
    /// Open documents by the path in their URI, if the path differs from the file's identity.
    ids_by_uri_path: Arc<FxHashMap<PathBuf, FileId>>,
    /// The files on disk. Also contains the disk state of open files, from before they were
    /// opened.
    closed: FxHashMap<FileId, Arc<SnapshotFile>>,
    programs: Programs,
    problems: Vec<Problem>,
    due: Due,
    /// The files on disk at the last detection of changes.
    listing: Arc<DiskListing>,
    /// A time before any file was read.
    start: Option<SystemTime>,
    /// The token that cancels the running scan.
    scanning: Option<Cancel>,
    loaded: bool,
    stage: Stage,
    prompt_revisions: PromptRevisions,
    /// The open documents that previews may read, as of these `prompt_revisions`.
    prompt_overlay: Memo<PromptRevisions, Arc<Overlay>>,
    revision: u64,
    current: Arc<Snapshot>,
}

/// The files and searches for the next scan.
#[derive(Debug, Default)]
struct Due {
    programs: bool,
    files: FxHashSet<FileId>,
}

/// Returns the kind of a document, or `None` if it is irrelevant.
fn kind(path: &Path, language: &str) -> Option<document::Kind> {
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
fn is_configuration(path: &Path) -> bool {
    path.ends_with(FILE_NAME) || path.ends_with("go.mod") || is_agent_settings(path)
}

/// True if the name may belong to a session file or a prompt atom file.
fn may_be_prompt_source(path: &Path) -> bool {
    SessionForm::from_file_name(&path.file_name().unwrap_or_default().to_string_lossy()).is_some()
}

/// True if a configuration declares a file as a reply grammar.
fn names_grammar(path: &Path, projects: &[Project]) -> bool {
    let mut around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.any(|project| project.settings.decoding.files.matches(&relative(&project.root, path)))
}

fn is_yaml(path: &Path) -> bool {
    SessionForm::from_file_name(&path.file_name().unwrap_or_default().to_string_lossy())
        == Some(SessionForm::Yaml)
}

impl Workspace {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.start.get_or_insert_with(SystemTime::now);
        self.identities = Arc::new(Identities::of_folders(&folders));
        self.folders = folders;
        self.stop_scan();
        self.place_documents();
        self.look_for_programs();
    }

    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Sets the severities of the editor's settings, for rules that the configuration files do not
    /// set.
    pub fn set_rules(&mut self, rules: RuleSettings) {
        if self.programs.set_base(rules) {
            self.look_for_programs();
            self.touch();
        }
    }

    /// Schedules a search for programs, because folders, configurations or the set of files
    /// changed.
    pub fn look_for_programs(&mut self) {
        self.due.programs = true;
    }

    /// Adds a document that the editor opened. Documents in irrelevant languages are ignored.
    pub fn open(&mut self, path: &Path, uri: &str, language: &str, version: i32, text: &str) {
        // The document may be recorded as missed under its unresolved path.
        self.table.known(path).into_iter().for_each(|id| _ = self.unopened.remove(id));
        let resolved = ResolvedPath::read(path);
        self.resolve_again(std::slice::from_ref(&resolved));
        self.place_documents();
        let identity = self.identities.identity(&resolved);
        let path = identity.as_path();
        let is_added = self
            .programs
            .projects()
            .iter()
            .any(|project| project.settings.files.adds(path) && path.starts_with(&project.root));
        let kind = if is_added { Some(document::Kind::Policy) } else { kind(path, language) };
        let id = self.table.id(path);
        let Some(kind) = kind else { return self.unopened.add_foreign(id) };
        self.unopened.remove(id);
        if !self.loaded {
            // The next scan starts with the folder of this document.
            self.stop_scan();
        }
        let document = OpenDocument::new(id, self.table.path(id), kind, uri.into(), version, text);
        self.refresh_if_uses_changed(id, |workspace| workspace.add_opening(document.at(resolved)));
        if kind == document::Kind::Other {
            if names_grammar(path, self.programs.projects()) && !self.programs.is_grammar(id) {
                self.look_for_programs();
            }
            let can_be = transcript::can_be(path, language);
            if can_be && self.may_be_transcript(path) && !self.programs.is_transcript(id) {
                self.look_for_programs();
            }
            self.invalidate_previews_reading(id, path);
        } else if !path.is_absolute() {
            self.programs.add_lone(id, path);
        } else if kind == document::Kind::Configuration || !self.programs.reports(id) {
            self.look_for_programs();
        } else {
            self.due.files.insert(id);
        }
        self.touch();
    }

    /// Sets the unpaired surrogates that were replaced with U+FFFD in the text of a document that
    /// was just opened.
    pub fn opened_with(&mut self, uri: &str, text: &str, halves: &[Half]) {
        if let Some(document) = self.opened_at(uri) {
            document.opened_with(text, halves);
        }
    }

    /// True if a scan may show that a document is a transcript.
    fn may_be_transcript(&self, path: &Path) -> bool {
        let is_outside = !self.identities.folders().any(|folder| path.starts_with(folder));
        !self.loaded || is_outside || is_markdown(path) || transcript::may_be(path, self.programs.projects())
    }

    /// Applies the changes of one version of a document.
    ///
    /// # Errors
    ///
    /// If a change cannot be applied. The document is suspect then ([`OpenState::suspect`]).
    pub fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: &[ContentChange],
        encoding: Encoding,
    ) -> Result<(), ChangeError> {
        let changes: Vec<_> = changes.iter().cloned().map(SentChange::from).collect();
        self.change_sent(path, &path.to_string_lossy(), version, &changes, encoding)
    }

    /// [`Workspace::change`] with the URI of the document and the unpaired surrogates in the
    /// changes.
    ///
    /// # Errors
    ///
    /// As [`Workspace::change`].
    pub fn change_sent(
        &mut self,
        path: &Path,
        uri: &str,
        version: i32,
        changes: &[SentChange],
        encoding: Encoding,
    ) -> Result<(), ChangeError> {
        let id = self.id_at(uri, path).filter(|id| self.documents.contains_key(id));
        let Some(id) = id else { return self.change_unopened(path, uri, version, changes, encoding) };
        self.edits += 1;
        let result = self.refresh_if_uses_changed(id, |workspace| {
            let edits = workspace.edits;
            let document = workspace.documents.get_mut(&id)?;
            document.note_edit(edits);
            workspace.due.programs |= document.kind() == document::Kind::Configuration;
            let result = document.change(version, changes, encoding);
            let is_other = document.kind() == document::Kind::Other;
            Some((result, is_other, Arc::clone(&document.file().path)))
        });
        let Some((result, is_other, path)) = result else { return Ok(()) };
        if is_other {
            self.invalidate_previews_reading(id, &path);
        }
        self.touch();
        result
    }

    /// Removes a document that the editor closed. The file on disk is used after it was read
    /// again.
    pub fn close(&mut self, path: &Path) {
        let id = self.id(path);
        id.into_iter().for_each(|id| self.close_file(id));
    }

    fn close_file(&mut self, id: FileId) {
        self.refresh_if_uses_changed(id, |workspace| workspace.end_opening(id));
    }

    fn end_opening(&mut self, id: FileId) {
        if self.unopened.remove(id) {
            self.touch();
        }
        let Some(mut document) = self.remove_opening(id) else { return };
        let path = Arc::clone(&document.file().path);
        let path = &*path;
        if self.documents.contains_key(&id) {
            // The file is also open at another URI.
            self.due.programs |= document.kind() == document::Kind::Configuration;
            self.invalidate_previews_reading(id, path);
            self.touch();
            return;
        }
        self.due.programs |= self.programs.is_only_while_open(id) || self.programs.is_grammar(id);
        if document.kind() == document::Kind::Other {
            self.invalidate_previews_reading(id, path);
            self.close_transcript(id, document);
            return;
        }
        if document.kind() == document::Kind::Configuration || !self.closed.contains_key(&id) {
            self.look_for_programs();
        } else {
            self.due.files.insert(id);
        }
        if path.is_absolute() {
            document.flush();
            self.closed.insert(id, Arc::new(document.file().without_syntax_tree()));
        } else {
            self.programs.remove_lone(id);
        }
        self.touch();
    }

    /// Keeps the editor's text of a closed transcript until its file was read, if closed
    /// transcripts are checked.
    fn close_transcript(&mut self, id: FileId, mut document: OpenDocument) {
        if let Some(limit) = self.programs.closed_limit(id) {
            document.flush();
            if document.text().len() as u64 <= limit {
                self.closed.insert(id, Arc::new(document.file().without_syntax_tree()));
            }
            self.due.files.insert(id);
        }
        self.touch();
    }

    /// Processes a change of a file or a folder outside the editor.
    pub fn file_event(&mut self, path: &Path, event: FileEvent) {
        for path in self.identities.affected(&ResolvedPath::read(path)) {
            self.event_at(&path, event);
        }
    }

    fn event_at(&mut self, path: &Path, event: FileEvent) {
        if self.programs.feeds_previews(path)
            || (event == FileEvent::CameOrWent && may_be_prompt_source(path))
        {
            self.touch_prompts(path);
            self.touch();
        }
        if !self.matters(path) {
            return;
        }
        let id = self.table.known(path).filter(|_| event == FileEvent::Changed && !is_kernel(path));
        match id {
            Some(id) if self.documents.contains_key(&id) && self.programs.is_grammar(id) => {}
            // The editor's text takes precedence. The editor itself probably saved the file.
            Some(id) if self.documents.contains_key(&id) => {
                self.due.programs |=
                    self.documents.get_mut(&id).is_some_and(OpenDocument::shows_other_runtime);
                self.due.files.insert(id);
            }
            Some(id) if self.closed.contains_key(&id) && !is_configuration(path) => {
                self.due.files.insert(id);
            }
            // Includes transcripts whose first scan is running. Other transcripts are not read
            // while closed.
            Some(id) if self.programs.is_transcript(id) => {
                self.due.files.extend(self.programs.closed_limit(id).map(|_| id));
            }
            _ => self.look_for_programs(),
        }
    }

    /// Updates previews that may read a changed document that is not a policy.
    fn invalidate_previews_reading(&mut self, id: FileId, path: &Path) {
        let is_read = may_be_prompt_source(path) || self.programs.feeds_previews(path);
        if is_read && !self.programs.is_transcript(id) {
            self.touch_prompts(path);
        }
    }

    /// Records a change of a file that previews may read in addition to policies.
    fn touch_prompts(&mut self, path: &Path) {
        self.prompt_revisions.all += 1;
        if !is_session(path) {
            self.prompt_revisions.atoms += 1;
        }
    }

    /// Returns the open documents that previews may read.
    fn beside(&mut self) -> Arc<Overlay> {
        let Self { documents, programs, .. } = self;
        let overlay = self.prompt_overlay.get(self.prompt_revisions, |_| {
            let mut overlay = Overlay::of_editor();
            for (id, document) in documents {
                let is_other = document.kind() == document::Kind::Other && document.path().is_absolute();
                if is_other && !programs.is_transcript(*id) {
                    let text = document.flushed_text();
                    overlay.insert(document.path().into(), text);
                }
            }
            Some(Arc::new(overlay))
        });
        overlay.unwrap_or_default()
    }

    /// True if a change at a path may change findings: at a policy, a configuration, a transcript,
    /// or a folder of such files.
    fn matters(&self, path: &Path) -> bool {
        is_mangle(path)
            || self.programs.projects().iter().any(|project| project.settings.files.adds(path))
            || is_configuration(path)
            || is_ignore_file(path)
            || transcript::may_be(path, self.programs.projects())
            || names_grammar(path, self.programs.projects())
            || self.closed.values().any(|file| file.path.starts_with(path))
    }

    /// Returns the due scan, unless a scan is running.
    pub fn next_scan(&mut self) -> Option<Scan> {
        if self.scanning.is_some() || (!self.due.programs && self.due.files.is_empty()) {
            return None;
        }
        let due = std::mem::take(&mut self.due);
        let mut overlay = Overlay::of_editor();
        for document in self.documents.values_mut().filter(|document| document.path().is_absolute()) {
            document.flush();
            if due.programs {
                document.note_runtime();
            }
            overlay.insert(document.path().into(), document.text());
        }
        let open = overlay.paths().map(|path| CheckTarget::File(path.into()));
        let folders = self.identities.folders().map(|folder| CheckTarget::Folder(folder.into()));
        let targets = folders.chain(open).collect();
        let cancel = Cancel::new();
        self.scanning = Some(cancel.clone());
        Some(Scan {
            stage: self.stage,
            cancel,
            targets: due.programs.then_some(targets),
            files: due.files,
            open: if due.programs { self.spelled_paths() } else { Vec::new() },
            transcripts: self.programs.closed_limits(),
            overlay,
            known: self.closed.clone(),
            table: Arc::clone(&self.table),
        })
    }

    /// Applies the result of a scan. Returns true if anything changed.
    pub fn scanned(&mut self, scanned: ScanResult) -> bool {
        self.scanning = None;
        if scanned.is_cancelled {
            self.look_for_programs();
            return false;
        }
        let stage = if scanned.is_partial { Stage::Remaining } else { Stage::Rescan };
        self.due.programs |= scanned.is_partial;
        // Also after a failed scan: a partial answer is better than waiting forever.
        let is_rest = std::mem::replace(&mut self.stage, stage) == Stage::Remaining;
        let mut different = !scanned.files.is_empty() || !scanned.gone.is_empty() || !self.loaded || is_rest;
        self.loaded = true;
        for file in scanned.files {
            if scanned.resolution.is_none() {
                // If the policy of a program indicates a different runtime, other versions may
                // apply.
                let shown = shown_runtime(file.text());
                let is_other = |old: &Arc<SnapshotFile>| shown_runtime(old.text()) != shown;
                self.due.programs |= self.closed.get(&file.id).is_some_and(is_other);
                self.refresh_if_uses_changed(file.id, |workspace| workspace.closed.insert(file.id, file));
            } else {
                self.closed.insert(file.id, file);
            }
        }
        for (id, marked) in scanned.marks {
            for document in self.openings_mut().filter(|document| document.id() == id) {
                different |= document.set_marked(marked);
            }
        }
        for id in scanned.gone {
            self.closed.remove(&id);
            // The file was removed, so its programs must be searched again.
            self.due.programs |= scanned.resolution.is_none();
        }
        if let Some(mut resolution) = scanned.resolution {
            if scanned.is_partial {
                resolution.partial_scans.clear();
            }
            let links = std::mem::take(&mut resolution.links);
            let mut has_others = Arc::make_mut(&mut self.identities).set_links(links);
            let files_before = self.programs.files();
            different |= self.programs.replace(resolution, &scanned.problems, &self.table);
            self.problems = scanned.problems;
            let kept = self.programs.files();
            has_others |= kept != files_before;
            if has_others {
                // Headers of samples name policies, which may have been added or removed.
                self.prompt_revisions.all += 1;
                different = true;
            }
            let before = self.closed.len();
            self.closed.retain(|id, _| kept.contains(id));
            // The current snapshot may still contain the editor's text of these files.
            different |= self.closed.len() != before;
            self.resolve_again(&scanned.open);
            different |= self.place_documents();
            self.rescan_changed_openings(&scanned.open);
        }
        if different {
            self.touch();
        }
        different
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

    fn touch(&mut self) {
        self.revision += 1;
    }

    /// Returns the id of a known path. The path may have the spelling of an open document's URI.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.ids_by_uri_path.get(path).copied().or_else(|| self.table.known(path))
    }

    /// Returns the snapshot of the current revision.
    pub fn snapshot(&mut self) -> Arc<Snapshot> {
        if self.current.revision != self.revision {
            let mut files = self.closed.clone();
            for (&id, document) in &mut self.documents {
                // Documents of other kinds are read only if they are transcripts or sources of
                // prompts.
                let is_read = || is_yaml(document.path()) || self.programs.feeds_previews(document.path());
                let is_own = self.programs.is_transcript(id) || self.programs.is_grammar(id);
                if document.kind() != document::Kind::Other || is_own || is_read() {
                    document.flush();
                    files.insert(id, Arc::clone(document.file()));
                }
            }
            let others = self.programs.others(&mut files);
            let programs = self.programs.at(&files, self.prompt_revisions);
            let transcripts = self.programs.transcripts(&files);
            let grammars = self.programs.grammars(&mut files);
            let table = Arc::clone(&self.table);
            let mut snapshot = Snapshot::new(self.revision, programs, transcripts, files, others, table);
            (snapshot.prompt_revisions, snapshot.prompt_overlay) = (self.prompt_revisions, self.beside());
            snapshot.atoms = self.programs.atoms(self.prompt_revisions.atoms);
            (snapshot.grammars, snapshot.suspects) = (grammars, self.suspects());
            snapshot.catalogues = self.programs.catalogues();
            (snapshot.is_partial, snapshot.partial_scans) =
                (self.stage != Stage::Rescan, self.partial_scans().into());
            snapshot.missed = self.unopened.missed().map(|(_, uri)| Arc::clone(uri)).collect();
            (snapshot.identities, snapshot.spelled) =
                (Arc::clone(&self.identities), Arc::clone(&self.ids_by_uri_path));
            snapshot.openings = self.duplicate_openings();
            self.current = Arc::new(snapshot);
        }
        Arc::clone(&self.current)
    }
}
