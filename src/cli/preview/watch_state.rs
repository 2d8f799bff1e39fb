//! State of `preview --watch` between runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::requests::Previewed;
use mangle_host::FileTable;
use mangle_report::prompts::PromptReport;

#[derive(Default)]
pub(super) struct WatchState {
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
    prompts: Vec<PromptReport>,
}

impl WatchState {
    /// Marks lines that are new since the last run, and stores the prompts.
    pub(super) fn prompts(&mut self, all: &mut Vec<PromptReport>) {
        let before = std::mem::take(&mut self.prompts);
        self.prompts.clone_from(all);
        for prompt in all {
            let is_it = |other: &&PromptReport| {
                (&other.name, &other.shard, other.mode) == (&prompt.name, &prompt.shard, prompt.mode)
            };
            if let Some(before) = before.iter().find(is_it) {
                prompt.mark_changes(before);
            }
        }
    }
}

/// The input files of previews, and the agent configurations in their folders.
pub(super) fn read_files(previewed: &[Previewed<'_>], table: &FileTable) -> Vec<PathBuf> {
    let mut all: BTreeSet<PathBuf> = BTreeSet::new();
    for of in previewed {
        all.extend(of.joined.program.files.iter().map(|file| table.path(file.id).to_path_buf()));
        all.extend(of.files.texts().map(|(_, path, _)| path.to_path_buf()));
        all.extend(
            of.files.named().map(|path| mangle_host::absolute(of.path.parent().unwrap_or(&of.path), path)),
        );
        all.extend(
            of.path.ancestors().skip(1).map(|folder| folder.join(piggyback::transcript::settings::PATH)),
        );
    }
    all.retain(|path| path.parent().is_some_and(Path::is_dir));
    all.into_iter().collect()
}
