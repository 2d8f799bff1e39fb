//! Families of rules, and the collector of the findings of one reply.

use rustc_hash::FxHashMap;

use super::subject::Subject;
use super::survey::Survey;
use mangle_syntax::lint::{Finding, Group, Rule, Severity};

/// The maximum number of findings per rule and reply.
const MAX_FINDINGS_PER_RULE: usize = 100;

/// The budget in bytes for checking fixes: this factor times the reply length, and at least the
/// second value.
const FIX_CHECK_BUDGET: (usize, usize) = (8, 1 << 18);

/// A group of rules with their checks. A missing check is `None`.
#[derive(Debug)]
pub struct Family {
    /// The rules, in the order of their codes.
    pub rules: &'static [&'static Rule],
    /// Checks a whole reply.
    pub reply: Option<fn(&Survey<'_>, &mut Sink)>,
    /// Checks one envelope of a reply.
    pub envelope: Option<fn(&Subject<'_>, &mut Sink)>,
}

/// A collector of findings.
#[derive(Debug)]
pub struct Sink {
    findings: Vec<Finding>,
    counts: FxHashMap<&'static str, usize>,
    readable: usize,
    /// The only field rule whose severity is not reduced for an envelope of an unknown later
    /// version. `None` for known versions.
    pub(super) full_severity_rule: Option<&'static Rule>,
}

impl Sink {
    pub(super) fn new(raw: &[u8]) -> Self {
        let readable = (raw.len() * FIX_CHECK_BUDGET.0).max(FIX_CHECK_BUDGET.1);
        Self { findings: Vec::new(), counts: FxHashMap::default(), readable, full_severity_rule: None }
    }

    /// True if the limit of findings of a rule is reached. Checks of many items test this before
    /// each item.
    #[must_use]
    pub fn is_full(&self, rule: &'static Rule) -> bool {
        self.counts.get(rule.code).is_some_and(|count| *count >= MAX_FINDINGS_PER_RULE)
    }

    /// Adds a finding.
    pub fn push(&mut self, mut finding: Finding) {
        let count = self.counts.entry(finding.rule.code).or_default();
        *count += 1;
        if *count > MAX_FINDINGS_PER_RULE {
            return;
        }
        let is_milder = self.full_severity_rule.is_some_and(|exception| finding.rule != exception);
        if is_milder && finding.rule.group == Group::Fields {
            finding.severity = finding.severity.or(finding.rule.severity).map(milder);
        }
        self.findings.push(finding);
    }

    /// Consumes part of the budget for checking fixes. Returns false if the budget is exceeded.
    pub fn may_read(&mut self, bytes: usize) -> bool {
        let left = self.readable.checked_sub(bytes);
        self.readable = left.unwrap_or(self.readable);
        left.is_some()
    }

    pub(super) fn finish(self, text: &[u8]) -> Vec<Finding> {
        let mut findings: Vec<_> =
            self.findings.into_iter().map(|finding| finding.on_characters(text)).collect();
        findings.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
        findings.dedup_by(|one, other| one.rule == other.rule && one.range == other.range);
        findings
    }
}

/// Reduces a severity by one level.
fn milder(severity: Severity) -> Severity {
    match severity {
        Severity::Error => Severity::Warning,
        Severity::Warning => Severity::Information,
        Severity::Information | Severity::Hint => Severity::Hint,
    }
}
