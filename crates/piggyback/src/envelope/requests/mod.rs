//! Rules for requests and reports in a packet (`PB4xx`): self-corrections, tools, questions to
//! specialists, and context feedback. Tools and claims in the surface have their own files.
//!
//! The input is a [`Subject`], the output is findings. Rules that need several turns are in
//! `transcript`.

mod surface;
mod tools;

pub(super) use surface::{IGNORANT, Phrases};
pub use surface::{claim_in, phrase_in};
pub(super) use tools::{is_command, is_dangerous};

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::edits::{self, insert_member, quoted};
use super::pointer::shortened;
use super::survey::Subject;
use super::view::View;
use super::{Family, Sink};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, nearest};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &NO_HYPOTHESIS,
        &IDLE_HYPOTHESIS,
        &NO_TRIGGER,
        &ACTION_NOT_NAME,
        &HYPOTHESIS_UNMATCHED,
        &TWO_HYPOTHESES,
        &tools::TOOL_ID,
        &tools::TOOL_NAME_EMPTY,
        &tools::TOOL_UNKNOWN,
        &tools::TOOL_ARG_MISSING,
        &tools::NUMBER_PRECISION,
        &tools::ARGS_NULL,
        &tools::SHELL_DANGER,
        &surface::EARLY_CLAIM,
        &KNOWLEDGE_EMPTY,
        &BAD_PRIORITY,
        &UNKNOWN_SPECIALIST,
        &DUPLICATE_QUERY,
        &surface::IGNORANCE,
        &USEFULNESS_RANGE,
        &UNKNOWN_FEEDBACK_PRED,
        &FEEDBACK_BOTH,
        &FEEDBACK_ATOM,
        &FEEDBACK_INCONSISTENT,
    ],
    reply: None,
    envelope: Some(check),
};

static NO_HYPOTHESIS: Rule = rule!("no-hypothesis.md");

static IDLE_HYPOTHESIS: Rule = rule!("idle-hypothesis.md");

static NO_TRIGGER: Rule = rule!("no-trigger.md");

static ACTION_NOT_NAME: Rule = rule!("action-not-name.md");

static HYPOTHESIS_UNMATCHED: Rule = rule!("hypothesis-unmatched.md");

static TWO_HYPOTHESES: Rule = rule!("two-hypotheses.md");

static KNOWLEDGE_EMPTY: Rule = rule!("knowledge-empty.md");

static BAD_PRIORITY: Rule = rule!("bad-priority.md");

static UNKNOWN_SPECIALIST: Rule = rule!("unknown-specialist.md");

static DUPLICATE_QUERY: Rule = rule!("duplicate-query.md");

static USEFULNESS_RANGE: Rule = rule!("usefulness-range.md");

static UNKNOWN_FEEDBACK_PRED: Rule = rule!("unknown-feedback-pred.md");

static FEEDBACK_BOTH: Rule = rule!("feedback-both.md");

static FEEDBACK_ATOM: Rule = rule!("feedback-atom.md");

static FEEDBACK_INCONSISTENT: Rule = rule!("feedback-inconsistent.md");

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    check_correction(subject, sink);
    tools::check(subject, sink);
    check_questions(subject, sink);
    surface::check(subject, sink);
    check_feedback(subject, sink);
}

fn check_correction(subject: &Subject<'_>, sink: &mut Sink) {
    let correction = subject.control.object("self_correction");
    two_hypotheses(subject, &correction, sink);
    if !correction.exists() {
        return;
    }
    trigger_and_hypothesis(subject, &correction, sink);
    recovery_action(subject, &correction, sink);
    unmatched_hypothesis(subject, &correction, sink);
}

fn trigger_and_hypothesis(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
    let hypothesis = correction.text("hypothesis");
    let is_empty = hypothesis.as_ref().map_or(!correction.has("hypothesis"), |text| text.trim().is_empty());
    match correction.flag("triggered") {
        Some(true) if is_empty && subject.is_whole() => {
            let range = correction.value_range("hypothesis").unwrap_or_else(|| correction.brace());
            let finding = Finding::new(&NO_HYPOTHESIS, range, "self-correction has no hypothesis");
            sink.push(finding.note("no rule of the policy can react to it"));
        }
        Some(false) if !is_empty => {
            let Some(range) = correction.value_range("hypothesis") else { return };
            let message = "runtime ignores the hypothesis";
            let mut finding = Finding::new(&IDLE_HYPOTHESIS, range, message).note("`triggered` is `false`");
            let fix = Fix::guess("set `triggered` to `true`");
            finding.fix = correction.value_range("triggered").map(|place| fix.replace(place, "true"));
            sink.push(finding);
        }
        None if !correction.has("triggered")
            && subject.is_whole()
            && correction.misspelled_key("triggered").is_none() =>
        {
            let message = "self-correction has no `triggered`";
            let range = correction.value_range("triggered").unwrap_or_else(|| correction.brace());
            let mut finding = Finding::new(&NO_TRIGGER, range, message)
                .note("the runtime reads `false`, and the correction does not happen");
            let value = if is_empty { "false" } else { "true" };
            let fix = Fix::guess(format!("insert `triggered`: `{value}`"));
            finding.fix = match correction.value_range("triggered") {
                Some(null) => Some(fix.replace(null, value)),
                None => insert_member(correction, "triggered", value, true)
                    .map(|(at, text)| fix.replace(at, text)),
            };
            sink.push(finding);
        }
        _ => {}
    }
}

