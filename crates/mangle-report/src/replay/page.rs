//! Input of the HTML page.

use serde_json::Value;

use super::{CheckReport, ReplaySummary, RuleCoverage, TurnReport};

/// The input of the HTML page.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The turns, grouped by transcript.
    pub turns: &'a [TurnReport],
    /// The number of omitted turns.
    pub omitted: usize,
    /// The findings about the policies.
    pub policy: &'a [Value],
    /// The `check` findings about the transcripts, if requested.
    pub checked: Option<&'a CheckReport>,
    /// Rule coverage, if requested.
    pub coverage: &'a [RuleCoverage],
    /// The counts.
    pub summary: &'a ReplaySummary,
    /// The display name of the policies.
    pub program: &'a str,
    /// The git revision of the policies, if any.
    pub revision: Option<&'a str>,
    /// The date of the replay, for example `2026-01-31`.
    pub date: Option<&'a str>,
    /// The banner for a policy that does not load, with its first error.
    pub mark: Option<&'a str>,
}
