//! The examples in the documents of all rules, run by the commands that report them: `bad` has its finding and no other
//! error, `good` has neither it nor anything grave, fixes repair, texts have their form, and the documents show what is
//! reported.

mod documents;
mod run;

use std::sync::LazyLock;

use mangle_ide::registry::rules;
use mangle_syntax::lint::{Finding, FixKind, Related, Rule, Severity, Span, wording};
use mangle_syntax::text::TextRange;
use rayon::prelude::*;
use serde_json::Value;

use run::Run;

/// Both examples of a rule, run once for all tests.
struct Examples {
    rule: &'static Rule,
    bad: Run,
    good: Run,
}

static EXAMPLES: LazyLock<Vec<Examples>> = LazyLock::new(|| {
    let all: Vec<_> = rules().filter(|rule| !rule.bad.is_empty()).collect();
    let run = |rule: &&'static Rule| Examples {
        rule,
        bad: Run::new(rule, rule.bad),
        good: Run::new(rule, rule.good),
    };
    all.par_iter().map(run).collect()
});

/// What else is found in the bad example of a rule, since the finding cannot be without it.
const CAUSES: [(&str, &str); 5] = [
    ("input-before-binding", "evaluation-fails"),
    ("mode-input-bottom-up", "evaluation-fails"),
    ("query-error", "kernel-failed"),
    ("repair-stuck", "no-json"),
    ("repair-summary", "no-json"),
];

/// What follows from other findings by itself: what the user sees when there is no envelope, that the end is missing, and
/// the denial behind much that a replay finds.
const CONSEQUENCES: [&str; 5] = ["surface-missing", "fallback", "control-leak", "truncated", "denied"];

#[test]
fn bad_examples_have_their_finding_and_no_other_error() {
    report(|Examples { rule, bad, .. }| {
        let is_expected = |other: &String| {
            let name = other.split(':').next().unwrap_or_default();
            CONSEQUENCES.contains(&name) || CAUSES.contains(&(rule.name, name))
        };
        let mut others = bad.others(rule, Severity::Error);
        others.retain(|other| !is_expected(other));
        let has_it = bad.of_rule(rule).next().is_some();
        (!has_it || !others.is_empty()).then(|| format!("found: {has_it}, others: {others:?}"))
    });
}

#[test]
fn good_examples_have_nothing_grave() {
    report(|Examples { rule, good, .. }| {
        let own: Vec<_> = good.of_rule(rule).collect();
        let others = good.others(rule, Severity::Warning);
        (!own.is_empty() || !others.is_empty()).then(|| format!("own: {own:?}, others: {others:?}"))
    });
}

#[test]
fn rules_offer_the_fix_that_they_declare_and_it_repairs() {
    report(|Examples { rule, bad, .. }| {
        let declares_one = matches!(rule.fix, FixKind::Safe | FixKind::Unsafe);
        let Some(after) = bad.after_fix(rule) else { return declares_one.then(|| "no fix".to_owned()) };
        let (before, left) = (bad.of_rule(rule).count(), after.of_rule(rule).count());
        let others = after.others(rule, Severity::Error);
        let is_repaired = left < before && others.len() <= bad.others(rule, Severity::Error).len();
        (!declares_one || !is_repaired).then(|| {
            let files =
                after.files.iter().map(|(name, text)| format!("{name}:\n{}", String::from_utf8_lossy(text)));
            format!(
                "declared: {declares_one}, {left} of {before} left, others: {others:?} in\n{}",
                files.collect::<String>()
            )
        })
    });
}

#[test]
fn suggestions_say_what_to_do() {
    report(|Examples { rule, bad, .. }| {
        let has_help = bad.of_rule(rule).any(|found| found["help"].is_string());
        (rule.fix == FixKind::Suggestion && !has_help).then(|| "no help".to_owned())
    });
}

#[test]
fn texts_of_findings_have_their_form() {
    report(|Examples { rule, bad, .. }| {
        let faults: Vec<_> =
            bad.of_rule(rule).flat_map(|found| wording::faults(&finding(rule, found))).collect();
        (!faults.is_empty()).then(|| faults.join("\n"))
    });
}

/// Half of the headlines have at most 48 characters, nine of ten at most 66.
#[test]
fn headlines_are_short() {
    let lengths = EXAMPLES.iter().filter_map(|Examples { rule, bad, .. }| {
        bad.of_rule(rule).next().map(|found| found["message"].as_str().unwrap().chars().count())
    });
    let mut lengths: Vec<_> = lengths.collect();
    lengths.sort_unstable();
    let (half, most) = (lengths[lengths.len() / 2], lengths[lengths.len() * 9 / 10]);
    println!("{} headlines: median {half}, p90 {most}, max {}", lengths.len(), lengths[lengths.len() - 1]);
    assert!(half <= 48 && most <= 66, "median {half}, p90 {most}");
}

#[test]
fn documents_show_the_finding() {
    documents::compare();
}

/// A finding as its texts are in the output.
fn finding(rule: &'static Rule, found: &Value) -> Finding {
    let text = |value: &Value| value.as_str().map(|text| text.to_owned().into());
    let list = |value: &Value| value.as_array().unwrap().clone();
    let span = Span::here(TextRange::default());
    let related = list(&found["related"]).into_iter();
    Finding {
        label: text(&found["label"]),
        related: related.map(|place| Related { span, message: text(&place["message"]).unwrap() }).collect(),
        notes: list(&found["notes"]).iter().filter_map(text).collect(),
        help: text(&found["help"]),
        ..Finding::new(rule, TextRange::default(), found["message"].as_str().unwrap().to_owned())
    }
}

/// Fails with what is wrong about the examples of each rule, if anything is.
#[track_caller]
fn report(fault: impl Fn(&Examples) -> Option<String>) {
    let fault = |examples: &Examples| {
        fault(examples).map(|fault| format!("{} {}: {fault}", examples.rule.code, examples.rule.name))
    };
    let faults: Vec<_> = EXAMPLES.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{} rules:\n{}", faults.len(), faults.join("\n"));
}
