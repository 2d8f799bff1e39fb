//! The state behind an editor: open documents, the programs of the workspace, what is on disk.
//!
//! Takes edits, file events and looks at the disk, one after the other, from a single thread; gives
//! a [`Snapshot`] per revision. Never touches the disk itself, except to follow the links of a path: when a look is due,
//! [`Workspace::next_scan`] gives it, to be run aside and handed back.

mod closed;
mod disk_looks;
mod document;
mod evaluated;
mod file;
mod fixing;
mod grammars;
mod kernels;
mod late_edits;
#[cfg(test)]
mod memo_tests;
mod opening;
mod openings;
mod preview_cache;
mod previews;
mod program;
mod program_identity;
mod programs;
mod prompt_provenance;
mod prompt_revisions;
mod provenance;
mod scan;
#[cfg(test)]
mod scan_tests;
mod snapshot;
mod suspects;
mod transcripts;

#[cfg(test)]
mod tests;
mod unopened;
mod verified;
mod verified_program;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use self::closed::ClosedWorkspace;
pub use self::document::ChangeError;
use self::document::OpenDocument;
pub use self::evaluated::{Evaluated, editor_limits};
pub use self::file::{OpenState, SnapshotFile};
pub use self::grammars::SnapshotGrammar;
pub use self::previews::{Previewed, Unshown};
use self::programs::Programs;
use self::scan::Stage;
pub use self::scan::{Scan, Scanned};
pub use self::snapshot::Snapshot;
pub use self::transcripts::SnapshotTranscript;
pub use self::transcripts::stretch::DiskStretch;
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
pub use opening::Opening;
pub use program::SnapshotProgram;
use prompt_revisions::PromptRevisions;
pub use provenance::PromptProvenance;
use reply_grammar::lint::Origin;
use unopened::Unopened;
pub use verified::DiskLoader;

/// What happened to a file outside the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEvent {
    /// It appeared or vanished.
    CameOrWent,
    /// Its content changed.
    Changed,
}

/// The mutable state. Every change makes a new revision.
#[derive(Debug, Default)]
pub struct Workspace {
    table: Arc<FileTable>,
    folders: Vec<PathBuf>,
    identities: Arc<Identities>,
    documents: FxHashMap<FileId, OpenDocument>,
    unopened: Unopened,
    /// How many edits of documents there were.
    edits: u64,
    /// Further openings of the same files, at other URIs; the one that was touched last comes last.
    shadows: Vec<OpenDocument>,
    /// The open documents by the paths that their URIs name, where that is not their identity.
    spelled: Arc<FxHashMap<PathBuf, FileId>>,
    /// The files of the programs as they are on disk; also of open ones, as they were before.
    closed: FxHashMap<FileId, Arc<SnapshotFile>>,
    programs: Programs,
    problems: Vec<Problem>,
    due: Due,
    /// The files on disk at the last look for changes.
    listing: Arc<DiskListing>,
    /// A time before any file was read.
    start: Option<SystemTime>,
    /// Stops the look at the disk that is under way.
    scanning: Option<Cancel>,
    loaded: bool,
    stage: Stage,
    prompt_revisions: PromptRevisions,
    /// The open documents that previews may read, as they were when `prompt_revisions` was like this.
    beside: Memo<PromptRevisions, Arc<Overlay>>,
    revision: u64,
    current: Arc<Snapshot>,
}

/// What has to be looked at on disk.
#[derive(Debug, Default)]
struct Due {
    programs: bool,
    files: FxHashSet<FileId>,
}

/// What kind of text a document is, or `None` if it is none of ours.
fn kind(path: &Path, language: &str) -> Option<document::Kind> {
    if is_configuration(path) {
        Some(document::Kind::Configuration)
    } else {
        let is_policy = language == "mangle" || is_mangle(path);
        let is_other = transcripts::can_be(path, language)
            || (path.is_absolute() && (may_feed(path) || Origin::of(&path.to_string_lossy(), "").is_some()));
        let other = is_other.then_some(document::Kind::Other);
        if is_policy { Some(document::Kind::Policy) } else { other }
    }
}

