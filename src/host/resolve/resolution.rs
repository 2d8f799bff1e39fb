//! What comes of resolving: programs with their files, transcripts, and what could not be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Shell, resolve_with_transcripts};
use crate::host::atoms::AtomFiles;
use crate::host::preview_files::PreviewFiles;
use crate::host::walk::{ScanLimit, Visited};
use crate::host::{AgentSettings, CheckTarget, FileTable, MemberLink, Overlay, Project, TranscriptFile};
use mangle_engine::program::Embedding;
use mangle_settings::{FILE_NAME, Settings};
use mangle_syntax::text::FileId;

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// Why, as the end of a sentence.
    pub why: String,
    /// Whether somebody named it, so that the work was not done; else it was met on a walk.
    pub named: bool,
}

/// A file of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member {
    /// The file.
    pub file: FileId,
    /// Whether its findings are wanted, or it is only read for the sake of others.
    pub reported: bool,
}

/// Why files are analysed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOrigin {
    /// A configuration file says so.
    Configured,
    /// There is none: they were named together, or lie in one folder of the workspace.
    Together,
    /// A file that is in no program, and the schemas beside it.
    Lone,
}

/// The files that are analysed together.
#[derive(Debug)]
pub struct ProgramFiles {
    /// What the program is called.
    pub name: String,
    /// Why it is one.
    pub origin: ProgramOrigin,
    /// Which of [`Settings::programs`] it is, if it is one of them.
    pub declared: Option<usize>,
    /// The folder that it lies in.
    pub root: PathBuf,
    /// The configuration file: an index into [`Resolution::projects`].
    pub project: Option<usize>,
    /// The settings that hold for it.
    pub settings: Arc<Settings>,
    /// What surrounds it.
    pub embedding: Arc<Embedding>,
    /// The files, sorted by path.
    pub members: Vec<Member>,
    /// Sample kernels, other files of the sample, and policy tests: none of them joins the program.
    pub singles: Vec<StandaloneFile>,
}

/// A file of the sample or a policy test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandaloneFile {
    /// The file.
    pub member: Member,
    /// The files that it names to be analysed with; `None`: those of the program.
    pub uses: Option<Vec<FileId>>,
}

impl ProgramFiles {
    /// All files that are reported or may be, the singles last.
    pub fn own(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().chain(self.singles.iter().map(|single| &single.member))
    }

    /// The folder that paths of its settings count from: that of the configuration file, else its own.
    #[must_use]
    pub fn settings_root<'p>(&'p self, projects: &'p [Project]) -> &'p Path {
        let project = self.project.and_then(|index| projects.get(index));
        project.map_or(&self.root, |project| &project.root)
    }
}

/// What [`resolve`] gives.
#[derive(Debug, Default)]
pub struct Resolution {
    /// The programs that have a reported file or that a transcript goes with, sorted by folder. A file can be in several.
    pub programs: Vec<ProgramFiles>,
    /// The transcripts below the targets, sorted by path. Only an editor and who asks for transcripts gets them.
    pub transcripts: Vec<TranscriptFile>,
    /// The configurations of agents' runtimes, sorted by path. As transcripts, only who asks for them gets them.
    pub agents: Vec<AgentSettings>,
    /// Files that were named and hold nothing that is checked.
    pub skipped: Vec<PathBuf>,
    /// Targets that hold nothing that is looked at: folders and globs, and the skipped files. Only a command line gets them.
    pub empty: Vec<Problem>,
    /// The configuration files, sorted by path.
    pub projects: Vec<Project>,
    /// What the headers of sample kernels say, for those that ask for previews.
    pub previews: FxHashMap<FileId, PreviewFiles>,
    /// The prompt atoms that configurations or targets name and no kernel asks for.
    pub corpora: Vec<CorpusFiles>,
    /// The links that are in programs or are transcripts.
    pub links: Vec<MemberLink>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Files below the targets that their configuration puts into no program.
    pub left_out: Vec<PathBuf>,
    /// The folders of which only a part was scanned, sorted.
    pub cuts: Vec<PartialScan>,
}

/// A folder of which only a part was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialScan {
    /// The folder.
    pub folder: PathBuf,
    /// The limit at which the scan stopped.
    pub limit: ScanLimit,
    /// How much was visited.
    pub visited: Visited,
}

impl PartialScan {
    /// What the limit is called in `mangle-ls.toml`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self.limit {
            ScanLimit::Entries(_) => "max_scan_entries",
            ScanLimit::Files(_) => "max_scan_files",
            ScanLimit::Bytes(_) => "max_scan_bytes",
        }
    }

    /// What happened, as a clause without a subject.
    #[must_use]
    pub fn reason(&self) -> String {
        let what = match self.limit {
            ScanLimit::Entries(limit) => format!("{limit} files and folders"),
            ScanLimit::Files(limit) => format!("{limit} Mangle files"),
            ScanLimit::Bytes(limit) => format!("{limit} bytes of Mangle files"),
        };
        format!("holds more than {what}, the limit of a scan")
    }

    /// What can be done about it.
    #[must_use]
    pub fn help(&self) -> String {
        format!("choose a smaller folder, or raise `{}` below `[files]` in its `{FILE_NAME}`", self.key())
    }

    /// It as something that could not be read.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem {
            path: self.folder.clone(),
            why: format!("it {}; {}", self.reason(), self.help()),
            named: true,
        }
    }
}

/// Prompt atoms that are checked although no kernel asks for prompts of them.
#[derive(Debug)]
pub struct CorpusFiles {
    /// The index of the project that governs them; `None` without one.
    pub project: Option<usize>,
    /// The atoms.
    pub atoms: AtomFiles,
    /// The files whose findings are wanted.
    pub reported: FxHashSet<FileId>,
}

impl Resolution {
    /// The files that previews read beside policies, and those of atoms, with their texts.
    pub fn beside(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        let of_kernels = self.previews.values().flat_map(PreviewFiles::texts);
        of_kernels.chain(self.corpora.iter().flat_map(|corpus| corpus.atoms.texts()))
    }

    /// Reads what prompts are made of beside policies again, which may have changed.
    pub fn read_prompts_again(&mut self, targets: &[CheckTarget], overlay: &Overlay, table: &FileTable) {
        if !self.previews.is_empty() || !self.corpora.is_empty() {
            let again = resolve_with_transcripts(targets, Shell::CommandLine, overlay, table);
            (self.previews, self.corpora) = (again.previews, again.corpora);
            // What could be read the first time may be gone.
            for problem in again.problems {
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
            }
        }
    }

    /// All files of all programs, each once, sorted.
    #[must_use]
    pub fn files(&self) -> Vec<FileId> {
        let own = self.programs.iter().flat_map(ProgramFiles::own).map(|member| member.file);
        let singles = self.programs.iter().flat_map(|program| &program.singles);
        let used = singles.flat_map(|single| single.uses.iter().flatten().copied());
        own.chain(used).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
