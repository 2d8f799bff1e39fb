//! Test helpers that print the findings of a reply, one per line.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::Expect;

use super::{Reply, ReplyContext, check as findings};
use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::lint::{Finding, Severity};

/// The settings of the test vectors.
pub(super) fn current() -> TranscriptSettings {
    TranscriptSettings { profile: Some(Profile::Current), ..TranscriptSettings::default() }
}

pub(super) fn found(raw: &[u8], settings: &TranscriptSettings) -> Vec<Finding> {
    findings(&Reply::new(raw, &settings.limits_for(None, None)), &ReplyContext::new(settings))
}

pub(super) fn severity(finding: &Finding) -> Option<Severity> {
    finding.severity.or(finding.rule.severity)
}

/// Prints the enabled findings with the text of their ranges.
pub(super) fn render(raw: &str, settings: &TranscriptSettings) -> String {
    let mut out = String::new();
    for finding in found(raw.as_bytes(), settings) {
        let Some(severity) = severity(&finding) else { continue };
        let range = usize::from(finding.range.start())..usize::from(finding.range.end());
        let text: String = raw.get(range).unwrap_or("?").chars().take(30).collect();
        writeln!(out, "{text:?} {severity} {}: {}", finding.rule.name, finding.message).unwrap();
        if let Some(label) = &finding.label {
            writeln!(out, "  label: {label}").unwrap();
        }
        for note in &finding.notes {
            writeln!(out, "  note: {note}").unwrap();
        }
        if let Some(help) = &finding.help {
            writeln!(out, "  help: {help}").unwrap();
        }
        if let Some(fix) = &finding.fix {
            writeln!(out, "  fix: {}", fix.title).unwrap();
        }
    }
    out
}

/// Checks the findings of a reply with an inferred profile.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
pub(super) fn check(raw: &str, expect: Expect) {
    expect.assert_eq(&render(raw, &TranscriptSettings::default()));
}
