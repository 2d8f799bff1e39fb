//! The workspace at one revision: immutable, cheap to share, complete. Every question is answered
//! from one of these.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use super::grammars::SnapshotGrammar;
use super::opening::Opening;
use super::program::SnapshotProgram;
use super::prompt_provenance::ConfiguredAtoms;
use super::prompt_revisions::PromptRevisions;
use super::transcripts::SnapshotTranscript;
use crate::host::{FileTable, Identities, Overlay, PartialScan, PreviewFiles, ResolvedPath};
use crate::ide::merge::Lists;
use mangle_settings::{FormatSettings, MaxFindings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;

/// The whole workspace.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Counts changes of any kind: an edit, a file event, a configuration.
    pub revision: u64,
    /// The programs.
    pub programs: Vec<Arc<SnapshotProgram>>,
    /// The transcripts: those that are open, and those that are looked at while they are closed.
    pub transcripts: Vec<Arc<SnapshotTranscript>>,
    /// The grammars and schemas of replies.
    pub grammars: Vec<Arc<SnapshotGrammar>>,
    /// The catalogues of tools, by the paths of the configurations that name them.
    pub(super) catalogues: Vec<(PathBuf, Arc<Catalogue>)>,
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    /// What is wrong with the configuration files, and with files that could not be read.
    others: FxHashMap<FileId, Arc<[Diagnostic]>>,
    pub(super) table: Arc<FileTable>,
    /// Counts changes of what previews read beside policies.
    pub prompt_revisions: PromptRevisions,
    /// The open documents that previews may read.
    pub(super) beside: Arc<Overlay>,
    /// What a command has read of the headers of samples already.
    pub(super) read_previews: FxHashMap<FileId, Arc<PreviewFiles>>,
    /// The prompt atoms that configurations name.
    pub(super) atoms: Vec<Arc<ConfiguredAtoms>>,
    /// What is said of the documents whose text may differ from the editor's.
    pub(super) suspects: FxHashMap<FileId, Arc<[Diagnostic]>>,
    /// Whether only what lies beside open documents is known yet.
    pub is_partial: bool,
    /// The folders of which only a part was scanned.
    pub cuts: Vec<PartialScan>,
    /// The URIs of documents that the editor edits and whose opening never arrived.
    pub missed: Vec<Arc<str>>,
    pub(super) identities: Arc<Identities>,
    /// The open documents by the paths that their URIs name, where that is not their identity.
    pub(super) spelled: Arc<FxHashMap<PathBuf, FileId>>,
    pub(super) openings: FxHashMap<Arc<str>, Opening>,
    /// [`Snapshot::of_open_documents`], once somebody has asked.
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
            others,
            table,
            prompt_revisions: PromptRevisions::default(),
            beside: Arc::default(),
            read_previews: FxHashMap::default(),
            atoms: Vec::new(),
            suspects: FxHashMap::default(),
            is_partial: false,
            cuts: Vec::new(),
            missed: Vec::new(),
            identities: Arc::default(),
            spelled: Arc::default(),
            openings: FxHashMap::default(),
            of_open: OnceLock::new(),
        }
    }

    /// The programs that say something of open documents.
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

    /// Whether what an evaluation of a program says is shown. Of a folder that is too large to be scanned as a whole only
    /// that of programs of open documents is, whatever was open before.
    #[must_use]
    pub fn shows_evaluation_of(&self, program: &Arc<SnapshotProgram>) -> bool {
        let is_of_open = || self.of_open_documents().iter().any(|of_open| Arc::ptr_eq(of_open, program));
        !program.is_test() && (self.cuts.is_empty() || is_of_open())
    }

    /// Whether no open document has a text that may differ from the editor's.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.suspects.is_empty()
    }

    /// Whether edits of ours may touch a file: not where its text may differ from the editor's.
    #[must_use]
    pub fn is_editable(&self, file: FileId) -> bool {
        !self.suspects.contains_key(&file)
    }

    /// The further opening at a URI of a file that is open at another one, too.
    #[must_use]
    pub fn opening(&self, uri: &str) -> Option<&Opening> {
        self.openings.get(uri)
    }

    /// The further openings, sorted by URI.
    #[must_use]
    pub fn further_openings(&self) -> Vec<&Opening> {
        let mut all: Vec<_> = self.openings.iter().collect();
        all.sort_by_key(|(uri, _)| *uri);
        all.into_iter().map(|(_, opening)| opening).collect()
    }

    /// The file that a path leads to. Looks at the disk where the path is not known.
    #[must_use]
    pub fn file_at(&self, path: &Path) -> Option<&Arc<SnapshotFile>> {
        let known = self.id(path).and_then(|id| self.file(id));
        known.or_else(|| {
            let identity = self.identities.identity(&ResolvedPath::read(path));
            self.file(self.table.known(&identity)?)
        })
    }

    /// Whether documents are open that previews may read beside policies.
    #[must_use]
    pub fn is_beside_open(&self) -> bool {
        self.beside.paths().next().is_some()
    }

    /// The id of a path, also as the URI of an open document names it.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.spelled.get(path).copied().or_else(|| self.table.known(path))
    }

    /// A file.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        let beside = || self.all_provenance().find_map(|known| known.file(id));
        self.files.get(&id).or_else(beside)
    }

    /// All files, in no particular order.
    pub fn files(&self) -> impl Iterator<Item = &Arc<SnapshotFile>> {
        self.files.values()
    }

    /// Whether a file is in no program: a configuration file, or one that could not be read.
    #[must_use]
    pub fn is_apart(&self, file: FileId) -> bool {
        self.others.contains_key(&file)
    }

    /// The files whose diagnostics are shown, also those apart; each once, sorted.
    #[must_use]
    pub fn reported(&self) -> Vec<FileId> {
        let programs = self.programs.iter().flat_map(|program| program.reported.iter());
        let transcripts = self.transcripts.iter().map(|transcript| &transcript.file.id);
        let grammars = self.grammars.iter().map(|grammar| &grammar.file.id);
        let beside = self.all_provenance().flat_map(|known| known.diagnostics.keys());
        let mut files: Vec<_> = programs
            .chain(self.others.keys())
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

    /// The transcript that a file is.
    #[must_use]
    pub fn transcript(&self, file: FileId) -> Option<&Arc<SnapshotTranscript>> {
        self.transcripts.iter().find(|transcript| transcript.file.id == file)
    }

    /// The grammar of replies that a file is.
    #[must_use]
    pub fn grammar(&self, file: FileId) -> Option<&Arc<SnapshotGrammar>> {
        self.grammars.iter().find(|grammar| grammar.file.id == file)
    }

    /// The tools of the agent that a program governs, where its configuration names a catalogue of them.
    #[must_use]
    pub fn tools_of(&self, program: &SnapshotProgram) -> Option<&Catalogue> {
        let configuration = program.configuration()?;
        let known = self.catalogues.iter().find(|(path, _)| path == configuration);
        known.map(|(_, catalogue)| &**catalogue)
    }

    /// The programs that show diagnostics of a file: one, unless a configuration puts the file
    /// into several.
    pub fn programs_of(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs.iter().filter(move |program| program.reports(file))
    }

    /// The programs that show diagnostics of a file, and those whose declarations hold for the transcript that it is.
    pub fn programs_around(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        let transcript = self.transcript(file).into_iter();
        self.programs_of(file).chain(transcript.flat_map(|transcript| &transcript.programs))
    }

    /// The programs that a file is part of.
    pub fn programs_with(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs
            .iter()
            .filter(move |program| program.files.binary_search_by_key(&file, |member| member.id).is_ok())
    }

    /// How many findings of one rule are shown of a file: as many as one of its programs allows.
    #[must_use]
    pub fn max_findings(&self, file: FileId) -> MaxFindings {
        let all = self.programs_around(file).map(|program| program.settings.max_findings);
        all.reduce(MaxFindings::larger).unwrap_or_default()
    }

    /// How a file is laid out.
    #[must_use]
    pub fn format(&self, file: FileId) -> FormatSettings {
        self.programs_of(file).next().map(|program| program.settings.format).unwrap_or_default()
    }

    /// The diagnostics of a file, sorted by start, each once. The programs of the file must have
    /// been diagnosed. Those of a document whose text may differ from the editor's would have the wrong places.
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> Vec<&Diagnostic> {
        if let Some(found) = self.suspects.get(&file) {
            return found.iter().collect();
        }
        if let Some(found) = self.others.get(&file) {
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
        let verified =
            self.programs_of(file).filter_map(|program| program.verification.get()?.diagnostics(file));
        Lists {
            checks: self.programs_of(file).map(|program| program.diagnostics(file)).collect(),
            evaluations: evaluated
                .filter_map(|program| program.evaluation.get()?.get(&file))
                .map(Vec::as_slice)
                .chain(verified)
                .collect(),
            others: self.all_provenance().map(|known| known.diagnostics(file)).collect(),
        }
        .merged(self.file(file).map(|file| &**file.summary()))
    }

    /// Whether evaluations and replays have said all that they have to say of a file.
    #[must_use]
    pub fn is_settled(&self, file: FileId) -> bool {
        self.transcript(file).is_none_or(|transcript| transcript.is_replayed())
            && self.evaluations_of(file).iter().all(|program| program.is_evaluated())
    }

    /// All programs, in the order in which their evaluations are shown.
    pub(in crate::host) fn in_order_of_evaluation(&self) -> Vec<&Arc<SnapshotProgram>> {
        let mut programs: Vec<_> = self.programs.iter().collect();
        programs.sort_by(|a, b| a.evaluation_order().cmp(&b.evaluation_order()));
        programs
    }

    /// The programs whose evaluation says something of a file: those that show it, with their own facts alone, and
    /// those of the samples that it goes with.
    #[must_use]
    pub fn evaluations_of(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let own = self.programs_of(file).filter(|program| program.single.is_none());
        own.chain(self.samples_of(file)).collect()
    }

    /// The programs from which questions about a file are answered: those of its samples; without any those that show
    /// it.
    #[must_use]
    pub fn answering(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let samples = self.samples_of(file);
        if samples.is_empty() { self.programs_of(file).collect() } else { samples }
    }

    /// The programs of the samples that a file goes with, sorted by the names of these.
    #[must_use]
    pub fn samples_of(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let mut samples: Vec<_> =
            self.programs_with(file).filter(|program| program.sample.is_some()).collect();
        samples.sort_by(|a, b| a.evaluation_order().cmp(&b.evaluation_order()));
        samples
    }
}
