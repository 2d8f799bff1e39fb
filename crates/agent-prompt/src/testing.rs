//! Text form of findings for tests.

use mangle_syntax::lint::Finding;

/// Formats a finding: headline, label, notes and help.
pub(crate) fn words_of(finding: &Finding) -> String {
    let label = finding.label.iter().map(|label| format!(" [{label}]"));
    let notes = finding.notes.iter().map(|note| format!(" | {note}"));
    let help = finding.help.iter().map(|help| format!(" | help: {help}"));
    std::iter::once(finding.message.to_string()).chain(label).chain(notes).chain(help).collect()
}
