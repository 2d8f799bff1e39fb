//! Discovery of transcripts, by name and by content: their settings, and the programs whose
//! declarations they are checked against.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::resolution::{ProgramScope, Shell};
use super::resolver::Resolver;
use super::{ProgramFiles, ProgramOrigin, WalkEntry};
use crate::agents::is_agent_settings;
use crate::project::{folder_name, without_linked_duplicates};
use crate::read::MAX_FILES_PER_JOB;
use crate::transcripts::{
    CaptureKind, capture_kind, has_envelope, has_fence, has_replies, is_archive, is_included, is_markdown,
    is_text, transcripts_in,
};
use crate::versions::SharedSettings;
use crate::{CheckTarget, TranscriptFile, is_mangle, relative};
use mangle_settings::{FILE_NAME, TranscriptSettings};

/// The program name for logs if a command has exactly one program.
const ONLY_POLICY: &str = "the policy";

/// A transcript whose programs are not yet known as indexes.
#[derive(Clone)]
pub(super) struct FoundTranscript {
    pub(super) path: PathBuf,
    is_document: bool,
    named: bool,
    only_while_open: bool,
    /// Shared by all members of an archive.
    settings: Arc<TranscriptSettings>,
    project: Option<usize>,
    /// The folder of its program, if no configuration file governs the transcript.
    root: Option<PathBuf>,
}

impl FoundTranscript {
    /// True if the atoms of the transcript are checked against the declarations of `program`.
    pub(super) fn goes_with(&self, program: &ProgramFiles) -> bool {
        match (self.project, program.project) {
            (Some(project), Some(of)) => project == of,
            (None, None) => {
                program.origin == ProgramOrigin::Together && self.root.as_ref() == Some(&program.root)
            }
            _ => false,
        }
    }
}

impl Resolver<'_> {
    /// Returns the transcripts below the targets, sorted by path.
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
                CheckTarget::Other(path) if self.is_named_transcript(path) => {
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
        self.programs_around(found.values_mut());
        found.into_values().flat_map(|found| self.unpacked(found)).collect()
    }

    /// Expands an archive into its transcripts, for the command line. An unreadable archive is
    /// kept, so that reading it reports the reason.
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

    /// Sets the program indexes of the transcripts. Requires the final order of the programs.
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
        // Members of an archive are sorted by name, with `/` as an ordinary character.
        self.result.transcripts.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// Returns the files of the walked folders that match `include`.
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
            if self.declares_extension(project, &found.path) {
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
        let included = without_linked_duplicates(&included);
        let free: Vec<_> = others.into_iter().filter(|(_, found)| found.target.is_none()).collect();
        let captures = self.captures(&free);
        included.into_iter().chain(captures).collect()
    }

    /// True if an explicitly given file is a transcript.
    pub(super) fn is_named_transcript(&self, path: &Path) -> bool {
        self.is_included(path) || has_envelope(path, self.overlay) || is_archive(path)
    }

    /// True if `include` matches a file, relative to the configuration file. Without a
    /// configuration file, the whole path is matched.
    fn is_included(&self, path: &Path) -> bool {
        let project = self.project_of(path);
        let root =
            project.and_then(|index| self.result.projects.get(index)).map(|project| project.root.as_path());
        let default = TranscriptSettings::default();
        let settings = self.settings_of(project).unwrap_or(&default);
        is_included(&settings.include, &relative(root.unwrap_or(Path::new("/")), path))
    }

    /// True if an open document that is not a policy is a transcript.
    fn is_open_transcript(&self, path: &Path) -> bool {
        let is_policy = is_mangle(path) || self.declares_extension(self.project_of(path), path);
        let is_transcript = || self.is_included(path) || self.is_open_capture(path);
        !is_policy && !path.ends_with(FILE_NAME) && self.is_open(path) && is_transcript()
    }

    fn is_open(&self, path: &Path) -> bool {
        self.shell == Shell::Editor && self.overlay.get(path).is_some()
    }

    /// Finds the configuration file of a file, cached per folder.
    fn govern_folder(&mut self, path: &Path) {
        let _ = self.governing(path);
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
        let (is_document, only_while_open, root) = (false, false, None);
        let settings = settings.into();
        FoundTranscript { path, is_document, named, only_while_open, settings, project, root }
    }

    /// Returns the entry of an open transcript or Markdown document that no walk found.
    fn open_transcript(&self, path: &Path, is_document: bool) -> FoundTranscript {
        FoundTranscript { is_document, only_while_open: true, ..self.transcript(path.into(), false) }
    }

    /// Assigns programs to transcripts that no configuration governs.
    fn programs_around<'f>(&mut self, found: impl Iterator<Item = &'f mut FoundTranscript>) {
        for found in found.filter(|found| found.project.is_none()) {
            let folder = found.path.parent().unwrap_or(&found.path).to_path_buf();
            found.root = match self.scope {
                ProgramScope::Folder => self.folders.program_around(&folder, self.overlay),
                ProgramScope::Exact => None,
            };
            let is_made = |program: &ProgramFiles, root: &Path| {
                program.project.is_none() && program.origin == ProgramOrigin::Together && program.root == root
            };
            if let Some(root) = found.root.clone()
                && !self.result.programs.iter().any(|program| is_made(program, &root))
            {
                let name = match self.result.programs.is_empty() && self.shell == Shell::CommandLine {
                    true => ONLY_POLICY.to_owned(),
                    false => folder_name(&root),
                };
                self.folder_program(&root, &[], name);
            }
            if found.root.is_none() && found.named {
                // Policies that were given together with logs.
                let programs = self.result.programs.iter();
                let mut free = programs.filter(|program| is_made(program, &program.root));
                let first = free.next().map(|program| program.root.clone());
                found.root = first.filter(|_| free.next().is_none());
            }
        }
    }
}

