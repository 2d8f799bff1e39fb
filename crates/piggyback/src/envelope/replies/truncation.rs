//! Rule for truncated replies, with the position of the cut and the missing parts.

use std::fmt::Write as _;

use crate::envelope::Object;
use crate::envelope::json::{Json, JsonKind, JsonProblemKind, NodeId};
use crate::envelope::profile::is_surface_first;
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey, is_envelope};
use crate::envelope::table::ENVELOPE;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, TextSize, size};

pub(super) static TRUNCATED: Rule = rule!("truncated.md");

pub(super) static PREMATURE_ARTICULATION: Rule = rule!("premature-articulation.md");

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
