//! Summary counts of a replay, the assignment of `check` findings to its turns, and the input of the HTML
//! page.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{TurnReport, counted, is_zero, text_member};

/// The counts over all sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReplaySummary {
    /// Transcripts.
    pub files: usize,
    /// Replies.
    pub turns: usize,
    pub requests: usize,
    pub permitted: usize,
    /// Permitted requests that depend on facts that replies asserted or removed.
    pub self_granted: usize,
    /// Denied requests.
    pub denied: usize,
    /// Requests without a verdict, because no rule permits requests.
    #[serde(skip_serializing_if = "is_zero")]
    pub unjudged: usize,
    /// Replies that are denied as a whole.
    pub envelopes_denied: usize,
    /// Replies with a rewritten surface.
    pub surfaces_rewritten: usize,
    /// The total of rewritten surfaces, denied replies and denied requests, like in `stats`.
    pub constitutional_blocks: usize,
    /// Memory operations by kind.
    pub memory_operations: BTreeMap<String, usize>,
    /// Updates that became facts.
    pub atoms_asserted: usize,
    /// Asserted updates in replies that the policy denies.
    pub atoms_asserted_though_denied: usize,
    /// Updates that did not become facts.
    pub atoms_lost: usize,
    /// Lost updates beyond a cap.
    pub atoms_dropped: usize,
    /// Lost updates that the update filter or the kernel rejects.
    pub atoms_blocked: usize,
    /// Lost updates that were withdrawn with a denied reply.
    pub atoms_withdrawn: usize,
    /// Verdicts that differ under another policy.
    pub changed: usize,
    pub errors: usize,
    pub warnings: usize,
    pub information: usize,
    pub hints: usize,
}

/// A rule that permits or denies, with its coverage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleCoverage {
    pub rule: String,
    pub predicate: String,
    pub held: bool,
}

impl ReplaySummary {
    pub fn add(&mut self, turn: &TurnReport) {
        self.turns += 1;
        self.requests += turn.verdicts.len() + turn.unjudged;
        self.unjudged += turn.unjudged;
        let permitted = turn.verdicts.iter().filter(|verdict| verdict.is_permitted()).count();
        self.permitted += permitted;
        self.self_granted += turn.verdicts.iter().filter(|verdict| verdict.is_self_granted()).count();
        self.denied += turn.verdicts.len() - permitted;
        self.envelopes_denied += usize::from(turn.envelope.is_some());
        let is_rewritten = usize::from(turn.surface.reason.is_some());
        self.surfaces_rewritten += is_rewritten;
        self.constitutional_blocks +=
            is_rewritten + usize::from(turn.envelope.is_some()) + turn.verdicts.len() - permitted;
        for operation in &turn.memory {
            *self.memory_operations.entry(operation.op.clone()).or_default() += 1;
        }
        let count = |fate: &str| turn.atoms.iter().filter(|atom| atom.fate == fate).count();
        let asserted = count("asserted");
        self.atoms_asserted += asserted;
        self.atoms_asserted_though_denied += if turn.envelope.is_some() { asserted } else { 0 };
        self.atoms_lost += turn.atoms.len() - asserted;
        self.atoms_dropped += count("dropped") + count("blank");
        self.atoms_blocked += count("blocked");
        self.atoms_withdrawn += count("withdrawn");
        self.changed += turn.compared.len();
        turn.findings.iter().for_each(|finding| self.finding(finding));
    }

    pub fn finding(&mut self, finding: &Value) {
        match text_member(finding, "severity") {
            "error" => self.errors += 1,
            "warning" => self.warnings += 1,
            "information" => self.information += 1,
            _ => self.hints += 1,
        }
    }
}

/// The summary in one or two sentences.
#[must_use]
pub fn summary_text(summary: &ReplaySummary) -> String {
    let ReplaySummary { turns, requests, permitted, denied, envelopes_denied, .. } = summary;
    let mut out = format!("{}, {}", counted(*turns, "turn"), counted(*requests, "request"));
    if *requests > 0 {
        let own = match summary.self_granted {
            0 => String::new(),
            count => format!(" ({count} self-granted)"),
        };
        out.push_str(&format!(": {permitted} permitted{own}, {denied} denied"));
        if summary.unjudged > 0 {
            out.push_str(&format!(", {} unjudged", summary.unjudged));
        }
    }
    match envelopes_denied {
        0 => {}
        1 => out.push_str("; 1 reply denied as a whole"),
        count => out.push_str(&format!("; {count} replies denied as a whole")),
    }
    if summary.surfaces_rewritten > 0 {
        out.push_str(&format!("; {} rewritten", counted(summary.surfaces_rewritten, "surface")));
    }
    let despite = match summary.atoms_asserted_though_denied {
        0 => String::new(),
        count => format!(" ({count} although the policy denies the reply)"),
    };
    out.push_str(&format!(
        "; {} asserted{despite}, {} lost; {}, {}",
        counted(summary.atoms_asserted, "update"),
        summary.atoms_lost,
        counted(summary.errors, "error"),
        counted(summary.warnings, "warning"),
    ));
    out
}

/// The start of a turn in its transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnStart {
    /// The display name of the transcript.
    pub file: String,
    pub turn: u64,
    /// The offset in bytes of the file.
    pub start: u64,
}

/// The `check` findings about the transcripts of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckReport {
    /// The findings before the first turn, or in files without turns.
    pub elsewhere: Vec<Value>,
    /// The number of all findings.
    pub summary: ReplaySummary,
}

impl CheckReport {
    /// Assigns each finding to the last turn that starts at or before it. `starts` has all turns of
    /// the transcripts in order. Findings in turns that are not in `turns` are only counted.
    #[must_use]
    pub fn build(findings: Vec<Value>, starts: &[TurnStart], turns: &mut [TurnReport]) -> Self {
        let mut report = Self::default();
        for finding in findings {
            report.summary.finding(&finding);
            let (file, at) = (text_member(&finding, "file"), finding["start"].as_u64().unwrap_or_default());
            let before = starts.iter().rev().find(|known| known.file == file && known.start <= at);
            let Some(owner) = before else {
                report.elsewhere.push(finding);
                continue;
            };
            let owner = turns.iter_mut().find(|turn| turn.file == owner.file && turn.turn == owner.turn);
            owner.into_iter().for_each(|turn| turn.checked.push(finding.clone()));
        }
        report
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn findings_belong_to_the_last_turn_before_them() {
        let start = |turn, start| TurnStart { file: "a".into(), turn, start };
        let turn = |number| TurnReport { file: "a".into(), turn: number, ..super::super::tests::quiet() };
        let mut turns = [turn(1), turn(3)];
        let finding = |at: u64| json!({ "file": "a", "start": at, "severity": "error" });
        let findings = [2, 10, 19, 20, 31].map(finding).to_vec();
        let report = CheckReport::build(findings, &[start(1, 10), start(2, 20), start(3, 30)], &mut turns);
        assert_eq!(report.elsewhere, [finding(2)]);
        assert_eq!(turns[0].checked, [finding(10), finding(19)]);
        assert_eq!(turns[1].checked, [finding(31)]);
        assert_eq!(report.summary.errors, 5);
    }
}
