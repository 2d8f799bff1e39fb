//! [`Querier`] for an evaluated program, and the order of its answers.
//!
//! The store of the runtime has no order; the default order follows the files.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::{Answer, Arg, Querier, QueryPattern, argument};
use crate::origin::{FactOrigin, FactOriginKind};
use mangle_engine::kernel::{CompiledProgram, Model, RuleId, ValueId};
use mangle_engine::program::{PredicateId, Program};
use mangle_syntax::text::{FileId, Symbol, TextSize};

/// The maximum size of the answers to one query, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Kind and source location of facts that no clause of the compiled program derives. Keys are facts
/// as the engine prints them.
#[derive(Debug, Clone, Default)]
pub struct FactLocations {
    by_fact: FxHashMap<String, (FactOriginKind, Option<(FileId, TextSize)>)>,
}

impl FactLocations {
    /// Records the kind and location of a fact. The first record of a fact wins.
    pub fn set(&mut self, fact: String, kind: FactOriginKind, place: Option<(FileId, TextSize)>) {
        self.by_fact.entry(fact).or_insert((kind, place));
    }

    /// The kind and location of a fact.
    #[must_use]
    pub fn kind_and_location(&self, fact: &str) -> Option<(FactOriginKind, Option<(FileId, TextSize)>)> {
        self.by_fact.get(fact).copied()
    }
}

/// Answers queries from an evaluated program.
#[derive(Debug)]
pub struct KernelAnswers<'k> {
    program: &'k Program,
    compiled: &'k CompiledProgram,
    model: &'k Model,
    marks: &'k FactLocations,
    order: AnswerOrder,
    /// Queried predicates that are neither declared nor defined.
    pub unknown: Vec<String>,
}

impl<'k> KernelAnswers<'k> {
    /// Creates a querier for the model of a program.
    #[must_use]
    pub fn new(
        program: &'k Program,
        compiled: &'k CompiledProgram,
        model: &'k Model,
        marks: &'k FactLocations,
        order: AnswerOrder,
    ) -> Self {
        Self { program, compiled, model, marks, order, unknown: Vec::new() }
    }

    /// The predicate that a query refers to. Prefers existing predicates, then the smallest
    /// sufficient arity.
    fn predicate(&self, pattern: &QueryPattern, least: usize) -> Option<PredicateId> {
        let named = self.program.named(Symbol::new(pattern.predicate()));
        let enough = named.filter(|predicate| {
            let arity = usize::from(predicate.key.arity);
            pattern.arity().map_or(arity >= least, |wanted| arity == wanted)
        });
        let fewest = enough.min_by_key(|predicate| (!predicate.exists(), predicate.key.arity))?;
        self.program.id(fewest.key)
    }

    fn answer(&self, predicate: PredicateId, number: u32, tuple: &[ValueId]) -> (AnswerPlace, Answer) {
        let args = tuple.iter().map(|value| {
            argument(self.model.values.get(*value), || self.model.values.display(*value).to_string())
        });
        let args: Vec<Arg> = args.collect();
        let fact = self.model.fact(self.compiled, predicate, tuple);
        let rule = self.model.derivation(predicate, number).map_or(RuleId::ASSERTED, |reason| reason.rule);
        let marked = if rule == RuleId::ASSERTED { self.marks.kind_and_location(&fact) } else { None };
        let (kind, place) = marked.unwrap_or_else(|| {
            let kind = match rule {
                RuleId::ASSERTED => FactOriginKind::Given,
                rule if is_fact(self.program, self.compiled, rule) => FactOriginKind::Stated,
                _ => FactOriginKind::Derived,
            };
            (kind, place_of(self.program, self.compiled, rule))
        });
        let held = FactOrigin { fact, key: Some((predicate, number)), rule, kind, argument: 0 };
        ((kind == FactOriginKind::Derived, place), Answer { args, origin: held })
    }
}

fn is_fact(program: &Program, compiled: &CompiledProgram, rule: RuleId) -> bool {
    let item = compiled.rule(rule).and_then(|rule| program.file(rule.file)?.items.get(rule.item as usize));
    item.and_then(|item| item.statement.clause()).is_some_and(|clause| clause.is_fact())
}

impl Querier for KernelAnswers<'_> {
    fn query(&mut self, text: &str, least: usize) -> Result<Vec<Answer>, String> {
        let pattern = QueryPattern::read(text);
        let Some(predicate) = self.predicate(&pattern, least) else {
            self.unknown.push(pattern.predicate().to_owned());
            return Ok(Vec::new());
        };
        let tuples = self.model.relation(predicate).into_iter().flat_map(|relation| relation.tuples());
        let (mut found, mut bytes) = (Vec::new(), 0);
        for (number, tuple) in (0u32..).zip(tuples) {
            let answer = self.answer(predicate, number, tuple);
            if pattern.fits(&answer.1.args) {
                bytes += size_of::<(AnswerPlace, Answer)>() + answer.1.bytes();
                found.push(answer);
            }
            if bytes > MAX_ANSWER_BYTES {
                return Err(format!("more than {} MiB of facts fit `{text}`", MAX_ANSWER_BYTES >> 20));
            }
        }
        Ok(self.order.apply(found))
    }
}

