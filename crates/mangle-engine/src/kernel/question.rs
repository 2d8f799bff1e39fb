//! Queries: an atom with known and unknown arguments, and the facts that match it.

mod repair;

use super::{CompiledProgram, Model, ValueId, evaluate};
use crate::program::{Predicate, PredicateId, Program, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, TermKind};
use mangle_syntax::text::{Symbol, nearest};

/// A query atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The predicate.
    pub predicate: PredicateId,
    /// The required value of each argument. `None` for variables and `_`.
    pub wanted: Vec<Option<ValueId>>,
    /// The names of the variables, by argument.
    pub variables: Vec<Option<Symbol>>,
}

impl Query {
    /// Parses an atom, with or without a full stop.
    ///
    /// # Errors
    /// If the text is not an atom, or the program does not contain the predicate. The message has
    /// no full stop, and includes a correction if one is known.
    pub fn read(text: &str, program: &Program, model: &mut Model) -> Result<Self, String> {
        let text = format!("{}.", text.trim().trim_end_matches('.'));
        let no_atom = |text: &str| repair::no_atom(text.trim_end_matches('.'), program);
        let source = SourceFile::parse(text.as_str().into());
        let [item] = &source.items()[..] else { return Err(no_atom(&text)) };
        let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged);
        let clause = clause.ok_or_else(|| no_atom(&text))?;
        if clause.interval.is_some() {
            return Err(format!(
                "`{}` has an interval, which a query cannot have",
                text.trim_end_matches('.')
            ));
        }
        let atom = &clause.head;
        let predicate = program.id(key_of(atom)).ok_or_else(|| match text.contains('(') {
            true => unknown(atom, &text, program),
            false => no_atom(&text),
        })?;
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

    /// The numbers of the matching facts, in the order of derivation.
    #[must_use]
    pub fn answers(&self, model: &Model, compiled: &CompiledProgram) -> Vec<u32> {
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

    /// True if each repeated variable has a single value.
    fn is_consistent(&self, tuple: &[ValueId]) -> bool {
        self.variables.iter().enumerate().all(|(at, name)| {
            let first = name.and_then(|name| self.variables.iter().position(|other| *other == Some(name)));
            first.is_none_or(|first| tuple.get(first) == tuple.get(at))
        })
    }
}

/// The error message for an unknown predicate, with other arities or a similar name.
fn unknown(atom: &Atom, text: &str, program: &Program) -> String {
    let key = key_of(atom);
    let named: Vec<_> = program.named(key.name).map(|predicate| predicate.key).collect();
    if !named.is_empty() {
        let listed: Vec<_> = named.iter().map(|other| format!("`{other}`")).collect();
        let but = format!("there is no predicate `{key}`, but {}", listed.join(", "));
        let written = match named.as_slice() {
            [only] => repair::with_arity(atom, text, usize::from(only.arity)),
            _ => None,
        };
        return written.map_or_else(|| but.clone(), |written| format!("{but}; write `{written}`"));
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
    use mangle_syntax::text::{Cancel, FileId};

    fn program(text: &str) -> Program {
        Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()])
    }

    fn ask(text: &str, query: &str) -> Result<Vec<String>, String> {
        let program = program(text);
        let compiled = compile(&program, Reading::Engine);
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
    fn slips_are_shown_as_they_should_be_written() {
        let text =
            "Decl may(Action, Host, Count) bound [/name, /string, /number].\nmay(/deploy, \"h\", 1).\nis().";
        let error = |query: &str| ask(text, query).unwrap_err();
        let name = |query: &str, written: &str| {
            assert_eq!(
                error(query),
                format!("names begin with a slash and strings have quotes: write `{written}`")
            );
        };
        name("may(deploy, X, Y)", "may(/deploy, X, Y)");
        name("may(deploy, h, Y).", "may(/deploy, \"h\", Y)");
        name("may( deploy-now, h, 1)", "may( /deploy-now, \"h\", 1)");
        name("may(X, web-1.example, Y)", "may(X, \"web-1.example\", Y)");
        assert_eq!(
            error("may(deploy, X)"),
            "there is no predicate `may/2`, but `may/3`; write `may(/deploy, X, _)`"
        );
        assert_eq!(error("may"), "a query is an atom: write `may(_, _, _)`");
        assert_eq!(error("may/3"), "a query is an atom: write `may(_, _, _)`");
        assert_eq!(error("?- may(X, Y, Z)."), "a query is an atom alone: write `may(X, Y, Z)`");
        assert_eq!(error("may(X, Y, Z)?"), "a query is an atom alone: write `may(X, Y, Z)`");
        assert_eq!(error("may(X, Y, Z"), "a `)` is missing: write `may(X, Y, Z)`");
        assert_eq!(
            error("may(X, Y, Z), is()"),
            "a query is one atom; put several premises into a rule, and query its head"
        );
        assert_eq!(error("!is()"), "a query is an atom alone: write `is()`");
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |query| ask("lead(/a, 1).", query).unwrap_err();
        assert_eq!(error("lead(X)"), "there is no predicate `lead/1`, but `lead/2`; write `lead(X, _)`");
        assert_eq!(error("lead(X, Y, Z)"), "there is no predicate `lead/3`, but `lead/2`");
        assert_eq!(error("laed(X, Y)"), "there is no predicate `laed/2`; did you mean `lead`?");
        assert_eq!(error("X = 3"), "`X = 3` is not an atom, such as `lead(_, _)`");
        assert_eq!(error("lead(/a, fn:div(1, 0))"), "division by zero");
        let interval = "`lead(/a, 1)@[_, _]` has an interval, which a query cannot have";
        assert_eq!(error("lead(/a, 1)@[_, _]"), interval);
    }
}
