//! Whether fixes did what they promised.

use rustc_hash::FxHashMap;

use super::Found;
use super::edits::{Edit, moved};
use super::select::Candidate;
use crate::lint::Diagnostic;
use crate::text::FileId;

/// The edits of some fixes by file, sorted.
#[derive(Debug, Default)]
pub(super) struct Changes<'f>(FxHashMap<FileId, Vec<Edit<'f>>>);

impl<'f> Changes<'f> {
    pub(super) fn of(candidates: &[Candidate<'f>]) -> Self {
        let mut files: FxHashMap<FileId, Vec<Edit<'f>>> = FxHashMap::default();
        for edit in candidates.iter().flat_map(|candidate| &candidate.fix.edits) {
            files.entry(edit.file).or_default().push((edit.range, edit.text.as_str()));
        }
        for edits in files.values_mut() {
            edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        }
        Self(files)
    }

    /// The files, with the edits of each.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &[Edit<'f>])> {
        self.0.iter().map(|(file, edits)| (*file, edits.as_slice()))
    }

    /// The edits of one file.
    pub(super) fn in_file(&self, file: FileId) -> &[Edit<'f>] {
        self.0.get(&file).map_or(&[], Vec::as_slice)
    }
}

/// Whether the finding of a fix is still there.
pub(super) fn persists(candidate: &Candidate<'_>, changes: &Changes<'_>, after: &Found) -> bool {
    let places = moved(candidate.diagnostic.range, changes.in_file(candidate.file));
    let same = |found: &Diagnostic| found.rule == candidate.diagnostic.rule && places.contains(&found.range);
    // What was deleted whole is gone, whatever stands there now.
    let is_deleted = !candidate.diagnostic.range.is_empty() && places.iter().all(|place| place.is_empty());
    !is_deleted && after.get(&candidate.file).is_some_and(|found| found.iter().any(same))
}
