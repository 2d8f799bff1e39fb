//! How often each rule found something.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{OverflowCounts, ReportEntry};
use mangle_syntax::lint::Severity;

/// The findings of one rule with one severity. The order of the members is that of the JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statistic {
    /// The code of the rule.
    pub code: &'static str,
    pub rule: &'static str,
    /// The severity, as a word.
    pub severity: &'static str,
    pub count: usize,
}

/// Counts entries, and what is not among them, by rule and severity: the most frequent first, then by code, the gravest first.
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

/// The counts as a table; empty if there are none.
#[must_use]
pub fn statistics_table(statistics: &[Statistic]) -> String {
    let Some(most) = statistics.first() else { return String::new() };
    let width = most.count.to_string().len();
    let row = |Statistic { code, rule, severity, count }: &Statistic| {
        format!("{count:>width$}  {severity:<11}  {code} {rule}\n")
    };
    statistics.iter().map(row).collect()
}
