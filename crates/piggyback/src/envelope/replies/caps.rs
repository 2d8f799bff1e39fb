//! Rules for truncated text in an accepted envelope.

use crate::envelope::json::NodeId;
use crate::envelope::runtime;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_settings::versions::runtime::Cut;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static SURFACE_CAP: Rule = rule!("surface-cap.md");

pub(super) static UPDATES_CAP: Rule = rule!("updates-cap.md");

pub(super) static ATOMS_DROPPED: Rule = rule!("atoms-dropped.md");

pub(super) static TRACE_CAP: Rule = rule!("trace-cap.md");

pub(super) static MEMORY_CAP: Rule = rule!("memory-cap.md");

pub(super) static TOOLS_CAP: Rule = rule!("tools-cap.md");

pub(super) static KNOWLEDGE_CAP: Rule = rule!("knowledge-cap.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let (caps, control) = (&subject.context.settings.caps, &subject.control);
    let cut = caps.runtime.trace_cut;
    text(
        &SURFACE_CAP,
        &subject.envelope,
        "surface_response",
        ("surface response", caps.surface()),
        cut,
        sink,
    );
    text(&TRACE_CAP, control, "reasoning_trace", ("reasoning trace", caps.trace()), cut, sink);
    tail(&UPDATES_CAP, control, "mangle_updates", "updates", caps.updates(), sink);
    tail(&MEMORY_CAP, control, "memory_operations", "memory operations", caps.memory(), sink);
    tail(&TOOLS_CAP, control, "tool_requests", "tool requests", caps.tools(), sink);
    tail(&KNOWLEDGE_CAP, control, "knowledge_requests", "knowledge requests", caps.knowledge(), sink);
    dropped(subject, sink);
}

fn text(
    rule: &'static Rule,
    view: &View<'_>,
    name: &str,
    (what, cap): (&str, usize),
    trace_cut: Cut,
    sink: &mut Sink,
) {
    let Some(entry) = view.get(name) else { return };
    // A decoded string is never longer than its literal.
    if usize::from(view.json.range(entry.value).len()) <= cap {
        return;
    }
    let Some((value, map)) = view.json.string_with_map(entry.value).filter(|(value, _)| value.len() > cap)
    else {
        return;
    };
    let is_whole = rule == &TRACE_CAP && trace_cut == Cut::Character || value.is_char_boundary(cap);
    let inside = if is_whole { "" } else { ", inside a character" };
    let message = format!("{what} has {} bytes, the limit is {cap}", value.len());
    let start = (0..=cap).rev().find(|at| value.is_char_boundary(*at)).unwrap_or_default();
    let range = map.to_source(TextRange::new(size(start), size(value.len())));
    let finding = Finding::new(rule, range, message).label("ignored");
    sink.push(finding.note(format!("the runtime cuts the text at the limit{inside}")));
}

fn tail(rule: &'static Rule, view: &View<'_>, name: &str, what: &str, cap: usize, sink: &mut Sink) {
    let elements = view.list(name);
    let lost: &[NodeId] = elements.get(cap..).unwrap_or(&[]);
    if let (Some(first), Some(last)) = (lost.first(), lost.last()) {
        let range = view.json.range(*first).cover(view.json.range(*last));
        let message = format!("{} of {} {what} exceed the limit of {cap}", lost.len(), elements.len());
        sink.push(Finding::new(rule, range, message).note("the runtime silently ignores them"));
    }
}

fn dropped(subject: &Subject<'_>, sink: &mut Sink) {
    let (caps, json) = (&subject.context.settings.caps, subject.json);
    let updates = subject.control.list("mangle_updates");
    let kept = updates.iter().take(caps.updates());
    // A separate finding reports updates that are dropped because the final period is missing.
    let is_dropped = |update: &str| runtime::reason_in(update, caps, false).is_some();
    // The runtime decoded this envelope if it was picked.
    let decoded = if subject.is_picked { subject.reply.reading.as_ref().ok() } else { None };
    let decoded =
        decoded.and_then(|reading| reading.accepted.as_ref()).map(|picked| picked.packet.updates.as_slice());
    let count = match decoded {
        Some(updates) => updates.iter().filter(|update| is_dropped(update)).count(),
        None => kept.filter(|node| json.string(**node).is_some_and(|update| is_dropped(&update))).count(),
    };
    let of = updates.len();
    if let Some(range) = subject.control.key_range("mangle_updates").filter(|_| count > 0) {
        let message = format!("runtime ignores {count} of {of} updates");
        let finding = Finding::new(&ATOMS_DROPPED, range, message);
        sink.push(finding.note("its first filter removes them; each of them has a finding of its own"));
    }
}
