//! Rules for the members of envelopes and control packets (`PB1xx`): missing, unknown, of the wrong
//! kind, and values of the intent. This file has the rules for the protocol version, the order of
//! members, and the members that version 1.3 plans.
//!
//! The input is a [`Subject`], the output is findings. The requirements come from the table of
//! members. The audit objects of 1.2 are in `audit`.

mod intent;
mod members;
mod missing;
mod texts;

pub(super) use intent::leaves_workspace;
pub use intent::{CATEGORIES, Taxonomy, VERBS};
pub use missing::CONTROL_MISSING;
pub(super) use missing::missing_fields;
pub(super) use texts::{TRACE_MISMATCH, TRACE_SHORT, files, leaked_key};

use super::json::{Json, JsonKind, NodeId};
use super::profile::{Marker, ProfileOrigin, is_surface_first};
use super::survey::{Subject, Survey};
use super::table::PLANNED;
use super::view::first_byte;
use super::{Family, Sink, edits};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &members::DUPLICATE_MEMBER,
        &members::NULL_MEMBER,
        &members::WRONG_KIND,
        &missing::SURFACE_MISSING,
        &missing::CONTROL_MISSING,
        &missing::UPDATES_MISSING,
        &members::ABBREVIATED_KEYS,
        &PROFILE_INFERRED,
        &KEY_ORDER,
        &missing::BLANK_SURFACE,
        &members::UNKNOWN_FIELD,
        &members::FOREIGN_FIELD,
        &members::CASE_VARIANT,
        &members::NEAR_MISS,
        &members::EXTRA_FORBIDDEN,
        &NEWER_VERSION,
        &missing::NO_UPDATE,
        &DRAFT_SHAPE,
        &missing::INTENT_MISSING,
        &intent::INTENT_MEMBER,
        &intent::EMPTY_FILLER,
        &missing::MEMORY_MISSING,
        &missing::SCHEMA_MEMBER,
        &intent::BARE_CATEGORY,
        &intent::BAD_CATEGORY,
        &intent::UNKNOWN_VERB,
        &intent::BARE_VERB,
        &texts::TRACE_MISSING,
        &texts::TRACE_SHORT,
        &texts::TRACE_MISMATCH,
        &intent::VERB_CATEGORY,
        &intent::UNIT_RANGE,
        &intent::ZERO_CONFIDENCE,
        &intent::TARGET_ESCAPE,
        &texts::SURFACE_SECRET,
        &texts::SURFACE_LEAK,
        &texts::PACKET_SECRET,
    ],
    reply: Some(check_reply),
    envelope: Some(check),
};

/// Reports the inferred profile of an envelope, if no profile is given.
pub static PROFILE_INFERRED: Rule = rule!("profile-inferred.md");

pub(in crate::envelope) static NEWER_VERSION: Rule = rule!("newer-version.md");

static KEY_ORDER: Rule = rule!("key-order.md");

static DRAFT_SHAPE: Rule = rule!("draft-shape.md");

fn check_reply(survey: &Survey<'_>, sink: &mut Sink) {
    missing::check_reply(survey, sink);
    texts::check_reply(survey, sink);
}

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    members::check_kinds(subject, sink);
    members::check_keys(subject, sink);
    check_version(subject, sink);
    check_order(subject, sink);
    missing::check(subject, sink);
    intent::check(subject, sink);
    texts::check_trace(subject, sink);
    check_draft(subject, sink);
    texts::check_exposure(subject, sink);
}

/// The help text for fixing the version of all envelopes.
const PIN: &str = "set `[transcripts] profile`";

/// The maximum number of reasons in a message.
const MARKERS: usize = 2;

fn check_version(subject: &Subject<'_>, sink: &mut Sink) {
    let expects_version = subject.context.settings.conventions_of().is_some();
    match &subject.origin {
        ProfileOrigin::Inferred(markers) if expects_version && !markers.is_empty() => {
            let message = inferred(subject.profile, markers);
            let mut finding = Finding::new(&PROFILE_INFERRED, subject.brace(), message).help(PIN);
            let version = edits::quoted(subject.profile.as_str());
            let edit = edits::insert_member(&subject.envelope, "piggyback_version", &version, true);
            let is_said = subject.envelope.contains_key("piggyback_version");
            finding.fix = edit.filter(|_| !subject.is_schema() && !is_said).map(|(range, text)| {
                Fix::guess(format!("insert `piggyback_version` with `{}`", subject.profile))
                    .replace(range, text)
            });
            sink.push(finding);
        }
        ProfileOrigin::Session if expects_version && subject.profile != Profile::Current => {
            let message = format!("checked as `{}`, like most of the session", subject.profile);
            sink.push(Finding::new(&PROFILE_INFERRED, subject.brace(), message).help(PIN));
        }
        ProfileOrigin::NewerVersion(version) => {
            let version: String = version.chars().take(20).collect();
            let message = format!("protocol version {version} is newer than this version of mangle-ls");
            let range = subject.envelope.value_range("piggyback_version").unwrap_or(subject.brace());
            let note = "the envelope is checked as `1.3-draft`, with milder severities";
            sink.push(Finding::new(&NEWER_VERSION, range, message).note(note));
        }
        _ => {}
    }
}

