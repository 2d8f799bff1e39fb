//! Rules about the kernel of a prompt: missing facts, failing queries and ineffective facts.

use rustc_hash::FxHashSet;

use super::subject::{PromptFinding, Subject, within};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::preview::PreviewedPrompt;
use crate::quoted::quoted;
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static NO_ACTIVE_SHARD: Rule = rule!("no-active-shard.md");

pub(super) static EXTERNAL_EMPTY: Rule = rule!("external-empty.md");

pub(super) static QUERY_ERROR: Rule = rule!("query-error.md");

pub(super) static DEAD_CONFIG: Rule = rule!("dead-config.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    dead_config(subject, found);
    external(subject, found);
    for shown in subject.shown.iter() {
        active(subject, shown, found);
        failed(subject, shown, found);
    }
}

/// The behavior of the runtime for a failed query.
const LOGGED: &str = "the runtime only logs the failure and continues";

/// The range of findings about the shard of a preview.
pub(super) fn at_shard(shown: &PreviewedPrompt) -> TextRange {
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

fn failed(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
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
