//! Check for expressions and values in positions that require a pattern or an unbound variable.

use super::move_premise::closing;
use super::subject::{Report, Subject};
use mangle_engine::program::Mode;
use mangle_engine::program::binding::{BindingPlace, builtin_parameters};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Literal, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static EXPR_IN_PREMISE_UNBOUND: Rule = rule!("expr-in-premise-unbound.md");

pub(super) static EXPR_IN_OUTPUT_POSITION: Rule = rule!("expr-in-output-position.md");

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (index, premise) in subject.premises() {
        let Premise::Literal(literal) = premise else { continue };
        if literal.is_negated() {
            continue;
        }
        if literal.atom.is_builtin() {
            check_outputs(subject, report, index, literal);
        } else if subject.rewriting.reflected(index).is_none() {
            for term in &literal.atom.args {
                check_argument(subject, report, index, term);
            }
        }
    }
}

/// Reports the variables of an expression that are unbound when it is computed.
fn check_argument(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, term: &Term) {
    let Some(apply) = term.apply() else { return };
    term.variables(&mut |symbol, range| {
        if !subject.bindings.has_value_before(symbol, BindingPlace::Premise(index)) && !report.names(symbol) {
            report.name(symbol);
            report.push(valueless(subject, symbol, range, term, apply));
        }
    });
}

fn valueless(subject: &Subject<'_>, symbol: Symbol, range: TextRange, term: &Term, apply: &Apply) -> Finding {
    let help = match (apply.form, apply.function.as_str()) {
        (ApplyForm::List, _) => "take the list apart with `:match_cons`",
        (ApplyForm::Struct, _) => "take the struct apart with `:match_field`",
        (ApplyForm::Map, _) => "take the map apart with `:match_entry`",
        (_, "fn:pair") => "take the pair apart with `:match_pair`",
        _ => "write a variable here and compare it afterwards",
    };
    let effect =
        if subject.bindings.is_bound(symbol) { "evaluation aborts" } else { "the engine rejects the rule" };
    let text = subject.excerpt(term.range);
    let headline = format!("`{text}` is computed, not matched: `{symbol}` is unbound");
    Finding::new(&EXPR_IN_PREMISE_UNBOUND, range, headline)
        .note("the engine computes arguments before it looks for facts")
        .note(effect)
        .help(help)
}

fn check_outputs(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, literal: &Literal) {
    let Some(parameters) = builtin_parameters(&literal.atom).filter(|_| !literal.is_temporal()) else {
        return;
    };
    for (term, parameter) in literal.atom.args.iter().zip(parameters) {
        let mode = parameter.mode_in(&subject.context.program.embedding);
        if mode != Mode::Output || term.is_wildcard() {
            continue;
        }
        let free = term
            .variable()
            .is_some_and(|symbol| !subject.bindings.is_bound_before(symbol, BindingPlace::Premise(index)));
        if !free {
            report.push(taken_output(subject, literal, term));
        }
    }
}

fn taken_output(subject: &Subject<'_>, literal: &Literal, term: &Term) -> Finding {
    let (name, value) = (literal.atom.name, subject.excerpt(term.range));
    let what = if term.variable().is_some() { "already bound" } else { "not a variable" };
    let fresh = subject.fresh_variable("Value");
    let headline = format!("output argument `{value}` is {what}");
    let mut finding = Finding::new(&EXPR_IN_OUTPUT_POSITION, term.range, headline)
        .note(format!("`{}` binds a fresh variable here; the engine rejects the rule", name.as_str()));
    if name.as_str() == ":list:member" {
        finding = finding.note("`:filter(fn:list:contains(…))` also tests membership in a list");
    }
    let text = subject.context.slice(term.range);
    let close = closing(text, subject.context.text, literal.range.end());
    let fix = Fix::safe(format!("use the fresh variable `{fresh}` and compare it afterwards"))
        .replace(term.range, fresh.as_str())
        .insert(literal.range.end(), format!(", {fresh} = {text}{close}"));
    finding.fix(fix)
}
