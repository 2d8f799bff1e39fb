//! A replay as the shells see it: what is silenced in the records is left out.
//!
//! Takes what a [`Replay`](crate::replay::Replay) finds in a record; gives what is to be shown of it.

use super::suppression::{UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use super::transcripts::members;
use crate::config::{RuleSettings, TranscriptSettings};
use crate::transcript::{Found, Record, Site};

/// Takes away what the members `x_mangle_ls_ignore` of a record silence. What is wrong with them `check` says.
pub fn silence(
    record: &Record<'_>,
    settings: &TranscriptSettings,
    rules: &RuleSettings,
    found: &mut Vec<(u64, Found)>,
) {
    if found.is_empty() || !members::is_marked(record.bytes) {
        return;
    }
    let covers = members::of_turns(&record.turns, record.bytes, settings);
    let site = Site { record: record.number, start: record.start };
    found.retain(|(_, one)| {
        let mut alone = vec![one.clone()];
        members::apply(&covers, site, rules, &mut alone);
        let is_about_members = |found: &Found| {
            found.finding.rule == &UNKNOWN_SUPPRESSION || found.finding.rule == &UNUSED_SUPPRESSION
        };
        alone.iter().any(|found| !is_about_members(found))
    });
}