/// Whether a file decides about others: only a scan for programs reads it.
fn is_configuration(path: &Path) -> bool {
    path.ends_with(FILE_NAME) || path.ends_with("go.mod") || is_agent_settings(path)
}

/// Whether the name of a file says that it may be a session file, or hold prompt atoms.
fn may_feed(path: &Path) -> bool {
    SessionForm::of(&path.file_name().unwrap_or_default().to_string_lossy()).is_some()
}

/// Whether a configuration says that a file is a grammar of replies.
fn names_grammar(path: &Path, projects: &[Project]) -> bool {
    let mut around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.any(|project| project.settings.decoding.files.matches(&relative(&project.root, path)))
}

fn is_yaml(path: &Path) -> bool {
    SessionForm::of(&path.file_name().unwrap_or_default().to_string_lossy()) == Some(SessionForm::Yaml)
}

impl Workspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the folders of the workspace.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.start.get_or_insert_with(SystemTime::now);
        self.identities = Arc::new(Identities::of_folders(&folders));
        self.folders = folders;
        self.stop_scan();
        self.place_documents();
        self.look_for_programs();
    }

    /// The folders of the workspace.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Sets what holds for rules of which the configuration files say nothing: the editor's settings.
    pub fn set_rules(&mut self, rules: RuleSettings) {
        if self.programs.set_base(rules) {
            self.look_for_programs();
            self.touch();
        }
    }

    /// Finds the programs anew: folders, configuration or the set of files changed.
    pub fn look_for_programs(&mut self) {
        self.due.programs = true;
    }

    /// Takes over a document that the editor opened. Documents in other languages are not taken.
    pub fn open(&mut self, path: &Path, uri: &str, language: &str, version: i32, text: &str) {
        // As it was missed, before it was known where it leads.
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
            // What lies beside this document is to come first.
            self.stop_scan();
        }
        let document = OpenDocument::new(id, self.table.path(id), kind, uri.into(), version, text);
        self.minding_uses(id, |workspace| workspace.add_opening(document.at(resolved)));
        if kind == document::Kind::Other {
            if names_grammar(path, self.programs.projects()) && !self.programs.is_grammar(id) {
                self.look_for_programs();
            }
            let can_be = transcripts::can_be(path, language);
            if can_be && self.may_be_transcript(path) && !self.programs.is_transcript(id) {
                self.look_for_programs();
            }
            self.feed(id, path);
        } else if !path.is_absolute() {
            self.programs.add_lone(id, path);
        } else if kind == document::Kind::Configuration || !self.programs.reports(id) {
            self.look_for_programs();
        } else {
            self.due.files.insert(id);
        }
        self.touch();
    }

    /// The halves of surrogate pairs for which U+FFFD stands in the text of a document that was just opened.
    pub fn opened_with(&mut self, uri: &str, text: &str, halves: &[Half]) {
        if let Some(document) = self.opened_at(uri) {
            document.opened_with(text, halves);
        }
    }

    /// Whether a look at the disk can show that a document is a transcript.
    fn may_be_transcript(&self, path: &Path) -> bool {
        let is_outside = !self.identities.folders().any(|folder| path.starts_with(folder));
        !self.loaded || is_outside || is_markdown(path) || transcripts::may_be(path, self.programs.projects())
    }

    /// Applies the changes of one version of a document.
    ///
    /// # Errors
    /// When a change cannot be applied; the document is suspect then ([`OpenState::suspect`]).
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

    /// [`Workspace::change`] with the document's URI and the halves of surrogate pairs in the changes.
    ///
    /// # Errors
    /// As those of [`Workspace::change`].
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
        let result = self.minding_uses(id, |workspace| {
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
            self.feed(id, &path);
        }
        self.touch();
        result
    }

    /// The editor closed a document: what is on disk counts again, once it was read.
    pub fn close(&mut self, path: &Path) {
        let id = self.id(path);
        id.into_iter().for_each(|id| self.close_file(id));
    }

    fn close_file(&mut self, id: FileId) {
        self.minding_uses(id, |workspace| workspace.end_opening(id));
    }

    fn end_opening(&mut self, id: FileId) {
        if self.unopened.remove(id) {
            self.touch();
        }
        let Some(mut document) = self.remove_opening(id) else { return };
        let path = Arc::clone(&document.file().path);
        let path = &*path;
        if self.documents.contains_key(&id) {
            // The file is open at another URI, too.
            self.due.programs |= document.kind() == document::Kind::Configuration;
            self.feed(id, path);
            self.touch();
            return;
        }
        self.due.programs |= self.programs.is_only_while_open(id) || self.programs.is_grammar(id);
        if document.kind() == document::Kind::Other {
            self.feed(id, path);
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
            self.closed.insert(id, Arc::new(document.file().left()));
        } else {
            self.programs.remove_lone(id);
        }
        self.touch();
    }

    /// What the editor had of a transcript counts until its file was read, if closed ones count at all.
    fn close_transcript(&mut self, id: FileId, mut document: OpenDocument) {
        if let Some(limit) = self.programs.closed_limit(id) {
            document.flush();
            if document.text().len() as u64 <= limit {
                self.closed.insert(id, Arc::new(document.file().left()));
            }
            self.due.files.insert(id);
        }
        self.touch();
    }

    /// A file or a folder changed outside the editor.
    pub fn file_event(&mut self, path: &Path, event: FileEvent) {
        for path in self.identities.affected(&ResolvedPath::read(path)) {
            self.event_at(&path, event);
        }
    }

    fn event_at(&mut self, path: &Path, event: FileEvent) {
        if self.programs.feeds_previews(path) || (event == FileEvent::CameOrWent && may_feed(path)) {
            self.touch_prompts(path);
            self.touch();
        }
        if !self.matters(path) {
            return;
        }
        let id = self.table.known(path).filter(|_| event == FileEvent::Changed && !is_kernel(path));
        match id {
            Some(id) if self.documents.contains_key(&id) && self.programs.is_grammar(id) => {}
            // What the editor has counts; it was probably the editor that saved it.
            Some(id) if self.documents.contains_key(&id) => {
                self.due.programs |=
                    self.documents.get_mut(&id).is_some_and(OpenDocument::shows_other_runtime);
                self.due.files.insert(id);
            }
            Some(id) if self.closed.contains_key(&id) && !is_configuration(path) => {
                self.due.files.insert(id);
            }
            // Also one whose first scan is under way. Others are not looked at while they are closed.
            Some(id) if self.programs.is_transcript(id) => {
                self.due.files.extend(self.programs.closed_limit(id).map(|_| id));
            }
            _ => self.look_for_programs(),
        }
    }

    /// A document that is no policy is another one: previews may read it.
    fn feed(&mut self, id: FileId, path: &Path) {
        let is_read = may_feed(path) || self.programs.feeds_previews(path);
        if is_read && !self.programs.is_transcript(id) {
            self.touch_prompts(path);
        }
    }

    /// Notes that a file changed which previews may read beside policies.
    fn touch_prompts(&mut self, path: &Path) {
        self.prompt_revisions.all += 1;
        if !is_session(path) {
            self.prompt_revisions.atoms += 1;
        }
    }

    /// The open documents that previews may read.
    fn beside(&mut self) -> Arc<Overlay> {
        let Self { documents, programs, .. } = self;
        let overlay = self.beside.get(self.prompt_revisions, |_| {
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

    /// Whether what happens to a path can change what is found: it is a policy, a setting, a transcript, or a folder
    /// that had any.
    fn matters(&self, path: &Path) -> bool {
        is_mangle(path)
            || self.programs.projects().iter().any(|project| project.settings.files.adds(path))
            || is_configuration(path)
            || is_ignore_file(path)
            || transcripts::may_be(path, self.programs.projects())
            || names_grammar(path, self.programs.projects())
            || self.closed.values().any(|file| file.path.starts_with(path))
    }

    /// The look at the disk that is due, unless one is under way.
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

    /// Takes over what a look at the disk found. Gives whether anything is different now.
    pub fn scanned(&mut self, scanned: Scanned) -> bool {
        self.scanning = None;
        if scanned.is_cancelled {
            self.look_for_programs();
            return false;
        }
        let stage = if scanned.is_partial { Stage::Rest } else { Stage::Again };
        self.due.programs |= scanned.is_partial;
        // Also after a look that failed: better half an answer than none for ever.
        let is_rest = std::mem::replace(&mut self.stage, stage) == Stage::Rest;
        let mut different = !scanned.files.is_empty() || !scanned.gone.is_empty() || !self.loaded || is_rest;
        self.loaded = true;
        for file in scanned.files {
            if scanned.resolution.is_none() {
                // Other versions may hold for a program whose policy shows another runtime.
                let shown = shown_runtime(file.text());
                let is_other = |old: &Arc<SnapshotFile>| shown_runtime(old.text()) != shown;
                self.due.programs |= self.closed.get(&file.id).is_some_and(is_other);
                self.minding_uses(file.id, |workspace| workspace.closed.insert(file.id, file));
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
            // The file left its programs, which somebody has to notice.
            self.due.programs |= scanned.resolution.is_none();
        }
        if let Some(mut resolution) = scanned.resolution {
            if scanned.is_partial {
                resolution.cuts.clear();
            }
            let links = std::mem::take(&mut resolution.links);
            let mut has_others = Arc::make_mut(&mut self.identities).set_links(links);
            let files_before = self.programs.files();
            different |= self.programs.take_over(resolution, &scanned.problems, &self.table);
            self.problems = scanned.problems;
            let kept = self.programs.files();
            has_others |= kept != files_before;
            if has_others {
                // Headers of samples name policies, which are there now or no longer.
                self.prompt_revisions.all += 1;
                different = true;
            }
            let before = self.closed.len();
            self.closed.retain(|id, _| kept.contains(id));
            // What an editor left there may still be in the current snapshot.
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

    /// Stops the look at the disk that is under way; another one is due then.
    pub fn stop_scan(&self) {
        self.scanning.iter().for_each(Cancel::cancel);
    }

    /// Whether only what lies beside open documents is known yet.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.stage == Stage::Rest
    }

    /// The folders of which only a part was scanned.
    #[must_use]
    pub fn cuts(&self) -> &[PartialScan] {
        self.programs.cuts()
    }

    /// The number of JSON files and logs that were not examined for replies of a model, because
    /// there are too many.
    #[must_use]
    pub fn unexamined(&self) -> usize {
        self.programs.unexamined()
    }

    /// Whether the first look at the workspace is still to come: nothing can be said until then.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        !self.loaded
    }

    /// Whether it is not yet known which program a document belongs to.
    #[must_use]
    pub fn is_unplaced(&self, path: &Path) -> bool {
        let is_known =
            |id| self.programs.reports(id) || self.programs.is_transcript(id) || self.programs.is_grammar(id);
        let is_placed = self.id(path).is_some_and(is_known);
        !is_placed && (self.due.programs || self.scanning.is_some())
    }

    /// What could not be read at the last look.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The number of the current revision.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    fn touch(&mut self) {
        self.revision += 1;
    }

    /// The id of a path that was ever seen, also as the URI of an open document names it.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.spelled.get(path).copied().or_else(|| self.table.known(path))
    }

    /// The current revision.
    pub fn snapshot(&mut self) -> Arc<Snapshot> {
        if self.current.revision != self.revision {
            let mut files = self.closed.clone();
            for (&id, document) in &mut self.documents {
                // Of other documents only transcripts and what prompts are made of are read.
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
            (snapshot.prompt_revisions, snapshot.beside) = (self.prompt_revisions, self.beside());
            snapshot.atoms = self.programs.atoms(self.prompt_revisions.atoms);
            (snapshot.grammars, snapshot.suspects) = (grammars, self.suspects());
            snapshot.catalogues = self.programs.catalogues();
            (snapshot.is_partial, snapshot.cuts) = (self.stage != Stage::Again, self.cuts().into());
            snapshot.missed = self.unopened.missed().map(|(_, uri)| Arc::clone(uri)).collect();
            (snapshot.identities, snapshot.spelled) =
                (Arc::clone(&self.identities), Arc::clone(&self.spelled));
            snapshot.openings = self.further_openings();
            self.current = Arc::new(snapshot);
        }
        Arc::clone(&self.current)
    }
}