/// Formats the message about the inferred profile of an envelope.
pub(in crate::envelope) fn inferred(profile: Profile, markers: &[Marker]) -> String {
    let shown = markers.iter().take(MARKERS).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = if markers.len() > MARKERS { ", …" } else { "" };
    format!("checked as `{profile}`: {shown}{more}")
}

fn check_order(subject: &Subject<'_>, sink: &mut Sink) {
    order_of_channels(subject, sink);
    if subject.profile == Profile::V1_1Bnf && !subject.is_truncated {
        order_of_packet(subject, sink);
    }
}

/// Reports the order of the two lists, which the grammar of 1.1 fixes.
fn order_of_packet(subject: &Subject<'_>, sink: &mut Sink) {
    let first = |name| subject.control.all(name).next();
    let (Some(updates), Some(memory)) = (first("mangle_updates"), first("memory_operations")) else { return };
    if memory.key < updates.key {
        let message = "`mangle_updates` comes after `memory_operations`";
        let finding = Finding::new(&KEY_ORDER, subject.json.range(updates.key), message);
        let note = format!("the grammar of `{}` has only the other order", subject.profile);
        sink.push(finding.severity(Severity::Error).note(note));
    }
}

fn order_of_channels(subject: &Subject<'_>, sink: &mut Sink) {
    let envelope = &subject.envelope;
    let (Some(surface), Some(control)) =
        (envelope.all("surface_response").next(), envelope.all("control_packet").next())
    else {
        return;
    };
    let is_surface_first = is_surface_first(envelope);
    // PB109 reports the order in a truncated reply.
    if subject.is_truncated || is_surface_first != subject.profile.is_control_first() {
        return;
    }
    let (first, second) = if is_surface_first { (surface, control) } else { (control, surface) };
    let loses = ["mangle_updates", "tool_requests"].iter().any(|name| !subject.control.list(name).is_empty());
    let severity = match subject.profile {
        Profile::V1_1 => Severity::Information,
        // The grammar allows only one order.
        Profile::V1_1Bnf => Severity::Error,
        _ if loses => Severity::Error,
        _ => Severity::Warning,
    };
    let name = second.field.name;
    let message = format!("`{name}` comes after `{}`", first.field.name);
    let json = subject.json;
    let mut finding = Finding::new(&KEY_ORDER, json.range(second.key), message)
        .severity(severity)
        .note(format!("the profile `{}` requires the other order", subject.profile));
    if is_surface_first {
        finding = finding.note("when a reply is truncated, the user reads a promise and nothing is asserted");
    }
    if subject.is_whole()
        && envelope.entries.len() == envelope.entries.iter().filter(|entry| entry.is_exact).count()
    {
        let once = |name| envelope.all(name).count() == 1;
        let [one, other] = [first, second].map(|entry| edits::member_range(json, entry.key, entry.value));
        let fix = Fix::safe(format!("put `{name}` first"));
        finding.fix =
            edits::swap(fix, json, one, other).filter(|_| once("surface_response") && once("control_packet"));
    }
    sink.push(finding);
}

fn check_draft(subject: &Subject<'_>, sink: &mut Sink) {
    for name in PLANNED {
        let Some(entry) = subject.control.get(name) else { continue };
        if !entry.field.is_in(subject.profile) || is_planned_kind(subject.json, name, entry.value) {
            continue;
        }
        let message = format!("planned field `{name}` has an unexpected shape");
        let range = first_byte(subject.json.range(entry.value));
        let note = format!("the draft of version 1.3 proposes {}", planned_kind(name));
        sink.push(Finding::new(&DRAFT_SHAPE, range, message).note(note));
    }
}

fn planned_kind(name: &str) -> &'static str {
    match name {
        "dependencies_added" => "a list of names, or of objects with `name`",
        "security_review" => "an object with `risk` (none, low, medium, high) and `findings`",
        "performance_profile" => "an object of numbers",
        "test_coverage_delta" => "a number, or an object with `before` and `after`",
        "git_metadata" => "an object with `commit`, `branch`, `dirty`",
        _ => "a list of texts",
    }
}

fn is_planned_kind(json: &Json<'_>, name: &str, node: NodeId) -> bool {
    let is_text = |node| matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped);
    let is_number = |node| json.kind(node) == JsonKind::Number;
    let member = |node, name: &str| {
        let is_it = |key| json.string(key).is_some_and(|key| key == name);
        json.members(node).find(|member| is_it(member.key)).map(|member| member.value)
    };
    let is_object = json.kind(node) == JsonKind::Object;
    let is_list = json.kind(node) == JsonKind::Array;
    match name {
        _ if json.kind(node) == JsonKind::Null => true,
        "dependencies_added" => {
            is_list && json.elements(node).all(|one| is_text(one) || member(one, "name").is_some_and(is_text))
        }
        "security_review" => {
            let risk = member(node, "risk").and_then(|risk| json.string(risk));
            let is_known = |risk: &str| ["none", "low", "medium", "high"].contains(&risk);
            is_object && risk.is_none_or(|risk| is_known(&risk))
        }
        "performance_profile" => is_object && json.members(node).all(|member| is_number(member.value)),
        "test_coverage_delta" => {
            is_number(node)
                || is_object
                    && ["before", "after"].iter().all(|name| member(node, name).is_some_and(is_number))
        }
        "git_metadata" => is_object,
        _ => is_list && json.elements(node).all(is_text),
    }
}
