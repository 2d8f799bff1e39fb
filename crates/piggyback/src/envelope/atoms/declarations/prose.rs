//! Predicates whose strings may contain shell characters: `prose_only(/P)`, unless a rule leads
//! from `P` to an `exec_sink`.

use rustc_hash::FxHashSet;

use mangle_engine::program::{Predicate, PredicateKey, Program};
use mangle_syntax::syntax::ast::TermKind;
use mangle_syntax::text::Symbol;

/// The predicate that exempts other predicates from the string check.
const PROSE: &str = "prose_only";

/// The predicate that lists the predicates with an effect in the host.
const SINKS: &str = "exec_sink";

/// Returns the predicates of a program whose strings may contain shell characters.
pub(super) fn prose_predicates(program: &Program) -> FxHashSet<&'static str> {
    let sinks = sinks(program);
    let is_free = |name: &&'static str| reached(program, name).is_disjoint(&sinks);
    // If there is no sink, the runtime exempts no predicates.
    let declared = if sinks.is_empty() { Vec::new() } else { listed(program, PROSE) };
    declared.into_iter().filter(is_free).collect()
}

/// Returns the predicates that are declared `prose_only` although rules lead to an `exec_sink`,
/// each with the sink.
#[must_use]
pub fn contradicted_prose(program: &Program) -> Vec<(&'static str, &'static str)> {
    let sinks = sinks(program);
    let sink = |name: &'static str| Some((name, *reached(program, name).intersection(&sinks).min()?));
    listed(program, PROSE).into_iter().filter_map(sink).collect()
}

fn sinks(program: &Program) -> FxHashSet<&'static str> {
    listed(program, SINKS).into_iter().collect()
}

/// Returns the predicates named in the facts of a predicate.
fn listed(program: &Program, name: &str) -> Vec<&'static str> {
    let Some(predicate) = program.predicate(PredicateKey { name: Symbol::new(name), arity: 1 }) else {
        return Vec::new();
    };
    let named = program.clauses(predicate).filter_map(|site| {
        let clause = site.item.statement.clause().filter(|clause| clause.is_fact())?;
        match &clause.head.args.first()?.kind {
            TermKind::Name(name) => Some(name.as_str().trim_start_matches('/')),
            _ => None,
        }
    });
    named.collect()
}

/// Returns the predicates that rules derive from a predicate in any number of steps, including the
/// predicate itself.
fn reached(program: &Program, name: &'static str) -> FxHashSet<&'static str> {
    let mut reached = FxHashSet::from_iter([name]);
    let mut open: Vec<&Predicate> = program.named(Symbol::new(name)).collect();
    while let Some(predicate) = open.pop() {
        for (site, _) in program.uses(predicate) {
            let Some(clause) = site.item.statement.clause() else { continue };
            let head = clause.head.name.symbol;
            if reached.insert(head.as_str()) {
                open.extend(program.named(head));
            }
        }
    }
    reached
}
