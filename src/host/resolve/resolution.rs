//! What comes of resolving: programs with their files, transcripts, and what could not be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Shell, WithoutReplies, resolve_with_transcripts};
use crate::host::atoms::AtomFiles;
use crate::host::partial_scan::PartialScan;
use crate::host::preview_files::PreviewFiles;
use crate::host::problem::Problem;
use crate::host::project::ProgramOrigin;
use crate::host::settings_problems::SettingsProblems;
use crate::host::{
    AgentSettings, CheckTarget, FileTable, GrammarFile, MemberLink, Overlay, ProgramVersions, Project,
    TranscriptFile, relative,
};
use mangle_engine::program::ProgramEnvironment;
use mangle_settings::{Settings, TranscriptSettings};
use mangle_syntax::text::FileId;

/// A file of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member {
    pub file: FileId,
    /// Whether its findings are wanted, or it is only read for the sake of others.
    pub reported: bool,
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
    /// The versions of the engine and the runtime, with the reasons for them.
    pub versions: Arc<ProgramVersions>,
    pub embedding: Arc<ProgramEnvironment>,
    /// The files, sorted by path.
    pub members: Vec<Member>,
    /// Sample kernels, other files of the sample, and policy tests: none of them joins the program.
    pub singles: Vec<StandaloneFile>,
    /// Mangle files below its folder that are in other programs, if no configuration governs it.
    pub elsewhere: Vec<PathBuf>,
}

/// A file of the sample or a policy test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandaloneFile {
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
    /// The grammars and schemas of replies that configurations name and the targets cover, sorted by path.
    pub grammars: Vec<GrammarFile>,
    /// Files that were named and hold nothing that is checked.
    pub skipped: Vec<PathBuf>,
    /// Targets that hold nothing that is looked at: folders and globs, and the skipped files. Only a command line gets them.
    pub empty: Vec<Problem>,
    /// The configuration files, sorted by path.
    pub projects: Vec<Project>,
    /// What the headers of sample kernels say, for those that ask for previews.
    pub previews: FxHashMap<FileId, Arc<PreviewFiles>>,
    /// The prompt atoms that configurations or targets name and no kernel asks for.
    pub corpora: Vec<CorpusFiles>,
    /// The links that are in programs or are transcripts.
    pub links: Vec<MemberLink>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// The files that were examined and have no reply of a model.
    pub without_replies: WithoutReplies,
    /// Files below the targets that their configuration puts into no program.
    pub left_out: Vec<PathBuf>,
    /// The open documents of an editor in no folder of the workspace.
    pub outside: Vec<FileId>,
    /// The `go.mod` files that choose an engine, or would if they could be read; sorted.
    pub go_mods: Vec<PathBuf>,
    /// The folders of which only a part was scanned, sorted.
    pub cuts: Vec<PartialScan>,
}

/// Prompt atoms that are checked although no kernel asks for prompts of them.
#[derive(Debug)]
pub struct CorpusFiles {
    /// The index of the project that governs them; `None` without one.
    pub project: Option<usize>,
    pub atoms: AtomFiles,
    /// The files whose findings are wanted.
    pub reported: FxHashSet<FileId>,
}

impl Resolution {
    /// What is wrong with the configuration files; their names count from `working`. Every command asks for it, and none works
    /// with the defaults in place of settings that cannot be read.
    #[must_use]
    pub fn settings_problems(&self, working: &Path) -> SettingsProblems {
        let mut problems = SettingsProblems::default();
        for project in &self.projects {
            let of_project = project.problems(&relative(working, &project.path));
            problems.errors.add(of_project.errors);
            problems.ignored.extend(of_project.ignored);
        }
        problems
    }

    /// The notes about the versions of the programs, each once.
    #[must_use]
    pub fn version_notes(&self) -> BTreeSet<&str> {
        let versions = self.programs.iter().map(|program| &program.versions);
        let notes = versions.flat_map(|versions| versions.engine.notes.iter().chain(&versions.runtime.notes));
        notes.map(String::as_str).collect()
    }

    /// The transcript that another resolution of the same files has as `found`.
    #[must_use]
    pub fn transcript(&self, found: &TranscriptFile) -> Option<&TranscriptFile> {
        let at = self.transcripts.binary_search_by(|known| known.path.cmp(&found.path)).ok()?;
        self.transcripts.get(at)
    }

    /// Changes the settings of all transcripts. Transcripts with the same settings share them afterwards as well.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn change_settings<E>(
        &mut self,
        mut change: impl FnMut(&mut TranscriptSettings) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut changed: FxHashMap<*const TranscriptSettings, Arc<TranscriptSettings>> = FxHashMap::default();
        // The old settings live until the end, so no new ones have the address of others.
        let mut old = Vec::new();
        for found in &mut self.transcripts {
            let address = Arc::as_ptr(&found.settings);
            let new = match changed.get(&address) {
                Some(new) => Arc::clone(new),
                None => {
                    let mut settings = TranscriptSettings::clone(&found.settings);
                    change(&mut settings)?;
                    old.push(Arc::clone(&found.settings));
                    let new = Arc::new(settings);
                    changed.insert(address, Arc::clone(&new));
                    new
                }
            };
            found.settings = new;
        }
        Ok(())
    }

    /// The files that previews read beside policies, and those of atoms, with their texts.
    pub fn beside(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        let of_kernels = self.previews.values().flat_map(|files| files.texts());
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

    /// Reads the grammars and schemas of replies again, which may have changed.
    pub fn read_grammars_again(&mut self, overlay: &Overlay, table: &FileTable) {
        for grammar in &mut self.grammars {
            *grammar = GrammarFile::read(&grammar.path.clone(), grammar.project, overlay, table);
        }
    }

    /// Reads the configurations of agents' runtimes again, which may have changed.
    pub fn read_agents_again(&mut self, overlay: &Overlay, table: &FileTable) {
        for agent in &mut self.agents {
            if let Some(new) = AgentSettings::read(agent.path.clone(), overlay, table) {
                *agent = AgentSettings { project: agent.project, reported: agent.reported, ..new };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_found_by_path_and_share_changed_settings() {
        let settings: Arc<TranscriptSettings> = Arc::default();
        let transcript = |name: &str| TranscriptFile {
            file: FileId(0),
            path: PathBuf::from(name),
            is_document: false,
            named: true,
            only_while_open: false,
            settings: Arc::clone(&settings),
            project: None,
            agent: None,
            programs: Vec::new(),
        };
        let mut transcripts: Vec<_> =
            ["/a/x", "/a-b/x", "/a/b/c", "/b"].into_iter().map(transcript).collect();
        transcripts.sort_by(|one, other| one.path.cmp(&other.path));
        let mut resolution = Resolution { transcripts, ..Resolution::default() };
        for name in ["/a/x", "/a-b/x", "/a/b/c", "/b"] {
            let found = resolution.transcript(&transcript(name));
            assert!(found.is_some_and(|found| found.path == Path::new(name)), "{name}");
        }
        assert!(resolution.transcript(&transcript("/c")).is_none());
        let mut changes = 0;
        let changed = resolution.change_settings(|settings| {
            changes += 1;
            settings.caps.strict = true;
            Ok::<_, ()>(())
        });
        assert!(changed.is_ok() && changes == 1);
        let first = resolution.transcripts.first().map(|found| Arc::as_ptr(&found.settings));
        assert!(resolution.transcripts.iter().all(|found| Some(Arc::as_ptr(&found.settings)) == first));
    }
}
