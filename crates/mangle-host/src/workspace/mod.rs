//! State of the language server: open documents, the programs of the workspace, and the files on
//! disk.
//!
//! A single thread applies edits, file events and scan results, and each change creates a new
//! revision with its [`Snapshot`]. The workspace itself reads nothing from disk, except that it
//! resolves the links of paths. A due scan is returned by [`Workspace::next_scan`], runs on
//! another thread, and is passed back.

mod document;
mod documents;
mod evaluated;
mod file;
mod grammars;
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
mod state;
#[cfg(test)]
mod tests;
mod transcript;
mod transcript_requests;
mod verified;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use self::document::OpenDocument;
use self::scan::Stage;
use self::state::{is_configuration, may_be_prompt_source, names_grammar};
use super::ignore_rules::is_ignore_file;
use super::paths::is_kernel;
use super::versions::shown_runtime;
use super::walk::repository;
use super::{CheckTarget, DiskChanges, DiskLook, Identities, Overlay, ResolvedPath, is_mangle};
use agent_prompt::session::SessionForm;
use mangle_settings::{FILE_NAME, RuleSettings};
use mangle_syntax::text::Cancel;

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
pub use state::Workspace;
pub use transcript::SnapshotTranscript;
pub(super) use transcript::embedding;
pub use transcript_requests::DiskStretch;
pub use verified::DiskLoader;

fn is_yaml(path: &Path) -> bool {
    SessionForm::from_file_name(&path.file_name().unwrap_or_default().to_string_lossy())
        == Some(SessionForm::Yaml)
}

impl Workspace {
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.start.get_or_insert_with(SystemTime::now);
        self.identities = Arc::new(Identities::of_folders(&folders));
        self.folders = folders;
        self.stop_scan();
        self.place_documents();
        self.look_for_programs();
    }

    /// Sets the severities of the editor's settings, for rules that the configuration files do not
    /// set.
    pub fn set_rules(&mut self, rules: RuleSettings) {
        if self.programs.set_base(rules) {
            self.look_for_programs();
            self.touch();
        }
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

    /// Returns the input of a pass that detects changes since the previous pass, or since the
    /// start.
    #[must_use]
    pub fn disk_look(&self) -> DiskLook {
        let folders = self.identities.folders().map(Path::to_path_buf);
        let projects = self.programs.projects().iter().map(|project| project.root.clone());
        let mut roots: Vec<PathBuf> = folders.chain(projects).collect();
        roots.sort_unstable();
        roots.dedup_by(|inner, outer| inner.starts_with(outer));
        DiskLook {
            before: Arc::clone(&self.listing),
            start: self.start.unwrap_or(SystemTime::UNIX_EPOCH),
            now: SystemTime::now(),
            candidates: roots.iter().flat_map(|root| candidates(root)).collect(),
            known: self.programs.paths(&self.table),
            roots,
            cancel: Cancel::new(),
        }
    }

    /// Stores the result of a pass. Returns the events to apply.
    pub fn disk_looked(&mut self, changes: DiskChanges) -> Vec<(PathBuf, FileEvent)> {
        let Some(listing) = changes.listing else { return Vec::new() };
        self.listing = Arc::new(listing);
        changes.events.into_iter().collect()
    }
}

/// Returns the paths above a folder that affect its files: configuration files, and the ignore
/// patterns of its repository.
fn candidates(root: &Path) -> Vec<PathBuf> {
    let names = [FILE_NAME, ".gitignore", ".ignore"];
    let repository = repository(root);
    let above =
        root.ancestors().skip(1).take_while(|folder| repository.is_some_and(|top| folder.starts_with(top)));
    let mut all: Vec<_> = above.flat_map(|folder| names.map(|name| folder.join(name))).collect();
    all.extend(repository.map(|top| top.join(".git/info/exclude")));
    all
}