fn recovery_action(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
    let Some(action) = correction.text("recovery_action").filter(|action| !action.is_empty()) else { return };
    let is_known =
        correction.table.field("recovery_action").is_some_and(|field| field.is_in(subject.profile));
    if action.starts_with('/') || !is_known {
        return;
    }
    if let Some(range) = correction.value_range("recovery_action") {
        let message = format!("recovery action `{}` is not a name constant", shortened(&action));
        let mut finding = Finding::new(&ACTION_NOT_NAME, range, message)
            .note("a recovery action that rules derive is a name such as `/fix_imports`");
        let is_plain =
            action.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.'));
        finding.fix =
            is_plain.then(|| Fix::safe("add the slash").replace(range, quoted(&format!("/{action}"))));
        sink.push(finding);
    }
}

/// The maximum number of the policy's hypotheses in a message.
const MAX_NAMED: usize = 3;

fn unmatched_hypothesis(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
    let (Some(declarations), Some(hypothesis)) =
        (subject.context.declarations, correction.text("hypothesis"))
    else {
        return;
    };
    let is_triggered = correction.flag("triggered") == Some(true);
    let mut known: Vec<_> = declarations.hypotheses().collect();
    if !is_triggered || hypothesis.trim().is_empty() || known.is_empty() {
        return;
    }
    if known.iter().any(|(text, _)| *text == hypothesis) {
        return;
    }
    let Some(range) = correction.value_range("hypothesis") else { return };
    let short: String = hypothesis.chars().take(200).collect();
    known.sort_by_key(|(text, _)| strsim::osa_distance(text, &short));
    known.dedup_by_key(|(text, _)| *text);
    let names: Vec<_> = known.iter().take(MAX_NAMED).map(|(text, _)| format!("\"{text}\"")).collect();
    let mut finding = Finding::new(&HYPOTHESIS_UNMATCHED, range, "no rule reacts to this hypothesis")
        .note(format!("the nearest hypotheses in rules are {}", names.join(", ")));
    if let Some((text, (file, statement, place))) = known.first() {
        finding =
            finding.related(Span::new(*file, *statement, *place), "rule that reacts to the nearest one");
        finding.fix = Some(Fix::guess("write the nearest one").replace(range, quoted(text)));
    }
    sink.push(finding);
}

fn two_hypotheses(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
    let (Some(one), Some(other)) =
        (subject.control.text("abductive_hypothesis"), correction.text("hypothesis"))
    else {
        return;
    };
    if one == other || one.is_empty() || other.is_empty() {
        return;
    }
    if let (Some(range), Some(place)) =
        (subject.control.value_range("abductive_hypothesis"), correction.value_range("hypothesis"))
    {
        let finding = Finding::new(&TWO_HYPOTHESES, range, "packet has two different hypotheses")
            .note("the runtime reads only the one in `self_correction`");
        sink.push(finding.related(Span::here(place), "hypothesis in `self_correction`"));
    }
}

/// Specialists that the runtime accepts without a roster.
const BUILT_IN_SPECIALISTS: [&str; 2] = ["researcher", "_any_specialist"];

/// The priorities of a question.
const PRIORITIES: [&str; 2] = ["required", "optional"];

/// True if a text is a valid priority or empty.
pub(in crate::envelope) fn is_priority(text: &str) -> bool {
    text.is_empty() || PRIORITIES.contains(&text)
}

/// True if a specialist with this name exists. If there is no roster, every name is accepted.
pub(in crate::envelope) fn is_known(name: &str, roster: Option<&Vec<String>>) -> bool {
    roster.is_none_or(|roster| BUILT_IN_SPECIALISTS.contains(&name) || roster.iter().any(|one| *one == name))
}

