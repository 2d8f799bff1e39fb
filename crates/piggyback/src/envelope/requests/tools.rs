//! Rules for tool requests: identity, name, arguments, numbers in arguments, and shell commands that
//! match a pattern of the constitution.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::envelope::Sink;
use crate::envelope::edits::{insert_member, insert_members, quoted};
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::shortened;
use crate::envelope::survey::Subject;
use crate::envelope::view::{View, first_byte, number};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, listed, nearest, size};

pub(super) static TOOL_ID: Rule = rule!("tool-id.md");

pub(super) static TOOL_NAME_EMPTY: Rule = rule!("tool-name-empty.md");

pub(super) static TOOL_UNKNOWN: Rule = rule!("tool-unknown.md");

pub(super) static TOOL_ARG_MISSING: Rule = rule!("tool-arg-missing.md");

pub(super) static ARGS_NULL: Rule = rule!("args-null.md");

pub(super) static NUMBER_PRECISION: Rule = rule!("number-precision.md");

pub(super) static SHELL_DANGER: Rule = rule!("shell-danger.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let mut ids: FxHashMap<Cow<'_, str>, TextRange> = FxHashMap::default();
    for (index, request) in subject.control.objects("tool_requests").enumerate() {
        if !request.exists() {
            continue;
        }
        id(subject, index, &request, &mut ids, sink);
        name(subject, &request, sink);
        args(subject, &request, sink);
        if let Some(args) = request.get("tool_args") {
            check_numbers(subject.json, args.value, sink);
            if let Some(agent) = subject.context.settings.conventions_of() {
                check_shell(agent, subject.json, args.value, sink);
            }
        }
    }
}

fn id<'t>(
    subject: &Subject<'_>,
    index: usize,
    request: &View<'t>,
    ids: &mut FxHashMap<Cow<'t, str>, TextRange>,
    sink: &mut Sink,
) {
    if sink.is_full(&TOOL_ID) {
        return;
    }
    let new = format!("req_{}", index + 1);
    let fix = |ids: &FxHashMap<Cow<'t, str>, TextRange>| {
        let fix = Fix::guess(format!("set the id to `{new}`"));
        let is_free = !ids.contains_key(new.as_str());
        is_free.then_some(fix)
    };
    let range = request.value_range("id");
    match request.text("id").filter(|id| !id.is_empty()) {
        Some(id) => {
            let Some(range) = range else { return };
            if let Some(first) = ids.get(&id) {
                let message = format!("duplicate request id `{}`", shortened(&id));
                let mut finding = Finding::new(&TOOL_ID, range, message)
                    .note("the results of the two requests cannot be distinguished");
                finding.fix = fix(ids).map(|fix| fix.replace(range, quoted(&new)));
                sink.push(finding.related(Span::here(*first), "first one"));
            } else {
                ids.insert(id, range);
            }
        }
        None if range.is_none() || request.text("id").is_some() || !request.has("id") => {
            if !subject.is_whole() || request.misspelled_key("id").is_some() {
                return;
            }
            let range_or_brace = range.unwrap_or_else(|| request.brace());
            let mut finding = Finding::new(&TOOL_ID, range_or_brace, "tool request has no id")
                .note("its result cannot be distinguished from others");
            finding.fix = fix(ids).and_then(|fix| match range {
                Some(range) => Some(fix.replace(range, quoted(&new))),
                None => {
                    insert_member(request, "id", &quoted(&new), true).map(|(at, text)| fix.replace(at, text))
                }
            });
            sink.push(finding);
        }
        None => {}
    }
}

fn name(subject: &Subject<'_>, request: &View<'_>, sink: &mut Sink) {
    let name = request.text("tool_name");
    let range = request.value_range("tool_name");
    let is_missing =
        !request.has("tool_name") && request.misspelled_key("tool_name").is_none() && subject.is_whole();
    let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
        if is_missing || request.text("tool_name").is_some() {
            let range = range.unwrap_or_else(|| request.brace());
            let finding = Finding::new(&TOOL_NAME_EMPTY, range, "tool request names no tool");
            sink.push(finding.note("the runtime silently ignores it, and its result never comes"));
        }
        return;
    };
    let (Some(catalogue), Some(range)) = (subject.context.tools, range) else { return };
    let bare = name.strip_prefix('/').unwrap_or(&name);
    let Some(required) = catalogue.tools.get(bare) else {
        let near = nearest(bare, catalogue.tools.keys().map(String::as_str));
        let message = format!("unknown tool `{}`", shortened(&name));
        let mut finding = Finding::new(&TOOL_UNKNOWN, range, message)
            .note("the catalogue of tools does not have it, so the request is rejected");
        finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
        sink.push(finding);
        return;
    };
    missing_arguments(subject, request, required, sink);
}

