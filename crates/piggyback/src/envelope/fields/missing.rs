//! Rules for missing members.

use crate::envelope::Sink;
use crate::envelope::edits::{insert_member, quoted};
use crate::envelope::json::{Json, JsonKind};
use crate::envelope::survey::{ObjectRole, Subject, Survey};
use crate::envelope::table::{ENVELOPE, MemberField, Requirement};
use crate::envelope::view::{View, first_byte};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};
use mangle_syntax::text::{TextRange, listed};

pub(super) static SURFACE_MISSING: Rule = rule!("surface-missing.md");

/// Reports an envelope without a control packet.
pub static CONTROL_MISSING: Rule = rule!("control-missing.md");

pub(super) static UPDATES_MISSING: Rule = rule!("updates-missing.md");

pub(super) static NO_UPDATE: Rule = rule!("no-update.md");

pub(super) static BLANK_SURFACE: Rule = rule!("blank-surface.md");

pub(super) static INTENT_MISSING: Rule = rule!("intent-missing.md");

pub(super) static MEMORY_MISSING: Rule = rule!("memory-missing.md");

pub(super) static SCHEMA_MEMBER: Rule = rule!("schema-member.md");

/// Reports a reply whose only object is not an envelope.
pub(super) fn check_reply(survey: &Survey<'_>, sink: &mut Sink) {
    let is_lost = survey.is_lost()
        && survey.wrapper.as_ref().is_none_or(|json| json.kind(json.root()) == JsonKind::Array);
    if !is_lost || survey.subjects().next().is_some() {
        return;
    }
    let first = survey.with_role(ObjectRole::Json).map(|(_, object)| object).next();
    let is_nested = |text: &[u8]| crate::envelope::runtime::is_rich(text);
    if let Some(object) = first.filter(|object| object.decoded.is_ok())
        && !survey.reply.raw.get(object.range.clone()).is_some_and(is_nested)
    {
        let message = "object has neither `surface_response` nor `control_packet`";
        let finding = Finding::new(&SURFACE_MISSING, survey.brace(object), message);
        sink.push(finding.note("it is not an envelope, and the runtime rejects it"));
    }
}

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    blank(subject, sink);
    if !subject.is_whole() {
        return;
    }
    surface(subject, sink);
    control(subject, sink);
    if subject.control.exists() {
        updates(subject, sink);
        intent(subject, sink);
        memory(subject, sink);
        schema(subject, sink);
    }
}

fn blank(subject: &Subject<'_>, sink: &mut Sink) {
    if !subject.envelope.has_text("surface_response")
        && let Some(entry) = subject.envelope.get("surface_response")
        && matches!(subject.json.kind(entry.value), JsonKind::Plain | JsonKind::Escaped)
        && !subject.json.is_empty_string(entry.value)
    {
        let range = subject.json.range(entry.value);
        let finding = Finding::new(&BLANK_SURFACE, range, "surface response is blank");
        sink.push(finding.note("the runtime accepts it, and the user sees nothing"));
    }
}

/// The note about an envelope without a text for the user.
const PACKET_LOST_NOTE: &str = "the runtime rejects the envelope, and its control packet is lost";

fn surface(subject: &Subject<'_>, sink: &mut Sink) {
    let envelope = &subject.envelope;
    let Some(entry) = envelope.get("surface_response") else {
        if envelope.misspelled_key("surface_response").is_none() {
            let message = "envelope has no `surface_response`";
            let mut finding = Finding::new(&SURFACE_MISSING, subject.brace(), message).note(PACKET_LOST_NOTE);
            finding.fix = insertion(envelope, "surface_response", "\"(to be written)\"", false, Fix::guess);
            sink.push(finding);
        }
        return;
    };
    if subject.json.kind(entry.value) == JsonKind::Null || subject.json.is_empty_string(entry.value) {
        let range = subject.json.range(entry.value);
        sink.push(Finding::new(&SURFACE_MISSING, range, "surface response is empty").note(PACKET_LOST_NOTE));
    }
}

fn control(subject: &Subject<'_>, sink: &mut Sink) {
    let envelope = &subject.envelope;
    let is_missing =
        !envelope.contains_key("control_packet") && envelope.misspelled_key("control_packet").is_none();
    // If the surface is also missing, the envelope is rejected anyway.
    if is_missing && envelope.contains_key("surface_response") {
        let message = "envelope has no `control_packet`";
        let mut finding = Finding::new(&CONTROL_MISSING, subject.brace(), message)
            .note("the runtime shows the surface response, but asserts nothing");
        finding.fix = insertion(envelope, "control_packet", &bare(subject), true, Fix::guess);
        sink.push(finding);
    }
}

