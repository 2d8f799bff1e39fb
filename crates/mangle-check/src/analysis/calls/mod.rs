//! Checks of called predicates: `deferred()` predicates, which the engine evaluates on demand, and
//! `external()` predicates, which the host computes.
//!
//! The checks report calls that the engine does not make or makes with wrong arguments. They also
//! report definitions that calls do not use. `mode(…)` declares the inputs and outputs of a call.
//!
//! The rules belong to several groups, so their codes differ.

mod deferred;

use rustc_hash::FxHashSet;

use super::wording::code;
use super::{CheckContext, Family, ProgramCheck};
use mangle_engine::program::{Mode, Signature};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Declaration, Literal, Operator, Premise, Term};
use mangle_syntax::text::Symbol;

/// The rules about declarations of called predicates.
pub(super) const FAMILY: Family = Family {
    rules: &[&DEFERRED_WITHOUT_MODE, &DEFERRED_FACT],
    clause: Some(check_clause),
    declaration: Some(check_declaration),
    program: &[
        ProgramCheck::Predicate(deferred::check_clashes),
        ProgramCheck::Cycle(deferred::check_recursion),
    ],
};

/// The rules about calls. The checks of [`FAMILY`] apply them.
pub(super) const SAFETY: Family = Family {
    rules: &[&DEFERRED_OUTPUT_TAKEN, &CALL_NOT_MADE, &deferred::DEFERRED_VARIABLE_CLASH],
    clause: None,
    declaration: None,
    program: &[],
};

/// The rule about recursion. The check of [`FAMILY`] applies it.
pub(super) const RECURSION: Family =
    Family { rules: &[&deferred::DEFERRED_RECURSION], clause: None, declaration: None, program: &[] };

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    check_fact(context, clause, out);
    check_stored_reads(context, clause, out);
    check_outputs(context, clause, out);
}

/// True if the engine calls the predicate in a premise that supports calls.
fn is_called(signature: &Signature) -> bool {
    signature.deferred || signature.external
}

/// The premises of called predicates, with their indices and signatures. Temporal premises are
/// never calls.
fn calls<'a>(
    context: &'a CheckContext<'_>,
    clause: &'a Clause,
) -> impl Iterator<Item = (usize, &'a Literal, &'a Signature)> {
    clause.premises.iter().enumerate().filter_map(|(at, premise)| {
        let Premise::Literal(literal) = premise else { return None };
        let plain = !literal.is_temporal() && !literal.atom.is_builtin();
        let signature = &context.predicate(&literal.atom).filter(|_| plain)?.signature;
        is_called(signature).then_some((at, literal, signature))
    })
}

static DEFERRED_WITHOUT_MODE: Rule = rule!("deferred-without-mode.md");

static DEFERRED_FACT: Rule = rule!("deferred-fact.md");

/// Reports deferred predicates without a mode. An invalid `mode` has its own finding.
fn check_declaration(_: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let mut descriptors = declaration.descriptors.iter();
    let Some(deferred) = descriptors.clone().find(|atom| atom.name.as_str() == "deferred") else { return };
    if descriptors.any(|atom| matches!(atom.name.as_str(), "mode" | "external")) {
        return;
    }
    let name = declaration.atom.name.as_str();
    let message = format!("deferred predicate `{name}` has no mode");
    let finding = Finding::new(&DEFERRED_WITHOUT_MODE, deferred.range, message)
        .note("the engine panics when a premise queries it");
    out.push(match declaration.atom.args.is_empty() {
        true => finding.note("a predicate without arguments cannot have a mode").help("remove `deferred()`"),
        false => finding.help("add a mode, as in `mode(\"+\")`"),
    });
}

