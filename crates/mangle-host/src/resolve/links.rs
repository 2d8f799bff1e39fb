//! Symbolic links among program files and transcripts.

use std::path::PathBuf;

use rustc_hash::FxHashSet;

use super::{ProgramFiles, ProgramOrigin, Resolver};
use crate::MemberLink;
use crate::paths::real;
use crate::walk::{FileTree, WalkEntry};
use mangle_syntax::text::FileId;

impl Resolver<'_> {
    /// Records the links that are members of programs or transcripts. If a link is only open and
    /// in no program, its document is treated as the target file.
    pub(super) fn links(&mut self) {
        let programs = self.result.programs.iter().filter(|program| program.origin != ProgramOrigin::Lone);
        let members = programs.flat_map(ProgramFiles::own).map(|member| member.file);
        let transcripts = self.result.transcripts.iter().map(|transcript| transcript.file);
        let known: FxHashSet<FileId> = members.chain(transcripts).collect();
        let is_known =
            |found: &&WalkEntry| self.table.known(&found.path).is_some_and(|id| known.contains(&id));
        let links: Vec<_> =
            self.trees.values().flat_map(found_in).filter(|found| found.target.is_some()).collect();
        if links.is_empty() {
            return;
        }
        let plain = self.plain_files();
        let link = |found: &WalkEntry| {
            let target = found.target.clone()?;
            let stands_for_target = !plain.contains(&target);
            Some(MemberLink { path: found.path.clone(), target, stands_for_target })
        };
        self.result.links = links.into_iter().filter(is_known).filter_map(link).collect();
    }

    /// Returns the walked files whose paths contain no link.
    fn plain_files(&self) -> FxHashSet<PathBuf> {
        let mut plain = FxHashSet::default();
        // An open document in a hidden folder adds a separate tree below another tree.
        let is_outermost =
            |root: &PathBuf| !self.trees.keys().any(|above| above != root && root.starts_with(above));
        for (root, tree) in self.trees.iter().filter(|(root, _)| is_outermost(root)) {
            let real = real(root);
            let files = found_in(tree).filter(|found| found.target.is_none());
            let below = |found: &WalkEntry| Some(real.join(found.path.strip_prefix(root).ok()?));
            plain.extend(files.filter_map(below));
        }
        plain
    }
}

fn found_in(tree: &FileTree) -> impl Iterator<Item = &WalkEntry> {
    tree.files.iter().chain(&tree.others)
}
