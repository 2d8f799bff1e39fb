//! Assignment of `check` findings to the turns of a replay.

use serde_json::Value;

use super::{ReplaySummary, TurnReport, text_member};

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
