//! Rule about data flow from packets into prompts.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::subject::{PromptFinding, Subject};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::quoted::quoted;
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::Symbol;
use piggyback::envelope::runtime::accepts;

pub(super) static PACKET_FEEDS_PROMPT: Rule = rule!("packet-feeds-prompt.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    // A consumer without lists of predicates accepts everything, so its settings do not show the
    // intended predicates.
    let Some((name, consumer)) = subject.consumer else { return };
    if consumer.predicates.is_empty() && consumer.prefixes.is_empty() {
        return;
    }
    let program = subject.program();
    let graph = program.dependencies();
    for read in [INJECTED, TEMPLATES, KNOWLEDGE] {
        let roots = program.named(Symbol::new(read)).filter_map(|predicate| program.id(predicate.key));
        let mut queue: VecDeque<PredicateId> = roots.collect();
        // The predecessor of each predicate on the shortest path.
        let mut before: FxHashMap<PredicateId, PredicateId> = FxHashMap::default();
        let mut seen: Vec<PredicateId> = queue.iter().copied().collect();
        while let Some(at) = queue.pop_front() {
            let written = program.get(at).key.name.as_str();
            if accepts(consumer, written) {
                report(subject, (name, read, written), at, &before, found);
            }
            for edge in graph.edges_from(at) {
                if !seen.contains(&edge.to) {
                    seen.push(edge.to);
                    before.insert(edge.to, at);
                    queue.push_back(edge.to);
                }
            }
        }
    }
}

fn report(
    subject: &Subject<'_>,
    (consumer, read, written): (&str, &'static str, &str),
    at: PredicateId,
    before: &FxHashMap<PredicateId, PredicateId>,
    found: &mut Vec<PromptFinding>,
) {
    let program = subject.program();
    let mut path = vec![written.to_owned()];
    let mut next = at;
    while let Some(above) = before.get(&next) {
        path.push(program.get(*above).key.name.as_str().to_owned());
        next = *above;
    }
    let way = path.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" → ");
    let message = format!("updates of {} reach prompts", quoted(written));
    // The rule on the path that uses the predicate, or the clause that the prompt queries.
    let user = before.get(&at).copied();
    let site = user.and_then(|user| {
        program.uses(program.get(at)).map(|(site, _)| site).find(|site| {
            let head = site.item.statement.clause().map(|clause| &clause.head);
            head.and_then(|head| program.id_of(site.file, head)) == Some(user)
        })
    });
    let place = match site {
        Some(site) => Some((site.file.id, site.range + site.item.start)),
        None => subject.heads(read, 0).next().map(|head| (head.file.id, head.range(usize::MAX))),
    };
    found.extend(place.map(|(file, range)| {
        PromptFinding {
            file,
            finding: Finding::new(&PACKET_FEEDS_PROMPT, range, message)
                .note(format!("consumer {} accepts them, and they reach prompts by {way}", quoted(consumer)))
                .note("a manipulated reply can write instructions into later prompts"),
        }
    }));
}
