//! Comparison of two checks of the same files with different versions of engine or runtime:
//! findings and derived facts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use super::replay::finding_lines;
use super::sink;

/// The maximum number of facts of a unit in text, for each version.
const MAX_SHOWN_FACTS: usize = 10;

/// The result of a program that the engine rejects.
const REJECTED: &str = "the program does not load";

/// The facts of a program without or with one of its samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitFacts {
    pub program: String,
    /// The display name of the sample.
    pub sample: Option<String>,
    /// The result of the evaluation.
    pub result: UnitResult,
}

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitResult {
    /// The engine rejects the program.
    Rejected,
    /// The evaluation ended early for this reason.
    Stopped(String),
    /// All facts including base facts, and the number of facts beyond the limit.
    Facts(BTreeSet<String>, usize),
}

/// A difference in findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChange {
    /// `appears`, `disappears` or `severity`.
    pub change: &'static str,
    /// The finding in the format of `check --format json`. If only the severity differs, the
    /// finding of the new version.
    pub finding: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_severity: Option<&'static str>,
}

/// A difference in the results of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactChange {
    /// Always `facts`.
    pub change: &'static str,
    pub program: String,
    pub sample: Option<String>,
    /// The reason for missing facts in the old version: the program does not load, or the
    /// evaluation stops.
    pub old: Option<String>,
    /// The reason for missing facts in the new version.
    pub new: Option<String>,
    /// The facts of only the new version.
    pub added: Vec<String>,
    /// The facts of only the old version.
    pub removed: Vec<String>,
    /// The number of facts beyond the limit, which were not compared.
    pub not_compared: usize,
}

/// The counts of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckComparisonSummary {
    /// The old and the new version.
    pub versions: [String; 2],
    /// Findings of only the new version.
    pub appear: usize,
    /// Findings of only the old version.
    pub disappear: usize,
    /// Findings with a different severity in each version.
    pub severity: usize,
    /// Errors of the old version that are not errors in the new version.
    pub errors_only_old: usize,
    /// Errors of the new version that are not errors in the old version.
    pub errors_only_new: usize,
    /// Derived facts of only one version.
    pub facts: usize,
    /// Programs, without or with a sample, that load only in the old version.
    pub load_only_old: usize,
    /// Programs, without or with a sample, that load only in the new version.
    pub load_only_new: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckComparison {
    /// The old and the new version, for example `engine 2026-06, runtime none`.
    pub versions: [String; 2],
    pub findings: Vec<FindingChange>,
    /// The programs with different results.
    pub facts: Vec<FactChange>,
}

/// The different results. Both lists have the same programs and samples in the same order, because
/// names are not unique.
#[must_use]
pub fn compare_facts(old: &[UnitFacts], new: &[UnitFacts]) -> Vec<FactChange> {
    old.iter().zip(new).filter_map(|(old, new)| new.change_from(&old.result)).collect()
}

impl UnitFacts {
    fn change_from(&self, old: &UnitResult) -> Option<FactChange> {
        let mut change = FactChange {
            change: "facts",
            program: self.program.clone(),
            sample: self.sample.clone(),
            old: old.reason(),
            new: self.result.reason(),
            added: Vec::new(),
            removed: Vec::new(),
            not_compared: 0,
        };
        if let (UnitResult::Facts(old, more), UnitResult::Facts(new, more_new)) = (old, &self.result) {
            change.not_compared = more + more_new;
            change.added = new.difference(old).cloned().collect();
            change.removed = old.difference(new).cloned().collect();
        }
        let is_equal = change.old == change.new && change.added.is_empty() && change.removed.is_empty();
        (!is_equal || change.not_compared > 0).then_some(change)
    }
}

impl UnitResult {
    fn reason(&self) -> Option<String> {
        match self {
            Self::Rejected => Some(REJECTED.to_owned()),
            Self::Stopped(reason) => Some(format!("the evaluation stops: {reason}")),
            Self::Facts(..) => None,
        }
    }
}

impl CheckComparison {
    /// True if both versions have the same findings and facts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.facts.is_empty()
    }

    #[must_use]
    pub fn summary(&self) -> CheckComparisonSummary {
        let count = |change: &str| self.findings.iter().filter(|one| one.change == change).count();
        let errors = |is_error: fn(&FindingChange) -> [bool; 2], side: [bool; 2]| {
            self.findings.iter().filter(|one| is_error(one) == side).count()
        };
        CheckComparisonSummary {
            versions: self.versions.clone(),
            appear: count("appears"),
            disappear: count("disappears"),
            severity: count("severity"),
            errors_only_old: errors(FindingChange::is_error, [true, false]),
            errors_only_new: errors(FindingChange::is_error, [false, true]),
            facts: self.facts.iter().map(|one| one.added.len() + one.removed.len()).sum(),
            load_only_old: self.facts.iter().filter(|one| one.loads() == [true, false]).count(),
            load_only_new: self.facts.iter().filter(|one| one.loads() == [false, true]).count(),
        }
    }

    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let [old, new] = &self.versions;
        for (change, title) in [
            ("appears", format!("only with {new}")),
            ("disappears", format!("only with {old}")),
            ("severity", "with another severity".to_owned()),
        ] {
            let findings: Vec<_> = self.findings.iter().filter(|one| one.change == change).collect();
            if !findings.is_empty() {
                let _ = writeln!(out, "Findings {title}:");
                findings.iter().for_each(|one| one.text(&mut out));
                out.push('\n');
            }
        }
        self.facts.iter().for_each(|one| one.text(&self.versions, &mut out));
        out + &self.summary().text()
    }
}

