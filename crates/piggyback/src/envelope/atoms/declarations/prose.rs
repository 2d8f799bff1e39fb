//! Predicates whose strings may have any characters: `prose_only(/P)`, unless a rule leads from `P` to an `exec_sink`.

use rustc_hash::FxHashSet;

use mangle_engine::program::{Predicate, PredicateKey, Program};
use mangle_syntax::syntax::ast::TermKind;
use mangle_syntax::text::Symbol;

/// The predicate that exempts others from the check of strings.
const PROSE: &str = "prose_only";

/// The predicate that names those that the host acts on.
const SINKS: &str = "exec_sink";

/// The predicates of a program whose strings may have any characters.
pub(super) fn of(program: &Program) -> FxHashSet<&'static str> {
    let sinks = sinks(program);
    let is_free = |name: &&'static str| reached(program, name).is_disjoint(&sinks);
    // Without a sink the runtime exempts nothing.
    let declared = if sinks.is_empty() { Vec::new() } else { listed(program, PROSE) };
    declared.into_iter().filter(is_free).collect()
}

/// The predicates that are declared `prose_only` although rules lead from them to an `exec_sink`, and that sink.
#[must_use]
pub fn contradicted_prose(program: &Program) -> Vec<(&'static str, &'static str)> {
    let sinks = sinks(program);
    let sink = |name: &'static str| Some((name, *reached(program, name).intersection(&sinks).min()?));
    listed(program, PROSE).into_iter().filter_map(sink).collect()
}

fn sinks(program: &Program) -> FxHashSet<&'static str> {
    listed(program, SINKS).into_iter().collect()
}

/// The predicates that the facts of a predicate name.
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

/// The predicates that rules derive from a predicate of this name, over any number of steps, and the predicate itself.
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