/// The order of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerOrder {
    /// Facts by file and line, then derived facts by the position of their rule, then by printed
    /// text.
    #[default]
    Sorted,
    /// The order of the store.
    Store,
    /// Shuffled with this seed, to detect results that depend on the order.
    Shuffled(u64),
}

/// The source position of a fact or rule. Facts from the caller sort after facts from files.
type AnswerPlace = (bool, Option<(FileId, TextSize)>);

/// The source position of a clause.
fn place_of(program: &Program, compiled: &CompiledProgram, rule: RuleId) -> Option<(FileId, TextSize)> {
    let rule = compiled.rule(rule)?;
    let item = program.file(rule.file)?.items.get(rule.item as usize)?;
    Some((rule.file, item.start))
}

impl AnswerOrder {
    /// Sorts answers. The first part of each key is true for derived facts.
    fn apply(self, mut found: Vec<(AnswerPlace, Answer)>) -> Vec<Answer> {
        match self {
            Self::Store => {}
            Self::Sorted => {
                found.sort_by(|(one, first), (other, second)| compare(*one, first, *other, second))
            }
            Self::Shuffled(seed) => {
                found.sort_by(|(one, first), (other, second)| compare(*one, first, *other, second));
                shuffle(&mut found, seed);
            }
        }
        found.into_iter().map(|(_, answer)| answer).collect()
    }
}

fn compare(one: AnswerPlace, first: &Answer, other: AnswerPlace, second: &Answer) -> Ordering {
    // Facts without a position come from the caller. They sort last and keep their order.
    let key = |place: AnswerPlace| (place.0, place.1.is_none(), place.1);
    let printed = || {
        if one.1.is_none() && !one.0 { Ordering::Equal } else { first.origin.fact.cmp(&second.origin.fact) }
    };
    key(one).cmp(&key(other)).then_with(printed)
}

/// Shuffles a list; the result depends only on the seed.
fn shuffle<T>(list: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..list.len()).rev() {
        // SplitMix64, with the published constants.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        let other = usize::try_from(bits % (last as u64 + 1)).unwrap_or(0);
        list.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_engine::kernel::{Clock, Limits, Reading, compile, run};
    use mangle_engine::program::FileSummary;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::Cancel;

    fn ask(text: &str, query: &str, least: usize, order: AnswerOrder) -> Vec<String> {
        let program = Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()]);
        let compiled = compile(&program, Reading::Engine);
        let model = run(&compiled, Limits::default(), Clock { now_ns: 0 }, &Cancel::new());
        let marks = FactLocations::default();
        let mut answers = KernelAnswers::new(&program, &compiled, &model, &marks, order);
        answers.query(query, least).unwrap().into_iter().map(|answer| answer.origin.fact).collect()
    }

    #[test]
    fn facts_come_first_then_rules_in_their_order() {
        let text = "p(X) :- r(X).\np(X) :- q(X).\np(\"b\").\nq(\"z\"). q(\"c\").\np(\"a\").\nr(\"y\").\n";
        assert_eq!(
            ask(text, "p", 1, AnswerOrder::Sorted),
            ["p(\"b\")", "p(\"a\")", "p(\"y\")", "p(\"c\")", "p(\"z\")"]
        );
        let mut shuffled = ask(text, "p", 1, AnswerOrder::Shuffled(3));
        shuffled.sort_unstable();
        assert_eq!(shuffled, ["p(\"a\")", "p(\"b\")", "p(\"c\")", "p(\"y\")", "p(\"z\")"]);
    }

    #[test]
    fn the_fewest_arguments_that_are_enough_are_meant() {
        let text = "p(1). p(1, /x). p(1, \"/x\", 3). p(2, /y).";
        assert_eq!(ask(text, "p", 2, AnswerOrder::Sorted), ["p(1,/x)", "p(2,/y)"]);
        assert_eq!(ask(text, "p(_, \"/x\", N)", 2, AnswerOrder::Sorted), ["p(1,\"/x\",3)"]);
        assert_eq!(ask(text, "p", 4, AnswerOrder::Sorted), [""; 0]);
        assert_eq!(ask(text, "nothing", 1, AnswerOrder::Sorted), [""; 0]);
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut list: Vec<u32> = (0..20).collect();
            shuffle(&mut list, seed);
            list
        };
        let mut sorted = shuffled(7);
        assert_eq!(shuffled(7), sorted);
        assert_ne!(shuffled(8), sorted);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