/// Reports facts of a deferred predicate, which calls do not find.
fn check_fact(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if !clause.is_fact() {
        return;
    }
    let Some(predicate) = context.predicate(&clause.head).filter(|predicate| predicate.signature.deferred)
    else {
        return;
    };
    let message = format!("fact of deferred predicate `{}` is never found", predicate.key.name);
    let finding = Finding::new(&DEFERRED_FACT, clause.head.name.range, message)
        .note("a call evaluates the rules of the predicate and ignores its facts")
        .help("write a rule whose body binds the values");
    out.push(match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, "declared here"),
        None => finding,
    });
}

static CALL_NOT_MADE: Rule = rule!("call-not-made.md");

/// Reports lookups of stored facts for predicates that the engine must call.
fn check_stored_reads(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let alone = clause.aggregates() && clause.premises.len() == 1;
    for (_, literal, signature) in calls(context, clause) {
        // A negation with `_` is dropped by the engine and has its own finding.
        let dropped = literal.atom.args.iter().any(Term::is_wildcard);
        if (literal.is_negated() && !dropped) || alone {
            out.push(stored_read(literal, signature));
        }
    }
}

fn stored_read(literal: &Literal, signature: &Signature) -> Finding {
    let name = literal.atom.name.as_str();
    let kind = if signature.deferred { "deferred" } else { "external" };
    let (place, effect) = match (literal.is_negated(), signature.deferred) {
        (true, true) => ("negation", "a deferred predicate has no facts, so the negation always holds"),
        (true, false) => ("negation", "the negation holds unless an earlier call returned such a fact"),
        (false, true) => ("aggregation", "a deferred predicate has no facts, so nothing is aggregated"),
        (false, false) => ("aggregation", "only the facts of earlier calls are aggregated"),
    };
    Finding::new(
        &CALL_NOT_MADE,
        literal.range,
        format!("{place} does not call the {kind} predicate `{name}`"),
    )
    .note(effect)
    .help("query a helper rule that makes the call")
}

static DEFERRED_OUTPUT_TAKEN: Rule = rule!("deferred-output-taken.md");

/// Reports values in the output arguments of a deferred predicate.
fn check_outputs(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    for (at, literal, signature) in calls(context, clause) {
        if literal.is_negated() || !signature.deferred {
            continue;
        }
        let mut before = None;
        let arguments = literal.atom.args.iter().zip(&signature.modes).enumerate();
        for (column, (term, mode)) in arguments {
            // The engine treats only `"+"` as an input.
            if *mode == Mode::Input || term.is_wildcard() {
                continue;
            }
            let before = before.get_or_insert_with(|| valued(clause.premises.get(..at).unwrap_or_default()));
            let earlier = literal.atom.args.get(..column).unwrap_or_default();
            let taken = term.variable().is_none_or(|variable| {
                before.contains(&variable) || earlier.iter().any(|other| other.variable() == Some(variable))
            });
            if taken {
                out.push(taken_output(context, literal.atom.name.as_str(), term));
            }
        }
    }
}

/// The variables that premises bind.
fn valued(premises: &[Premise]) -> FxHashSet<Symbol> {
    let mut valued = FxHashSet::default();
    for premise in premises {
        let terms = match premise {
            Premise::Literal(literal) if !literal.is_negated() => literal.atom.args.as_slice(),
            Premise::Comparison(Comparison { operator: Operator::Equal, left, right, .. }) => {
                valued.extend([left, right].into_iter().filter_map(Term::variable));
                continue;
            }
            _ => continue,
        };
        valued.extend(terms.iter().filter_map(Term::variable));
    }
    valued
}

fn taken_output(context: &CheckContext<'_>, name: &str, term: &Term) -> Finding {
    let text = code(context.slice(term.range), 24);
    let message = match term.variable() {
        Some(_) => format!("output argument {text} of `{name}` is already bound"),
        None => format!("output argument {text} of `{name}` is not a variable"),
    };
    Finding::new(&DEFERRED_OUTPUT_TAKEN, term.range, message)
        .note("the engine aborts unless the result equals the value here")
        .help("use a fresh variable and compare it afterwards")
}

#[cfg(test)]
mod tests;
