//! Search for the rule that causes a difference between two programs in a world.
//!
//! The search starts at a fact that only one program derives. If both programs have the rule of the
//! fact, the search continues at a premise that differs. The search ends at a rule that only one
//! program has.

use std::sync::Arc;

use mangle_engine::kernel::{Clock, CompiledProgram, Ground, Model, Proof, ProofNode, RuleId};
use mangle_engine::program::PredicateId;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, slice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::program_pair::{ProgramPair, original_fact, renamed_fact};

/// The maximum number of nested derivations that are followed.
const MAX_DEPTH: usize = 64;

/// The rules of two programs and their facts in one world.
pub(crate) struct DifferenceTracer<'p> {
    compiled: &'p Arc<CompiledProgram>,
    clock: Clock,
    pair: &'p ProgramPair,
    /// The relation and number of each fact, by its text.
    places: FxHashMap<String, (PredicateId, u32)>,
    /// The digests of the statements of the program and of the other program.
    digests: [FxHashSet<u64>; 2],
}

impl<'p> DifferenceTracer<'p> {
    pub(crate) fn new(
        compiled: &'p Arc<CompiledProgram>,
        model: &Model,
        clock: Clock,
        pair: &'p ProgramPair,
    ) -> Self {
        let mut places = FxHashMap::default();
        for predicate in (0..compiled.predicates()).map(PredicateId) {
            for (number, fact) in (0u32..).zip(model.facts_of(compiled, predicate)) {
                places.insert(fact, (predicate, number));
            }
        }
        let mut digests = [FxHashSet::default(), FxHashSet::default()];
        for file in pair.program.files.iter() {
            let Some(original) = pair.original(file.id) else { continue };
            let digests = &mut digests[usize::from(pair.is_other(file.id))];
            digests.extend(original.items.iter().map(|item| item.statement.digest));
        }
        Self { compiled, clock, pair, places, digests }
    }

    /// Returns the statement that causes the difference: its file in [`ProgramPair::program`], and
    /// its index.
    pub(crate) fn cause(&self, model: &mut Model, fact: &str) -> Option<(FileId, u32)> {
        let mut fact = fact.to_owned();
        let mut last = None;
        for _ in 0..MAX_DEPTH {
            let Some(proof) = self.proof(model, &fact) else { break };
            let Some(first) = proof.nodes.first() else { break };
            let Some(place) = self.place(first.rule) else { break };
            last = Some(place);
            if self.is_of_one_program(place) {
                break;
            }
            match self.premise(&proof, first, 0) {
                Some(next) => fact = next,
                None => break,
            }
        }
        last
    }

    pub(crate) fn proof(&self, model: &mut Model, fact: &str) -> Option<Proof> {
        let (predicate, number) = self.places.get(fact).copied()?;
        Some(model.explain(self.compiled, self.clock, predicate, number))
    }

    fn place(&self, rule: RuleId) -> Option<(FileId, u32)> {
        let rule = self.compiled.rule(rule).filter(|_| rule != RuleId::ASSERTED)?;
        self.pair.program.file(rule.file).map(|_| (rule.file, rule.item))
    }

    /// True if only one of the programs has the statement.
    pub(crate) fn is_of_one_program(&self, (file, item): (FileId, u32)) -> bool {
        let statement = self.pair.original(file).and_then(|file| file.items.get(item as usize));
        let others = &self.digests[usize::from(!self.pair.is_other(file))];
        statement.is_some_and(|item| !others.contains(&item.statement.digest))
    }

    /// Returns a fact that satisfies a premise in only one program: a fact that is missing in the
    /// other program.
    ///
    /// For a negation, returns a fact that exists in the other program.
    fn premise(&self, proof: &Proof, node: &ProofNode, depth: usize) -> Option<String> {
        node.steps.iter().find_map(|step| match &step.ground {
            Ground::Fact(at) => self.missing(proof, *at, depth),
            Ground::Rows { first, .. } => first.iter().find_map(|at| self.missing(proof, *at, depth)),
            Ground::Absent(pattern) => {
                let pattern = counterpart(pattern);
                let mut found: Vec<&String> =
                    self.places.keys().filter(|fact| is_instance(fact, &pattern)).collect();
                found.sort();
                found.first().map(|fact| (*fact).clone())
            }
            Ground::Dropped(_) | Ground::Holds(_) => None,
        })
    }

    /// Returns the fact of a node if the other program does not have it. For a row of an
    /// aggregation, returns a fact of the row.
    fn missing(&self, proof: &Proof, at: usize, depth: usize) -> Option<String> {
        let node = proof.nodes.get(at)?;
        if !self.places.contains_key(&node.fact) {
            return (depth < MAX_DEPTH).then(|| self.premise(proof, node, depth + 1)).flatten();
        }
        (!self.places.contains_key(&counterpart(&node.fact))).then(|| node.fact.clone())
    }
}

/// Returns the corresponding fact of the other program.
fn counterpart(fact: &str) -> String {
    original_fact(fact).unwrap_or_else(|| renamed_fact(fact))
}

/// True if a fact matches a pattern. In a pattern, `_` is any argument.
fn is_instance(fact: &str, pattern: &str) -> bool {
    let name = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
    if name(fact) != name(pattern) {
        return false;
    }
    let (fact, pattern) = (arguments(fact), arguments(pattern));
    let is_like = |(one, wanted): (&String, &String)| wanted == "_" || one == wanted;
    fact.len() == pattern.len() && fact.iter().zip(&pattern).all(is_like)
}

/// Returns the arguments of an atom as written.
fn arguments(atom: &str) -> Vec<String> {
    let source = SourceFile::parse(format!("{atom}.").as_str().into());
    let clauses = source.items().iter().filter_map(|item| Some((item.start, item.statement.clause()?)));
    let args = clauses.flat_map(|(start, clause)| clause.head.args.iter().map(move |arg| arg.range + start));
    args.map(|range| slice(source.text(), range).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::is_instance;

    #[test]
    fn patterns_match_by_argument() {
        assert!(is_instance("p(/a,\"x, y\")", "p(_,\"x, y\")"));
        assert!(!is_instance("p(/a,\"x\")", "p(_,\"y\")"));
        assert!(!is_instance("q(/a)", "p(_)"));
        assert!(is_instance("p([1,2],3)", "p(_,3)"));
    }
}
