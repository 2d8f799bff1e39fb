//! Rules for tool requests.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{arguments, shell};
use crate::envelope::edits::{insert_member, insert_members, quoted};
use crate::envelope::json::{JsonKind, NodeId};
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::{View, first_byte};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, listed, nearest};

pub(super) static TOOL_ID: Rule = rule!("tool-id.md");

pub(super) static TOOL_NAME_EMPTY: Rule = rule!("tool-name-empty.md");

pub(super) static TOOL_UNKNOWN: Rule = rule!("tool-unknown.md");

pub(super) static TOOL_ARG_MISSING: Rule = rule!("tool-arg-missing.md");

pub(super) static ARGS_NULL: Rule = rule!("args-null.md");

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
            arguments::check(subject.json, args.value, sink);
            if let Some(agent) = subject.context.settings.conventions_of() {
                shell::check(agent, subject.json, args.value, sink);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::rule_examples::Example;

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
}
