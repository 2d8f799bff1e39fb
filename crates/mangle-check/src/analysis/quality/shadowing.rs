//! Check for rules that derive an existing fact of the program.

use super::facts::Facts;
use super::matching::ClauseText;
use crate::analysis::ProgramFindings;
use crate::analysis::wording::code;
use mangle_engine::program::{Predicate, Program};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::Term;
use mangle_syntax::text::slice;

pub(super) static RULE_SHADOWED_BY_FACT: Rule = rule!("rule-shadowed-by-fact.md");

pub(super) fn check(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    if predicate.signature.has_rules {
        let mut facts = None;
        for site in program.rules(predicate) {
            let Some(rule) = ClauseText::from_item(site.file, site.item) else { continue };
            let head = &rule.clause.head;
            if rule.clause.interval.is_some() || !head.args.iter().all(Term::is_constant) {
                continue;
            }
            let facts = facts.get_or_insert_with(|| Facts::new(program, predicate));
            let Some(fact) = facts.find(rule.text, head) else { continue };
            let message =
                format!("rule derives the existing fact {}", code(slice(rule.text, head.range), 40));
            let (file, statement, range) = fact.place();
            let finding = Finding::new(&RULE_SHADOWED_BY_FACT, head.range, message)
                .related(Span::new(file, statement, range), "existing fact")
                .note("the fact holds unconditionally, so the body of the rule has no effect");
            out.push(site.file.id, site.item.statement.id, finding);
        }
    }
}
