//! Rules about the kernel of a prompt: missing facts, failing queries, ineffective facts, and facts
//! of the policy that never reach the prompt.

use rustc_hash::FxHashSet;

use super::{PromptFinding, Subject, within};
use crate::answers::{Answer, AnswerOrder, QueryPattern};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::names::{quoted, quoted_in_label};
use crate::preview::{PreviewedPrompt, SCORED, THRESHOLD};
use mangle_engine::kernel::Obstacle;
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{Symbol, TextRange};
use piggyback::envelope::runtime::go_quoted;

pub(super) static NO_ACTIVE_SHARD: Rule = rule!("no-active-shard.md");

pub(super) static EXTERNAL_EMPTY: Rule = rule!("external-empty.md");

pub(super) static QUERY_ERROR: Rule = rule!("query-error.md");

pub(super) static DEAD_CONFIG: Rule = rule!("dead-config.md");

pub(super) static SHARD_ID_LEAK: Rule = rule!("shard-id-leak.md");

pub(super) static NEVER_INJECTABLE: Rule = rule!("never-injectable.md");

pub(super) static BELOW_THRESHOLD: Rule = rule!("below-threshold.md");

pub(super) static BUDGET_IGNORED: Rule = rule!("budget-ignored.md");

pub(super) static PRIORITY_KIND: Rule = rule!("priority-kind.md");

pub(super) static KERNEL_FAILED: Rule = rule!("kernel-failed.md");

pub(super) static ORDER_SENSITIVE: Rule = rule!("order-sensitive.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    dead_config(subject, found);
    external(subject, found);
    for shown in subject.shown.iter() {
        active(subject, shown, found);
        failed_queries(subject, shown, found);
    }
}

/// The behavior of the runtime for a failed query.
const LOGGED: &str = "the runtime only logs the failure and continues";

/// The range of findings about the shard of a preview.
fn at_shard(shown: &PreviewedPrompt) -> TextRange {
    if shown.request.shard.0.is_empty() { shown.request.range } else { shown.request.shard.0 }
}

fn active(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let id = &shown.request.context.shard_id;
    let is_active =
        || subject.facts(shown, "active_shard", 1).iter().any(|answer| answer.text(0) == Some(id));
    if subject.common.settings().synthetic || is_active() {
        return;
    }
    let kind = shown.request.context.shard_type.trim_start_matches('/');
    let finding =
        Finding::new(&NO_ACTIVE_SHARD, at_shard(shown), format!("no `active_shard` fact for {}", quoted(id)))
            .note(format!("{}, rules that depend on it derive nothing", within(shown)))
            .help(format!("add `active_shard(\"{id}\", /{kind})`, or let previews add it with `synthetic`"));
    subject.at_header(found, finding);
}

fn failed_queries(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let program = subject.program();
    let rule = shown.stopped().and_then(|stop| stop.rule);
    let stopped = rule.and_then(|rule| {
        let (file, range) = subject.common.range_of_rule(rule)?;
        let file = program.file(file)?;
        let item = file.items.get(file.item_at(range.start())?)?;
        program.id_of(file, &item.statement.clause()?.head)
    });
    let parts = [(TEMPLATES, "the template"), (INJECTED, "the context"), (KNOWLEDGE, "the knowledge")];
    let is_lost = |name: &str| stopped.is_some_and(|stopped| subject.feeding(&[name]).contains(&stopped));
    let lost: Vec<&str> = parts.iter().filter(|(name, _)| is_lost(name)).map(|(_, part)| *part).collect();
    if !lost.is_empty() {
        let message = format!("prompt lacks {}: a query fails", lost.join(" and "));
        let finding = Finding::new(&QUERY_ERROR, at_shard(shown), message);
        subject.at_header(found, finding.note(format!("{}, {LOGGED}", within(shown))));
    }
    for (part, why) in &shown.prompt.failed {
        let message = format!("prompt lacks the facts of `{part}`: a query fails");
        let finding = Finding::new(&QUERY_ERROR, at_shard(shown), message).note(why.clone());
        subject.at_header(found, finding.note(format!("{}, {LOGGED}", within(shown))));
    }
}

/// Reports external predicates that prompts depend on and that have no facts.
fn external(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let program = subject.program();
    let feeding: FxHashSet<PredicateId> = subject.feeding(&[INJECTED, TEMPLATES, KNOWLEDGE]);
    let has_facts = |id: PredicateId| {
        let relation = |shown: &PreviewedPrompt| {
            shown.model().relation(id).is_some_and(|relation| relation.tuples().next().is_some())
        };
        subject.shown.iter().any(relation)
    };
    let mut external: Vec<PredicateId> =
        feeding.into_iter().filter(|id| program.get(*id).signature.external && !has_facts(*id)).collect();
    external.sort_unstable();
    for predicate in external.into_iter().map(|id| program.get(id)) {
        let Some(site) = program.declarations(predicate).next() else { continue };
        let message =
            format!("external predicate {} is empty in previews", quoted(&predicate.key.to_string()));
        let range = site.range + site.item.start;
        let finding = Finding::new(&EXTERNAL_EMPTY, range, message)
            .note("the host of the engine provides its facts, and a preview has no host")
            .help("add facts of it to the sample");
        found.push(PromptFinding { file: site.file.id, finding });
    }
}

/// Reports the first fact of predicates that the prompt compiler never queries, unless a rule uses
/// them.
fn dead_config(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let program = subject.program();
    for name in ["category_order", "category_budget"] {
        let is_read =
            program.named(Symbol::new(name)).any(|predicate| program.uses(predicate).next().is_some());
        let first = subject.heads(name, 0).find(|head| head.clause.is_fact());
        if let Some(head) = first.filter(|_| !is_read) {
            let one = head.found(&DEAD_CONFIG, usize::MAX, format!("facts of `{name}` have no effect"));
            found.push(one.note("order and shares of the categories are built into the prompt compiler"));
        }
    }
}

pub(super) fn check_shard_ids(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter().filter(|shown| shown.request.context.runtime.context_by_pattern) {
        let id = &shown.request.context.shard_id;
        let query = QueryPattern::read(&format!("{INJECTED}({}, _)", go_quoted(id)));
        if query.is_bound(0) {
            continue;
        }
        let why = match id.starts_with('?') {
            true => "the runtime takes an id that begins with `?` for a variable",
            false => "the runtime cannot parse its query for this id, and asks for all facts instead",
        };
        let message = format!("shard {} reads the context of all shards", quoted(id));
        let finding = Finding::new(&SHARD_ID_LEAK, at_shard(shown), message)
            .note(format!("{}, {why}", within(shown)))
            .help("give the shard an id of letters, digits, `-` and `_`");
        subject.at_header(found, finding);
    }
}

pub(super) fn check_policy(subject: &mut Subject<'_>, found: &mut Vec<PromptFinding>) {
    for head in subject.heads("final_injectable", 0).filter(|head| !head.clause.is_fact()).take(1) {
        let one = head.found(&BUDGET_IGNORED, usize::MAX, "`final_injectable` has no effect on prompts");
        found.push(one.note("prompts read `injectable_context`, which this rule does not filter"));
    }
    below_threshold(subject, found);
    priorities(subject, found);
    failed_kernel(subject, found);
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

fn failed_kernel(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
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
            finding = finding.related(place, obstacle_text(&gap.miss.obstacle));
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

fn obstacle_text(obstacle: &Obstacle) -> String {
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
