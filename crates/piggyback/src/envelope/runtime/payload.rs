//! Tool arguments as text for the safety gate, and the target that the gate derives from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::AnyValue;
use super::Tool;
use super::decode::with_room;
use mangle_settings::Runtime;
use mangle_settings::versions::runtime::ActionIds;

/// The maximum number of entries in `edits` that the gate reads.
const MAX_EDITS: usize = 16;

/// Go prints numbers with an exponent from this power of ten on, or below a separate limit.
const GO_HIGH: i32 = 6;
const GO_LOW: i32 = -4;

/// Serializes the arguments as JSON: keys sorted by bytes, no white space, shortest numbers.
#[must_use]
pub fn payload(args: &BTreeMap<String, AnyValue>) -> String {
    let mut out = String::new();
    object(args, &mut out);
    out
}

/// Returns the action of a tool, which is its name as a name constant.
#[must_use]
pub fn action(tool: &str) -> String {
    if tool.starts_with('/') { tool.to_owned() } else { format!("/{tool}") }
}

/// A tool call as seen by the safety gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCall {
    /// The identifier of the action.
    pub id: String,
    /// The action, as a name constant.
    pub action: String,
    /// The target of the action.
    pub target: String,
    /// The arguments as JSON.
    pub payload: String,
    /// The reason for a denial before any rule is evaluated, and the action in the denial.
    pub denied: Option<(String, String)>,
}

impl GateCall {
    /// Creates the call of a tool request.
    #[must_use]
    pub fn new(tool: &Tool, runtime: Runtime) -> Self {
        let empty = if runtime.empty_payload { "{}" } else { "null" };
        let mut call = Self {
            id: match runtime.action_ids {
                ActionIds::Request => tool.id.clone(),
                ActionIds::ExecPrefix => format!("exec-{}", tool.id),
            },
            action: action(&tool.name),
            target: target(tool.args.as_ref(), runtime),
            payload: tool.args.as_ref().map_or_else(|| empty.to_owned(), payload),
            denied: None,
        };
        call.denied = call.denial(&tool.name, runtime);
        call
    }

    fn denial(&self, name: &str, runtime: Runtime) -> Option<(String, String)> {
        let nameless = |why: &str| Some(("/unknown".to_owned(), why.to_owned()));
        let word = self.action.strip_prefix('/').unwrap_or_default();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if runtime.tool_name_check && name.trim().is_empty() {
            return nameless("empty tool call name");
        }
        if runtime.tool_name_check && (word.is_empty() || !word.bytes().all(is_name)) {
            return nameless("malformed tool action name");
        }
        let limit = runtime.payload_cap.filter(|limit| self.payload.len() > *limit)?;
        Some((self.action.clone(), format!("payload too large: {} > {limit}", self.payload.len())))
    }
}

/// The target of actions without a known target.
const UNKNOWN: &str = "unknown";

/// Returns the target of an action as text.
#[must_use]
pub fn target(args: Option<&BTreeMap<String, AnyValue>>, runtime: Runtime) -> String {
    let Some(args) = args else { return UNKNOWN.to_owned() };
    let found = if runtime.path_rules {
        path(args, runtime).or_else(|| {
            let others = runtime.other_targets.iter().filter_map(|name| args.get(*name));
            others.map(|value| text(value).trim().to_owned()).find(|text| !text.is_empty())
        })
    } else {
        runtime.path_arguments.iter().find_map(|name| args.get(*name)).map(text)
    };
    found.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// Returns the path of a tool call, from an argument or from the first edit. `None` if any edit is
/// invalid.
fn path(args: &BTreeMap<String, AnyValue>, runtime: Runtime) -> Option<String> {
    let own = runtime.path_arguments.iter().find_map(|name| path_text(args.get(*name)?));
    let edits = match args.get("edits") {
        None | Some(AnyValue::Null) => return own,
        Some(AnyValue::List(edits)) if edits.len() <= MAX_EDITS => edits,
        Some(_) => return None,
    };
    let edit = |edit: &AnyValue| match edit {
        AnyValue::Map(edit) => path_text(runtime.path_arguments.iter().find_map(|name| edit.get(*name))?),
        _ => None,
    };
    let edits: Option<Vec<String>> = edits.iter().map(edit).collect();
    let edits = edits?;
    own.or_else(|| edits.into_iter().next())
}

/// Returns the trimmed text of a value that is not blank.
fn path_text(value: &AnyValue) -> Option<String> {
    match value {
        AnyValue::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// Formats an argument as text.
fn text(value: &AnyValue) -> String {
    match value {
        AnyValue::Null => String::new(),
        AnyValue::Text(text) => text.clone(),
        AnyValue::Bool(truth) => format!("/{truth}"),
        AnyValue::Number(number) => float(*number, GO_HIGH, GO_LOW),
        other => shown(other),
    }
}

/// Formats a value like Go's `%v`.
fn shown(value: &AnyValue) -> String {
    match value {
        AnyValue::Null => "<nil>".to_owned(),
        AnyValue::Bool(truth) => truth.to_string(),
        AnyValue::Number(number) => float(*number, GO_HIGH, GO_LOW),
        AnyValue::Text(text) => text.clone(),
        AnyValue::List(list) => format!("[{}]", list.iter().map(shown_inside).collect::<Vec<_>>().join(" ")),
        AnyValue::Map(map) => {
            let entries = map.iter().map(|(key, value)| format!("{key}:{}", shown_inside(value)));
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
    }
}

fn shown_inside(value: &AnyValue) -> String {
    with_room(|| shown(value))
}

fn value(value: &AnyValue, out: &mut String) {
    match value {
        AnyValue::Null => out.push_str("null"),
        AnyValue::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        AnyValue::Number(number) => out.push_str(&json_float(*number)),
        AnyValue::Text(text) => string(text, out),
        AnyValue::List(list) => {
            out.push('[');
            for (at, element) in list.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                with_room(|| self::value(element, out));
            }
            out.push(']');
        }
        AnyValue::Map(map) => object(map, out),
    }
}

fn object(map: &BTreeMap<String, AnyValue>, out: &mut String) {
    out.push('{');
    for (at, (key, member)) in map.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        string(key, out);
        out.push(':');
        with_room(|| value(member, out));
    }
    out.push('}');
}

/// Appends a string like Go's JSON encoder with HTML escaping.
fn string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Formats a number as JSON, with an exponent from 1e21 on and below 1e-6. The exponent has no
/// leading zero.
fn json_float(number: f64) -> String {
    let text = float(number, 21, -6);
    // `1e-07` becomes `1e-7`.
    match text.rsplit_once("e-0") {
        Some((digits, exponent)) if exponent.len() == 1 => format!("{digits}e-{exponent}"),
        _ => text,
    }
}

/// Formats a float like Go's `%g`.
#[must_use]
pub fn go_float(number: f64) -> String {
    float(number, GO_HIGH, GO_LOW)
}

/// Formats a float with the shortest exact digits.
///
/// From `10^high` on and below `10^low`, the format has an exponent of at least two digits.
fn float(number: f64, high: i32, low: i32) -> String {
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < low || exponent >= high {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{number}")
}
