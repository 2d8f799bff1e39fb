//! Writes fixed files. Files that one fix changes are all written, or none of them is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mangle_host::{Problem, ReplaceError, Replacement};
use mangle_report::sink;
use mangle_syntax::text::FileId;
use piggyback::envelope::secrets::SecretContext;

#[derive(Debug, Default)]
pub(super) struct WriteResult {
    /// The number of fixes that were written.
    pub(super) count: usize,
    /// The files that were not written, with the reason.
    pub(super) problems: Vec<Problem>,
}

/// Writes the changes of fixes. Each fix lists its files.
pub(super) fn write_together(changes: &[ChangedFile], fixes: &[Vec<FileId>], working: &Path) -> WriteResult {
    let groups = groups(changes, fixes);
    let mut written = WriteResult::default();
    let mut lost = Vec::new();
    for group in groups {
        if let Err((at, why)) = write_group(&group) {
            let of_other =
                group.get(at).map(|change| mangle_host::relative(working, &change.path)).unwrap_or_default();
            for (place, change) in group.iter().enumerate() {
                lost.push(change.file);
                let together = format!("they belong together with those of {of_other}");
                let why: &dyn std::fmt::Display = if place == at { &why } else { &together };
                written.problems.push(unwritten(change.path.clone(), why));
            }
        }
    }
    written.count = fixes.iter().filter(|files| !files.iter().any(|file| lost.contains(file))).count();
    written
}

/// Groups the changes by the fixes that connect them.
fn groups<'c>(changes: &'c [ChangedFile], fixes: &[Vec<FileId>]) -> Vec<Vec<&'c ChangedFile>> {
    let mut group_of: Vec<usize> = (0..changes.len()).collect();
    for files in fixes.iter().filter(|files| files.len() > 1) {
        let is_own = |at: &usize| changes.get(*at).is_some_and(|change| files.contains(&change.file));
        let own: Vec<usize> =
            (0..changes.len()).filter(is_own).filter_map(|at| group_of.get(at).copied()).collect();
        let Some(&first) = own.iter().min() else { continue };
        group_of.iter_mut().filter(|group| own.contains(group)).for_each(|group| *group = first);
    }
    let mut groups: Vec<Vec<&ChangedFile>> = changes.iter().map(|_| Vec::new()).collect();
    for (change, group) in changes.iter().zip(group_of) {
        if let Some(group) = groups.get_mut(group) {
            group.push(change);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Writes all files of a group. Steps that can fail for lack of space come first, before any file
/// is replaced.
///
/// # Errors
/// The index of the file that could not be written, and the reason. All files are unchanged in this
/// case.
fn write_group(group: &[&ChangedFile]) -> Result<(), (usize, ReplaceError)> {
    let prepare = |(at, change): (usize, &&ChangedFile)| {
        Replacement::prepare(&change.path, &change.before, &change.after).map_err(|why| (at, why))
    };
    let prepared: Vec<_> = group.iter().enumerate().map(prepare).collect::<Result<_, _>>()?;
    for (at, (replacement, change)) in prepared.into_iter().zip(group).enumerate() {
        if let Err(why) = replacement.commit(&change.before) {
            take_back(group.get(..at).unwrap_or_default());
            return Err((at, why));
        }
    }
    Ok(())
}

/// Restores the original files.
fn take_back(changes: &[&ChangedFile]) {
    for change in changes {
        if let Err(why) = mangle_host::replace(&change.path, &change.after, &change.before) {
            tracing::error!(path = %change.path.display(), %why, "a fix cannot be taken back");
        }
    }
}

pub(super) struct ChangedFile {
    pub(super) file: FileId,
    pub(super) path: PathBuf,
    pub(super) before: Arc<[u8]>,
    pub(super) after: Arc<[u8]>,
    /// True if the file is part of a program. False if it is checked alone.
    pub(super) is_policy: bool,
}

pub(super) fn unwritten(path: PathBuf, error: &dyn std::fmt::Display) -> Problem {
    Problem { path, why: format!("its fixes were not written: {error}"), named: true }
}

impl ChangedFile {
    /// The unified diff. Secrets are masked in both versions.
    pub(super) fn diff(&self, name: &str) -> String {
        let [old, new] = [&self.before, &self.after].map(|bytes| String::from_utf8_lossy(bytes));
        let mut secrets = SecretContext::from_text(&old);
        secrets.add(&new);
        let [old, new] = [old, new].map(|text| secrets.redacted(&text).into_owned());
        match self.is_policy {
            true => mangle_report::diff(name, &old, &new),
            false => mangle_report::diff(name, &sink::lines(&old), &sink::lines(&new)),
        }
    }
}
