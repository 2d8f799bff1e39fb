//! Rules for the context feedback of the model.

use rustc_hash::FxHashMap;

use crate::envelope::edits::{self, quoted};
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};

pub(super) static USEFULNESS_RANGE: Rule = rule!("usefulness-range.md");

pub(super) static UNKNOWN_FEEDBACK_PRED: Rule = rule!("unknown-feedback-pred.md");

pub(super) static FEEDBACK_BOTH: Rule = rule!("feedback-both.md");

pub(super) static FEEDBACK_ATOM: Rule = rule!("feedback-atom.md");

pub(super) static FEEDBACK_INCONSISTENT: Rule = rule!("feedback-inconsistent.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let feedback = subject.control.object("context_feedback");
    if !feedback.exists() {
        return;
    }
    score(&feedback, sink);
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
            predicate(subject, &text, range, sink);
        }
    }
}

fn predicate(subject: &Subject<'_>, text: &str, range: mangle_syntax::text::TextRange, sink: &mut Sink) {
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

fn score(feedback: &View<'_>, sink: &mut Sink) {
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
