//! Rules for truncated replies, with the position of the cut and the missing parts, and for text
//! that the runtime truncates in an accepted envelope.

use std::fmt::Write as _;

use crate::envelope::json::{Json, JsonKind, JsonProblemKind, NodeId};
use crate::envelope::pointer::shortened;
use crate::envelope::profile::is_surface_first;
use crate::envelope::survey::{ObjectRole, Subject, Survey, is_envelope};
use crate::envelope::table::ENVELOPE;
use crate::envelope::view::View;
use crate::envelope::{Object, Sink, runtime};
use mangle_settings::versions::runtime::Cut;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, TextSize, size};

pub(super) static TRUNCATED: Rule = rule!("truncated.md");

pub(super) static PREMATURE_ARTICULATION: Rule = rule!("premature-articulation.md");

pub(super) static SURFACE_CAP: Rule = rule!("surface-cap.md");

pub(super) static UPDATES_CAP: Rule = rule!("updates-cap.md");

pub(super) static ATOMS_DROPPED: Rule = rule!("atoms-dropped.md");

pub(super) static TRACE_CAP: Rule = rule!("trace-cap.md");

pub(super) static MEMORY_CAP: Rule = rule!("memory-cap.md");

pub(super) static TOOLS_CAP: Rule = rule!("tools-cap.md");

pub(super) static KNOWLEDGE_CAP: Rule = rule!("knowledge-cap.md");

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    for (_, object) in survey.with_role(ObjectRole::Truncated) {
        let cut = Truncation::from_json(&object.json);
        let message = format!("reply truncated {}", cut.place);
        let finding = Finding::new(&TRUNCATED, last_character(survey.reply.raw), message)
            .note(format!("missing: {}", cut.missing(object)))
            .note(match survey.context.settings.caps.runtime.surface_salvage {
                true => "the runtime shows what it can recover of the surface, and asserts nothing",
                false => "the runtime reads nothing of the object",
            });
        sink.push(finding);
        premature(object, &cut, sink);
    }
}

/// Returns the last character that is not white space.
fn last_character(raw: &[u8]) -> TextRange {
    let end = raw.trim_ascii_end().len();
    let text = raw.get(..end).unwrap_or(&[]);
    let rest = text.iter().rev().take(4).position(|byte| (*byte as i8) >= -0x40).unwrap_or(0);
    TextRange::new(size(end.saturating_sub(rest + 1)), size(end))
}

/// The maximum number of closing brackets in a finding.
const MAX_BRACKETS: usize = 40;

/// The state of an object at the position of its cut.
struct Truncation {
    /// Description of the position for messages.
    place: String,
    in_string: bool,
    /// The closing brackets of all open values, innermost first. Truncated if there are very many.
    brackets: String,
    /// Start offsets of all open values, outermost first.
    open: Vec<TextSize>,
}

impl Truncation {
    fn from_json(json: &Json<'_>) -> Self {
        let unclosed = json.problems.iter().filter(|problem| problem.kind == JsonProblemKind::Unclosed);
        let mut open: Vec<_> = unclosed.map(|problem| problem.range.start()).collect();
        open.sort_unstable();
        open.dedup();
        let byte = |start: &TextSize| json.text().get(usize::from(*start)).copied();
        let in_string = open.last().is_some_and(|start| byte(start) == Some(b'"'));
        let bracket = |start| match byte(start) {
            Some(b'[') => Some(']'),
            Some(b'{') => Some('}'),
            _ => None,
        };
        let brackets = open.iter().rev().filter_map(bracket).take(MAX_BRACKETS).collect();
        Self { place: place(json, &open), in_string, brackets, open }
    }

