//! A replay in numbers.

use serde::Serialize;
use serde_json::Value;

use super::{TurnReport, counted, said};

/// What became of all sessions together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReplaySummary {
    /// Transcripts.
    pub files: usize,
    /// Answers.
    pub turns: usize,
    /// Requests.
    pub requests: usize,
    /// Requests that are permitted.
    pub permitted: usize,
    /// Requests that are denied.
    pub denied: usize,
    /// Replies that are denied as a whole.
    pub envelopes_denied: usize,
    /// Updates that became facts.
    pub atoms_asserted: usize,
    /// Updates that did not.
    pub atoms_lost: usize,
    /// Verdicts that another policy gives instead.
    pub changed: usize,
    /// Findings.
    pub errors: usize,
    /// Findings.
    pub warnings: usize,
    /// Findings.
    pub information: usize,
    /// Findings.
    pub hints: usize,
}

/// A rule that permits or denies, and whether it ever did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// Where it stands.
    pub rule: String,
    /// What it gives.
    pub predicate: String,
    /// Whether it ever held.
    pub held: bool,
}

impl ReplaySummary {
    /// Counts a turn.
    pub fn add(&mut self, turn: &TurnReport) {
        self.turns += 1;
        self.requests += turn.verdicts.len();
        let permitted = turn.verdicts.iter().filter(|verdict| verdict.is_permitted()).count();
        self.permitted += permitted;
        self.denied += turn.verdicts.len() - permitted;
        self.envelopes_denied += usize::from(turn.envelope.is_some());
        let asserted = turn.atoms.iter().filter(|atom| atom.fate == "asserted").count();
        self.atoms_asserted += asserted;
        self.atoms_lost += turn.atoms.len() - asserted;
        self.changed += turn.compared.len();
        turn.findings.iter().for_each(|finding| self.finding(finding));
    }

    /// Counts a finding.
    pub fn finding(&mut self, finding: &Value) {
        match said(finding, "severity") {
            "error" => self.errors += 1,
            "warning" => self.warnings += 1,
            "information" => self.information += 1,
            _ => self.hints += 1,
        }
    }
}

/// The same in a sentence or two.
#[must_use]
pub fn summary_text(summary: &ReplaySummary) -> String {
    let ReplaySummary { turns, requests, permitted, denied, envelopes_denied, .. } = summary;
    let mut out = format!("{}, {}", counted(*turns, "turn"), counted(*requests, "request"));
    if *requests > 0 {
        out.push_str(&format!(": {permitted} permitted, {denied} denied"));
    }
    match envelopes_denied {
        0 => {}
        1 => out.push_str("; 1 reply denied as a whole"),
        count => out.push_str(&format!("; {count} replies denied as a whole")),
    }
    out.push_str(&format!(
        "; {} asserted, {} lost; {}, {}",
        counted(summary.atoms_asserted, "update"),
        summary.atoms_lost,
        counted(summary.errors, "error"),
        counted(summary.warnings, "warning"),
    ));
    out
}
