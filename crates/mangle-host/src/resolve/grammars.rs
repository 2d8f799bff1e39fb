//! Discovery of the reply grammars and schemas that a configuration names.

use std::path::Path;

use super::Resolver;
use crate::paths::relative;
use crate::{GrammarFile, Project};

impl Resolver<'_> {
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
}
