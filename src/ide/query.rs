//! A question to a program: which facts fit an atom, why each holds, and why none does.
//!
//! Takes the text of an atom and what a run derived; gives all that the command `query` and `mangle/query` say of
//! the facts that fit ([`ask`]). Which those are, and what a fact follows from, is `kernel`'s to say.

mod hints;

use crate::report::{AnswerFact, FactDetails, QueryAnswer, Sources, StoresOfFact, proof};
use mangle_engine::kernel::{Clock, Compiled, Datum, Model, RuleId, TextBudget, ValueId};
use mangle_engine::program::Program;
use mangle_syntax::text::Symbol;

pub use mangle_engine::kernel::Query;

/// A program that was evaluated, to be asked.
pub struct EvaluatedProgram<'a> {
    pub program: &'a Program,
    pub compiled: &'a Compiled,
    /// What follows from it.
    pub model: &'a mut Model,
    /// The time at which it was evaluated.
    pub clock: Clock,
    /// Where a clause stands: `policy.mg:12`.
    pub place: &'a dyn Fn(RuleId) -> String,
}

/// Where a clause is: `policy.mg:12`; `None` for one that is in no file.
#[must_use]
pub fn place(compiled: &Compiled, program: &Program, sources: &Sources, rule: RuleId) -> Option<String> {
    let rule = compiled.rule(rule)?;
    let item = program.file(rule.file)?.items.get(rule.item as usize)?;
    Some(format!("{}:{}", sources.name(rule.file), sources.place(rule.file, item.start).line))
}

/// What is to be said besides the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerOptions {
    /// Of each fact what it follows from.
    pub why: bool,
    /// Up to how many ways in which it follows, besides the first.
    pub others: usize,
    /// Where there is no such fact, what each rule lacks.
    pub why_not: bool,
    /// How many levels of rules that is followed down, to premises that no rule gives.
    pub depth: usize,
    /// The arguments of each fact as the cells of a table.
    pub cells: bool,
    /// How much text there may be.
    pub text: TextBudget,
}

/// How many steps the proofs of an answer take in all, at about: some seconds. Facts beyond are counted.
const MOST_STEPS: u64 = 50_000_000;

/// How many levels of rules an explanation follows unless something else is asked for.
pub const DEPTH: usize = 5;

impl Default for AnswerOptions {
    fn default() -> Self {
        Self {
            why: false,
            others: 0,
            why_not: false,
            depth: DEPTH,
            cells: false,
            text: TextBudget::default(),
        }
    }
}

/// Which facts fit an atom; without one all facts, as the engine prints them.
///
/// # Errors
/// As [`Query::read`].
pub fn ask(
    asked: &mut EvaluatedProgram<'_>,
    atom: Option<&str>,
    wish: AnswerOptions,
) -> Result<QueryAnswer, String> {
    let mut answer = QueryAnswer {
        reading: asked.compiled.reading,
        loads: true,
        columns: Vec::new(),
        facts: Vec::new(),
        omitted: 0,
        obstacles: String::new(),
        hints: Vec::new(),
        has_rules: false,
        stopped: stopped(asked),
        lost: lost(asked),
    };
    let Some(atom) = atom else {
        let dump = asked.model.dump_within(asked.compiled, wish.text);
        let terminated = |text: Box<str>| AnswerFact { text: format!("{text} .").into(), extras: None };
        (answer.facts, answer.omitted) = (dump.facts.into_iter().map(terminated).collect(), dump.omitted);
        return Ok(answer);
    };
    let query = Query::read(atom, asked.program, asked.model)?;
    if wish.cells {
        answer.columns = columns(asked, &query);
    }
    let numbers = query.answers(asked.model, asked.compiled);
    answer.has_rules = asked.program.get(query.predicate).signature.has_rules;
    if numbers.is_empty() {
        answer.hints = hints::hints(asked, &query);
    }
    if numbers.is_empty() && wish.why_not {
        let gaps = asked.model.gaps(asked.compiled, asked.clock, query.predicate, &query.wanted, wish.depth);
        answer.obstacles = proof::gaps(&gaps, asked.place);
    }
    let mut budget = wish.text.of(printed_bytes(asked, &query, &numbers));
    let mut steps = 0;
    for number in &numbers {
        if budget.left == 0 || steps > MOST_STEPS {
            break;
        }
        let fact = fact(asked, &query, *number, AnswerOptions { text: budget, ..wish }, &mut steps);
        budget.take(&fact.text);
        let more = fact.cells().iter().chain(fact.others()).map(String::as_str).chain(fact.proof());
        more.for_each(|text| budget.take(text));
        answer.facts.push(fact);
    }
    answer.omitted = numbers.len() - answer.facts.len();
    Ok(answer)
}

