//! Rules about the data flow into prompts: joins of columns without a common value, and packets that
//! reach prompts.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Head, PromptFinding, Subject};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::names::quoted;
use mangle_engine::kernel::Datum;
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Premise, TermKind};
use mangle_syntax::text::{Symbol, TextRange};
use piggyback::envelope::runtime::accepts;

pub(super) static DISJOINT_JOIN: Rule = rule!("disjoint-join.md");

pub(super) static PACKET_FEEDS_PROMPT: Rule = rule!("packet-feeds-prompt.md");

type Column = (PredicateId, usize);

/// The names in each column; `None` if a rule fills the column with arbitrary values.
type Columns = FxHashMap<Column, Option<BTreeSet<Symbol>>>;

pub(super) fn check_joins(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let feeding = subject.feeding(&[INJECTED, TEMPLATES, KNOWLEDGE]);
    let columns = columns(subject);
    let program = subject.program();
    let mut wanted: Vec<PredicateId> = feeding.into_iter().collect();
    wanted.sort_unstable();
    for predicate in wanted {
        for head in program.clauses(program.get(predicate)).filter_map(Head::from_site) {
            check_clause(subject, &head, &columns, found);
        }
    }
}

/// The positive atoms of the body of a clause.
fn read_atoms(clause: &Clause) -> impl Iterator<Item = &mangle_syntax::syntax::ast::Atom> {
    clause.premises.iter().filter_map(|premise| match premise {
        Premise::Literal(literal) if !literal.is_negated() => Some(&literal.atom),
        _ => None,
    })
}

/// The names in the columns of a program.
fn columns(subject: &Subject<'_>) -> Columns {
    let program = subject.program();
    let mut columns = Columns::default();
    for file in program.files.iter() {
        for item in file.items.iter().filter(|item| !item.statement.damaged) {
            let Some(clause) = item.statement.clause() else { continue };
            let premises = read_atoms(clause).map(|atom| (atom, false));
            for (atom, is_head) in premises.chain([(&clause.head, true)]) {
                let Some(predicate) = program.id_of(file, atom) else { continue };
                for (at, term) in atom.args.iter().enumerate() {
                    let known = columns.entry((predicate, at)).or_insert_with(|| Some(BTreeSet::new()));
                    match term.kind {
                        TermKind::Name(name) => {
                            known.iter_mut().for_each(|known| known.extend([name]));
                        }
                        _ if is_head => *known = None,
                        _ => {}
                    }
                }
            }
        }
    }
    let mut values: FxHashMap<Column, FxHashSet<Symbol>> = FxHashMap::default();
    for shown in subject.shown.iter() {
        for &(predicate, at) in columns.keys() {
            let tuples = shown.model().relation(predicate).into_iter().flat_map(|found| found.tuples());
            let texts = tuples.filter_map(|tuple| match shown.model().values.get(*tuple.get(at)?) {
                Datum::Name(name) => Some(Symbol::new(name)),
                _ => None,
            });
            values.entry((predicate, at)).or_default().extend(texts);
        }
    }
    for (column, more) in values {
        if let Some(Some(known)) = columns.get_mut(&column) {
            known.extend(more);
        }
    }
    columns
}

fn check_clause(subject: &Subject<'_>, head: &Head<'_>, columns: &Columns, found: &mut Vec<PromptFinding>) {
    let program = subject.program();
    // Each variable with the names in its column, and the description of the column.
    let mut seen: Vec<(Symbol, &BTreeSet<Symbol>, String)> = Vec::new();
    let mut told: Vec<Symbol> = Vec::new();
    for atom in read_atoms(head.clause) {
        let Some(predicate) = program.id_of(head.file, atom) else { continue };
        for (at, term) in atom.args.iter().enumerate() {
            let TermKind::Variable(name) = term.kind else { continue };
            let Some(Some(known)) = columns.get(&(predicate, at)) else { continue };
            if term.is_wildcard() || known.len() < 2 || told.contains(&name) {
                continue;
            }
            let column = format!("argument {} of `{}`", at + 1, atom.name.symbol);
            let other = seen.iter().find(|(other, has, _)| *other == name && has.is_disjoint(known));
            if let Some((_, has, first)) = other {
                let message = format!("{} joins columns without a common value", quoted(name.as_str()));
                let range: TextRange = term.range + head.item.start;
                let finding = Finding::new(&DISJOINT_JOIN, range, message)
                    .note(format!("{first} has {}; {column} has {}", listed_names(has), listed_names(known)))
                    .note("the rule derives nothing for any prompt");
                found.push(PromptFinding { file: head.file.id, finding });
                told.push(name);
            }
            seen.push((name, known, column));
        }
    }
}

/// Formats the first three names.
fn listed_names(names: &BTreeSet<Symbol>) -> String {
    let mut all: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    all.sort_unstable();
    let more = if all.len() > 3 { ", …" } else { "" };
    all.truncate(3);
    format!("{}{more}", all.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
}

pub(super) fn check_packets(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
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
                report_packet(subject, name, read, written, at, &before, found);
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

fn report_packet(
    subject: &Subject<'_>,
    consumer: &str,
    read: &'static str,
    written: &str,
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
