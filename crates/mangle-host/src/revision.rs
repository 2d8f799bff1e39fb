//! The git revision of a folder, for reports.

use std::path::Path;

use super::git_revision;

/// Returns the newest revision that changed `path`, for example `1a2b3c4 of 2026-01-31`, with a
/// note about uncommitted changes. Returns `None` outside a repository, or if `git` cannot be run.
#[must_use]
pub fn revision(path: &Path) -> Option<String> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let path = path.to_str()?;
    let log = ["--no-optional-locks", "log", "-1", "--format=%h of %cs", "--", path];
    let newest = git_revision::line_of(folder, &log).filter(|line| !line.is_empty())?;
    let status = ["--no-optional-locks", "status", "--porcelain", "--", path];
    let is_changed = git_revision::line_of(folder, &status).is_some_and(|line| !line.is_empty());
    Some(if is_changed { format!("{newest}, with changes that are not committed") } else { newest })
}
