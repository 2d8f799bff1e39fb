//! Detection of transcripts by content, below the folders to check.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Resolver, WalkEntry};
use crate::read::MAX_FILES_PER_JOB;
use crate::transcripts::{CaptureKind, capture_kind, has_replies, is_included};
use crate::{CheckTarget, relative};
use mangle_settings::TranscriptSettings;

/// Maximum number of files whose beginning is read in one resolution.
const MAX_LOOKS: usize = 5_000;

/// Numbers of files that may contain model replies according to their names, but have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WithoutReplies {
    pub json: usize,
    pub logs: usize,
    /// Files beyond [`MAX_LOOKS`], which were not examined.
    pub unexamined: usize,
}

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
    pub(super) fn is_open_capture(&self, path: &Path) -> bool {
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
