//! What a page is about.

use serde_json::Value;

use super::{CheckReport, ReplaySummary, RuleCoverage, TurnReport};

/// What a page is about.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The turns, those of each transcript together.
    pub turns: &'a [TurnReport],
    /// How many more there are.
    pub omitted: usize,
    /// What is found in the policies.
    pub policy: &'a [Value],
    /// What `check` finds in the transcripts, where that was found out.
    pub checked: Option<&'a CheckReport>,
    /// Which rules ever held, where that was asked for.
    pub coverage: &'a [RuleCoverage],
    /// All in numbers.
    pub summary: &'a ReplaySummary,
    /// What the policies are called.
    pub program: &'a str,
    /// The revision of the policies, where they are in a git repository.
    pub revision: Option<&'a str>,
    /// The day of the replay, as `2026-01-31`.
    pub date: Option<&'a str>,
    /// That a policy does not load, with its first error.
    pub mark: Option<&'a str>,
}
