//! Findings about a file as a whole, placed: those of configuration files, and of files that
//! cannot be read.

use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, FileEdit, Finding, RelatedPlace, ResolvedFix};
use mangle_syntax::text::FileId;

/// Places findings whose ranges count from the start of `file`, and applies severities.
#[must_use]
pub fn file_findings(file: FileId, findings: Vec<Finding>, settings: &RuleSettings) -> Vec<Diagnostic> {
    let place = |finding: Finding| {
        let severity = settings.severity_of(&finding)?;
        let related = finding.related.into_iter();
        let fix = finding.fix.map(|fix| {
            let edits = fix.edits.into_iter();
            ResolvedFix {
                title: fix.title,
                applicability: fix.applicability,
                evidence: false,
                edits: edits.map(|edit| FileEdit { file, range: edit.span.range, text: edit.text }).collect(),
                otherwise: None,
            }
        });
        Some(Diagnostic {
            rule: finding.rule,
            severity,
            range: finding.range,
            message: finding.message,
            related: related
                .map(|place| RelatedPlace { file, range: place.span.range, message: place.message })
                .collect(),
            fix,
            help: finding.help,
            path: Vec::new(),
        })
    };
    findings.into_iter().filter_map(place).collect()
}
