//! A question to a program: which facts fit an atom, why each holds, and why none does.
//!
//! Takes the text of an atom and what a run derived; gives the numbers of the facts that fit ([`Query`]), or all that
//! the command `query` and `mangle/query` say of them ([`ask`]). What a fact follows from is `kernel`'s to say.

use crate::kernel::{Clock, Compiled, Datum, Model, RuleId, ValueId, evaluate};
use crate::program::{Predicate, PredicateId, Program, key_of};
use crate::report::{Answer, Answered, proof};
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
        let atom = clause.map(|clause| &clause.head).ok_or_else(|| no_atom(&text))?;
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

/// A program that was evaluated, to be asked.
pub struct Asked<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its plans.
    pub compiled: &'a Compiled,
    /// What follows from it.
    pub model: &'a mut Model,
    /// The time at which it was evaluated.
    pub clock: Clock,
    /// Where a clause stands: `policy.mg:12`.
    pub place: &'a dyn Fn(RuleId) -> String,
}

/// What is to be said besides the facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wish {
    /// Of each fact what it follows from.
    pub why: bool,
    /// Up to how many ways in which it follows, besides the first.
    pub others: usize,
    /// Where there is no such fact, what each rule lacks.
    pub why_not: bool,
    /// The arguments of each fact as the cells of a table.
    pub cells: bool,
}

/// Which facts fit an atom; without one all facts, as the engine prints them.
///
/// # Errors
/// As [`Query::read`].
pub fn ask(asked: &mut Asked<'_>, atom: Option<&str>, wish: Wish) -> Result<Answer, String> {
    let mut answer = Answer {
        reading: asked.compiled.reading,
        columns: Vec::new(),
        facts: Vec::new(),
        obstacles: String::new(),
        stopped: stopped(asked),
        lost: lost(asked),
    };
    let Some(atom) = atom else {
        let facts = asked.model.dump(asked.compiled).into_iter();
        answer.facts =
            facts.map(|text| Answered { text: format!("{text} ."), ..Answered::default() }).collect();
        return Ok(answer);
    };
    let query = Query::read(atom, asked.program, asked.model)?;
    if wish.cells {
        answer.columns = columns(asked, &query);
    }
    let numbers = query.answers(asked.model, asked.compiled);
    if numbers.is_empty() && wish.why_not {
        let misses = asked.model.why_not(asked.compiled, asked.clock, query.predicate, &query.wanted);
        answer.obstacles = proof::obstacles(&misses, asked.place);
    }
    answer.facts = numbers.into_iter().map(|number| fact(asked, &query, number, wish)).collect();
    Ok(answer)
}

/// Why the evaluation ended before it was done.
fn stopped(asked: &Asked<'_>) -> Option<String> {
    let stop = asked.model.stopped.as_ref()?;
    let place = stop.rule.map_or_else(|| "?".to_owned(), asked.place);
    Some(format!("the evaluation stopped at {place}: {}", stop.reason))
}

/// Rules that are not evaluated, and rows that were lost.
fn lost(asked: &Asked<'_>) -> Vec<String> {
    let faults = asked.compiled.faults.iter().map(|fault| (fault.rule, &fault.failure));
    // What ended the run is said as that.
    let fatal = asked.model.stopped.as_ref().and_then(|stop| stop.rule);
    let errors = asked.model.errors.iter().filter(|error| fatal != Some(error.rule));
    let errors = errors.map(|error| (error.rule, &error.failure));
    let say = |(rule, failure)| format!("nothing comes of {}: {failure}", (asked.place)(rule));
    faults.chain(errors).map(say).collect()
}

fn fact(asked: &mut Asked<'_>, query: &Query, number: u32, wish: Wish) -> Answered {
    let tuple = asked.model.relation(query.predicate).map(|relation| relation.tuple(number));
    let text =
        tuple.map_or_else(String::new, |tuple| asked.model.fact(asked.compiled, query.predicate, tuple));
    let proof = wish.why.then(|| {
        let explained = asked.model.explain(asked.compiled, asked.clock, query.predicate, number);
        proof::proof(&explained, asked.place)
    });
    let (model, predicate) = (&mut *asked.model, query.predicate);
    let others = match wish.others {
        0 => Vec::new(),
        most => model.other_proofs(asked.compiled, asked.clock, predicate, number, most),
    };
    let others = others.iter().map(|other| proof::proof(other, asked.place)).collect();
    let cells = if wish.cells { cells(asked, query, number) } else { Vec::new() };
    Answered { text, cells, proof, others }
}

/// What the arguments are called: as in the declaration, else as in the question.
fn columns(asked: &Asked<'_>, query: &Query) -> Vec<String> {
    let declaration = asked.program.declaration(asked.program.get(query.predicate));
    let declared = |at: usize| declaration?.atom.args.get(at)?.variable();
    let name = |(at, variable): (usize, &Option<Symbol>)| {
        let name = declared(at).or(*variable);
        name.map_or_else(|| format!("argument {}", at + 1), |name| name.as_str().to_owned())
    };
    let mut names: Vec<_> = query.variables.iter().enumerate().map(name).collect();
    if asked.compiled.is_temporal(query.predicate) {
        names.extend(["start", "end"].map(String::from));
    }
    names
}

fn cells(asked: &Asked<'_>, query: &Query, number: u32) -> Vec<String> {
    let tuple = asked.model.relation(query.predicate).map_or(&[][..], |relation| relation.tuple(number));
    let temporal = asked.compiled.is_temporal(query.predicate);
    let ends = if temporal { tuple.len().saturating_sub(2) } else { tuple.len() };
    let cell = |(at, value): (usize, &ValueId)| match asked.model.values.get(*value) {
        Datum::Time(i64::MIN | i64::MAX) if at >= ends => String::new(),
        _ => asked.model.values.cell(*value),
    };
    tuple.iter().enumerate().map(cell).collect()
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
    use crate::ide::testing::program;
    use crate::kernel::{Clock, Limits, Reading, compile, run};
    use crate::text::Cancel;

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
    }
}
