//! What a family of rules is, and what collects the findings of one reply.

use rustc_hash::FxHashMap;

use super::subject::Subject;
use super::survey::Survey;
use mangle_syntax::lint::{Finding, Group, Rule, Severity};

/// How many findings of one rule a reply shows; more of them help nobody.
const MOST_OF_A_RULE: usize = 100;

/// How many bytes are read again to see whether fixes mend: so often the length of the reply, and at least this much.
const READ_AGAIN: (usize, usize) = (8, 1 << 18);

/// Rules that belong together, and the checks that apply them. A check that a family does not have is `None`.
#[derive(Debug)]
pub struct Family {
    /// The rules, in the order of their codes.
    pub rules: &'static [&'static Rule],
    /// Looks at a reply as a whole.
    pub reply: Option<fn(&Survey<'_>, &mut Sink)>,
    /// Looks at one envelope of it.
    pub envelope: Option<fn(&Subject<'_>, &mut Sink)>,
}

/// Collects findings.
#[derive(Debug)]
pub struct Sink {
    findings: Vec<Finding>,
    counts: FxHashMap<&'static str, usize>,
    readable: usize,
    /// In an envelope of a later version than the known ones, whose shape is judged mildly: the rule that says so itself.
    pub(super) milder_but_for: Option<&'static Rule>,
}

impl Sink {
    pub(super) fn new(raw: &[u8]) -> Self {
        let readable = (raw.len() * READ_AGAIN.0).max(READ_AGAIN.1);
        Self { findings: Vec::new(), counts: FxHashMap::default(), readable, milder_but_for: None }
    }

    /// Whether no more findings of a rule are taken. What looks at many things asks before it looks at the next.
    #[must_use]
    pub fn is_full(&self, rule: &'static Rule) -> bool {
        self.counts.get(rule.code).is_some_and(|count| *count >= MOST_OF_A_RULE)
    }

    /// Adds a finding.
    pub fn push(&mut self, mut finding: Finding) {
        let count = self.counts.entry(finding.rule.code).or_default();
        *count += 1;
        if *count > MOST_OF_A_RULE {
            return;
        }
        let is_milder = self.milder_but_for.is_some_and(|exception| finding.rule != exception);
        if is_milder && finding.rule.group == Group::Fields {
            finding.severity = finding.severity.or(finding.rule.severity).map(milder);
        }
        self.findings.push(finding);
    }

    /// Whether so many bytes may be read again to see whether a fix mends.
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

/// One step less grave.
fn milder(severity: Severity) -> Severity {
    match severity {
        Severity::Error => Severity::Warning,
        Severity::Warning => Severity::Information,
        Severity::Information | Severity::Hint => Severity::Hint,
    }
}
