//! Rules about the policy of a prompt: facts that never reach the prompt.

use super::subject::{PromptFinding, Subject, within};
use crate::answers::{Answer, AnswerOrder};
use crate::assembly::INJECTED;
use crate::preview::{SCORED, THRESHOLD};
use crate::quoted::{quoted, quoted_in_label};
use mangle_engine::kernel::Obstacle;
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static NEVER_INJECTABLE: Rule = rule!("never-injectable.md");

pub(super) static BELOW_THRESHOLD: Rule = rule!("below-threshold.md");

pub(super) static BUDGET_IGNORED: Rule = rule!("budget-ignored.md");

pub(super) static PRIORITY_KIND: Rule = rule!("priority-kind.md");

pub(super) static KERNEL_FAILED: Rule = rule!("kernel-failed.md");

pub(super) static ORDER_SENSITIVE: Rule = rule!("order-sensitive.md");

pub(super) fn check(subject: &mut Subject<'_>, found: &mut Vec<PromptFinding>) {
    for head in subject.heads("final_injectable", 0).filter(|head| !head.clause.is_fact()).take(1) {
        let one = head.found(&BUDGET_IGNORED, usize::MAX, "`final_injectable` has no effect on prompts");
        found.push(one.note("prompts read `injectable_context`, which this rule does not filter"));
    }
    below_threshold(subject, found);
    priorities(subject, found);
    failed(subject, found);
    order(subject, found);
    never(subject, found);
}

/// The predicate of priorities, with the priority in the third argument.
const PRIORITY: &str = "injectable_context_priority";

/// Reports names among numeric priorities. If the predicate has declared bounds, the type rules
/// report them.
fn priorities(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let program = subject.program();
    let has_bounds = |predicate| program.declaration(predicate).is_some_and(|decl| !decl.bounds.is_empty());
    if program.named(Symbol::new(PRIORITY)).any(has_bounds) {
        return;
    }
    for shown in subject.shown.iter() {
        let answers = subject.facts(shown, PRIORITY, 3);
        let is_name = |answer: &&Answer| answer.text(2).is_some_and(|text| text.starts_with('/'));
        let number =
            answers.iter().find(|answer| answer.args.get(2).is_some_and(|arg| arg.whole().is_some()));
        let (Some(name), Some(number)) = (answers.iter().find(is_name), number) else { continue };
        let Some((file, range)) = subject.place(shown, &name.origin, 2) else { continue };
        let finding = Finding::new(&PRIORITY_KIND, range, "priority is a name, others are numbers")
            .note(format!("{}, `{}` has a number", within(shown), number.origin.fact))
            .note("a comparison holds only for priorities of one kind");
        found.push(PromptFinding { file, finding });
    }
}

fn failed(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter() {
        let Some(stop) = shown.stopped() else { continue };
        let place = stop.rule.and_then(|rule| subject.common.range_of_rule(rule));
        let (file, range) = match (place, subject.sample()) {
            (Some(place), _) => place,
            (None, Some(sample)) => (sample, shown.request.range),
            (None, None) => continue,
        };
        let limit = stop.reason.setting().map(|setting| format!(" (the limit is `[kernel] {setting}`)"));
        let message = match limit {
            Some(_) => "evaluation of the kernel reaches a limit",
            None => "evaluation of the kernel aborts",
        };
        let finding = Finding::new(&KERNEL_FAILED, range, message)
            .note(format!("{}: {}{}", within(shown), stop.reason, limit.unwrap_or_default()))
            .note("the runtime then has no kernel, and the prompt consists of built-in texts");
        found.push(PromptFinding { file, finding });
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
            let finding =
                Finding::new(&ORDER_SENSITIVE, shown.request.range, "prompt depends on the order of facts")
                    .note(format!(
                        "{}, lines may differ from run to run: the fact store keeps no order",
                        within(shown)
                    ))
                    .help("compare prompts with `--shuffle-seed`");
            subject.at_header(found, finding);
        }
    }
}

fn below_threshold(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter() {
        let atoms = subject.facts(shown, SCORED, 3);
        let score = |answer: &crate::Answer| answer.args.get(2)?.whole();
        for answer in &atoms {
            let of_it = atoms.iter().filter(|other| other.args.get(..2) == answer.args.get(..2));
            let Some(best) = of_it.filter_map(score).max().filter(|best| *best <= THRESHOLD) else {
                continue;
            };
            let Some((file, range)) = subject.place(shown, &answer.origin, 2) else { continue };
            let atom = answer.text(1).unwrap_or_default();
            let message = format!("score {best} of {} is too low", quoted(atom));
            let finding =
                Finding::new(&BELOW_THRESHOLD, range, message).label(format!("not above {THRESHOLD}"));
            let note = format!("{}, the policy injects only scores above {THRESHOLD}", within(shown));
            found.push(PromptFinding { file, finding: finding.note(note) });
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
        let message = format!("nothing is injected for {}", quoted(&shown.request.context.shard_id));
        let range =
            if shown.request.shard.0.is_empty() { shown.request.range } else { shown.request.shard.0 };
        let mut finding = Finding::new(&NEVER_INJECTABLE, range, message)
            .note(format!("{}, no rule of `{INJECTED}` derives anything for this shard", within(shown)));
        for (rule, gap) in gaps.iter().take(3) {
            let Some((_, place)) = related(common, *rule) else { continue };
            finding = finding.related(place, said(&gap.miss.obstacle));
        }
        found.push(PromptFinding { file: sample, finding });
    }
}

/// The location of a rule, for related information.
fn related(
    common: &crate::PreviewState,
    rule: mangle_engine::kernel::RuleId,
) -> Option<(TextRange, mangle_syntax::lint::Span)> {
    let (file, statement, range) = common.statement_of_rule(rule)?;
    Some((range, mangle_syntax::lint::Span::new(file, statement, range)))
}

fn said(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Head { argument, has } => format!("argument {} is {}", argument + 1, quoted_in_label(has)),
        Obstacle::Premise { asked, .. } if asked.starts_with('!') => {
            format!("requires {}", quoted_in_label(asked))
        }
        Obstacle::Premise { asked, .. } => format!("no fact {}", quoted_in_label(asked)),
        Obstacle::Groups { .. } => "has no matching group".to_owned(),
        Obstacle::TooMany => "has too many combinations".to_owned(),
    }
}
