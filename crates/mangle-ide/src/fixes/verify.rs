//! Verification of applied fixes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::FileDiagnostics;
use super::edits::Edit;
use super::select::Candidate;
use mangle_syntax::text::{FileId, TextRange, moved, text_len};

/// Sorted edits by file.
#[derive(Debug, Default)]
pub(super) struct Changes<'f>(FxHashMap<FileId, FileEdits<'f>>);

#[derive(Debug, Default)]
struct FileEdits<'f> {
    edits: Vec<Edit<'f>>,
    /// Growth of the text in bytes before each edit, and before the end of the file.
    grown: Vec<i64>,
}

impl<'f> Changes<'f> {
    pub(super) fn from_candidates(candidates: &[Candidate<'f>]) -> Self {
        let mut files: FxHashMap<FileId, FileEdits<'f>> = FxHashMap::default();
        for edit in candidates.iter().flat_map(|candidate| &candidate.fix.edits) {
            files.entry(edit.file).or_default().edits.push((edit.range, edit.text.as_str()));
        }
        for file in files.values_mut() {
            file.edits.sort_by_key(|(range, _)| (range.start(), range.end()));
            let mut sum = 0;
            file.grown.push(0);
            for (range, text) in &file.edits {
                sum += i64::from(u32::from(text_len(text))) - i64::from(u32::from(range.len()));
                file.grown.push(sum);
            }
        }
        Self(files)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &[Edit<'f>])> {
        self.0.iter().map(|(file, changes)| (*file, changes.edits.as_slice()))
    }

    pub(super) fn in_file(&self, file: FileId) -> &[Edit<'f>] {
        self.0.get(&file).map_or(&[], |changes| changes.edits.as_slice())
    }

    /// Returns the possible new ranges of a range of a file, see [`moved`]. Examines only the edits
    /// around it.
    pub(super) fn places_of(&self, file: FileId, range: TextRange) -> [TextRange; 2] {
        let Some(FileEdits { edits, grown }) = self.0.get(&file) else { return [range; 2] };
        let first = edits.partition_point(|(edit, _)| edit.end() < range.start());
        let end = edits.partition_point(|(edit, _)| edit.start() <= range.end()).max(first);
        let near = moved(range, edits.get(first..end).unwrap_or_default());
        near.map(|place| shifted(place, grown.get(first).copied().unwrap_or(0)))
    }
}

fn shifted(range: TextRange, by: i64) -> TextRange {
    let at = |offset| u32::try_from(i64::from(u32::from(offset)) + by).unwrap_or(0).into();
    TextRange::new(at(range.start()), at(range.end()))
}

/// Findings after applying fixes.
#[derive(Debug)]
pub(super) struct RemainingFindings(FxHashSet<(FileId, &'static str, TextRange)>);

impl RemainingFindings {
    pub(super) fn new(found: &FileDiagnostics) -> Self {
        let all = found.iter().flat_map(|(file, found)| found.iter().map(move |one| (*file, one)));
        Self(all.map(|(file, one)| (file, one.rule.code, one.range)).collect())
    }

    /// True if the finding of a fix still exists.
    pub(super) fn persists(&self, candidate: &Candidate<'_>, changes: &Changes<'_>) -> bool {
        let (file, diagnostic) = (candidate.file, candidate.diagnostic);
        let places = changes.places_of(file, diagnostic.range);
        // A finding whose whole range was deleted is gone, even if a new one starts at the same
        // offset.
        let is_deleted = !diagnostic.range.is_empty() && places.iter().all(|place| place.is_empty());
        !is_deleted && places.iter().any(|place| self.0.contains(&(file, diagnostic.rule.code, *place)))
    }
}