/// About how many bytes the facts have that fit a question.
fn printed_bytes(asked: &EvaluatedProgram<'_>, query: &Query, numbers: &[u32]) -> u64 {
    let relation = asked.model.relation(query.predicate);
    let tuples = numbers.iter().filter_map(|number| Some(relation?.tuple(*number)));
    tuples.map(|tuple| asked.model.printed_bytes(tuple)).fold(0, u64::saturating_add)
}

/// Why the evaluation ended before it was done.
fn stopped(asked: &EvaluatedProgram<'_>) -> Option<String> {
    let stop = asked.model.stopped.as_ref()?;
    let place = stop.rule.map_or_else(|| "?".to_owned(), asked.place);
    Some(format!("the evaluation stopped at {place}: {}", stop.reason))
}

/// Rules that are not evaluated, and rows that were lost.
fn lost(asked: &EvaluatedProgram<'_>) -> Vec<String> {
    let faults = asked.compiled.faults.iter().map(|fault| (fault.rule, &fault.failure));
    // What ended the run is said as that.
    let fatal = asked.model.stopped.as_ref().and_then(|stop| stop.rule);
    let errors = asked.model.errors.iter().filter(|error| fatal != Some(error.rule));
    let errors = errors.map(|error| (error.rule, &error.failure));
    let say = |(rule, failure)| format!("nothing comes of {}: {failure}", (asked.place)(rule));
    faults.chain(errors).map(say).collect()
}

/// A fact with what is wanted of it; adds to `steps` those of its proofs.
fn fact(
    asked: &mut EvaluatedProgram<'_>,
    query: &Query,
    number: u32,
    wish: AnswerOptions,
    steps: &mut u64,
) -> AnswerFact {
    let tuple = asked.model.relation(query.predicate).map(|relation| relation.tuple(number));
    let text = tuple.map_or_else(String::new, |tuple| {
        asked.model.fact_within(asked.compiled, query.predicate, tuple, wish.text.each)
    });
    let stores = stores(asked, query, number);
    if !(wish.why || wish.cells || stores.is_some()) {
        return AnswerFact { text: text.into(), extras: None };
    }
    let proof = wish.why.then(|| {
        let explained = asked.model.explain(asked.compiled, asked.clock, query.predicate, number);
        *steps += u64::from(explained.steps);
        proof::proof(&explained, asked.place)
    });
    let (model, predicate) = (&mut *asked.model, query.predicate);
    let others = match wish.others {
        0 => Vec::new(),
        most => model.other_proofs(asked.compiled, asked.clock, predicate, number, most),
    };
    *steps += others.iter().map(|other| u64::from(other.steps)).sum::<u64>();
    let others = others.iter().map(|other| proof::proof(other, asked.place)).collect();
    let cells = if wish.cells { cells(asked, query, number, wish.text.each) } else { Vec::new() };
    AnswerFact { text: text.into(), extras: Some(FactDetails { cells, proof, others, stores }.into()) }
}

/// The stores that have a fact, if the runtime has stores.
fn stores(asked: &EvaluatedProgram<'_>, query: &Query, number: u32) -> Option<StoresOfFact> {
    let stores = &asked.compiled.division.as_ref()?.stores;
    let found = asked.model.stores_of(asked.compiled, query.predicate, number);
    let names = found.iter().map(|store| stores.name(store)).collect();
    Some(StoresOfFact { names, is_all: found == stores.all() })
}

/// What the arguments are called: as in the declaration, else as in the question.
fn columns(asked: &EvaluatedProgram<'_>, query: &Query) -> Vec<String> {
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

fn cells(asked: &EvaluatedProgram<'_>, query: &Query, number: u32, most: usize) -> Vec<String> {
    let tuple = asked.model.relation(query.predicate).map_or(&[][..], |relation| relation.tuple(number));
    let temporal = asked.compiled.is_temporal(query.predicate);
    let ends = if temporal { tuple.len().saturating_sub(2) } else { tuple.len() };
    let cell = |(at, value): (usize, &ValueId)| match asked.model.values.get(*value) {
        Datum::Time(i64::MIN | i64::MAX) if at >= ends => String::new(),
        _ => asked.model.values.cell_within(*value, most),
    };
    tuple.iter().enumerate().map(cell).collect()
}