fn check_questions(subject: &Subject<'_>, sink: &mut Sink) {
    let mut seen: FxHashMap<(Cow<'_, str>, Cow<'_, str>), (usize, TextRange)> = FxHashMap::default();
    for (index, request) in subject.control.objects("knowledge_requests").enumerate() {
        if !request.exists() {
            continue;
        }
        empty_question(subject, &request, sink);
        question_priority(&request, sink);
        unknown_specialist(subject, &request, sink);
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

fn empty_question(subject: &Subject<'_>, request: &View<'_>, sink: &mut Sink) {
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

fn question_priority(request: &View<'_>, sink: &mut Sink) {
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

fn unknown_specialist(subject: &Subject<'_>, request: &View<'_>, sink: &mut Sink) {
    let Some(roster) = &subject.context.settings.specialists else { return };
    let (Some(name), Some(range)) = (request.text("specialist"), request.value_range("specialist")) else {
        return;
    };
    if name.trim().is_empty() || is_known(&name, Some(roster)) {
        return;
    }
    let near = nearest(&name, roster.iter().map(String::as_str).chain(BUILT_IN_SPECIALISTS));
    let message = format!("unknown specialist `{}`", shortened(&name));
    let mut finding = Finding::new(&UNKNOWN_SPECIALIST, range, message)
        .note("the roster does not have it, so the question is not answered");
    finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
    sink.push(finding);
}

fn check_feedback(subject: &Subject<'_>, sink: &mut Sink) {
    let feedback = subject.control.object("context_feedback");
    if !feedback.exists() {
        return;
    }
    usefulness_score(&feedback, sink);
    let mut helpful = FxHashMap::default();
    for name in ["helpful_facts", "noise_facts"] {
        for element in feedback.list(name) {
            let Some(text) = subject.json.string(element) else { continue };
            let range = subject.json.range(element);
            if name == "helpful_facts" {
                helpful.entry(text.clone()).or_insert(range);
            } else if let Some(other) = helpful.get(&text).filter(|_| !sink.is_full(&FEEDBACK_BOTH)) {
                let message = format!("`{}` is rated both helpful and noise", shortened(&text));
                let mut finding = Finding::new(&FEEDBACK_BOTH, range, message)
                    .related(Span::here(*other), "rated helpful here")
                    .note("the two ratings cancel out");
                if subject.json.problems.is_empty() {
                    let item = edits::with_comma(subject.json, range);
                    finding.fix = Some(Fix::guess("delete it here").replace(item, ""));
                }
                sink.push(finding);
            }
            feedback_predicate(subject, &text, range, sink);
        }
    }
}

fn feedback_predicate(
    subject: &Subject<'_>,
    text: &str,
    range: mangle_syntax::text::TextRange,
    sink: &mut Sink,
) {
    if let Some((name, _)) = text.split_once('(') {
        if sink.is_full(&FEEDBACK_ATOM) {
            return;
        }
        let fix = Fix::safe("keep only the name of the predicate").replace(range, quoted(name.trim()));
        let is_name =
            !name.trim().is_empty() && name.trim().chars().all(|char| char.is_alphanumeric() || char == '_');
        let mut finding = Finding::new(&FEEDBACK_ATOM, range, "feedback names an atom, not a predicate")
            .note("the runtime finds no predicate of this name and ignores the rating");
        finding.fix = is_name.then_some(fix);
        sink.push(finding);
        return;
    }
    let Some(declarations) = subject.context.declarations.filter(|all| !all.is_empty()) else { return };
    if declarations.named(text).next().is_some() || sink.is_full(&UNKNOWN_FEEDBACK_PRED) {
        return;
    }
    let near = declarations.nearest(text, None);
    let message = format!("unknown predicate `{}` in the feedback", shortened(text));
    let mut finding = Finding::new(&UNKNOWN_FEEDBACK_PRED, range, message)
        .note("the rating changes no score of the policy");
    finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
    sink.push(finding);
}

fn usefulness_score(feedback: &View<'_>, sink: &mut Sink) {
    let (Some(score), Some(range)) =
        (feedback.number("overall_usefulness"), feedback.value_range("overall_usefulness"))
    else {
        return;
    };
    if !(0.0..=1.0).contains(&score) {
        let percent = score > 1.0 && score <= 100.0;
        let message =
            format!("usefulness {} is not between 0 and 1", feedback.number_text("overall_usefulness"));
        let mut finding = Finding::new(&USEFULNESS_RANGE, range, message)
            .note("the strict schema rejects it, and the runtime weighs predicates by it");
        if percent {
            let scaled = format!("{}", score / 100.0);
            finding.fix = Some(Fix::guess(format!("divide it by 100: {scaled}")).replace(range, scaled));
        }
        sink.push(finding);
        return;
    }
    let lacks = feedback.text("missing_context").is_some_and(|text| !text.trim().is_empty());
    let helped = !feedback.list("helpful_facts").is_empty();
    let (field, note) = if score >= 0.9 && lacks {
        ("missing_context", "the feedback reports that something was missing")
    } else if score <= 0.1 && helped {
        ("helpful_facts", "the feedback reports that some facts were helpful")
    } else {
        return;
    };
    let message = format!("usefulness {score} contradicts `{field}`");
    sink.push(Finding::new(&FEEDBACK_INCONSISTENT, range, message).note(note));
}
