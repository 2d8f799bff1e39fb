//! Which files are transcripts, under which settings, and whose declarations hold for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::default_programs::schemas_in;
use super::{ProgramFiles, ProgramOrigin, ProjectProgram, Resolver, Shell, WalkEntry};
use crate::host::agents::is_agent_settings;
use crate::host::project::{folder_name, without_twins};
use crate::host::transcripts::{
    has_envelope, has_fence, is_archive, is_included, is_markdown, is_text, transcripts_in,
};
use crate::host::versions::SharedSettings;
use crate::host::{CheckTarget, TranscriptFile, is_mangle, relative};
use mangle_engine::program::Embedding;
use mangle_settings::{FILE_NAME, TranscriptSettings};

/// A transcript before programs have their places.
#[derive(Clone)]
pub(super) struct FoundTranscript {
    pub(super) path: PathBuf,
    is_document: bool,
    named: bool,
    only_while_open: bool,
    /// All members of an archive share them.
    settings: Arc<TranscriptSettings>,
    project: Option<usize>,
    /// The folder of the program that it goes with, where there is no configuration file.
    root: Option<PathBuf>,
}

impl FoundTranscript {
    /// Whether its atoms are checked against the declarations of a program.
    pub(super) fn goes_with(&self, program: &ProgramFiles) -> bool {
        match (self.project, program.project) {
            (Some(project), Some(of)) => project == of,
            (None, None) => self.root.as_ref() == Some(&program.root),
            _ => false,
        }
    }
}

