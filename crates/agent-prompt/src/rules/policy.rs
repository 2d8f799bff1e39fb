//! Rules about the policy behind a prompt: what never gets there, and why.

use super::subject::{PromptFinding, Subject, within};
use crate::answers::{Answer, AnswerOrder, Arg};
use crate::assembly::INJECTED;
use crate::preview::{SCORED, THRESHOLD};
use mangle_engine::kernel::Obstacle;
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{Symbol, TextRange};

/// Nothing is injected.
pub(super) static NEVER_INJECTABLE: Rule = rule!("never-injectable.md");

/// `shard_context_atom(S, T, 40) :- …`
pub(super) static BELOW_THRESHOLD: Rule = rule!("below-threshold.md");

/// `final_injectable(S, T) :- …`
pub(super) static BUDGET_IGNORED: Rule = rule!("budget-ignored.md");

/// `injectable_context_priority(S, T, /high)` beside `(S, T, 80)`.
pub(super) static PRIORITY_KIND: Rule = rule!("priority-kind.md");

/// The evaluation stops.
pub(super) static KERNEL_FAILED: Rule = rule!("kernel-failed.md");

/// Another order of facts gives another prompt.
pub(super) static ORDER_SENSITIVE: Rule = rule!("order-sensitive.md");

pub(super) fn check(subject: &mut Subject<'_>, found: &mut Vec<PromptFinding>) {
    for head in subject.heads("final_injectable", 0).filter(|head| !head.clause.is_fact()).take(1) {
        let message =
            "Prompts read `injectable_context`, not `final_injectable`: what is filtered here has no effect.";
        found.push(head.found(&BUDGET_IGNORED, usize::MAX, message.to_owned()));
    }
    below_threshold(subject, found);
    priorities(subject, found);
    failed(subject, found);
    order(subject, found);
    never(subject, found);
}

/// The predicate of priorities, whose third argument they are.
const PRIORITY: &str = "injectable_context_priority";

/// Names among numbers. Where a declaration has bounds, the rules about types say which are wrong.
fn priorities(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let program = subject.program();
    let has_bounds = |predicate| program.declaration(predicate).is_some_and(|decl| !decl.bounds.is_empty());
    if program.named(Symbol::new(PRIORITY)).any(has_bounds) {
        return;
    }
    for shown in subject.shown.iter() {
        let answers = subject.facts(shown, PRIORITY, 3);
        let is_name = |answer: &&Answer| answer.text(2).is_some_and(|text| text.starts_with('/'));
        let number = answers.iter().find(|answer| matches!(answer.args.get(2), Some(Arg::Number(_))));
        let (Some(name), Some(number)) = (answers.iter().find(is_name), number) else { continue };
        let Some((file, range)) = subject.place(shown, &name.held, 2) else { continue };
        let message = format!(
            "This priority is a name, and that of `{}` is a number {}: whoever compares them sees those of one kind alone.",
            number.held.fact,
            within(shown)
        );
        found.push(PromptFinding { file, finding: Finding::new(&PRIORITY_KIND, range, message) });
    }
}

fn failed(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter() {
        let Some(stop) = shown.stopped() else { continue };
        let place = stop.rule.and_then(|rule| subject.common.range_of_rule(rule));
        let (file, range) = match (place, subject.sample()) {
            (Some(place), _) => place,
            (None, Some(sample)) => (sample, shown.wanted.range),
            (None, None) => continue,
        };
        let limit = stop.reason.setting().map(|setting| format!(", the limit `[kernel] {setting}`"));
        let message = format!(
            "The evaluation stops here {}: {}{}. The runtime has no kernel then, and makes the prompt of built-in texts.",
            within(shown),
            stop.reason,
            limit.unwrap_or_default()
        );
        found.push(PromptFinding { file, finding: Finding::new(&KERNEL_FAILED, range, message) });
    }
}

fn order(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let lines = |prompt: &crate::Prompt| {
        let mut lines: Vec<String> = prompt.lines().map(|(_, line)| line.text.clone()).collect();
        lines.sort_unstable();
        lines
    };
    for shown in subject.shown.iter() {
        let sorted = lines(&shown.prompt);
        let differs = |seed| lines(&subject.common.reordered(shown, AnswerOrder::Shuffled(seed))) != sorted;
        if (1..=3).any(differs) {
            let message = format!(
                "Which lines the prompt has {} depends on the order of facts, and the runtime's store keeps none: it may be \
                 another prompt from run to run. `--shuffle-seed` shows how.",
                within(shown)
            );
            subject.at_header(found, &ORDER_SENSITIVE, shown.wanted.range, message);
        }
    }
}

fn below_threshold(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter() {
        let atoms = subject.facts(shown, SCORED, 3);
        let score = |answer: &crate::Answer| match answer.args.get(2) {
            Some(Arg::Number(score)) => Some(*score),
            _ => None,
        };
        for answer in &atoms {
            let of_it = atoms.iter().filter(|other| other.args.get(..2) == answer.args.get(..2));
            let Some(best) = of_it.filter_map(score).max().filter(|best| *best <= THRESHOLD) else {
                continue;
            };
            let Some((file, range)) = subject.place(shown, &answer.held, 2) else { continue };
            let atom = answer.text(1).unwrap_or_default();
            let message = format!(
                "`{atom}` has a score of {best} {}, and the policy injects what is above {THRESHOLD}: it is in no prompt.",
                within(shown)
            );
            found.push(PromptFinding { file, finding: Finding::new(&BELOW_THRESHOLD, range, message) });
        }
    }
}

fn never(subject: &mut Subject<'_>, found: &mut Vec<PromptFinding>) {
    let has_rules = subject.heads(INJECTED, 2).any(|head| !head.clause.is_fact());
    let key = PredicateKey { name: Symbol::new(INJECTED), arity: 2 };
    if !has_rules || subject.program().id(key).is_none() {
        return;
    }
    let Some(sample) = subject.sample() else { return };
    let common = subject.common;
    for shown in subject.shown.iter_mut().filter(|shown| shown.stopped().is_none()) {
        let injected = common.facts(shown, INJECTED, 2);
        if injected.iter().any(|answer| answer.args.first().is_some_and(|key| shown.takes(&key.printed()))) {
            continue;
        }
        let gaps = common.gaps_of_shard(shown);
        let message = format!(
            "Nothing is injected {}: none of the rules for `{INJECTED}` gives anything for it.",
            within(shown)
        );
        let range = if shown.wanted.shard.0.is_empty() { shown.wanted.range } else { shown.wanted.shard.0 };
        let mut finding = Finding::new(&NEVER_INJECTABLE, range, message);
        for (rule, gap) in gaps.iter().take(3) {
            let Some((_, place)) = related(common, *rule) else { continue };
            finding = finding.related(place, said(&gap.miss.obstacle));
        }
        found.push(PromptFinding { file: sample, finding });
    }
}

/// A rule as a related place.
fn related(
    common: &crate::Common,
    rule: mangle_engine::kernel::RuleId,
) -> Option<(TextRange, mangle_syntax::lint::Span)> {
    let (file, statement, range) = common.statement_of_rule(rule)?;
    Some((range, mangle_syntax::lint::Span::of(file, statement, range)))
}

fn said(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Head { argument, has } => format!("gives `{has}` as argument {}", argument + 1),
        Obstacle::Premise { asked, .. } if asked.starts_with('!') => format!("wants `{asked}`"),
        Obstacle::Premise { asked, .. } => format!("finds no `{asked}`"),
        Obstacle::Groups { .. } => "has no such group".to_owned(),
        Obstacle::TooMany => "has too many combinations to look at".to_owned(),
    }
}
