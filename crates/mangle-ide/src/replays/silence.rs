//! Suppression of replay findings in a transcript: `x_mangle_ls_ignore` members, and comments in
//! Markdown.

use crate::transcripts::{Comments, members};
use mangle_check::suppression::{UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use mangle_settings::{RuleSettings, TranscriptSettings};
use piggyback::transcript::{Record, TranscriptFinding, TurnSite};

/// Removes the findings that members of a record and comments of its file silence. `check` reports
/// mistakes in these members and comments.
pub fn silence(
    record: &Record<'_>,
    settings: &TranscriptSettings,
    rules: &RuleSettings,
    comments: &Comments,
    found: &mut Vec<(u64, TranscriptFinding)>,
) {
    let place = |found: &TranscriptFinding| found.start + u64::from(u32::from(found.finding.range.start()));
    found.retain(|(_, one)| !comments.silence(one.finding.rule, place(one)));
    if found.is_empty() || !members::is_marked(record.bytes) {
        return;
    }
    let covers = members::of_turns(&record.turns, record.bytes, settings);
    let site = TurnSite { record: record.number, start: record.start };
    found.retain(|(_, one)| {
        let mut alone = vec![one.clone()];
        members::apply(&covers, site, rules, &mut alone);
        let is_about_members = |found: &TranscriptFinding| {
            found.finding.rule == &UNKNOWN_SUPPRESSION || found.finding.rule == &UNUSED_SUPPRESSION
        };
        alone.iter().any(|found| !is_about_members(found))
    });
}
