//! The entry point of the rules about single replies.

use super::atoms::{self, Update};
use super::context::ReplyContext;
use super::json::{Json, Member};
use super::reply::Reply;
use super::sink::{Family, Sink};
use super::subject::Subject;
use super::survey::Survey;
use super::{audit, fields, memory, replies, requests};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Rule};

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
    let mut updates = list.map(|list| Update::all(subject.json, list.value)).unwrap_or_default();
    // Some runtimes accept one string as a list of one update, and an empty string as an empty
    // list.
    let lone = list.and_then(|list| Update::new(subject.json, list.value, 0));
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