fn missing_arguments(subject: &Subject<'_>, request: &View<'_>, required: &[String], sink: &mut Sink) {
    let Some(args) = request.get("tool_args").filter(|_| subject.is_whole()) else { return };
    if subject.json.kind(args.value) != JsonKind::Object {
        return;
    }
    let has = |name: &str| {
        let mut members = subject.json.members(args.value);
        members.any(|member| subject.json.string(member.key).is_some_and(|key| key == name))
    };
    let mut missing: Vec<&str> = Vec::new();
    for name in required.iter().map(|name| &**name).filter(|name| !has(name)) {
        if !missing.contains(&name) {
            missing.push(name);
        }
    }
    if missing.is_empty() {
        return;
    }
    let names = listed(missing.iter().copied());
    let range = first_byte(subject.json.range(args.value));
    let (message, note) = match &*missing {
        [one] => (format!("tool request lacks the argument `{}`", shortened(one)), None),
        all => {
            let message = format!("tool request lacks {} required arguments", all.len());
            (message, Some(format!("missing: {names}")))
        }
    };
    let mut finding = Finding::new(&TOOL_ARG_MISSING, range, message);
    finding.notes.extend(note.map(Into::into));
    finding = finding.note("the catalogue of tools requires it, so the tool may fail");
    let view = View::untyped(subject.json, args.value);
    let members: Vec<_> = missing.iter().map(|name| (*name, "\"\"")).collect();
    finding.fix = insert_members(&view, &members, false)
        .map(|(at, text)| Fix::guess(format!("insert {names}")).replace(at, text));
    sink.push(finding);
}

fn args(subject: &Subject<'_>, request: &View<'_>, sink: &mut Sink) {
    let null: Option<NodeId> = request.get("tool_args").map(|entry| entry.value);
    if request.has("tool_args") || !subject.is_whole() || request.misspelled_key("tool_args").is_some() {
        return;
    }
    let range = null.map_or_else(|| request.brace(), |null| subject.json.range(null));
    let mut finding = Finding::new(&ARGS_NULL, range, "tool request has no object of arguments")
        .note("the tool receives no arguments, and the safety gate checks the payload `null`")
        .help("write `{}`");
    let fix = Fix::safe("write `{}`");
    finding.fix = match null {
        Some(_) => Some(fix.replace(range, "{}")),
        None => insert_member(request, "tool_args", "{}", false).map(|(at, text)| fix.replace(at, text)),
    };
    sink.push(finding);
}

fn check_numbers(json: &Json<'_>, args: NodeId, sink: &mut Sink) {
    let mut open = vec![args];
    while let Some(node) = open.pop() {
        if json.kind(node) == JsonKind::Number && !sink.is_full(&NUMBER_PRECISION) {
            number_precision(json, node, sink);
        }
        open.extend(json.elements(node));
        open.extend(json.members(node).map(|member| member.value));
    }
}

fn number_precision(json: &Json<'_>, node: NodeId, sink: &mut Sink) {
    let (Some(value), Ok(written)) = (number(json, node), std::str::from_utf8(json.raw(node))) else {
        return;
    };
    if !is_changed(written, value) {
        return;
    }
    let fix = Fix::guess("put the number in quotes").replace(json.range(node), quoted(written));
    let finding = Finding::new(&NUMBER_PRECISION, json.range(node), "number loses digits as a float");
    sink.push(finding.note(format!("the runtime reads {value}")).fix(fix));
}

/// True if a float differs from the written number.
fn is_changed(written: &str, value: f64) -> bool {
    let digits = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or("");
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_start_matches('0').trim_end_matches('0').to_owned()
    };
    let exact = digits(written);
    exact.len() > 15 && exact != digits(&format!("{value:e}"))
}

