//! Findings about files that cannot be read and folders that are not scanned whole.

use std::path::Path;

use crate::host::Project;
use crate::host::resolve::{PartialScan, Problem};
use crate::ide::file_findings::file_findings;
use mangle_settings::{RuleSettings, SCAN_LIMIT, UNREADABLE_FILE};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{FileId, TextRange};

/// What is said of a file or folder that could not be read, under the settings of the project around it,
/// and under `base` where it says nothing.
pub(super) fn unreadable(
    file: FileId,
    problem: &Problem,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let message = format!("file or folder cannot be read: {}", problem.why);
    let finding = Finding::new(&UNREADABLE_FILE, TextRange::default(), message)
        .note("what it defines is missing from the program");
    found_around(file, &problem.path, finding, projects, base)
}

/// What is reported of a finding of a whole file or folder, under the settings of the project around it, and under `base`
/// where it says nothing.
pub(super) fn found_around(
    file: FileId,
    path: &Path,
    finding: Finding,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let project = around(path, projects);
    let rules = project.map_or_else(|| base.clone(), |project| project.settings.rules.over(base));
    file_findings(file, vec![finding], &rules)
}

/// What is said of a folder of which only a part was scanned.
pub(super) fn scan_limit(
    file: FileId,
    cut: &PartialScan,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let message = format!("folder {}", cut.reason());
    let finding = Finding::new(&SCAN_LIMIT, TextRange::default(), message)
        .note("files beyond the limit are not checked")
        .help(cut.help());
    found_around(file, &cut.folder, finding, projects, base)
}

/// The project with the innermost root around a path.
pub(super) fn around<'p>(path: &Path, projects: &'p [Project]) -> Option<&'p Project> {
    let around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.max_by_key(|project| project.root.components().count())
}
