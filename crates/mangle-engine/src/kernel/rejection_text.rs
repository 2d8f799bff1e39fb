//! Error message of the engine for a rule with an unbound variable.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::{Values, evaluate};
use crate::program::rewrite::Rewriting;
use mangle_syntax::syntax::ast::{Atom, Clause, Literal, Operator, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

/// The message for the variable or wildcard at `range`, for example
/// `variable Y is not bound in q(X) :- p(X), !r(X,Y).`.
///
/// The engine names wildcards `X0`, `X1` and so on. `text` is the text of the clause. If several
/// variables are unbound, the engine names any one of them.
#[must_use]
pub fn unbound_variable_message(
    clause: &Clause,
    text: &str,
    rewriting: &Rewriting,
    range: TextRange,
) -> String {
    let mut used = FxHashSet::default();
    let mut note = |term: &Term| {
        term.variables(&mut |name, _| {
            used.insert(name);
        })
    };
    clause.head.args.iter().for_each(&mut note);
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => literal.atom.args.iter().for_each(&mut note),
            Premise::Comparison(comparison) => {
                [&comparison.left, &comparison.right].into_iter().for_each(&mut note)
            }
            Premise::Broken(..) => {}
        }
    }
    let mut printer = Printer { text, used, values: Values::new(), wildcards: 0, range, named: None };
    let head = printer.atom(&clause.head, true);
    let mut premises = Vec::new();
    for step in &rewriting.order {
        let premise = clause.premises.get(step.premise as usize);
        premises.extend(premise.map(|premise| printer.premise(premise, step.reflected)));
    }
    let mut out = format!("{head} :- {}", premises.join(", "));
    for transform in &clause.transforms {
        let statements = transform.statements.iter().map(|statement| {
            let value = printer.term(&statement.value, true);
            match statement.variable.as_ref().and_then(Term::variable) {
                Some(name) => format!("let {name} = {value}"),
                None => format!("do {value}"),
            }
        });
        let _ = write!(out, " |> {}", statements.collect::<Vec<_>>().join(", "));
    }
    let named = printer.named.unwrap_or_else(|| slice(text, range).to_owned());
    format!("variable {named} is not bound in {out}.")
}

/// Prints the parts of one clause.
struct Printer<'t> {
    text: &'t str,
    /// The variables of the clause.
    used: FxHashSet<Symbol>,
    values: Values,
    /// The number in the next wildcard name.
    wildcards: usize,
    /// The range of the variable or wildcard of the message.
    range: TextRange,
    /// The name of the wildcard at `range`.
    named: Option<String>,
}

impl Printer<'_> {
    fn premise(&mut self, premise: &Premise, reflected: Option<Symbol>) -> String {
        match premise {
            Premise::Literal(Literal { atom, .. }) if reflected.is_some() => {
                let scrutinee = atom.args.first().map(|term| self.term(term, false)).unwrap_or_default();
                format!(":match_prefix({scrutinee},{})", reflected.map_or("", |prefix| prefix.as_str()))
            }
            Premise::Literal(literal) if !literal.is_temporal() => {
                let sign = if literal.is_negated() { "!" } else { "" };
                format!("{sign}{}", self.atom(&literal.atom, false))
            }
            Premise::Comparison(comparison) => {
                let (left, right) = (self.term(&comparison.left, false), self.term(&comparison.right, false));
                match comparison.operator {
                    Operator::Equal => format!("{left} = {right}"),
                    Operator::NotEqual => format!("{left} != {right}"),
                    Operator::Less => format!(":lt({left},{right})"),
                    Operator::LessEqual => format!(":le({left},{right})"),
                    Operator::Greater => format!(":gt({left},{right})"),
                    Operator::GreaterEqual => format!(":ge({left},{right})"),
                }
            }
            other => slice(self.text, other.range()).to_owned(),
        }
    }

    fn atom(&mut self, atom: &Atom, keeps_wildcards: bool) -> String {
        let args: Vec<_> = atom.args.iter().map(|term| self.term(term, keeps_wildcards)).collect();
        format!("{}({})", atom.name.as_str(), args.join(","))
    }

    fn term(&mut self, term: &Term, keeps_wildcards: bool) -> String {
        match &term.kind {
            TermKind::Variable(name) => name.as_str().to_owned(),
            TermKind::Wildcard if keeps_wildcards => "_".to_owned(),
            TermKind::Wildcard => {
                let name = self.fresh();
                if term.range == self.range {
                    self.named = Some(name.clone());
                }
                name
            }
            TermKind::Apply(apply) => {
                let args: Vec<_> = apply.args.iter().map(|term| self.term(term, keeps_wildcards)).collect();
                format!("{}({})", apply.function.as_str(), args.join(","))
            }
            _ => match evaluate(term, self.text, &mut self.values, None) {
                Ok(Some(value)) => self.values.display(value).to_string(),
                _ => slice(self.text, term.range).to_owned(),
            },
        }
    }

    /// The next wildcard name that is not a variable of the clause.
    fn fresh(&mut self) -> String {
        loop {
            let name = format!("X{}", self.wildcards);
            self.wildcards += 1;
            if !self.used.contains(&Symbol::new(&name)) {
                return name;
            }
        }
    }
}
