//! Diagnostics about whole files: configuration files and unreadable files.

use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Finding, Placement};
use mangle_syntax::text::{FileId, TextSize};

/// Converts findings with ranges relative to the start of `file` to diagnostics, and applies
/// severities.
#[must_use]
pub fn file_findings(file: FileId, findings: Vec<Finding>, settings: &RuleSettings) -> Vec<Diagnostic> {
    let place = |finding: Finding| {
        let severity = settings.severity_of(&finding)?;
        Some(Placement::new(file, TextSize::new(0), &mut |_, _| None).diagnostic(finding, severity))
    };
    findings.into_iter().filter_map(place).collect()
}
