//! Files other than policies and transcripts: agent runtime configurations, reply grammars, and the
//! sessions and atoms of previews.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::CorpusFiles;
use super::resolution::Shell;
use super::resolver::Resolver;
use super::transcripts::FoundTranscript;
use crate::agents::{in_folder, is_agent_settings};
use crate::atoms::AtomFiles;
use crate::paths::{is_kernel, relative};
use crate::preview_files::{AtomCache, PreviewFiles};
use crate::{AgentSettings, CheckTarget, GrammarFile, Project, read};

impl Resolver<'_> {
    /// Reads the relevant configurations: named files, files in the folders of targets, projects
    /// and programs, and the nearest one above each transcript. Walks do not find them, because
    /// their folders are hidden.
    pub(super) fn agents(&mut self, transcripts: &[FoundTranscript]) {
        let mut paths: BTreeSet<PathBuf> = self.named_agents().cloned().collect();
        let mut folders: BTreeSet<&Path> = BTreeSet::new();
        folders.extend(self.result.projects.iter().map(|project| project.root.as_path()));
        folders.extend(self.result.programs.iter().map(|program| program.root.as_path()));
        folders.extend(self.targets.iter().filter_map(CheckTarget::folder));
        paths.extend(folders.into_iter().filter_map(|folder| in_folder(folder, self.overlay)));
        let around: BTreeSet<&Path> = transcripts.iter().filter_map(|found| found.path.parent()).collect();
        let nearest = |folder: &Path| folder.ancestors().find_map(|folder| in_folder(folder, self.overlay));
        paths.extend(around.into_iter().filter_map(nearest));
        let read = |path: PathBuf| AgentSettings::read(path, self.overlay, self.table);
        let mut agents: Vec<AgentSettings> = paths.into_iter().filter_map(read).collect();
        for agent in &mut agents {
            agent.project = self.project_of(&agent.path);
            agent.reported = self.is_reported(&agent.path);
        }
        self.result.agents = agents;
    }

    fn named_agents(&self) -> impl Iterator<Item = &PathBuf> {
        self.targets.iter().filter_map(|target| match target {
            CheckTarget::Other(path) | CheckTarget::File(path) if is_agent_settings(path) => Some(path),
            _ => None,
        })
    }

    /// Returns the configuration of the agent whose folder is the innermost around a file.
    pub(super) fn agent_of(&self, path: &Path) -> Option<usize> {
        let around = self.result.agents.iter().enumerate().filter(|(_, agent)| path.starts_with(&agent.root));
        around.max_by_key(|(_, agent)| agent.root.components().count()).map(|(at, _)| at)
    }

    /// Reads the files of `[decoding] files` that the targets cover. `path` is the path of the
    /// configuration, and `index` is the index of the project. A pattern without matches is a
    /// finding.
    pub(super) fn grammars(&mut self, project: &mut Project, index: usize, path: &Path) -> Vec<GrammarFile> {
        let globs = project.settings.decoding.files.clone();
        if globs.patterns().is_empty() {
            return Vec::new();
        }
        let root = project.root.clone();
        let mut found = self.own(&root, path, |tree| &tree.others);
        found.retain(|entry| globs.matches(&relative(&root, &entry.path)));
        found.sort_unstable();
        let names: Vec<_> = found.iter().map(|entry| relative(&root, &entry.path)).collect();
        project.report_grammars(&globs.unmatched(names.iter().map(String::as_str)));
        found.retain(|entry| self.is_reported(&entry.path));
        let read = |path: &Path| GrammarFile::read(path, index, self.overlay, self.table);
        found.iter().map(|entry| read(&entry.path)).collect()
    }

    /// Reads the files that the headers of sample kernels name.
    pub(super) fn previews(&mut self) {
        let mut asked_for = FxHashSet::default();
        for program in &self.result.programs {
            let configured = OnceCell::new();
            let root = program.settings_root(&self.result.projects);
            for single in &program.standalone_files {
                let path = self.table.path(single.member.file);
                let text = is_kernel(&path).then(|| read(&path, self.overlay).ok()).flatten();
                let Some(text) = text else { continue };
                let globs = &program.settings.prompt.atoms;
                let atoms = configured
                    .get_or_init(|| AtomFiles::named(globs, root, self.overlay, self.table).map(Arc::new));
                let of = PreviewFiles::load(
                    &path,
                    &text.text,
                    root,
                    AtomCache { configured: atoms.as_ref(), before: None },
                    self.overlay,
                    self.table,
                );
                if of.header.groups.iter().any(|group| group.atoms.is_none()) {
                    asked_for.extend(program.project);
                }
                if !of.header.groups.is_empty() || !of.header.findings.is_empty() {
                    self.result.previews.insert(single.member.file, of.into());
                }
            }
        }
        if self.shell == Shell::CommandLine {
            self.corpora(&asked_for);
        }
    }

    /// Reads the atoms that configurations name and that no kernel uses, if the targets cover
    /// them. Then reads atom files that were given explicitly.
    fn corpora(&mut self, asked_for: &FxHashSet<usize>) {
        let projects = self.result.projects.iter().enumerate();
        let others = projects.filter(|(at, _)| !asked_for.contains(at));
        let named = others.filter_map(|(at, project)| {
            let globs = &project.settings.prompt.atoms;
            let atoms = AtomFiles::named(globs, &project.root, self.overlay, self.table)?;
            self.corpus(Some(at), atoms)
        });
        self.result.corpora = named.collect();
        for target in self.targets {
            let CheckTarget::Other(path) = target else { continue };
            if self.result.beside().any(|(_, known, _)| known == path) {
                continue;
            }
            let Some(atoms) = AtomFiles::around(path, self.overlay, self.table) else { continue };
            let governing = self.governing(path);
            let project =
                self.result.projects.iter().position(|project| Some(&project.path) == governing.as_ref());
            let corpus = self.corpus(project, atoms);
            self.result.corpora.extend(corpus);
        }
        let beside: FxHashSet<_> = self.result.beside().map(|(_, path, _)| path.to_path_buf()).collect();
        self.result.skipped.retain(|path| !beside.contains(path));
    }

    /// Returns the atoms if the targets cover at least one of their files.
    fn corpus(&self, project: Option<usize>, atoms: AtomFiles) -> Option<CorpusFiles> {
        let covered = atoms.texts().filter(|(_, path, _)| self.is_reported(path));
        let reported: FxHashSet<_> = covered.map(|(file, ..)| file).collect();
        (!reported.is_empty()).then_some(CorpusFiles { project, atoms, reported })
    }
}
