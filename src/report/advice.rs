//! What to do about a finding, as one line.

use mangle_syntax::lint::{Applicability, Diagnostic, ResolvedFix};

/// `Fix: …` with what is to be known of the fix, or `Help: …` where no fix does it.
pub(super) fn advice(diagnostic: &Diagnostic) -> Option<String> {
    let text = diagnostic.advice()?;
    Some(match &diagnostic.fix {
        Some(fix) => format!("Fix: {text}{}", remark(fix, "")),
        None => format!("Help: {text}"),
    })
}

/// What is to be known before a fix is applied; empty where it is safe. `warning` follows where it guesses.
pub(super) fn remark(fix: &ResolvedFix, warning: &str) -> String {
    match (fix.applicability, fix.evidence) {
        (Applicability::Safe, false) => String::new(),
        (Applicability::Unsafe, false) => format!(" (a guess{warning})"),
        (Applicability::Safe, true) => " (edits evidence)".into(),
        (Applicability::Unsafe, true) => format!(" (a guess{warning}; edits evidence)"),
    }
}
