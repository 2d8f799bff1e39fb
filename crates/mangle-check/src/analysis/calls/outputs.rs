//! Values in the output arguments of a deferred predicate.

use rustc_hash::FxHashSet;

use super::calls;
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::program::Mode;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Operator, Premise, Term};
use mangle_syntax::text::Symbol;

pub(super) static DEFERRED_OUTPUT_TAKEN: Rule = rule!("deferred-output-taken.md");

pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
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
                out.push(finding(context, literal.atom.name.as_str(), term));
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

fn finding(context: &CheckContext<'_>, name: &str, term: &Term) -> Finding {
    let text = code(context.slice(term.range), 24);
    let message = match term.variable() {
        Some(_) => format!("output argument {text} of `{name}` is already bound"),
        None => format!("output argument {text} of `{name}` is not a variable"),
    };
    Finding::new(&DEFERRED_OUTPUT_TAKEN, term.range, message)
        .note("the engine aborts unless the result equals the value here")
        .help("use a fresh variable and compare it afterwards")
}
