//! Rule for the order of surface and control packet.

use crate::envelope::edits;
use crate::envelope::profile::is_surface_first;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};

pub(super) static KEY_ORDER: Rule = rule!("key-order.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    channels(subject, sink);
    if subject.profile == Profile::V1_1Bnf && !subject.is_truncated {
        lists(subject, sink);
    }
}

/// Reports the order of the two lists, which the grammar of 1.1 fixes.
fn lists(subject: &Subject<'_>, sink: &mut Sink) {
    let first = |name| subject.control.all(name).next();
    let (Some(updates), Some(memory)) = (first("mangle_updates"), first("memory_operations")) else { return };
    if memory.key < updates.key {
        let message = "`mangle_updates` comes after `memory_operations`";
        let finding = Finding::new(&KEY_ORDER, subject.json.range(updates.key), message);
        let note = format!("the grammar of `{}` has only the other order", subject.profile);
        sink.push(finding.severity(Severity::Error).note(note));
    }
}

fn channels(subject: &Subject<'_>, sink: &mut Sink) {
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
