//! Findings that are counted and not kept, since a file has too many of them.

use std::collections::BTreeMap;

use mangle_syntax::lint::{Diagnostic, Severity};

/// Findings of one file that are counted and not kept.
#[derive(Debug, Clone, Default)]
pub struct OverflowCounts {
    /// What output calls the file.
    pub name: String,
    /// Whether one of them makes the check fail.
    pub fails: bool,
    counts: BTreeMap<(&'static str, &'static str, Severity), usize>,
}

impl OverflowCounts {
    /// Counts a finding.
    pub fn add(&mut self, diagnostic: &Diagnostic) {
        let rule = diagnostic.rule;
        *self.counts.entry((rule.code, rule.name, diagnostic.severity)).or_default() += 1;
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// How many there are of a severity.
    #[must_use]
    pub fn of_severity(&self, wanted: Severity) -> usize {
        self.counts.iter().filter(|((.., severity), _)| *severity == wanted).map(|(_, count)| count).sum()
    }

    /// How many there are of each rule, by code and name, and severity.
    pub fn by_rule(&self) -> impl Iterator<Item = ((&'static str, &'static str, Severity), usize)> {
        self.counts.iter().map(|(key, count)| (*key, *count))
    }
}
