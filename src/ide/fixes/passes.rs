//! The passes: apply what goes together, check anew, take back what did not work, until nothing is left.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::edits::moved;
use super::select::{Candidate, select};
use super::verify::{Changes, persists, put, reads_no_worse};
use super::{Bench, Fixed, Found, MAX_PASSES, Wish};
use crate::lint::Diagnostic;
use crate::program::FileSummary;
use crate::text::{FileId, TextRange};

/// Applies the fixes that `wish` asks for, until none is left. What the files of `bench` are afterwards is
/// in the result; `bench` holds it too.
pub fn fix(bench: &mut Bench, wish: Wish<'_>) -> Fixed {
    let original: FxHashMap<FileId, Arc<FileSummary>> = bench.files.clone();
    let mut run = Run { result: Fixed::default(), given_up: Vec::new() };
    let mut found = bench.check();
    let mut seen = FxHashSet::from_iter([state(bench)]);
    let (mut passes, mut retried) = (0, false);
    while passes < wish.passes {
        let Some(after) = run.pass(bench, wish, &found) else {
            // What did not work together with others may work alone.
            if retried || !run.forgive() {
                break;
            }
            retried = true;
            continue;
        };
        found = after;
        passes += 1;
        if passes == MAX_PASSES || !seen.insert(state(bench)) {
            bench.files = original;
            return Fixed { endless: true, ..Fixed::default() };
        }
    }
    let mut result = run.result;
    let changed = |file: &&Arc<FileSummary>| original.get(&file.id).is_some_and(|old| old.text != file.text);
    result.changed = bench.files.values().filter(changed).map(Arc::clone).collect();
    result.changed.sort_by_key(|file| file.id);
    result
}

/// A number for the texts of all files.
fn state(bench: &Bench) -> u64 {
    let mut files: Vec<_> = bench.files.values().collect();
    files.sort_by_key(|file| file.id);
    let mut hasher = FxHasher::default();
    for file in files {
        (file.id, &file.text).hash(&mut hasher);
    }
    hasher.finish()
}

/// What is kept from pass to pass.
struct Run {
    result: Fixed,
    /// Findings whose fix did not work: file, code, place.
    given_up: Vec<(FileId, &'static str, TextRange)>,
}

/// Fixes that work together, and what they lead to.
struct Applied<'f> {
    candidates: Vec<Candidate<'f>>,
    files: FxHashMap<FileId, Arc<FileSummary>>,
    found: Found,
}

impl Run {
    /// Forgets which fixes did not work; says whether there are any.
    fn forgive(&mut self) -> bool {
        self.result.failed.clear();
        !std::mem::take(&mut self.given_up).is_empty()
    }

    /// One pass over what was found. Gives what is found afterwards; `None` when nothing was fixed.
    fn pass(&mut self, bench: &mut Bench, wish: Wish<'_>, found: &Found) -> Option<Found> {
        let is_given_up = |file: FileId, diagnostic: &Diagnostic| {
            self.given_up.contains(&(file, diagnostic.rule.code, diagnostic.range))
        };
        let selected = select(bench, found, wish, &is_given_up);
        let base = bench.files.clone();
        let (mut applied, mut failed) = (None, Vec::new());
        extend(bench, &base, &mut applied, &selected, &mut failed);
        bench.files = applied.as_ref().map_or(base, |applied| applied.files.clone());
        for Candidate { file, diagnostic, .. } in failed {
            self.given_up.push((file, diagnostic.rule.code, diagnostic.range));
            self.result.failed.push((file, diagnostic.clone()));
        }
        let Applied { candidates, found, .. } = applied?;
        let changes = Changes::of(&candidates);
        for (file, _, range) in &mut self.given_up {
            *range = moved(*range, changes.in_file(*file))[0];
        }
        self.result.count += candidates.len();
        Some(found)
    }
}

/// Adds `more` to the fixes that are applied; where they do not work together, one half after the other, so
/// that those that fail are found in few steps.
fn extend<'f>(
    bench: &mut Bench,
    base: &FxHashMap<FileId, Arc<FileSummary>>,
    applied: &mut Option<Applied<'f>>,
    more: &[Candidate<'f>],
    failed: &mut Vec<Candidate<'f>>,
) {
    if more.is_empty() {
        return;
    }
    let known = applied.as_ref().map_or(&[][..], |applied| &applied.candidates);
    let all: Vec<_> = known.iter().chain(more).copied().collect();
    if let Some(works) = attempt(bench, base, all) {
        *applied = Some(works);
    } else if let [one] = more {
        failed.push(*one);
    } else {
        let (first, second) = more.split_at(more.len() / 2);
        extend(bench, base, applied, first, failed);
        extend(bench, base, applied, second, failed);
    }
}

/// Applies fixes to the files as they were before the pass; `None` when one of them does not do what it
/// promised.
fn attempt<'f>(
    bench: &mut Bench,
    base: &FxHashMap<FileId, Arc<FileSummary>>,
    candidates: Vec<Candidate<'f>>,
) -> Option<Applied<'f>> {
    let changes = Changes::of(&candidates);
    bench.files = base.clone();
    let before = put(bench, &changes)?;
    if !reads_no_worse(bench, &before, &candidates) {
        return None;
    }
    let found = bench.check();
    let works = !candidates.iter().any(|candidate| persists(candidate, &changes, &found));
    works.then(|| Applied { candidates, files: bench.files.clone(), found })
}
