//! Rules for questions to specialists.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::envelope::edits::{self, quoted};
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, nearest};

pub(super) static KNOWLEDGE_EMPTY: Rule = rule!("knowledge-empty.md");

pub(super) static BAD_PRIORITY: Rule = rule!("bad-priority.md");

pub(super) static UNKNOWN_SPECIALIST: Rule = rule!("unknown-specialist.md");

pub(super) static DUPLICATE_QUERY: Rule = rule!("duplicate-query.md");

/// Specialists that the runtime accepts without a roster.
const ALWAYS: [&str; 2] = ["researcher", "_any_specialist"];

/// The priorities of a question.
const PRIORITIES: [&str; 2] = ["required", "optional"];

/// True if a text is a valid priority or empty.
pub(in crate::envelope) fn is_priority(text: &str) -> bool {
    text.is_empty() || PRIORITIES.contains(&text)
}

/// True if a specialist with this name exists. If there is no roster, every name is accepted.
pub(in crate::envelope) fn is_known(name: &str, roster: Option<&Vec<String>>) -> bool {
    roster.is_none_or(|roster| ALWAYS.contains(&name) || roster.iter().any(|one| *one == name))
}

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let mut seen: FxHashMap<(Cow<'_, str>, Cow<'_, str>), (usize, TextRange)> = FxHashMap::default();
    for (index, request) in subject.control.objects("knowledge_requests").enumerate() {
        if !request.exists() {
            continue;
        }
        empty(subject, &request, sink);
        priority(&request, sink);
        specialist(subject, &request, sink);
        let (Some(query), Some(range)) = (request.text("query"), request.value_range("query")) else {
            continue;
        };
        if query.is_empty() || sink.is_full(&DUPLICATE_QUERY) {
            continue;
        }
        let key = (request.text("specialist").unwrap_or_default(), query);
        if let Some((first, place)) = seen.get(&key) {
            let mut finding = Finding::new(
                &DUPLICATE_QUERY,
                range,
                format!("duplicate of the question in request {first}"),
            )
            .related(Span::here(*place), "first one")
            .note("the runtime sends both, and both are paid for");
            if subject.json.problems.is_empty() {
                let item = edits::with_comma(subject.json, request.range());
                finding.fix = Some(Fix::guess("delete the request").replace(item, ""));
            }
            sink.push(finding);
        } else {
            seen.insert(key, (index, range));
        }
    }
}

fn empty(subject: &Subject<'_>, request: &View<'_>, sink: &mut Sink) {
    let is_empty = |name: &str| {
        let is_blank = request.text(name).is_some_and(|text| text.trim().is_empty());
        is_blank || !request.has(name) && request.misspelled_key(name).is_none() && subject.is_whole()
    };
    let missing: Vec<_> = ["specialist", "query"].into_iter().filter(|name| is_empty(name)).collect();
    if let Some(first) = missing.first() {
        let range = request.value_range(first).unwrap_or_else(|| request.brace());
        let message = format!("knowledge request has no {}", missing.join(" and no "));
        let finding = Finding::new(&KNOWLEDGE_EMPTY, range, message);
        sink.push(finding.note("the request costs a call of the model and has no answer"));
    }
}

fn priority(request: &View<'_>, sink: &mut Sink) {
    let (Some(priority), Some(range)) = (request.text("priority"), request.value_range("priority")) else {
        return;
    };
    if is_priority(&priority) {
        return;
    }
    let meant = match priority.to_lowercase().trim_start_matches('/') {
        "high" | "critical" | "urgent" | "must" | "mandatory" | "required" => "required",
        "low" | "medium" | "normal" | "nice_to_have" | "optional" => "optional",
        other => nearest(other, PRIORITIES).unwrap_or("optional"),
    };
    let fix = Fix::guess(format!("write `{meant}`")).replace(range, quoted(meant));
    let finding = Finding::new(&BAD_PRIORITY, range, format!("unknown priority `{}`", shortened(&priority)));
    sink.push(finding.note("the strict schema allows only `required` and `optional`").fix(fix));
}

fn specialist(subject: &Subject<'_>, request: &View<'_>, sink: &mut Sink) {
    let Some(roster) = &subject.context.settings.specialists else { return };
    let (Some(name), Some(range)) = (request.text("specialist"), request.value_range("specialist")) else {
        return;
    };
    if name.trim().is_empty() || is_known(&name, Some(roster)) {
        return;
    }
    let near = nearest(&name, roster.iter().map(String::as_str).chain(ALWAYS));
    let message = format!("unknown specialist `{}`", shortened(&name));
    let mut finding = Finding::new(&UNKNOWN_SPECIALIST, range, message)
        .note("the roster does not have it, so the question is not answered");
    finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
    sink.push(finding);
}
