//! Counts of findings that are not kept, because a file has too many.

use std::collections::BTreeMap;

use mangle_syntax::lint::{Diagnostic, Severity};

/// The counts of discarded findings of one file.
#[derive(Debug, Clone, Default)]
pub struct OverflowCounts {
    /// The display name of the file.
    pub name: String,
    /// True if one of the findings fails the check.
    pub fails: bool,
    counts: BTreeMap<(&'static str, &'static str, Severity), usize>,
}

impl OverflowCounts {
    /// Counts a finding.
    pub fn add(&mut self, diagnostic: &Diagnostic) {
        let rule = diagnostic.rule;
        *self.counts.entry((rule.code, rule.name, diagnostic.severity)).or_default() += 1;
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// The number of findings with a severity.
    #[must_use]
    pub fn of_severity(&self, wanted: Severity) -> usize {
        self.counts.iter().filter(|((.., severity), _)| *severity == wanted).map(|(_, count)| count).sum()
    }

    pub fn by_rule(&self) -> impl Iterator<Item = ((&'static str, &'static str, Severity), usize)> {
        self.counts.iter().map(|(key, count)| (*key, *count))
    }
}
