//! The programs that a command asks about as a whole: loaded, joined, with the texts that places are in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ColorChoice;

use super::output;
use crate::host::{self, Beside, Joined, Memory, Overlay, Problem, Shell, Target};
use crate::program::FileSummary;
use crate::report::{SourceText, Sources};

/// What the paths of a command came to.
pub(super) struct Programs {
    /// The programs.
    pub(super) all: Vec<Joined>,
    /// The texts of their files.
    pub(super) sources: Sources,
    /// What was named and cannot be read.
    pub(super) problems: Vec<Problem>,
    /// Whether there was any file.
    pub(super) has_files: bool,
}

impl Programs {
    /// Loads what `paths` name.
    pub(super) fn load(paths: &[PathBuf], working: &Path) -> Self {
        Self::load_as(paths, working, &Memory::default(), Sources::default(), |_| Beside::default())
    }

    /// Loads what `paths` name, with further files in each program. A kernel or a test that is named takes the
    /// place of its program.
    pub(super) fn load_beside(
        paths: &[PathBuf],
        working: &Path,
        memory: &Memory,
        with: &[Arc<FileSummary>],
        sources: Sources,
    ) -> Self {
        Self::load_as(paths, working, memory, sources, |targets| {
            let files = targets.iter().filter_map(|target| match target {
                Target::File(path) => memory.table().known(path),
                _ => None,
            });
            Beside { named: files.collect(), with: with.to_vec() }
        })
    }

    fn load_as(
        paths: &[PathBuf],
        working: &Path,
        memory: &Memory,
        mut sources: Sources,
        beside: impl FnOnce(&[Target]) -> Beside,
    ) -> Self {
        let (named, overlay) = (host::targets(paths, working), Overlay::default());
        let mut resolution = host::resolve(&named.targets, Shell::CommandLine, &overlay, memory.table());
        resolution.problems.extend(named.problems);
        let (files, problems) = host::load(&resolution, &named.targets, &overlay, memory, || {});
        resolution.problems.extend(problems);
        for file in files.values() {
            let name = host::relative(working, &memory.table().path(file.id));
            sources.insert_source(file.id, SourceText::new(name, Arc::clone(&file.text)));
        }
        let all = host::join(&resolution, &files, &beside(&named.targets));
        let problems = resolution.problems.into_iter().filter(|problem| problem.named).collect();
        Self { all, sources, problems, has_files: !files.is_empty() }
    }

    /// Says what was named and cannot be read.
    pub(super) fn complain(&self, working: &Path, color: ColorChoice) {
        for problem in &self.problems {
            let name = host::relative(working, &problem.path);
            output::complain(color, &format!("{name}: {}", problem.why));
        }
    }
}
