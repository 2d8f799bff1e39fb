//! Check for unknown units and time zones, which abort every call.

use super::each_application;
use super::impossible::TYPE_PREMISE_IMPOSSIBLE;
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::kernel::{Clock, Failure, Function, ValueId, Values, evaluate};
use mangle_engine::program::builtins;
use mangle_syntax::lint::{Finding, Severity};
use mangle_syntax::syntax::ast::{Apply, Clause, Term, TermKind};

/// Reports calls of time functions with an unknown unit, an unknown time zone or an invalid text.
pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    // Another rule covers functions in facts.
    if clause.is_fact() {
        return;
    }
    each_application(clause, &mut |apply| findings.extend(call(context, apply)));
}

fn call(context: &CheckContext<'_>, apply: &Apply) -> Option<Finding> {
    let name = apply.function.as_str();
    if !name.starts_with("fn:time:") && !name.starts_with("fn:duration:") {
        return None;
    }
    let (function, table) = (Function::from_name(name)?, builtins::function(name)?);
    if function.reads_clock() || table.parameters.len() != apply.args.len() {
        return None;
    }
    let mut values = Values::new();
    let args = apply.args.iter().zip(table.parameters);
    let args: Option<Vec<ValueId>> =
        args.map(|(term, wanted)| argument(context, &mut values, term, wanted)).collect();
    let failure = function.apply(&mut values, &args?, &Clock { now_ns: 0 }).err()?;
    let Failure::Wrong(reason) = &failure else { return None };
    // The last constant is the relevant argument: the unit, or the text.
    let is_text = |term: &&Term| matches!(term.kind, TermKind::Name(_) | TermKind::String);
    let term = apply.args.iter().rfind(is_text)?;
    let headline = format!("`{name}` does not take {}", code(context.slice(term.range), 24));
    let finding = Finding::new(&TYPE_PREMISE_IMPOSSIBLE, term.range, headline)
        .note("the engine aborts when it evaluates this call")
        .note(reason.to_string());
    Some(finding.severity(Severity::Error))
}

/// The value of an argument: a constant of the wanted type, or an arbitrary instant, duration or
/// number for a variable.
fn argument(context: &CheckContext<'_>, values: &mut Values, term: &Term, wanted: &str) -> Option<ValueId> {
    match (&term.kind, wanted) {
        (TermKind::Name(_), "/name") | (TermKind::String, "/string") => {
            evaluate(term, context.file.statement_text(context.item), values, None).ok().flatten()
        }
        (TermKind::Variable(_) | TermKind::Apply(_), "/time") => Some(values.time(0)),
        (TermKind::Variable(_) | TermKind::Apply(_), "/duration") => Some(values.duration(0)),
        (TermKind::Variable(_) | TermKind::Apply(_), "/number") => Some(values.number(1)),
        _ => None,
    }
}