impl Resolver<'_> {
    /// The transcripts below the targets, sorted by path.
    pub(super) fn transcripts(&mut self) -> Vec<FoundTranscript> {
        let mut found = BTreeMap::new();
        for path in self.walked_transcripts() {
            found.insert(path.clone(), self.transcript(path, false));
        }
        for target in self.targets {
            match target {
                CheckTarget::Transcript(path) => {
                    drop(found.insert(path.clone(), self.transcript(path.clone(), true)))
                }
                CheckTarget::Other(path) if is_agent_settings(path) || self.as_mangle.contains(path) => {}
                CheckTarget::Other(path) if self.is_meant(path) => {
                    found.insert(path.clone(), self.transcript(path.clone(), true));
                }
                CheckTarget::Other(path) if is_markdown(path) && has_fence(path, self.overlay) => {
                    let document =
                        FoundTranscript { is_document: true, ..self.transcript(path.clone(), true) };
                    found.insert(path.clone(), document);
                }
                CheckTarget::Other(path) => self.result.skipped.push(path.clone()),
                CheckTarget::File(path) if self.is_open_transcript(path) => {
                    found.entry(path.clone()).or_insert(self.open_transcript(path, false));
                }
                CheckTarget::File(path) if self.is_open(path) && is_markdown(path) => {
                    found.entry(path.clone()).or_insert(self.open_transcript(path, true));
                }
                _ => {}
            }
        }
        self.schemas_beside(found.values_mut());
        found.into_values().flat_map(|found| self.unpacked(found)).collect()
    }

    /// The transcripts in an archive, for the command line; anything else as it is. An archive that cannot be read stays,
    /// so that reading it says why.
    fn unpacked(&self, found: FoundTranscript) -> Vec<FoundTranscript> {
        if self.shell != Shell::CommandLine || !is_archive(&found.path) {
            return vec![found];
        }
        match transcripts_in(&found.path) {
            Ok(paths) if !paths.is_empty() => {
                paths.into_iter().map(|path| FoundTranscript { path, ..found.clone() }).collect()
            }
            _ => vec![found],
        }
    }

    /// Gives the transcripts their programs, which have their places now.
    pub(super) fn place_transcripts(&mut self, found: Vec<FoundTranscript>) {
        let programs = &self.result.programs;
        let mut decided = SharedSettings::default();
        let place = |found: FoundTranscript| {
            let own = programs.iter().enumerate().filter(|(_, program)| found.goes_with(program));
            let policies = own.clone().filter(|(_, program)| !program.members.is_empty());
            let runtime =
                self.versions.runtime_of(&found.settings, policies.map(|(_, program)| &*program.versions));
            TranscriptFile {
                file: self.table.id(&found.path),
                settings: decided.with_runtime(&found.settings, runtime, |settings| settings),
                programs: own.map(|(at, _)| at).collect(),
                is_document: found.is_document,
                named: found.named,
                only_while_open: found.only_while_open,
                project: found.project,
                agent: self.agent_of(&found.path),
                path: found.path,
            }
        };
        self.result.transcripts = found.into_iter().map(place).collect();
        // The members of an archive are sorted by name, in which `/` is a character as any other.
        self.result.transcripts.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// The files of the walked folders that `include` names.
    fn walked_transcripts(&mut self) -> Vec<PathBuf> {
        let others =
            self.trees.iter().flat_map(|(root, tree)| tree.others.iter().map(move |found| (root, found)));
        let reported = others.filter(|(_, found)| self.is_reported(&found.path));
        let others: Vec<(PathBuf, WalkEntry)> =
            reported.map(|(root, found)| (root.clone(), found.clone())).collect();
        for (_, found) in &others {
            self.govern_folder(&found.path);
        }
        let included = |(root, found): &&(PathBuf, WalkEntry)| {
            let project = self.project_of(&found.path);
            if self.adds(project, &found.path) {
                return false;
            }
            let (root, samples) = match project.and_then(|index| self.result.projects.get(index)) {
                Some(project) => (&project.root, &project.samples[..]),
                None => (root, &[][..]),
            };
            let default = TranscriptSettings::default();
            let settings = self.settings_of(project).unwrap_or(&default);
            is_included(&settings.include, &relative(root, &found.path))
                && samples.binary_search(&found.path).is_err()
                && (is_text(&found.path, self.overlay) || is_archive(&found.path))
        };
        let included: Vec<_> = others.iter().filter(included).map(|(_, found)| found).collect();
        without_twins(&included)
    }

    /// Whether the configuration file of a project says that a file is Mangle by its ending.
    pub(super) fn adds(&self, project: Option<usize>, path: &Path) -> bool {
        let project = project.and_then(|index| self.result.projects.get(index));
        project.is_some_and(|project| project.settings.files.adds(path))
    }

    /// Whether a file that was named is a transcript.
    pub(super) fn is_meant(&self, path: &Path) -> bool {
        self.is_included(path) || has_envelope(path, self.overlay) || is_archive(path)
    }

    /// Whether `include` names a file, whose path counts from the configuration file on; without one, all of it.
    fn is_included(&self, path: &Path) -> bool {
        let project = self.project_of(path);
        let root =
            project.and_then(|index| self.result.projects.get(index)).map(|project| project.root.as_path());
        let default = TranscriptSettings::default();
        let settings = self.settings_of(project).unwrap_or(&default);
        is_included(&settings.include, &relative(root.unwrap_or(Path::new("/")), path))
    }

    /// Whether an open document that is no policy is a transcript.
    fn is_open_transcript(&self, path: &Path) -> bool {
        let is_policy = is_mangle(path) || self.adds(self.project_of(path), path);
        !is_policy && !path.ends_with(FILE_NAME) && self.is_open(path) && self.is_included(path)
    }

    fn is_open(&self, path: &Path) -> bool {
        self.shell == Shell::Editor && self.overlay.get(path).is_some()
    }

    pub(super) fn project_of(&self, path: &Path) -> Option<usize> {
        let governing = path.parent().and_then(|folder| self.nearest_known(folder))?;
        self.result.projects.iter().position(|project| project.path == governing)
    }

    /// Looks the configuration file of a file up, once for its folder.
    fn govern_folder(&mut self, path: &Path) {
        let _ = self.governing(path);
    }

    /// The configuration file of a folder.
    fn nearest_known(&self, folder: &Path) -> Option<PathBuf> {
        match self.nearest.get(folder) {
            Some(known) => known.clone(),
            None => crate::host::project::nearest(folder, self.overlay),
        }
    }

    fn settings_of(&self, project: Option<usize>) -> Option<&TranscriptSettings> {
        project.and_then(|index| self.result.projects.get(index)).map(|project| &project.settings.transcripts)
    }

    fn transcript(&self, path: PathBuf, named: bool) -> FoundTranscript {
        let project = self.project_of(&path);
        let settings = match project.and_then(|index| self.result.projects.get(index)) {
            Some(project) => project.settings.transcripts.for_file(&relative(&project.root, &path)),
            None => TranscriptSettings::default(),
        };
        let root = if project.is_none() { self.program_around(&path) } else { None };
        let (is_document, only_while_open) = (false, false);
        let settings = settings.into();
        FoundTranscript { path, is_document, named, only_while_open, settings, project, root }
    }

    /// A transcript, or a Markdown document, that no walk found.
    fn open_transcript(&self, path: &Path, is_document: bool) -> FoundTranscript {
        FoundTranscript { is_document, only_while_open: true, ..self.transcript(path.into(), false) }
    }

    /// The folder of the program that a transcript goes with which no configuration file governs: on the command line
    /// that of what was named with it, in an editor the innermost around it.
    fn program_around(&self, path: &Path) -> Option<PathBuf> {
        let free = self.result.programs.iter().filter(|program| program.project.is_none());
        let roots = free.map(|program| &program.root);
        match self.shell {
            Shell::CommandLine => roots.min().cloned(),
            Shell::Editor => roots
                .filter(|root| path.starts_with(root))
                .max_by_key(|root| root.components().count())
                .cloned(),
        }
    }

    /// Where no program is around, the schemas beside a transcript are one.
    fn schemas_beside<'f>(&mut self, found: impl Iterator<Item = &'f mut FoundTranscript>) {
        let mut made = BTreeSet::new();
        for found in found.filter(|found| found.project.is_none() && found.root.is_none()) {
            let Some(folder) = found.path.parent().map(Path::to_path_buf) else { continue };
            let files = schemas_in(&folder, self.overlay);
            if files.is_empty() {
                continue;
            }
            found.root = Some(folder.clone());
            if made.insert(folder.clone()) {
                let dealt = ProjectProgram {
                    name: folder_name(&folder),
                    origin: ProgramOrigin::Lone,
                    declared: None,
                    files: files.into_iter().collect(),
                    embedding: Embedding::default(),
                };
                let program = self.program(dealt, folder, None, &Arc::default(), &[]);
                self.result.programs.push(program);
            }
        }
    }
}
