//! Queries of an evaluated program: facts that match an atom, their proofs, and explanations for
//! missing facts.
//!
//! [`ask`] returns the complete answer of the `query` command and of `mangle/query`. Matching and
//! proof search are implemented in `kernel`.

use rustc_hash::FxHashSet;

use mangle_engine::kernel::{Clock, CompiledProgram, Datum, Model, Query, RuleId, TextBudget, ValueId};
use mangle_engine::program::Program;
use mangle_report::{AnswerFact, FactDetails, QueryAnswer, Sources, StoresOfFact, proof};
use mangle_syntax::text::{Symbol, nearest};

/// An evaluated program.
pub struct EvaluatedProgram<'a> {
    pub program: &'a Program,
    pub compiled: &'a CompiledProgram,
    /// Derived facts.
    pub model: &'a mut Model,
    /// Time of the evaluation.
    pub clock: Clock,
    /// Formats the location of a clause, for example `policy.mg:12`.
    pub place: &'a dyn Fn(RuleId) -> String,
}

/// Formats the location of a clause, for example `policy.mg:12`. `None` if the clause is not in a
/// file.
#[must_use]
pub fn place(
    compiled: &CompiledProgram,
    program: &Program,
    sources: &Sources,
    rule: RuleId,
) -> Option<String> {
    let rule = compiled.rule(rule)?;
    let item = program.file(rule.file)?.items.get(rule.item as usize)?;
    Some(format!("{}:{}", sources.name(rule.file), sources.place(rule.file, item.start).line))
}

/// Options of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerOptions {
    /// Include a proof of each fact.
    pub why: bool,
    /// Maximum number of alternative proofs per fact.
    pub others: usize,
    /// If no fact matches, explain the missing premises of each rule.
    pub why_not: bool,
    /// Maximum depth of nested rules in `why_not` explanations.
    pub depth: usize,
    /// Return the arguments of each fact as table cells.
    pub cells: bool,
    /// Maximum amount of text.
    pub text: TextBudget,
}

/// Maximum number of proof steps per answer, equivalent to some seconds. Facts beyond it are only
/// counted.
const MAX_STEPS: u64 = 50_000_000;

/// Default depth of nested rules in explanations.
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

