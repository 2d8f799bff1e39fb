//! Number of findings of each rule.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{OverflowCounts, ReportEntry};
use mangle_syntax::lint::Severity;

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
