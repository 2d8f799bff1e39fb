//! Files that previews read in addition to policies: sessions and atoms of sample kernels, and
//! atoms of configurations.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{CorpusFiles, Resolver, Shell};
use crate::atoms::AtomFiles;
use crate::paths::is_kernel;
use crate::preview_files::{AtomCache, PreviewFiles};
use crate::{CheckTarget, read};

impl Resolver<'_> {
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