/// Returns the facts that match an atom, or all facts if `atom` is `None`, as printed by the
/// engine.
///
/// # Errors
/// See [`Query::read`].
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
        answer.hints = hints(asked, &query);
    }
    if numbers.is_empty() && wish.why_not {
        let gaps = asked.model.gaps(asked.compiled, asked.clock, query.predicate, &query.wanted, wish.depth);
        answer.obstacles = proof::gaps(&gaps, asked.place);
    }
    let mut budget = wish.text.for_size(printed_bytes(asked, &query, &numbers));
    let mut steps = 0;
    for number in &numbers {
        if budget.left == 0 || steps > MAX_STEPS {
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

/// Estimates the printed size of the matching facts, in bytes.
fn printed_bytes(asked: &EvaluatedProgram<'_>, query: &Query, numbers: &[u32]) -> u64 {
    let relation = asked.model.relation(query.predicate);
    let tuples = numbers.iter().filter_map(|number| Some(relation?.tuple(*number)));
    tuples.map(|tuple| asked.model.printed_bytes(tuple)).fold(0, u64::saturating_add)
}

/// Returns the reason for an early stop of the evaluation.
fn stopped(asked: &EvaluatedProgram<'_>) -> Option<String> {
    let stop = asked.model.stopped.as_ref()?;
    let place = stop.rule.map_or_else(|| "?".to_owned(), asked.place);
    Some(format!("the evaluation stopped at {place}: {}", stop.reason))
}

/// Returns messages about rules that were not evaluated, and about lost rows.
fn lost(asked: &EvaluatedProgram<'_>) -> Vec<String> {
    let faults = asked.compiled.faults.iter().map(|fault| (fault.rule, &fault.failure));
    // The rule that stopped the evaluation is reported in `stopped`.
    let fatal = asked.model.stopped.as_ref().and_then(|stop| stop.rule);
    let errors = asked.model.errors.iter().filter(|error| fatal != Some(error.rule));
    let errors = errors.map(|error| (error.rule, &error.failure));
    let say = |(rule, failure)| format!("nothing comes of {}: {failure}", (asked.place)(rule));
    faults.chain(errors).map(say).collect()
}

/// Returns a fact with the requested details. Adds the steps of its proofs to `steps`.
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

/// Returns the stores that contain a fact. `None` if the runtime has no stores.
fn stores(asked: &EvaluatedProgram<'_>, query: &Query, number: u32) -> Option<StoresOfFact> {
    let stores = &asked.compiled.division.as_ref()?.stores;
    let found = asked.model.stores_of(asked.compiled, query.predicate, number);
    let names = found.iter().map(|store| stores.name(store)).collect();
    Some(StoresOfFact { names, is_all: found == stores.all() })
}

/// Returns the argument names from the declaration, otherwise from the query.
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

/// Maximum number of facts examined.
const MAX_FACTS: usize = 50_000;

/// Maximum number of listed values per argument.
const LISTED: usize = 5;

/// Maximum number of values compared with a missing value.
const COMPARED: usize = 1_000;

/// Returns the explanations as sentences without full stops.
fn hints(asked: &EvaluatedProgram<'_>, query: &Query) -> Vec<String> {
    let predicate = asked.program.get(query.predicate);
    let key = predicate.key;
    let count = asked.model.relation(query.predicate).map_or(0, |relation| relation.len());
    if count == 0 {
        return vec![match predicate.signature.has_rules {
            true => format!("`{key}` has no facts: no rule for it has a solution"),
            false => {
                format!("`{key}` has neither facts nor rules: its facts come from outside of the program")
            }
        }];
    }
    let absent: Vec<_> = query
        .wanted
        .iter()
        .enumerate()
        .filter_map(|(at, value)| explain_missing_value(asked, query, at, (*value)?))
        .collect();
    if !absent.is_empty() {
        return absent;
    }
    if query.wanted.iter().flatten().count() < 2 {
        return vec![format!(
            "`{key}` has {count} {}, none of them with equal values in these arguments",
            facts(count)
        )];
    }
    let near = asked.model.near(asked.compiled, query.predicate, &query.wanted);
    let near = near.iter().map(|fact| format!("nearest fact: `{fact}`"));
    std::iter::once("each of these values occurs, but never together".to_owned()).chain(near).collect()
}

fn facts(count: usize) -> &'static str {
    if count == 1 { "fact" } else { "facts" }
}

/// Explains that no fact has `value` as this argument, and lists the existing values.
fn explain_missing_value(
    asked: &EvaluatedProgram<'_>,
    query: &Query,
    at: usize,
    value: ValueId,
) -> Option<String> {
    let relation = asked.model.relation(query.predicate)?;
    let (mut seen, mut values) = (FxHashSet::default(), Vec::new());
    for tuple in relation.tuples().take(MAX_FACTS) {
        let other = *tuple.get(at)?;
        if other == value {
            return None;
        }
        if values.len() < COMPARED && seen.insert(other) {
            values.push(asked.model.values.display(other).to_string());
        }
    }
    let wanted = asked.model.values.display(value).to_string();
    let never = format!("argument {} is never `{wanted}`", at + 1);
    if let Some(meant) = similar_value(&wanted, &values) {
        return Some(format!("{never}; did you mean `{meant}`?"));
    }
    let listed: Vec<_> = values.iter().take(LISTED).map(|value| format!("`{value}`")).collect();
    let more = if values.len() > LISTED { ", …" } else { "" };
    Some(format!("{never}; its values are {}{more}", listed.join(", ")))
}

/// Minimum length of a value for typo detection, in characters.
const MIN_LEN: usize = 4;

/// Returns the value that differs from the wanted one only in quotes, slash or case, or by a typo.
fn similar_value<'v>(wanted: &str, values: &'v [String]) -> Option<&'v str> {
    let bare = |text: &str| text.trim_matches(['"', '/']).to_lowercase();
    let same = values.iter().find(|value| bare(value) == bare(wanted)).map(String::as_str);
    let is_long = bare(wanted).chars().count() >= MIN_LEN;
    let near = || nearest(wanted, values.iter().map(String::as_str)).filter(|_| is_long);
    same.or_else(near)
}
