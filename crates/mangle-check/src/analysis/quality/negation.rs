//! Check for negations that always or never hold, according to the program.

use super::facts::Facts;
use crate::analysis::wording::code;
use crate::analysis::{CheckContext, ProgramContext, ProgramFindings};
use mangle_engine::program::{Predicate, PredicateId, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Literal, Term};

pub(super) static NEGATION_ALWAYS_FALSE: Rule = rule!("negation-always-false.md");

pub(super) static NEGATION_ALWAYS_TRUE: Rule = rule!("negation-always-true.md");

pub(super) fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    let mut facts = None;
    for (site, _) in program.uses(predicate).filter(|(_, kind)| *kind == UseKind::Negated) {
        let negated = site.literal().filter(|literal| literal.is_negated() && !literal.is_temporal());
        let Some(literal) = negated else { continue };
        if context.emptiness.is_empty(id) {
            report_true(predicate, &site, literal, out);
        } else if literal.atom.args.iter().all(Term::is_constant) {
            let facts = facts.get_or_insert_with(|| Facts::new(program, predicate));
            if let Some(fact) = facts.find(site.file.statement_text(site.item), &literal.atom) {
                report_false(&site, literal, &fact, out);
            }
        }
    }
}

fn report_true(predicate: &Predicate, site: &Site<'_>, literal: &Literal, out: &mut ProgramFindings) {
    let because = if predicate.signature.has_rules {
        "none of its rules can fire"
    } else {
        super::never_fires::NO_CLAUSE
    };
    let message = format!("negation always holds: `{}` never has facts", predicate.key.name);
    let mut finding = Finding::new(&NEGATION_ALWAYS_TRUE, literal.range, message).note(because);
    if let Some(origin) = CheckContext::origin(predicate) {
        finding = finding.related(origin, super::never_fires::introduced(predicate));
    }
    out.push(site.file.id, site.item.statement.id, finding);
}

fn report_false(site: &Site<'_>, literal: &Literal, fact: &Site<'_>, out: &mut ProgramFindings) {
    let head = site.item.statement.clause().map_or("", |clause| clause.head.name.as_str());
    let negated = code(mangle_syntax::text::slice(site.file.statement_text(site.item), literal.range), 36);
    let message = format!("{negated} never holds: a fact contradicts it");
    let (file, statement, range) = fact.place();
    let finding = Finding::new(&NEGATION_ALWAYS_FALSE, literal.range, message)
        .related(Span::new(file, statement, range), "contradicting fact")
        .note(format!("this rule for `{head}` never fires"));
    out.push(site.file.id, site.item.statement.id, finding);
}
