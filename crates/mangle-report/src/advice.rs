//! Advice about a finding as one line.

use mangle_syntax::lint::{Applicability, Diagnostic, ResolvedFix};

/// `Fix: …` with a remark about the fix, or `Help: …` without a fix.
pub(super) fn advice(diagnostic: &Diagnostic) -> Option<String> {
    let text = diagnostic.advice()?;
    Some(match &diagnostic.fix {
        Some(fix) => format!("Fix: {text}{}", remark(fix, "")),
        None => format!("Help: {text}"),
    })
}

/// A remark about the applicability of a fix; empty for a safe fix. `warning` is appended for a
/// guess.
pub(super) fn remark(fix: &ResolvedFix, warning: &str) -> String {
    match (fix.applicability, fix.evidence) {
        (Applicability::Safe, false) => String::new(),
        (Applicability::Unsafe, false) => format!(" (a guess{warning})"),
        (Applicability::Safe, true) => " (edits evidence)".into(),
        (Applicability::Unsafe, true) => format!(" (a guess{warning}; edits evidence)"),
    }
}