/// Maximum number of files whose beginning is read in one resolution.
const MAX_LOOKS: usize = 5_000;

impl Resolver<'_> {
    /// Returns the walked files that contain a model reply in their first bytes and that no
    /// setting names. Other files of the same kinds are counted.
    pub(super) fn captures(&mut self, others: &[(PathBuf, WalkEntry)]) -> Vec<PathBuf> {
        let mut candidates: Vec<(&Path, CaptureKind)> = others
            .iter()
            .filter(|(root, found)| self.may_be_capture(root, &found.path))
            .filter_map(|(root, found)| {
                Some((found.path.as_path(), capture_kind(&relative(root, &found.path))?))
            })
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        self.result.without_replies.unexamined += candidates.len().saturating_sub(MAX_LOOKS);
        candidates.truncate(MAX_LOOKS);
        let looks = candidates.par_iter().with_max_len(MAX_FILES_PER_JOB);
        let have_replies: Vec<bool> = looks.map(|(path, _)| self.has_replies(path)).collect();
        let mut captures = Vec::new();
        for ((path, kind), has_replies) in candidates.into_iter().zip(have_replies) {
            match (has_replies, kind) {
                (true, _) => captures.push(path.to_path_buf()),
                (false, CaptureKind::Json) => self.result.without_replies.json += 1,
                (false, CaptureKind::Log) => self.result.without_replies.logs += 1,
            }
        }
        self.captured.extend(captures.iter().cloned());
        captures
    }

    /// Removes transcripts that sample kernels name as inputs of previews, unless another reason
    /// makes them transcripts.
    pub(super) fn remove_preview_inputs(&mut self) {
        if self.captured.is_empty() || self.result.previews.is_empty() {
            return;
        }
        let inputs: FxHashSet<PathBuf> =
            self.result.beside().map(|(_, path, _)| path.to_path_buf()).collect();
        let is_input = |path: &PathBuf| self.captured.contains(path) && inputs.contains(path);
        let transcripts = std::mem::take(&mut self.result.transcripts);
        self.result.transcripts =
            transcripts.into_iter().filter(|found| found.named || !is_input(&found.path)).collect();
    }

    fn has_replies(&self, path: &Path) -> bool {
        let look = || has_replies(path, self.overlay);
        if self.overlay.bytes(path).is_some() { look() } else { self.table.has_replies(path, look) }
    }

    /// True if an open document is a transcript by its content.
    fn is_open_capture(&self, path: &Path) -> bool {
        let folders = self.targets.iter().filter_map(CheckTarget::folder);
        let root =
            folders.filter(|folder| path.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len());
        let root = root.or(path.parent()).unwrap_or(path);
        capture_kind(&relative(root, path)).is_some()
            && self.may_be_capture(root, path)
            && has_replies(path, self.overlay)
    }

    /// True if the settings allow a file to be classified by its content.
    fn may_be_capture(&self, root: &Path, path: &Path) -> bool {
        let project = self.project_of(path);
        let project = project.and_then(|index| self.result.projects.get(index));
        let default = TranscriptSettings::default();
        let Some(project) = project else {
            return !is_included(&default.include, &relative(root, path));
        };
        let settings = &project.settings;
        let include = &settings.transcripts.include;
        let is_other = project.samples.binary_search_by(|sample| sample.as_path().cmp(path)).is_ok()
            || settings.files.adds(path)
            || self.result.grammars.iter().any(|grammar| grammar.path == path);
        include.patterns() == default.include.patterns()
            && !is_included(include, &relative(&project.root, path))
            && !is_other
    }
}
