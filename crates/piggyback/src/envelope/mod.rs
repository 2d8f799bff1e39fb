//! Envelopes: the control packets in an agent's replies, their parsing by the runtime, and their
//! checks.
//!
//! The input is the bytes of one reply. The module provides the JSON with all byte ranges
//! ([`json`]), an exact emulation of the runtime ([`runtime`]), and findings ([`check()`]). The
//! module does not depend on the files that contain replies.
//!
//! Rules are grouped in families, as in `analysis`. Some rules check a whole reply ([`Survey`]),
//! most rules check one envelope ([`Subject`]).

pub mod account;
pub mod atoms;
mod audit;
pub mod clean;
mod context;
pub mod edits;
pub mod extractors;
mod fields;
pub mod json;
mod memory;
pub mod plain;
pub mod pointer;
pub mod profile;
mod replies;
mod reply;
mod requests;
pub mod runtime;
pub mod secrets;
mod survey;
pub mod table;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;
pub mod view;

pub use atoms::Verb;
pub use audit::TRANSITION_UNBACKED;
pub use context::{Catalogue, ReplyContext};
pub use fields::{CATEGORIES, CONTROL_MISSING, PROFILE_INFERRED, Taxonomy, VERBS};
pub(crate) use memory::is_about_forgotten_facts;
pub use memory::{MemoryOperation, OPERATIONS, may_be_predicate};
pub use replies::{BAD_UNICODE, CONTROL_LEAK, JSON_SYNTAX, control_shown};
pub use reply::{Object, Reply};
pub use requests::{claim_in, phrase_in};
pub use survey::{ObjectRole, ScannerState, Subject, Survey, is_envelope};

use rustc_hash::FxHashMap;

use json::{Json, Member};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Group, Rule, Severity};

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

/// Returns the findings about a reply. Ranges are relative to its start, and edits are not escaped.
#[must_use]
pub fn check(reply: &Reply<'_>, context: &ReplyContext<'_>) -> Vec<Finding> {
    let survey = Survey::new(reply, context);
    let mut sink = Sink::new(reply.raw);
    for check in FAMILIES.iter().filter_map(|family| family.reply) {
        check(&survey, &mut sink);
    }
    for subject in survey.subjects() {
        sink.full_severity_rule = subject.is_newer().then_some(&fields::NEWER_VERSION);
        for check in FAMILIES.iter().filter_map(|family| family.envelope) {
            check(&subject, &mut sink);
        }
    }
    sink.finish(reply.raw)
}

/// Returns findings about fields that only the strict schema requires, for an envelope without
/// other findings.
#[must_use]
pub fn missing_fields(json: &Json<'_>, profile: Profile) -> Vec<Finding> {
    let mut sink = Sink::new(json.text());
    fields::missing_fields(json, profile, &mut sink);
    sink.finish(json.text())
}

fn check_updates(subject: &Subject<'_>, sink: &mut Sink) {
    let judge = subject.judge();
    let list = subject.control.get("mangle_updates");
    let mut updates = list.map(|list| atoms::Update::all(subject.json, list.value)).unwrap_or_default();
    // Some runtimes accept one string as a list of one update, and an empty string as an empty
    // list.
    let lone = list.and_then(|list| atoms::Update::new(subject.json, list.value, 0));
    let lone =
        lone.filter(|lone| subject.context.settings.caps.runtime.lenient_types && !lone.text.is_empty());
    let is_lone = lone.is_some();
    updates.extend(lone);
    // Truncated updates are not checked.
    updates.retain(|update| !subject.is_truncated || update.raw().ends_with(b"\""));
    let mut findings = Vec::new();
    atoms::check(&updates, &judge, &mut findings);
    if is_lone {
        // The value of a member cannot be deleted like an element of a list.
        findings.iter_mut().for_each(|finding| finding.fix = None);
    }
    for end in transition_ends(subject) {
        atoms::check_transition(&end, &judge, &mut findings);
    }
    findings.into_iter().for_each(|finding| sink.push(finding));
}

/// Returns the atoms in `from` and `to` of state transitions.
fn transition_ends<'a>(subject: &Subject<'a>) -> Vec<atoms::Update<'a>> {
    let json = subject.json;
    let Some(list) = subject.control.get("state_transitions") else { return Vec::new() };
    let ends = json.elements(list.value).enumerate().flat_map(|(index, transition)| {
        let is_end =
            |member: &Member| json.string(member.key).is_some_and(|key| key == "from" || key == "to");
        json.members(transition).filter(is_end).map(move |end| (index, end.value))
    });
    let ends = ends.filter_map(|(index, node)| atoms::Update::new(json, node, index));
    ends.filter(|end| !subject.is_truncated || end.raw().ends_with(b"\"")).collect()
}

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
    full_severity_rule: Option<&'static Rule>,
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