    /// Describes the missing text.
    fn missing(&self, object: &Object<'_>) -> String {
        let mut out = String::new();
        if self.in_string {
            out.push_str("the closing quote");
        }
        if !self.brackets.is_empty() {
            let comma = if out.is_empty() { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(out, "{comma}`{}`", self.brackets);
        }
        let json = &object.json;
        let view = View::new(json, &ENVELOPE, [json.root()]);
        let is_missing =
            |name: &&str| view.get(name).is_none_or(|entry| json.kind(entry.value) == JsonKind::Broken);
        let is_nothing = json.members(json.root()).all(|member| json.kind(member.value) == JsonKind::Broken);
        if is_envelope(json) || is_nothing {
            for name in ["control_packet", "surface_response"].into_iter().filter(is_missing) {
                let _ = write!(out, ", the value of `{name}`");
            }
        }
        out
    }
}

/// Describes the end of the text by the path of the open values.
fn place(json: &Json<'_>, open: &[TextSize]) -> String {
    let is_open = |node: NodeId| open.binary_search(&json.range(node).start()).is_ok();
    let (mut node, mut pointer) = (json.root(), String::new());
    loop {
        let shown = if pointer.is_empty() {
            "the outermost object".to_owned()
        } else {
            format!("`{}`", shortened(&pointer))
        };
        let next = match json.kind(node) {
            JsonKind::Array => {
                let Some((at, last)) = json.elements(node).enumerate().last() else {
                    return format!("at the start of the list {shown}");
                };
                let _ = write!(pointer, "/{at}");
                last
            }
            JsonKind::Object => {
                let Some(last) = json.members(node).last() else {
                    return format!("at the start of {shown}");
                };
                if is_open(last.key) {
                    return format!("inside a key of {shown}");
                }
                let key = json.string(last.key).unwrap_or_default();
                let _ = write!(pointer, "/{}", super::super::pointer::escaped(&key));
                last.value
            }
            JsonKind::Plain | JsonKind::Escaped if is_open(node) => {
                return format!("inside the text {shown}");
            }
            JsonKind::Broken if json.raw(node).is_empty() => return format!("before the value {shown}"),
            JsonKind::Broken => return format!("inside the value {shown}"),
            _ => return format!("after the value {shown}"),
        };
        let is_container = matches!(json.kind(next), JsonKind::Array | JsonKind::Object);
        if is_container && !is_open(next) {
            return format!("after the value `{}`", shortened(&pointer));
        }
        node = next;
    }
}

fn premature(object: &Object<'_>, cut: &Truncation, sink: &mut Sink) {
    let json = &object.json;
    let view = View::new(json, &ENVELOPE, [json.root()]);
    let is_cut = |node: NodeId| {
        json.kind(node) == JsonKind::Broken || cut.open.binary_search(&json.range(node).start()).is_ok()
    };
    let Some(surface) = view.get("surface_response").filter(|surface| !is_cut(surface.value)) else { return };
    let control = view.get("control_packet");
    let is_incomplete = control.is_none_or(|control| is_cut(control.value));
    let is_first = control.is_none() || is_surface_first(&view);
    if is_first && is_incomplete && json.string(surface.value).is_some() {
        let message = "reply truncated after the user-visible text";
        let finding = Finding::new(&PREMATURE_ARTICULATION, json.range(surface.value), message);
        sink.push(finding.note("the user reads a promise, but the control packet is lost"));
    }
}

pub(super) fn check_caps(subject: &Subject<'_>, sink: &mut Sink) {
    let (caps, control) = (&subject.context.settings.caps, &subject.control);
    let cut = caps.runtime.trace_cut;
    cut_text(
        &SURFACE_CAP,
        &subject.envelope,
        "surface_response",
        ("surface response", caps.surface()),
        cut,
        sink,
    );
    cut_text(&TRACE_CAP, control, "reasoning_trace", ("reasoning trace", caps.trace()), cut, sink);
    cut_list(&UPDATES_CAP, control, "mangle_updates", "updates", caps.updates(), sink);
    cut_list(&MEMORY_CAP, control, "memory_operations", "memory operations", caps.memory(), sink);
    cut_list(&TOOLS_CAP, control, "tool_requests", "tool requests", caps.tools(), sink);
    cut_list(&KNOWLEDGE_CAP, control, "knowledge_requests", "knowledge requests", caps.knowledge(), sink);
    dropped_updates(subject, sink);
}

fn cut_text(
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

fn cut_list(rule: &'static Rule, view: &View<'_>, name: &str, items: &str, cap: usize, sink: &mut Sink) {
    let elements = view.list(name);
    let lost: &[NodeId] = elements.get(cap..).unwrap_or(&[]);
    if let (Some(first), Some(last)) = (lost.first(), lost.last()) {
        let range = view.json.range(*first).cover(view.json.range(*last));
        let message = format!("{} of {} {items} exceed the limit of {cap}", lost.len(), elements.len());
        sink.push(Finding::new(rule, range, message).note("the runtime silently ignores them"));
    }
}

fn dropped_updates(subject: &Subject<'_>, sink: &mut Sink) {
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
    let total = updates.len();
    if let Some(range) = subject.control.key_range("mangle_updates").filter(|_| count > 0) {
        let message = format!("runtime ignores {count} of {total} updates");
        let finding = Finding::new(&ATOMS_DROPPED, range, message);
        sink.push(finding.note("its first filter removes them; each of them has a finding of its own"));
    }
}
