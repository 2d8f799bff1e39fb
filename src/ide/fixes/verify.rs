//! Whether fixes did what they promised.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::edits::{Edit, moved};
use super::select::Candidate;
use super::{Bench, Found};
use crate::lint::{Diagnostic, Group};
use crate::program::FileSummary;
use crate::syntax::SourceFile;
use crate::text::{FileId, apply};

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

    /// The edits of one file.
    pub(super) fn in_file(&self, file: FileId) -> &[Edit<'f>] {
        self.0.get(&file).map_or(&[], Vec::as_slice)
    }
}

/// Puts the changes on the bench; gives what stood there before. `None` where they do not fit the texts.
pub(super) fn put(bench: &mut Bench, changes: &Changes<'_>) -> Option<Vec<Arc<FileSummary>>> {
    let mut before = Vec::with_capacity(changes.0.len());
    for (file, edits) in &changes.0 {
        let old = bench.files.get(file)?;
        let text = apply(&old.text, edits.iter().copied())?;
        let new = FileSummary::new(*file, &SourceFile::parse(text.into()).without_tree());
        before.extend(bench.files.insert(*file, Arc::new(new)));
    }
    Some(before)
}

/// Whether every file that the fixes changed can be read no worse than before.
pub(super) fn reads_no_worse(
    bench: &Bench,
    before: &[Arc<FileSummary>],
    candidates: &[Candidate<'_>],
) -> bool {
    before.iter().all(|old| {
        let Some(new) = bench.files.get(&old.id) else { return false };
        let [(errors, sound), (new_errors, new_sound)] = [old, new].map(|file| soundness(file));
        // Of a statement that is damaged in several places only the first one is reported: mending that
        // may bring two others to light, but it damages no other statement.
        let about_syntax = |candidate: &Candidate<'_>| candidate.diagnostic.rule.group == Group::Syntax;
        let touching =
            |candidate: &&Candidate<'_>| candidate.fix.edits.iter().any(|edit| edit.file == old.id);
        new_errors <= errors || (candidates.iter().filter(touching).all(about_syntax) && new_sound >= sound)
    })
}

/// How many syntax errors a file has, and how many statements that can be read whole.
fn soundness(file: &FileSummary) -> (usize, usize) {
    let whole = file.findings.iter().filter(|finding| finding.rule.is_unreadable()).count();
    let mut sum = (whole, 0);
    for item in file.items.iter() {
        let statement = &item.statement;
        sum.0 +=
            statement.findings.iter().filter(|finding| !item.rubble && finding.rule.is_unreadable()).count();
        sum.1 += usize::from(!statement.damaged);
    }
    sum
}

/// Whether the finding of a fix is still there.
pub(super) fn persists(candidate: &Candidate<'_>, changes: &Changes<'_>, after: &Found) -> bool {
    let places = moved(candidate.diagnostic.range, changes.in_file(candidate.file));
    let same = |found: &Diagnostic| found.rule == candidate.diagnostic.rule && places.contains(&found.range);
    // What was deleted whole is gone, whatever stands there now.
    let is_deleted = !candidate.diagnostic.range.is_empty() && places.iter().all(|place| place.is_empty());
    !is_deleted && after.get(&candidate.file).is_some_and(|found| found.iter().any(same))
}