/// Returns a packet with the required members. The two lists are always included.
pub(super) fn bare(subject: &Subject<'_>) -> String {
    let is_strict = subject.context.settings.caps.strict;
    let member = |field: &MemberField| {
        let (is_wanted, value) = match (field.name, field.need(subject.profile)) {
            ("mangle_updates" | "memory_operations", _) => (true, "[]"),
            ("intent_classification", need) => {
                (is_strict || matches!(need, Requirement::Required | Requirement::Schema), INTENT)
            }
            (name, need) => (is_needed(subject, need), empty(name)?),
        };
        is_wanted.then(|| format!("{}: {value}", quoted(field.name)))
    };
    let members: Vec<_> = subject.control.table.fields.iter().filter_map(member).collect();
    format!("{{{}}}", members.join(", "))
}

/// True if an envelope without the member is invalid.
fn is_needed(subject: &Subject<'_>, need: Requirement) -> bool {
    need == Requirement::Required || (need == Requirement::Schema && subject.is_schema())
}

/// Returns a fix that inserts a member.
fn insertion(
    view: &View<'_>,
    name: &str,
    value: &str,
    is_first: bool,
    fix: fn(String) -> Fix,
) -> Option<Fix> {
    let (range, text) = insert_member(view, name, value, is_first)?;
    Some(fix(format!("insert `{name}`")).replace(range, text))
}

/// True if a member of the control packet is missing and no other rule reports it.
fn is_missing(subject: &Subject<'_>, name: &str) -> bool {
    !subject.control.contains_key(name) && subject.control.misspelled_key(name).is_none()
}

fn need(subject: &Subject<'_>, name: &str) -> Requirement {
    subject.control.table.field(name).map_or(Requirement::Unknown, |field| field.need(subject.profile))
}

fn updates(subject: &Subject<'_>, sink: &mut Sink) {
    if is_missing(subject, "mangle_updates") {
        let message = "control packet has no `mangle_updates`";
        let mut finding = Finding::new(&UPDATES_MISSING, subject.control_range(), message)
            .note("the runtime assumes an empty list; `[]` states that nothing changed");
        if is_needed(subject, need(subject, "mangle_updates")) {
            finding = finding.severity(Severity::Error);
        }
        // The grammar of 1.1 does not allow an empty list.
        if subject.profile != Profile::V1_1Bnf {
            finding.fix = insertion(&subject.control, "mangle_updates", "[]", false, Fix::safe);
        }
        sink.push(finding);
    } else if subject.profile == Profile::V1_1Bnf && subject.control.list("mangle_updates").is_empty() {
        let range = subject.control.key_range("mangle_updates").unwrap_or(subject.control_range());
        let finding = Finding::new(&NO_UPDATE, range, "list of updates is empty");
        sink.push(finding.note("the grammar of 1.1-bnf requires at least one update"));
    }
}

/// A template of an intent.
const INTENT: &str = "{\"category\": \"/query\", \"verb\": \"/explain\", \"target\": \"none\", \"constraint\": \"none\", \"confidence\": 0.5}";

fn intent(subject: &Subject<'_>, sink: &mut Sink) {
    let is_strict = subject.context.settings.caps.strict;
    if subject.control.has("intent_classification") {
        let intent = subject.control.object("intent_classification");
        let is_empty = |name: &str| intent.text(name).is_none_or(|text| text.is_empty());
        if is_strict && intent.exists() && (is_empty("category") || is_empty("verb")) {
            let message = "intent has no category or no verb";
            let range = subject.control.key_range("intent_classification").unwrap_or(intent.brace());
            let finding = Finding::new(&INTENT_MISSING, range, message);
            sink.push(finding.note("the runtime requires both and rejects the envelope"));
        }
        return;
    }
    if subject.control.misspelled_key("intent_classification").is_some() {
        return;
    }
    let (severity, why) = match need(subject, "intent_classification") {
        _ if is_strict => (Severity::Error, "the runtime requires it and rejects the envelope".to_owned()),
        Requirement::Required => (Severity::Error, format!("the profile `{}` requires it", subject.profile)),
        Requirement::Schema if subject.is_schema() => {
            (Severity::Error, "the strict schema requires it".to_owned())
        }
        Requirement::Schema => (Severity::Error, "the schema of the runtime requires it".to_owned()),
        Requirement::Unknown => return,
        _ => (Severity::Hint, "no rule that depends on an intent fires".to_owned()),
    };
    let message = "control packet has no `intent_classification`";
    let mut finding =
        Finding::new(&INTENT_MISSING, subject.control_range(), message).severity(severity).note(why);
    if !subject.control.contains_key("intent_classification") {
        finding.fix = insertion(&subject.control, "intent_classification", INTENT, true, Fix::guess);
    }
    sink.push(finding);
}

