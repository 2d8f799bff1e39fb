//! The workspace at one revision: immutable, complete and cheap to share. All requests are
//! answered from a snapshot. A command uses the snapshot of a workspace without open documents.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::file::Opening;
use super::grammars::SnapshotGrammar;
use super::programs::Programs;
use super::provenance::{ConfiguredAtoms, PromptRevisions};
use super::transcript::SnapshotTranscript;
use super::{SnapshotFile, SnapshotProgram};
use crate::{FileTable, Identities, Overlay, PartialScan, PreviewFiles, Resolution, ResolvedPath};
use mangle_engine::program::FileSummary;
use mangle_ide::file_findings::Lists;
use mangle_ide::fixes::{FixRequest, FixResult, FixWorkspace, Unit, fix};
use mangle_settings::{FormatSettings, MaxFindings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;

#[derive(Debug, Default)]
pub struct Snapshot {
    /// The number of changes of any kind: edits, file events, configuration.
    pub revision: u64,
    pub programs: Vec<Arc<SnapshotProgram>>,
    /// Open transcripts, and transcripts that are checked while closed.
    pub transcripts: Vec<Arc<SnapshotTranscript>>,
    pub grammars: Vec<Arc<SnapshotGrammar>>,
    /// The tool catalogs, by the paths of the configurations that name them.
    pub(super) catalogues: Vec<(PathBuf, Arc<Catalogue>)>,
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    /// Findings of configuration files and of unreadable files.
    file_diagnostics: FxHashMap<FileId, Arc<[Diagnostic]>>,
    pub(super) table: Arc<FileTable>,
    /// The number of changes to files that previews read in addition to policies.
    pub prompt_revisions: PromptRevisions,
    /// The open documents that previews may read.
    pub(super) prompt_overlay: Arc<Overlay>,
    /// The headers of samples that a command has already read.
    pub(super) read_previews: FxHashMap<FileId, Arc<PreviewFiles>>,
    /// The prompt atoms that configurations name.
    pub(super) atoms: Vec<Arc<ConfiguredAtoms>>,
    /// The only findings of documents whose text may differ from the editor's.
    pub(super) suspects: FxHashMap<FileId, Arc<[Diagnostic]>>,
    /// True if only the folders of open documents have been scanned.
    pub is_partial: bool,
    /// The incompletely scanned folders.
    pub partial_scans: Vec<PartialScan>,
    /// URIs of documents that the editor edits although their opening was never received.
    pub missed: Vec<Arc<str>>,
    pub(super) identities: Arc<Identities>,
    /// Open documents by the path in their URI, if the path differs from the file's identity.
    pub(super) spelled: Arc<FxHashMap<PathBuf, FileId>>,
    pub(super) openings: FxHashMap<Arc<str>, Opening>,
    /// Cache of [`Snapshot::of_open_documents`].
    of_open: OnceLock<Vec<Arc<SnapshotProgram>>>,
}

impl Snapshot {
    pub(super) fn new(
        revision: u64,
        programs: Vec<Arc<SnapshotProgram>>,
        transcripts: Vec<Arc<SnapshotTranscript>>,
        files: FxHashMap<FileId, Arc<SnapshotFile>>,
        others: FxHashMap<FileId, Arc<[Diagnostic]>>,
        table: Arc<FileTable>,
    ) -> Self {
        Self {
            revision,
            programs,
            transcripts,
            grammars: Vec::new(),
            catalogues: Vec::new(),
            files,
            file_diagnostics: others,
            table,
            prompt_revisions: PromptRevisions::default(),
            prompt_overlay: Arc::default(),
            read_previews: FxHashMap::default(),
            atoms: Vec::new(),
            suspects: FxHashMap::default(),
            is_partial: false,
            partial_scans: Vec::new(),
            missed: Vec::new(),
            identities: Arc::default(),
            spelled: Arc::default(),
            openings: FxHashMap::default(),
            of_open: OnceLock::new(),
        }
    }

    /// Returns the programs that report findings of open documents.
    pub fn of_open_documents(&self) -> &[Arc<SnapshotProgram>] {
        self.of_open.get_or_init(|| {
            let of = |file: &Arc<SnapshotFile>| {
                let beside = self.samples_around(file).into_iter();
                self.evaluations_of(file.id).into_iter().chain(beside).collect::<Vec<_>>()
            };
            let mut programs: Vec<Arc<SnapshotProgram>> = Vec::new();
            for program in self.files().filter(|file| file.open.is_some()).flat_map(of) {
                if !programs.iter().any(|known| Arc::ptr_eq(known, program)) {
                    programs.push(Arc::clone(program));
                }
            }
            programs
        })
    }

    /// True if the evaluation findings of a program are shown. If a folder is too large for a
    /// complete scan, only programs of currently open documents are included.
    #[must_use]
    pub fn shows_evaluation_of(&self, program: &Arc<SnapshotProgram>) -> bool {
        let is_of_open = || self.of_open_documents().iter().any(|of_open| Arc::ptr_eq(of_open, program));
        !program.is_test() && (self.partial_scans.is_empty() || is_of_open())
    }

    /// True if the texts of all open documents equal the editor's.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.suspects.is_empty()
    }

    /// True if the server may edit the file. False if its text may differ from the editor's.
    #[must_use]
    pub fn is_editable(&self, file: FileId) -> bool {
        !self.suspects.contains_key(&file)
    }

    /// Returns the additional opening at a URI, of a file that is also open at another URI.
    #[must_use]
    pub fn opening(&self, uri: &str) -> Option<&Opening> {
        self.openings.get(uri)
    }

    /// The additional openings, sorted by URI.
    #[must_use]
    pub fn further_openings(&self) -> Vec<&Opening> {
        let mut all: Vec<_> = self.openings.iter().collect();
        all.sort_by_key(|(uri, _)| *uri);
        all.into_iter().map(|(_, opening)| opening).collect()
    }

    /// Returns the file at a path, with links resolved. Reads the disk if the path is unknown.
    #[must_use]
    pub fn file_at(&self, path: &Path) -> Option<&Arc<SnapshotFile>> {
        let known = self.id(path).and_then(|id| self.file(id));
        known.or_else(|| {
            let identity = self.identities.identity(&ResolvedPath::read(path));
            self.file(self.table.known(&identity)?)
        })
    }

    /// True if documents other than policies are open that previews may read.
    #[must_use]
    pub fn is_beside_open(&self) -> bool {
        self.prompt_overlay.paths().next().is_some()
    }

    /// Returns the id of a path. The path may have the spelling of an open document's URI.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.spelled.get(path).copied().or_else(|| self.table.known(path))
    }

    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        let beside = || self.all_provenance().find_map(|known| known.file(id));
        self.files.get(&id).or_else(beside)
    }

    /// In no particular order.
    pub fn files(&self) -> impl Iterator<Item = &Arc<SnapshotFile>> {
        self.files.values()
    }

    /// True for a configuration file or an unreadable file, which are in no program.
    #[must_use]
    pub fn is_outside_programs(&self, file: FileId) -> bool {
        self.file_diagnostics.contains_key(&file)
    }

    /// Returns the files whose diagnostics are shown, including files that are in no program.
    /// Sorted, without duplicates.
    #[must_use]
    pub fn reported(&self) -> Vec<FileId> {
        let programs = self.programs.iter().flat_map(|program| program.inputs.reported.iter());
        let transcripts = self.transcripts.iter().map(|transcript| &transcript.file.id);
        let grammars = self.grammars.iter().map(|grammar| &grammar.file.id);
        let beside = self.all_provenance().flat_map(|known| known.diagnostics.keys());
        let mut files: Vec<_> = programs
            .chain(self.file_diagnostics.keys())
            .chain(transcripts)
            .chain(grammars)
            .chain(beside)
            .copied()
            .collect();
        files.retain(|file| self.file(*file).is_some());
        files.sort_unstable();
        files.dedup();
        files
    }

    #[must_use]
    pub fn transcript(&self, file: FileId) -> Option<&Arc<SnapshotTranscript>> {
        self.transcripts.iter().find(|transcript| transcript.file.id == file)
    }

    #[must_use]
    pub fn grammar(&self, file: FileId) -> Option<&Arc<SnapshotGrammar>> {
        self.grammars.iter().find(|grammar| grammar.file.id == file)
    }

    /// Returns the tools of the agent, if the program's configuration names a tool catalog.
    #[must_use]
    pub fn tools_of(&self, program: &SnapshotProgram) -> Option<&Catalogue> {
        let configuration = program.configuration()?;
        let known = self.catalogues.iter().find(|(path, _)| path == configuration);
        known.map(|(_, catalogue)| &**catalogue)
    }

    /// Returns the programs that report diagnostics of a file. More than one only if a
    /// configuration assigns the file to several programs.
    pub fn programs_of(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs.iter().filter(move |program| program.reports(file))
    }

    /// Returns the programs that report diagnostics of a file, and the programs whose declarations
    /// a transcript is checked against.
    pub fn programs_around(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        let transcript = self.transcript(file).into_iter();
        self.programs_of(file).chain(transcript.flat_map(|transcript| &transcript.programs))
    }

    /// Returns the programs that contain a file.
    pub fn programs_with(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs
            .iter()
            .filter(move |program| program.files.binary_search_by_key(&file, |member| member.id).is_ok())
    }

    /// Returns the maximum number of findings per rule in a file: the largest limit of its
    /// programs.
    #[must_use]
    pub fn max_findings(&self, file: FileId) -> MaxFindings {
        let all = self.programs_around(file).map(|program| program.inputs.settings.max_findings);
        all.reduce(MaxFindings::larger).unwrap_or_default()
    }

    #[must_use]
    pub fn format(&self, file: FileId) -> FormatSettings {
        self.programs_of(file).next().map(|program| program.inputs.settings.format).unwrap_or_default()
    }

    /// Returns the diagnostics of a file, sorted by start and without duplicates. The programs of
    /// the file must have been diagnosed. The list is replaced for a document whose text may
    /// differ from the editor's, because positions would be wrong.
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> Vec<&Diagnostic> {
        if let Some(found) = self.suspects.get(&file) {
            return found.iter().collect();
        }
        if let Some(found) = self.file_diagnostics.get(&file) {
            return found.iter().collect();
        }
        if let Some(transcript) = self.transcript(file) {
            return transcript.findings();
        }
        if let Some(grammar) = self.grammar(file) {
            return grammar.diagnostics().iter().collect();
        }
        let is_shown = |program: &&Arc<SnapshotProgram>| self.shows_evaluation_of(program);
        let evaluated = self.evaluations_of(file).into_iter().filter(is_shown);
        let verified = self
            .programs_of(file)
            .filter_map(|program| program.results.verification.get()?.diagnostics(file));
        Lists {
            checks: self.programs_of(file).map(|program| program.diagnostics(file)).collect(),
            evaluations: evaluated
                .filter_map(|program| program.results.evaluation.get()?.get(&file))
                .map(Vec::as_slice)
                .chain(verified)
                .collect(),
            others: self.all_provenance().map(|known| known.diagnostics(file)).collect(),
        }
        .merged(self.file(file).map(|file| &**file.summary()))
    }

    /// True if all evaluations and replays that affect the file are complete.
    #[must_use]
    pub fn is_settled(&self, file: FileId) -> bool {
        self.transcript(file).is_none_or(|transcript| transcript.is_replayed())
            && self.evaluations_of(file).iter().all(|program| program.is_evaluated())
    }

    /// Returns all programs in the display order of their evaluations.
    pub(crate) fn in_order_of_evaluation(&self) -> Vec<&Arc<SnapshotProgram>> {
        let mut programs: Vec<_> = self.programs.iter().collect();
        programs.sort_by(|a, b| a.evaluation_order().cmp(&b.evaluation_order()));
        programs
    }

    /// Returns the programs whose evaluations have findings in a file: its programs without
    /// samples, and the programs of its samples.
    #[must_use]
    pub fn evaluations_of(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let own = self.programs_of(file).filter(|program| program.single().is_none());
        own.chain(self.samples_of(file)).collect()
    }

    /// Returns the programs that answer queries about a file: the programs of its samples or,
    /// without samples, the programs that report it.
    #[must_use]
    pub fn query_programs(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let samples = self.samples_of(file);
        if samples.is_empty() { self.programs_of(file).collect() } else { samples }
    }

    /// Returns the programs of the samples of a file, sorted by sample name.
    #[must_use]
    pub fn samples_of(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let mut samples: Vec<_> =
            self.programs_with(file).filter(|program| program.sample().is_some()).collect();
        samples.sort_by(|a, b| a.evaluation_order().cmp(&b.evaluation_order()));
        samples
    }

    /// Applies the fixes of `wish` in `programs` and returns the changed texts. The snapshot is
    /// not changed, and suspect documents are skipped.
    #[must_use]
    pub fn fix(&self, programs: &[Arc<SnapshotProgram>], wish: FixRequest<'_>) -> FixResult {
        let files = programs.iter().flat_map(|program| program.files.iter());
        let files = files.map(|file| (file.id, Arc::clone(file.summary()))).collect();
        let reporting = programs.iter().filter(|program| !program.inputs.reported.is_empty());
        let units = reporting.map(|program| unit(program)).collect();
        let editable = |file: FileId| self.is_editable(file) && (wish.editable)(file);
        fix(&mut FixWorkspace { units, files }, FixRequest { editable: &editable, ..wish })
    }
}

