//! Rules for self-corrections and their hypotheses.

use crate::envelope::edits::{insert_member, quoted};
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};

pub(super) static NO_HYPOTHESIS: Rule = rule!("no-hypothesis.md");

pub(super) static IDLE_HYPOTHESIS: Rule = rule!("idle-hypothesis.md");

pub(super) static NO_TRIGGER: Rule = rule!("no-trigger.md");

pub(super) static ACTION_NOT_NAME: Rule = rule!("action-not-name.md");

pub(super) static HYPOTHESIS_UNMATCHED: Rule = rule!("hypothesis-unmatched.md");

pub(super) static TWO_HYPOTHESES: Rule = rule!("two-hypotheses.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let correction = subject.control.object("self_correction");
    two(subject, &correction, sink);
    if !correction.exists() {
        return;
    }
    trigger(subject, &correction, sink);
    action(subject, &correction, sink);
    unmatched(subject, &correction, sink);
}

fn trigger(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
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

fn action(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
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
const NAMED: usize = 3;

fn unmatched(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
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
    let names: Vec<_> = known.iter().take(NAMED).map(|(text, _)| format!("\"{text}\"")).collect();
    let mut finding = Finding::new(&HYPOTHESIS_UNMATCHED, range, "no rule reacts to this hypothesis")
        .note(format!("the nearest hypotheses in rules are {}", names.join(", ")));
    if let Some((text, (file, statement, place))) = known.first() {
        finding =
            finding.related(Span::new(*file, *statement, *place), "rule that reacts to the nearest one");
        finding.fix = Some(Fix::guess("write the nearest one").replace(range, quoted(text)));
    }
    sink.push(finding);
}

fn two(subject: &Subject<'_>, correction: &View<'_>, sink: &mut Sink) {
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
