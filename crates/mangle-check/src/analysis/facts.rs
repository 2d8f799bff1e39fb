//! Check for failing functions in facts. The engine computes the arguments of facts while it loads
//! the program, and rejects the program if a function fails.

use super::wording::code;
use super::{CheckContext, Family};
use mangle_engine::kernel::{self, Values};
use mangle_engine::program::builtins;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Term};
use mangle_syntax::text::TextRange;

/// The rules about values of facts.
pub(super) const FAMILY: Family =
    Family { rules: &[&FACT_FUNCTION_FAILS], clause: Some(check), declaration: None, program: &[] };

/// A function in a fact fails.
static FACT_FUNCTION_FAILS: Rule = rule!("fact-function-fails.md");

fn check(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    if !clause.is_fact() {
        return;
    }
    let mut values = Values::new();
    for arg in clause.head.args.iter().filter(|arg| arg.apply().is_some() && knows_functions(arg)) {
        if let Err((range, failure)) = kernel::evaluate(arg, context.text, &mut values, None)
            && !divides_by_literal_zero(arg, range)
        {
            let message = format!("{} in a fact fails", code(context.slice(range), 40));
            let finding = Finding::new(&FACT_FUNCTION_FAILS, range, message).note(failure.to_string());
            findings.push(finding.note("the engine rejects the program"));
        }
    }
}

/// True if `division-by-zero` reports this failure.
fn divides_by_literal_zero(term: &Term, failed: TextRange) -> bool {
    let mut found = false;
    term.walk(&mut |term| {
        let zero = term.apply().and_then(super::types::zero_divisor);
        found |= term.range == failed && zero.is_some();
    });
    found
}

/// True if all functions exist, have the right arity and are valid outside of aggregations. Other
/// rules report these errors.
fn knows_functions(term: &Term) -> bool {
    let mut known = true;
    term.walk(&mut |term| {
        if let Some(apply) = term.apply() {
            let function = builtins::function(apply.function.as_str());
            known &= function.is_some_and(|function| {
                // A reducer over a value that is not a list has its own rule, `reducer-in-body`.
                let over_list = function.takes_list() && apply.args.iter().all(|arg| arg.apply().is_some());
                // Registration of a function only matters for premises.
                function.evaluable
                    && (!function.is_reducer() || over_list)
                    && function.arity.accepts(apply.args.len())
            });
        }
    });
    known
}
