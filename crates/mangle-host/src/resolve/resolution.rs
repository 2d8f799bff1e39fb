//! The result of path resolution: programs with their files and units, transcripts, reply grammars,
//! and problems.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::atoms::AtomFiles;
use crate::preview_files::PreviewFiles;
use crate::project::{ProgramOrigin, SettingsProblems};
use crate::read::{Problem, read};
use crate::walk::PartialScan;
use crate::{
    AgentSettings, FileTable, FileText, MemberLink, Overlay, ProgramVersions, Project, TranscriptFile,
    relative,
};
use mangle_engine::program::ProgramEnvironment;
use mangle_settings::{Settings, TranscriptSettings};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;

/// A file of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member {
    pub file: FileId,
    /// True if findings in this file are reported. False for files that only provide context.
    pub reported: bool,
}

/// Files that are analyzed together.
#[derive(Debug)]
pub struct ProgramFiles {
    pub name: String,
    /// The reason why the files form a program.
    pub origin: ProgramOrigin,
    /// Index into [`Settings::programs`], if a configuration declares the program.
    pub declared: Option<usize>,
    pub root: PathBuf,
    /// Index into [`Resolution::projects`] of the configuration file.
    pub project: Option<usize>,
    pub settings: Arc<Settings>,
    /// The versions of the engine and the runtime, with the reason for each.
    pub versions: Arc<ProgramVersions>,
    pub embedding: Arc<ProgramEnvironment>,
    /// Sorted by path.
    pub members: Vec<Member>,
    /// Sample kernels, other sample files, and policy tests, which are not members of the program.
    pub standalone_files: Vec<StandaloneFile>,
    /// Mangle files below the program's folder that are in other programs. Empty if a
    /// configuration governs the program.
    pub files_of_other_programs: Vec<PathBuf>,
}

/// A sample file or a policy test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandaloneFile {
    pub member: Member,
    /// The files that this file names as its program. `None` for the files of the enclosing
    /// program.
    pub uses: Option<Vec<FileId>>,
}

impl ProgramFiles {
    /// Returns all files that may be reported. Standalone files are last.
    pub fn own(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().chain(self.standalone_files.iter().map(|single| &single.member))
    }

    /// The base folder of relative paths in the settings: the folder of the configuration file, or
    /// the folder of the program.
    #[must_use]
    pub fn settings_root<'p>(&'p self, projects: &'p [Project]) -> &'p Path {
        let project = self.project.and_then(|index| projects.get(index));
        project.map_or(&self.root, |project| &project.root)
    }
}

/// The result of [`super::resolve`].
#[derive(Debug, Default)]
pub struct Resolution {
    /// Programs with a reported file or with a transcript, sorted by folder. A file can be in
    /// several programs.
    pub programs: Vec<ProgramFiles>,
    /// The transcripts below the targets, sorted by path. Empty for commands that do not request
    /// transcripts.
    pub transcripts: Vec<TranscriptFile>,
    /// Agent runtime configurations, sorted by path. Empty for commands that do not request
    /// transcripts.
    pub agents: Vec<AgentSettings>,
    /// The reply grammars and schemas that configurations name and targets cover, sorted by path.
    pub grammars: Vec<GrammarFile>,
    /// Explicitly given files that contain nothing to check.
    pub skipped: Vec<PathBuf>,
    /// Targets without any file to process: folders, globs and the skipped files. Only set for the
    /// command line.
    pub empty_targets: Vec<Problem>,
    /// Sorted by path.
    pub projects: Vec<Project>,
    /// The parsed headers of sample kernels that request previews.
    pub previews: FxHashMap<FileId, Arc<PreviewFiles>>,
    /// Prompt atoms that configurations or targets name and no kernel uses.
    pub corpora: Vec<CorpusFiles>,
    /// The links that are members of programs or transcripts.
    pub links: Vec<MemberLink>,
    pub problems: Vec<Problem>,
    /// Files that were inspected and contain no model reply.
    pub without_replies: WithoutReplies,
    /// Files below the targets that their configuration assigns to no program.
    pub excluded_files: Vec<PathBuf>,
    /// The open documents of an editor that are in no workspace folder.
    pub outside: Vec<FileId>,
    /// The `go.mod` files that select an engine version, including unreadable ones. Sorted.
    pub go_mods: Vec<PathBuf>,
    /// The folders that were scanned incompletely, sorted.
    pub partial_scans: Vec<PartialScan>,
}

/// Prompt atoms that are checked although no kernel uses them.
#[derive(Debug)]
pub struct CorpusFiles {
    /// Index of the governing project, if any.
    pub project: Option<usize>,
    pub atoms: AtomFiles,
    /// The files whose findings are reported.
    pub reported: FxHashSet<FileId>,
}

impl Resolution {
    /// Returns the problems of all configuration files, with file names relative to `working`. All
    /// commands check them, because no command runs with defaults in place of unreadable settings.
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

    /// Returns the notes about the versions of the programs, without duplicates.
    #[must_use]
    pub fn version_notes(&self) -> BTreeSet<&str> {
        let versions = self.programs.iter().map(|program| &program.versions);
        let notes = versions.flat_map(|versions| versions.engine.notes.iter().chain(&versions.runtime.notes));
        notes.map(String::as_str).collect()
    }