fn unit(program: &SnapshotProgram) -> Unit {
    Unit {
        files: program.files.iter().map(|file| file.id).collect(),
        reported: program.inputs.reported.to_vec(),
        rules: Arc::clone(&program.inputs.rules),
        embedding: Arc::clone(&program.inputs.embedding),
        cache: program.cache_for_fixes(),
    }
}

/// Programs that are kept between checks. Unchanged parts are not recomputed.
#[derive(Debug)]
pub(crate) struct ClosedWorkspace {
    programs: Programs,
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    revision: u64,
}

impl Default for ClosedWorkspace {
    fn default() -> Self {
        Self { programs: Programs::of_commands(), files: FxHashMap::default(), revision: 0 }
    }
}

impl ClosedWorkspace {
    /// Returns the programs of a resolution. `summaries` are its files. Files that previews read
    /// in addition to policies come from the resolution.
    pub(crate) fn snapshot(
        &mut self,
        resolution: &Resolution,
        summaries: &FxHashMap<FileId, Arc<FileSummary>>,
        overlay: &Overlay,
        table: &Arc<FileTable>,
    ) -> Snapshot {
        self.revision += 1;
        self.programs.take_programs(resolution, table);
        let known = std::mem::take(&mut self.files);
        let file = |(id, summary): (&FileId, &Arc<FileSummary>)| {
            let known = known.get(id).filter(|known| Arc::ptr_eq(known.summary(), summary));
            let new = || Arc::new(SnapshotFile::summarised(table.path(*id), Arc::clone(summary)));
            (*id, known.map_or_else(new, Arc::clone))
        };
        self.files = summaries.iter().map(file).collect();
        let prompt_revisions = PromptRevisions { all: self.revision, atoms: self.revision };
        let programs = self.programs.at(&self.files, prompt_revisions);
        let (files, table) = (self.files.clone(), Arc::clone(table));
        let mut snapshot =
            Snapshot::new(self.revision, programs, Vec::new(), files, FxHashMap::default(), table);
        (snapshot.prompt_revisions, snapshot.prompt_overlay) = (prompt_revisions, Arc::new(overlay.clone()));
        snapshot.read_previews.clone_from(&resolution.previews);
        snapshot
    }
}