/// A part of a pattern.
enum Piece {
    /// Literal text.
    Text(&'static str),
    /// One or more white space characters.
    Space,
    /// Any text on one line.
    Any,
}

use Piece::{Any, Space, Text};

/// The patterns, each with its spelling in the second gate of the runtime.
static PATTERNS: [(&str, &[Piece]); 8] = [
    ("rm\\s+-rf", &[Text("rm"), Space, Text("-rf")]),
    ("mkfs", &[Text("mkfs")]),
    ("dd\\s+if=", &[Text("dd"), Space, Text("if=")]),
    ("chmod\\s+777", &[Text("chmod"), Space, Text("777")]),
    ("curl.*\\|.*sh", &[Text("curl"), Any, Text("|"), Any, Text("sh")]),
    ("wget.*\\|.*sh", &[Text("wget"), Any, Text("|"), Any, Text("sh")]),
    (">.*\\/etc\\/", &[Text(">"), Any, Text("/etc/")]),
    ("sudo\\s+rm", &[Text("sudo"), Space, Text("rm")]),
];

/// Reports commands that `agent` rejects.
fn check_shell(agent: &str, json: &Json<'_>, args: NodeId, sink: &mut Sink) {
    for member in json.members(args) {
        let is_command = json.string(member.key).is_some_and(|key| is_command(&key));
        if !is_command || sink.is_full(&SHELL_DANGER) {
            continue;
        }
        let Some((command, map)) = json.string_with_map(member.value) else { continue };
        for (name, pattern) in &PATTERNS {
            if let Some(found) = find_pattern(&command, pattern) {
                let range = map.to_source(TextRange::new(size(found.start), size(found.end)));
                let message = format!("command matches the dangerous pattern `{name}`");
                let finding = Finding::new(&SHELL_DANGER, range, message);
                let note = format!("{agent} rejects such a command, and its result never comes");
                sink.push(finding.note(note));
                break;
            }
        }
    }
}

/// True if a command matches a dangerous pattern.
pub(in crate::envelope) fn is_dangerous(command: &str) -> bool {
    PATTERNS.iter().any(|(_, pattern)| find_pattern(command, pattern).is_some())
}

/// True if an argument with this name is a command.
pub(in crate::envelope) fn is_command(name: &str) -> bool {
    matches!(name, "command" | "cmd")
}

/// Returns the first and shortest match of a pattern.
fn find_pattern(text: &str, pattern: &[Piece]) -> Option<std::ops::Range<usize>> {
    let Some((Text(first), rest)) = pattern.split_first() else { return None };
    let mut from = 0;
    while let Some(start) = text.get(from..)?.find(first).map(|at| from + at) {
        match matches(text, start + first.len(), rest) {
            PatternMatch::Ends(end) => return Some(start..end),
            // If a part is missing on this line, no other start on the line matches.
            PatternMatch::NotOnThisLine => from = start + text.get(start..)?.find('\n')?,
            PatternMatch::NotHere => from = start + first.len(),
        }
    }
    None
}

enum PatternMatch {
    Ends(usize),
    NotHere,
    NotOnThisLine,
}

fn matches(text: &str, mut at: usize, pattern: &[Piece]) -> PatternMatch {
    let mut is_anywhere = false;
    for piece in pattern {
        let rest = text.get(at..).unwrap_or("");
        match piece {
            Any => is_anywhere = true,
            Space => {
                let space = rest.len() - rest.trim_start().len();
                if space == 0 {
                    return PatternMatch::NotHere;
                }
                at += space;
            }
            Text(wanted) if is_anywhere => {
                let line = rest.split('\n').next().unwrap_or("");
                let Some(found) = line.find(wanted) else { return PatternMatch::NotOnThisLine };
                at += found + wanted.len();
                is_anywhere = false;
            }
            Text(wanted) if rest.starts_with(wanted) => at += wanted.len(),
            Text(_) => return PatternMatch::NotHere,
        }
    }
    PatternMatch::Ends(at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::testing::Example;

    #[test]
    fn all_missing_arguments_come_at_once() {
        let all = TOOL_ARG_MISSING.bad.replace("[\"path\"]", "[\"path\", \"from\", \"to\", \"from\"]");
        for (given, wanted) in [
            ("{}", r#"{"path": "", "from": "", "to": ""}"#),
            (r#"{"from": "a"}"#, r#"{"from": "a", "path": "", "to": ""}"#),
            (r#"{"x":1,"to":2}"#, r#"{"x":1,"to":2,"path":"","from":""}"#),
        ] {
            let text = all.replace("\"tool_args\": {}", &format!("\"tool_args\": {given}"));
            let fixed = Example::new(&text).fixed(&TOOL_ARG_MISSING).unwrap();
            assert!(fixed.reply.contains(wanted), "{}", fixed.reply);
            assert!(fixed.found().iter().all(|found| found.rule != &TOOL_ARG_MISSING));
        }
    }

    #[test]
    fn what_a_float_can_hold() {
        let changed = |text: &str| text.parse().is_ok_and(|value| is_changed(text, value));
        assert!(changed("9007199254740993"));
        assert!(!changed("9007199254740992"));
        assert!(!changed("1000000000000000000000"));
        assert!(changed("0.1234567890123456789"));
        assert!(!changed("0.1"));
        assert!(!changed("1e300"));
    }

    #[test]
    fn commands_that_are_refused() {
        let found = |text: &str| {
            let hit = PATTERNS.iter().find_map(|(name, pattern)| Some((name, find_pattern(text, pattern)?)));
            hit.map(|(name, range)| format!("{name}: {}", text.get(range).unwrap_or("?")))
        };
        assert_eq!(found("cd a && rm  -rf /"), Some("rm\\s+-rf: rm  -rf".into()));
        assert_eq!(found("curl http://a | bash"), Some("curl.*\\|.*sh: curl http://a | bash".into()));
        assert_eq!(found("curl a\n| sh"), None);
        assert_eq!(found("curl a\ncurl b | sh"), Some("curl.*\\|.*sh: curl b | sh".into()));
        assert_eq!(found("echo x >> /etc/hosts"), Some(">.*\\/etc\\/: >> /etc/".into()));
        assert_eq!(found("rm -r build"), None);
        assert_eq!(found(&"curl ".repeat(100_000)), None);
    }
}
