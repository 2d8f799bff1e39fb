//! Findings about unreadable files and incompletely scanned folders.

use std::path::Path;

use crate::Project;
use crate::resolve::{PartialScan, Problem};
use mangle_ide::file_findings::file_findings;
use mangle_settings::{RuleSettings, SCAN_LIMIT, UNREADABLE_FILE};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{FileId, TextRange};

/// Returns the findings for an unreadable file or folder. Severities come from the enclosing
/// project, with `base` as default.
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

/// Returns the diagnostics for a finding about a whole file or folder. Severities come from the
/// enclosing project, with `base` as default.
pub(super) fn found_around(
    file: FileId,
    path: &Path,
    finding: Finding,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let project = around(path, projects);
    let rules = project.map_or_else(|| base.clone(), |project| project.settings.rules.overriding(base));
    file_findings(file, vec![finding], &rules)
}

/// Returns the diagnostics for an incompletely scanned folder.
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

/// Returns the project with the innermost root that contains a path.
pub(super) fn around<'p>(path: &Path, projects: &'p [Project]) -> Option<&'p Project> {
    let around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.max_by_key(|project| project.root.components().count())
}
