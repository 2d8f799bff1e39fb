//! Summary counts of a report, and the number of findings of each rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::{OverflowCounts, ReportEntry};
use mangle_settings::EngineVersion;
use mangle_syntax::lint::Severity;

/// The counts of a check. The order of fields is the order in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckSummary {
    /// Files whose findings were requested.
    pub files: usize,
    /// Clauses in these files.
    pub clauses: usize,
    /// Envelopes in these files.
    pub envelopes: u64,
    pub errors: usize,
    pub warnings: usize,
    pub information: usize,
    pub hints: usize,
    /// The elapsed time in milliseconds.
    pub elapsed_ms: u64,
    /// Transcripts that were checked without declarations of a program.
    #[serde(rename = "without_declarations", skip_serializing_if = "is_none")]
    pub undeclared: usize,
    /// Examined JSON files without replies of a model.
    #[serde(rename = "json_without_replies", skip_serializing_if = "is_none")]
    pub json_without_replies: usize,
    /// Examined text logs without replies of a model.
    #[serde(rename = "logs_without_replies", skip_serializing_if = "is_none")]
    pub logs_without_replies: usize,
    /// JSON files and text logs that were not examined for model replies, because there are too
    /// many.
    #[serde(skip_serializing_if = "is_none")]
    pub unexamined: usize,
    /// Findings that are counted but not shown.
    #[serde(skip_serializing_if = "is_none")]
    pub omitted: usize,
    /// The engine versions of the checked programs, sorted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub engines: BTreeSet<&'static str>,
    /// The runtimes whose parsing of replies was checked, sorted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub runtimes: BTreeSet<&'static str>,
    /// True without files to check.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub nothing_to_check: bool,
}

impl CheckSummary {
    /// The examined files without replies, as the end of a line.
    fn without_replies(&self) -> String {
        let json = (self.json_without_replies, "JSON file", "JSON files");
        let counts = [json, (self.logs_without_replies, "log", "logs")].into_iter();
        let shown =
            counts.filter(|(count, ..)| *count > 0).map(|(count, one, many)| plural(count, one, many));
        let mut line = match shown.collect::<Vec<_>>() {
            shown if shown.is_empty() => String::new(),
            shown => format!("; {} without model replies", shown.join(" and ")),
        };
        if self.unexamined > 0 {
            let files = plural(self.unexamined, "JSON file or log", "JSON files or logs");
            line.push_str(&format!("; {files} not examined: select them with `[transcripts] include`"));
        }
        line
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Counts entries by severity. All other counts are zero.
#[must_use]
pub fn count(entries: &[ReportEntry]) -> CheckSummary {
    let of = |severity| entries.iter().filter(|entry| entry.diagnostic.severity == severity).count();
    CheckSummary {
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        information: of(Severity::Information),
        hints: of(Severity::Hint),
        ..CheckSummary::default()
    }
}

impl fmt::Display for CheckSummary {
    /// One line, for example `2 errors, 1 warning in 12 files (340 clauses)` or `Nothing to check`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found: Vec<_> = [
            (self.errors, "error", "errors"),
            (self.warnings, "warning", "warnings"),
            (self.information, "information", "information"),
            (self.hints, "hint", "hints"),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| plural(count, one, many))
        .collect();
        let found = match (found.is_empty(), self.nothing_to_check) {
            (true, true) => return write!(f, "Nothing to check{}", self.without_replies()),
            (true, false) => "No findings".into(),
            (false, _) => found.join(", "),
        };
        let files = plural(self.files, "file", "files");
        write!(f, "{found} in {files} ({}", plural(self.clauses, "clause", "clauses"))?;
        if self.envelopes > 0 {
            write!(f, ", {} {}", self.envelopes, if self.envelopes == 1 { "envelope" } else { "envelopes" })?;
        }
        f.write_str(")")?;
        if self.engines.iter().any(|name| *name != EngineVersion::default().name.as_str()) {
            write!(f, "; engine {}", words(&self.engines))?;
        }
        if self.envelopes > 0 && !self.runtimes.is_empty() {
            write!(f, "; runtime {}", words(&self.runtimes))?;
        }
        if self.undeclared > 0 {
            let transcripts = plural(self.undeclared, "transcript", "transcripts");
            write!(f, "; no declarations for {transcripts}, so predicates were not looked up")?;
        }
        f.write_str(&self.without_replies())?;
        if self.omitted > 0 {
            write!(f, "; {} not shown", plural(self.omitted, "finding is", "findings are"))?;
        }
        Ok(())
    }
}

fn words(names: &BTreeSet<&'static str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(" and ")
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The findings of one rule with one severity. The order of fields is the order in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statistic {
    pub code: &'static str,
    pub rule: &'static str,
    pub severity: &'static str,
    pub count: usize,
}

/// Counts entries and discarded findings by rule and severity. Sorted by count descending, then by
/// code, then by severity descending.
#[must_use]
pub fn statistics(entries: &[ReportEntry], omitted: &[OverflowCounts]) -> Vec<Statistic> {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for entry in entries {
        let (rule, severity) = (entry.diagnostic.rule, entry.diagnostic.severity);
        *counts.entry((rule.code, rule.name, std::cmp::Reverse(severity))).or_default() += 1;
    }
    for ((code, rule, severity), count) in omitted.iter().flat_map(OverflowCounts::by_rule) {
        *counts.entry((code, rule, std::cmp::Reverse(severity))).or_default() += count;
    }
    let statistic = |((code, rule, std::cmp::Reverse(severity)), count): (_, _)| {
        let severity: Severity = severity;
        Statistic { code, rule, severity: severity.as_str(), count }
    };
    let mut statistics: Vec<_> = counts.into_iter().map(statistic).collect();
    statistics.sort_by_key(|statistic| std::cmp::Reverse(statistic.count));
    statistics
}

#[must_use]
pub fn statistics_table(statistics: &[Statistic]) -> String {
    let Some(most) = statistics.first() else { return String::new() };
    let width = most.count.to_string().len();
    let row = |Statistic { code, rule, severity, count }: &Statistic| {
        format!("{count:>width$}  {severity:<11}  {code} {rule}\n")
    };
    statistics.iter().map(row).collect()
}