impl FindingChange {
    /// True for each version (old, new) with the finding as an error.
    fn is_error(&self) -> [bool; 2] {
        let is_error = self.finding["severity"] == "error";
        match self.change {
            "appears" => [false, is_error],
            "disappears" => [is_error, false],
            _ => [self.old_severity == Some("error"), is_error],
        }
    }

    fn text(&self, out: &mut String) {
        let mut lines = finding_lines(&self.finding);
        if let (Some(old), Some(first)) = (self.old_severity, lines.first_mut()) {
            first.push_str(&format!(" (before: {old})"));
        }
        lines.iter().for_each(|line| _ = writeln!(out, "  {line}"));
    }
}

impl FactChange {
    /// True for each version (old, new) that loads the program.
    fn loads(&self) -> [bool; 2] {
        [&self.old, &self.new].map(|reason| reason.as_deref() != Some(REJECTED))
    }

    fn text(&self, [old, new]: &[String; 2], out: &mut String) {
        let sample =
            self.sample.as_ref().map_or(String::new(), |sample| format!(" with {}", sink::line(sample)));
        let _ = writeln!(out, "Evaluation of {}{sample}:", sink::line(&self.program));
        for (versions, reason) in [(old, &self.old), (new, &self.new)] {
            if let Some(reason) = reason {
                let _ = writeln!(out, "  with {versions}: {}", sink::line(reason));
            }
        }
        for (versions, facts) in [(new, &self.added), (old, &self.removed)] {
            for fact in facts.iter().take(MAX_SHOWN_FACTS) {
                let _ = writeln!(out, "  only with {versions}: {}", sink::line(fact));
            }
            if let Some(more) = facts.len().checked_sub(MAX_SHOWN_FACTS).filter(|more| *more > 0) {
                let _ = writeln!(out, "  and {more} more facts only with {versions}");
            }
        }
        if self.not_compared > 0 {
            let _ = writeln!(out, "  {} facts were not compared: there are too many", self.not_compared);
        }
        out.push('\n');
    }
}

impl CheckComparisonSummary {
    fn text(&self) -> String {
        let [old, new] = &self.versions;
        let Self { appear, disappear, severity, errors_only_old, errors_only_new, facts, .. } = self;
        let mut out = format!(
            "{old} → {new}: findings that appear {appear}, that disappear {disappear}, with another severity {severity}; facts that differ {facts}\n\
             errors only with {old}: {errors_only_old}; only with {new}: {errors_only_new}\n"
        );
        for (count, versions) in [(self.load_only_old, old), (self.load_only_new, new)] {
            if count > 0 {
                let _ = writeln!(out, "programs that load only with {versions}: {count}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn unit(sample: Option<&str>, result: UnitResult) -> UnitFacts {
        UnitFacts { program: "policy".into(), sample: sample.map(str::to_owned), result }
    }

    fn facts(facts: &[&str]) -> UnitResult {
        UnitResult::Facts(facts.iter().map(|fact| (*fact).to_owned()).collect(), 0)
    }

    #[test]
    fn equal_results_do_not_differ() {
        for result in [facts(&["p(1)"]), UnitResult::Rejected, UnitResult::Stopped("x".into())] {
            let units = [unit(None, result)];
            assert_eq!(compare_facts(&units, &units), []);
        }
    }

    #[test]
    fn facts_and_reasons_are_compared_by_program_and_sample() {
        let old = [unit(None, facts(&["p(1)", "q(1)"])), unit(Some("s.mg"), facts(&["p(1)"]))];
        let new = [unit(None, facts(&["p(1)", "r(1)"])), unit(Some("s.mg"), UnitResult::Rejected)];
        let comparison = CheckComparison {
            versions: ["engine 2026-06".into(), "engine 2026-09".into()],
            findings: Vec::new(),
            facts: compare_facts(&old, &new),
        };
        expect![[r#"
            Evaluation of policy:
              only with engine 2026-09: r(1)
              only with engine 2026-06: q(1)

            Evaluation of policy with s.mg:
              with engine 2026-09: the program does not load

            engine 2026-06 → engine 2026-09: findings that appear 0, that disappear 0, with another severity 0; facts that differ 2
            errors only with engine 2026-06: 0; only with engine 2026-09: 0
            programs that load only with engine 2026-06: 1
        "#]].assert_eq(&comparison.text());
    }
}
