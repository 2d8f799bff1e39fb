//! A question: an atom, of which some arguments are known, and which facts fit it.

use super::{Compiled, Model, ValueId, evaluate};
use crate::program::{Predicate, PredicateId, Program, key_of};
use crate::syntax::SourceFile;
use crate::syntax::ast::{Atom, TermKind};
use crate::text::{Symbol, nearest};

/// An atom to be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The predicate.
    pub predicate: PredicateId,
    /// What each argument must be; `None` for variables and `_`.
    pub wanted: Vec<Option<ValueId>>,
    /// The names of the variables, by argument.
    pub variables: Vec<Option<Symbol>>,
}

impl Query {
    /// Reads an atom, with or without its full stop.
    ///
    /// # Errors
    /// When it is no atom, or the program does not have its predicate; a sentence for the one who typed it.
    pub fn read(text: &str, program: &Program, model: &mut Model) -> Result<Self, String> {
        let text = format!("{}.", text.trim().trim_end_matches('.'));
        let source = SourceFile::parse(text.as_str().into());
        let [item] = &source.items()[..] else { return Err(no_atom(&text)) };
        let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged);
        let clause = clause.ok_or_else(|| no_atom(&text))?;
        if clause.interval.is_some() {
            return Err(format!(
                "`{}` asks for an interval, which cannot be asked for",
                text.trim_end_matches('.')
            ));
        }
        let atom = &clause.head;
        let predicate = program.id(key_of(atom)).ok_or_else(|| unknown(atom, program))?;
        let mut wanted = Vec::with_capacity(atom.args.len());
        for term in &atom.args {
            wanted.push(match term.kind {
                TermKind::Variable(_) | TermKind::Wildcard => None,
                _ => {
                    let value =
                        evaluate(term, &text, &mut model.values, None).map_err(|(_, why)| why.to_string())?;
                    Some(value.ok_or_else(|| no_atom(&text))?)
                }
            });
        }
        Ok(Self { predicate, wanted, variables: atom.args.iter().map(|term| term.variable()).collect() })
    }

    /// The numbers of the facts that fit, in the order in which they were found.
    #[must_use]
    pub fn answers(&self, model: &Model, compiled: &Compiled) -> Vec<u32> {
        let Some(relation) = model.relation(self.predicate) else { return Vec::new() };
        debug_assert!(compiled.predicates() > self.predicate.0);
        let fits = |(_, tuple): &(u32, &[ValueId])| {
            let has = self
                .wanted
                .iter()
                .zip(*tuple)
                .all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value));
            has && self.is_consistent(tuple)
        };
        (0u32..).zip(relation.tuples()).filter(fits).map(|(number, _)| number).collect()
    }

    /// Whether a variable that stands twice has one value.
    fn is_consistent(&self, tuple: &[ValueId]) -> bool {
        self.variables.iter().enumerate().all(|(at, name)| {
            let first = name.and_then(|name| self.variables.iter().position(|other| *other == Some(name)));
            first.is_none_or(|first| tuple.get(first) == tuple.get(at))
        })
    }
}

fn no_atom(text: &str) -> String {
    format!("`{}` is no atom; `permitted(Action, /alice)` is one", text.trim_end_matches('.'))
}

/// The predicates of that name, or the one that is nearest.
fn unknown(atom: &Atom, program: &Program) -> String {
    let key = key_of(atom);
    let named: Vec<_> = program.named(key.name).map(|predicate| format!("`{}`", predicate.key)).collect();
    if !named.is_empty() {
        return format!("there is no predicate `{key}`, but {}", named.join(", "));
    }
    let exists = |predicate: &&Predicate| predicate.exists();
    let names = program.predicates.iter().filter(exists).map(|predicate| predicate.key.name.as_str());
    match nearest(key.name.as_str(), names) {
        Some(near) => format!("there is no predicate `{key}`; did you mean `{near}`?"),
        None => format!("there is no predicate `{key}`"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Clock, Limits, Reading, compile, run};
    use crate::program::FileSummary;
    use crate::text::{Cancel, FileId};

    fn program(text: &str) -> Program {
        Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()])
    }

    fn ask(text: &str, query: &str) -> Result<Vec<String>, String> {
        let program = program(text);
        let compiled = compile(&program, Reading::Go);
        let mut model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
        let query = Query::read(query, &program, &mut model)?;
        let relation = model.relation(query.predicate).unwrap();
        let shown = |&number: &u32| model.fact(&compiled, query.predicate, relation.tuple(number));
        Ok(query.answers(&model, &compiled).iter().map(shown).collect())
    }

    #[test]
    fn constants_select_and_variables_agree() {
        let text = "p(/a, 1). p(/b, 2). q(1, 1). q(1, 2). r(X) :- p(X, _).";
        let answers = |query| ask(text, query).unwrap();
        assert_eq!(answers("p(X, 2)."), ["p(/b,2)"]);
        assert_eq!(answers("q(X, X)"), ["q(1,1)"]);
        assert_eq!(answers(" r(_) "), ["r(/a)", "r(/b)"]);
        assert_eq!(answers("p(/c, _)"), [""; 0]);
        assert_eq!(answers("q(fn:plus(0, 1), 2)"), ["q(1,2)"]);
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |query| ask("lead(/a, 1).", query).unwrap_err();
        assert_eq!(error("lead(X)"), "there is no predicate `lead/1`, but `lead/2`");
        assert_eq!(error("laed(X, Y)"), "there is no predicate `laed/2`; did you mean `lead`?");
        assert_eq!(error("X = 3"), "`X = 3` is no atom; `permitted(Action, /alice)` is one");
        assert_eq!(error("lead(/a, fn:div(1, 0))"), "division by zero");
        let interval = "`lead(/a, 1)@[_, _]` asks for an interval, which cannot be asked for";
        assert_eq!(error("lead(/a, 1)@[_, _]"), interval);
    }
}
