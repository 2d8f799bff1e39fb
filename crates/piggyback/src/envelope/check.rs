//! Our opinion of a reply: the families of rules, and what collects their findings.

use rustc_hash::FxHashMap;

use super::atoms::{self, Update};
use super::context::Context;
use super::json::Member;
use super::reply::Reply;
use super::subject::Subject;
use super::survey::Survey;
use super::{audit, fields, memory, replies, requests};
use mangle_syntax::lint::{Finding, Group, Rule, Severity};

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

/// All families, in the order of their codes.
#[rustfmt::skip] // One row a family.
pub const FAMILIES: &[Family] = &[
    replies::FAMILY,
    fields::FAMILY,
    audit::FAMILY,
    Family { rules: atoms::rules::RULES, reply: None, envelope: Some(check_updates) },
    memory::FAMILY,
    requests::FAMILY,
];

/// All rules about single replies, in the order of their families.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.rules).copied()
}

/// How many findings of one rule a reply shows; more of them help nobody.
const MOST_OF_A_RULE: usize = 100;

/// How many bytes are read again to see whether fixes mend: so often the length of the reply, and at least this much.
const READ_AGAIN: (usize, usize) = (8, 1 << 18);

/// What somebody who knows the protocol says of a reply. Ranges count from its start, edits are as they stand in it.
#[must_use]
pub fn check(reply: &Reply<'_>, context: &Context<'_>) -> Vec<Finding> {
    let survey = Survey::new(reply, context);
    let mut sink = Sink::new(reply);
    for check in FAMILIES.iter().filter_map(|family| family.reply) {
        check(&survey, &mut sink);
    }
    for subject in survey.subjects() {
        sink.is_lenient = subject.is_newer();
        for check in FAMILIES.iter().filter_map(|family| family.envelope) {
            check(&subject, &mut sink);
        }
    }
    sink.finish(reply.raw)
}

fn check_updates(subject: &Subject<'_>, sink: &mut Sink) {
    let judge = subject.judge();
    let list = subject.control.get("mangle_updates");
    let mut updates = list.map(|list| Update::all(subject.json, list.value)).unwrap_or_default();
    // What was cut off says nothing.
    updates.retain(|update| !subject.is_truncated || update.raw().ends_with(b"\""));
    let mut findings = Vec::new();
    atoms::check(&updates, &judge, &mut findings);
    for end in transition_ends(subject) {
        atoms::check_transition(&end, &judge, &mut findings);
    }
    findings.into_iter().for_each(|finding| sink.push(finding));
}

/// What state transitions lead from and to, which are atoms as well.
fn transition_ends<'a>(subject: &Subject<'a>) -> Vec<Update<'a>> {
    let json = subject.json;
    let Some(list) = subject.control.get("state_transitions") else { return Vec::new() };
    let ends = json.elements(list.value).enumerate().flat_map(|(index, transition)| {
        let is_end =
            |member: &Member| json.string(member.key).is_some_and(|key| key == "from" || key == "to");
        json.members(transition).filter(is_end).map(move |end| (index, end.value))
    });
    let ends = ends.filter_map(|(index, node)| Update::new(json, node, index));
    ends.filter(|end| !subject.is_truncated || end.raw().ends_with(b"\"")).collect()
}

/// Collects findings.
#[derive(Debug)]
pub struct Sink {
    findings: Vec<Finding>,
    counts: FxHashMap<&'static str, usize>,
    readable: usize,
    /// Whether the envelope is of a version that nobody knows yet, so that its shape is judged mildly.
    is_lenient: bool,
}

impl Sink {
    fn new(reply: &Reply<'_>) -> Self {
        let readable = (reply.raw.len() * READ_AGAIN.0).max(READ_AGAIN.1);
        Self { findings: Vec::new(), counts: FxHashMap::default(), readable, is_lenient: false }
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
        if self.is_lenient && finding.rule.group == Group::Fields && finding.rule != &fields::NEWER_VERSION {
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

    fn finish(self, text: &[u8]) -> Vec<Finding> {
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