fn memory(subject: &Subject<'_>, sink: &mut Sink) {
    let need = need(subject, "memory_operations");
    if is_missing(subject, "memory_operations") && matches!(need, Requirement::Required | Requirement::Schema)
    {
        let message = "control packet has no `memory_operations`";
        let mut finding = Finding::new(&MEMORY_MISSING, subject.control_range(), message)
            .note("the runtime assumes an empty list; `[]` states that nothing is to be remembered");
        if is_needed(subject, need) {
            finding = finding.severity(Severity::Error);
        }
        finding.fix = insertion(&subject.control, "memory_operations", "[]", false, Fix::safe);
        sink.push(finding);
    }
}

/// Members that other rules report.
const REPORTED_BY_OTHER_RULES: [&str; 3] = ["intent_classification", "mangle_updates", "memory_operations"];

/// Returns the empty value of a member that the strict schema requires.
fn empty(name: &str) -> Option<&'static str> {
    Some(match name {
        "self_correction" => "{\"triggered\": false, \"hypothesis\": \"\"}",
        "reasoning_trace" | "purpose" | "missing_context" => "\"\"",
        "knowledge_requests" | "tool_requests" => "[]",
        "context_feedback" => {
            "{\"overall_usefulness\": 0.5, \"helpful_facts\": [], \"noise_facts\": [], \"missing_context\": \"\"}"
        }
        "priority" => "\"optional\"",
        "required" => "false",
        _ => return None,
    })
}

fn schema(subject: &Subject<'_>, sink: &mut Sink) {
    // The runtime itself does not require these fields.
    if subject.is_schema() {
        fields_of(&subject.control, subject.control_range(), subject.profile, sink);
    }
}

/// Reports the missing fields that the strict schema requires, for an envelope without other
/// findings.
pub(in crate::envelope) fn missing_fields(json: &Json<'_>, profile: Profile, sink: &mut Sink) {
    let envelope = View::new(json, &ENVELOPE, [json.root()]);
    let range = envelope.key_range("control_packet").unwrap_or_else(|| envelope.brace());
    fields_of(&envelope.object("control_packet"), range, profile, sink);
}

/// Reports the missing fields of a control packet and its nested objects that the strict schema
/// requires. `range` is the range for findings about the packet.
fn fields_of(control: &View<'_>, range: TextRange, profile: Profile, sink: &mut Sink) {
    control.visit(profile, true, &mut |view, is_known| {
        if is_known && !sink.is_full(&SCHEMA_MEMBER) {
            let range = if std::ptr::eq(view, control) { range } else { first_byte(view.range()) };
            lacking(view, range, profile, sink);
        }
    });
}

/// Reports the missing fields of an object in one finding.
fn lacking(view: &View<'_>, range: TextRange, profile: Profile, sink: &mut Sink) {
    let wanted = view.table.fields.iter().filter(|field| field.need(profile) == Requirement::Schema);
    let missing: Vec<_> = wanted
        .map(|field| field.name)
        .filter(|name| {
            !REPORTED_BY_OTHER_RULES.contains(name)
                && !view.contains_key(name)
                && view.misspelled_key(name).is_none()
        })
        .collect();
    if missing.is_empty() {
        return;
    }
    let title = view.table.title;
    let (message, names) = match &*missing {
        [one] => (format!("schema field `{one}` is missing in {title}"), None),
        all => {
            let names = format!("missing: {}", listed(all.iter().copied()));
            (format!("{} fields of the strict schema are missing in {title}", all.len()), Some(names))
        }
    };
    let mut finding = Finding::new(&SCHEMA_MEMBER, range, message);
    finding.notes.extend(names.map(Into::into));
    finding = finding.note("the strict schema rejects the envelope");
    let mut text = String::new();
    let mut place = None;
    for name in &missing {
        let Some((range, more)) = empty(name).and_then(|value| insert_member(view, name, value, false))
        else {
            return sink.push(finding);
        };
        // In an empty object, the first insertion has no comma.
        if !text.is_empty() && !more.starts_with(',') {
            text.push_str(", ");
        }
        text.push_str(&more);
        place = Some(range);
    }
    finding.fix = place.map(|range| Fix::safe("insert them with empty values").replace(range, text));
    sink.push(finding);
}