    /// Returns the transcript of this resolution that corresponds to `found` from another
    /// resolution of the same files.
    #[must_use]
    pub fn transcript(&self, found: &TranscriptFile) -> Option<&TranscriptFile> {
        let at = self.transcripts.binary_search_by(|known| known.path.cmp(&found.path)).ok()?;
        self.transcripts.get(at)
    }

    /// Changes the settings of all transcripts. Transcripts that share settings still share them
    /// afterwards.
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    pub fn change_settings<E>(
        &mut self,
        mut change: impl FnMut(&mut TranscriptSettings) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut changed: FxHashMap<*const TranscriptSettings, Arc<TranscriptSettings>> = FxHashMap::default();
        // The old settings are kept until the end, so that their addresses are not reused.
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

    /// Returns the files that previews read in addition to policies, and the atom files, with
    /// their texts.
    pub fn beside(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        let of_kernels = self.previews.values().flat_map(|files| files.texts());
        of_kernels.chain(self.corpora.iter().flat_map(|corpus| corpus.atoms.texts()))
    }

    /// Reads the reply grammars and schemas again, because they may have changed.
    pub fn read_grammars_again(&mut self, overlay: &Overlay, table: &FileTable) {
        for grammar in &mut self.grammars {
            *grammar = GrammarFile::read(&grammar.path.clone(), grammar.project, overlay, table);
        }
    }

    /// Reads the agent runtime configurations again, because they may have changed.
    pub fn read_agents_again(&mut self, overlay: &Overlay, table: &FileTable) {
        for agent in &mut self.agents {
            if let Some(new) = AgentSettings::read(agent.path.clone(), overlay, table) {
                *agent = AgentSettings { project: agent.project, reported: agent.reported, ..new };
            }
        }
    }

    /// Returns all files of all programs, sorted and without duplicates.
    #[must_use]
    pub fn files(&self) -> Vec<FileId> {
        let own = self.programs.iter().flat_map(ProgramFiles::own).map(|member| member.file);
        let singles = self.programs.iter().flat_map(|program| &program.standalone_files);
        let used = singles.flat_map(|single| single.uses.iter().flatten().copied());
        own.chain(used).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Files that are linked: the files of a program, or the files of a sample or policy test with its
/// program.
#[derive(Debug)]
pub struct Unit<'p> {
    /// The sample or policy test. `None` for the program itself.
    pub single: Option<&'p StandaloneFile>,
    /// In program order. The standalone file is last.
    pub files: Vec<FileId>,
    /// The files whose findings this unit reports. For a standalone file, only the file itself.
    pub reported: Vec<FileId>,
}

impl ProgramFiles {
    /// Returns the program itself, followed by one unit per sample and policy test.
    pub fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        let reported = self.members.iter().filter(|member| member.reported).map(|member| member.file);
        let files = self.members.iter().map(|member| member.file).collect();
        let own = Unit { single: None, files, reported: reported.collect() };
        std::iter::once(own).chain(self.standalone_files.iter().map(|single| self.unit_of(single)))
    }

    /// Returns the unit of a sample or policy test.
    #[must_use]
    pub fn unit_of<'p>(&'p self, single: &'p StandaloneFile) -> Unit<'p> {
        let mut files = match &single.uses {
            Some(used) => used.clone(),
            None => self.members.iter().map(|member| member.file).collect(),
        };
        files.push(single.member.file);
        let reported = single.member.reported.then_some(single.member.file);
        Unit { single: Some(single), files, reported: reported.into_iter().collect() }
    }
}

#[derive(Debug)]
pub struct GrammarFile {
    pub file: FileId,
    pub path: PathBuf,
    /// Index into [`crate::Resolution::projects`] of the configuration that names the file.
    pub project: usize,
    pub text: Arc<str>,
    /// The reason if the file cannot be read as text.
    pub(crate) unread: Option<Finding>,
}

impl GrammarFile {
    pub(crate) fn read(path: &Path, project: usize, overlay: &Overlay, table: &FileTable) -> Self {
        let text = read(path, overlay).unwrap_or_else(|error| FileText::unreadable(&error));
        let unread = text.findings.into_iter().next();
        Self { file: table.id(path), path: path.into(), project, text: text.text, unread }
    }
}

/// Returns the only program of `programs`.
///
/// # Errors
///
/// If the number of programs is not one. `place` describes the searched place in the error.
pub fn only<'p, J>(programs: &'p [J], name: &dyn Fn(&J) -> &str, place: &str) -> Result<&'p J, String> {
    match programs {
        [one] => Ok(one),
        [] => Err(format!("there are no Mangle files (`.mg`, `.gl`) {place}")),
        several => {
            let names: Vec<_> = several.iter().map(name).collect();
            Err(format!("there are several programs {place}, {}: name the files of one", names.join(", ")))
        }
    }
}

/// The caller of the resolution. An editor opens arbitrary documents, and has less time for an
/// evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shell {
    /// Targets are the given paths.
    CommandLine,
    /// Targets are the workspace folders and the open documents.
    #[default]
    Editor,
}

/// The program of files without configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProgramScope {
    /// Each file is in the program of its folder.
    #[default]
    Folder,
    /// The targets alone form one program.
    Exact,
}

/// Numbers of files that may contain model replies according to their names, but have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WithoutReplies {
    pub json: usize,
    pub logs: usize,
    /// Files beyond `MAX_LOOKS`, which were not examined.
    pub unexamined: usize,
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
