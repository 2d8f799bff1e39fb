//! Check for variables that occur once: they join nothing and are not in the head.

use rustc_hash::FxHashMap;

use super::{Report, Subject};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Premise, Term, TermKind, TimeBound, TimeBoundKind};
use mangle_syntax::text::Symbol;

pub(super) static SINGLETON_VARIABLE: Rule = rule!("singleton-variable.md");

/// The variables of a clause. The value is true if the variable occurs once.
#[derive(Default)]
struct Occurrences(FxHashMap<Symbol, bool>);

impl Occurrences {
    fn note(&mut self, symbol: Symbol) {
        self.0.entry(symbol).and_modify(|once| *once = false).or_insert(true);
    }

    fn term(&mut self, term: &Term) {
        term.variables(&mut |symbol, _| self.note(symbol));
    }

    fn bounds(&mut self, bounds: &[TimeBound]) {
        for bound in bounds {
            if let TimeBoundKind::Variable(symbol) = bound.kind {
                self.note(symbol);
            }
        }
    }

    fn is_single(&self, symbol: Symbol) -> bool {
        self.0.get(&symbol) == Some(&true)
    }
}

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let clause = subject.clause;
    let is_broken = clause.premises.iter().any(|premise| matches!(premise, Premise::Broken(..)));
    // If another variable is unbound, the single one can be a misspelling of it.
    if is_broken || clause.aggregates() || report.has_unbound() {
        return;
    }
    let occurrences = occurrences(subject);
    for literal in clause.literals().filter(|literal| !literal.is_negated()) {
        for argument in &literal.atom.args {
            // Inside an expression, a comparison or an interval, `_` has a different meaning.
            if let TermKind::Variable(symbol) = argument.kind
                && occurrences.is_single(symbol)
                && !report.names(symbol)
            {
                let headline = format!("`{symbol}` occurs only once");
                let fix = Fix::safe(format!("replace `{symbol}` by `_`")).replace(argument.range, "_");
                let finding = Finding::new(&SINGLETON_VARIABLE, argument.range, headline);
                report.push(finding.label("joins nothing").fix(fix));
            }
        }
    }
}

fn occurrences(subject: &Subject<'_>) -> Occurrences {
    let clause = subject.clause;
    let mut found = Occurrences::default();
    clause.head.args.iter().for_each(|term| found.term(term));
    clause.interval.iter().for_each(|interval| found.bounds(&interval.bounds));
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => {
                literal.atom.args.iter().for_each(|term| found.term(term));
                literal.operator.iter().for_each(|operator| found.bounds(&operator.bounds));
                literal.interval.iter().for_each(|interval| found.bounds(&interval.bounds));
            }
            Premise::Comparison(comparison) => {
                found.term(&comparison.left);
                found.term(&comparison.right);
            }
            Premise::Broken(_, terms) => terms.iter().for_each(|term| found.term(term)),
        }
    }
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        statement.variable.iter().for_each(|term| found.term(term));
        found.term(&statement.value);
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use expect_test::expect;

    use crate::testing::{check, check_fix};

    #[test]
    fn a_column_that_does_not_matter() {
        check(
            "crew(/p/ann, 3).\naboard(P) :- crew(P, N).\n",
            expect![[r#"
                2:22-23 hint singleton-variable: `N` occurs only once
                  label: joins nothing
                  fix: replace `N` by `_`
            "#]],
        );
        check_fix(
            "singleton-variable",
            "crew(/p/ann, 3).\naboard(P) :- crew(P, N).\n",
            expect![[r#"
            crew(/p/ann, 3).
            aboard(P) :- crew(P, _).
        "#]],
        );
    }

    #[test]
    fn names_that_matter() {
        // Aggregation, intervals, expressions, transforms, and variables with another finding.
        check("Decl on(P) temporal.\non(/p/ann)@[2024-05-01].\nseen(P) :- on(P)@[S, E].\n", expect![[""]]);
        check(
            "crew(/p/ann, 3).\nn(C) :- crew(P, N), crew(P, 3) |> do fn:group_by(), let C = fn:count().\n",
            expect![[""]],
        );
        check(
            "crew(/p/ann, 3).\nnext(M) :- crew(_, N) |> let M = fn:plus(N, 1).\nlate(P) :- crew(P, N), N > 2.\n",
            expect![[""]],
        );
        check(
            "crew(/p/ann, 3).\nstay(P) :- crew(P, 3), !crew(P, N).\n",
            expect![[r#"
                2:33-34 error negated-var-unbound: engine ignores this negation: `N` is unbound
                  note: `stay(P)` is derived whether or not such a fact exists
                  note: engines before 2026-09 ignore this negation; newer engines reject the rule
                  fix: add the helper rule `has_crew` and negate it instead
            "#]],
        );
    }
}
