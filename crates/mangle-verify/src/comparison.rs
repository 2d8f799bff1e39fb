//! Comparison of two programs, with a smallest world for each rule that causes a difference.
//!
//! A search finds a world with a fact that only one program derives. The statement that causes the
//! difference is determined, and the search is repeated after removing that statement. The
//! comparison ends when no difference is left.
//!
//! The search for the cause starts at a fact that only one program derives. If both programs have the
//! rule of the fact, the search continues at a premise that differs. The search ends at a rule that only
//! one program has.
//!
//! A world can also be compared in both readings ([`ReadingDifference`]).

use std::path::Path;
use std::sync::Arc;

use mangle_check::policy_test::property::{Piece, PropertyError};
use mangle_engine::kernel::{
    Clock, CompiledProgram, Ground, Kernel, Model, Proof, ProofNode, Reading, RuleId, compile,
};
use mangle_engine::program::{FileSummary, PredicateId, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, slice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::goal_rules::{ComparedAtom, Direction, plain_proof};
use crate::program_pair::{ProgramPair, SAME_RULES, original_fact, renamed_fact, with_own_names};
use crate::question::{Setup, difference, own_program};
use crate::search::{Outcome, Question, Scope, World, search};

/// The maximum number of differences per direction.
const MAX_DIFFERENCES: usize = 16;

/// The differences between two programs.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Facts that only the program derives.
    pub added: Vec<Difference>,
    /// Facts that only the other program derives.
    pub removed: Vec<Difference>,
    /// The solver that decided the question, if any.
    pub solver: Option<&'static str>,
    /// The argument that no world of any size shows a difference.
    pub argument: Option<&'static str>,
    /// The reason that more differences may exist.
    pub undecided: Option<String>,
    /// True if the other program may derive additional facts.
    pub may_remove: bool,
    /// True if the program may derive additional facts.
    pub may_add: bool,
}

/// A fact that only one program derives in a world.
#[derive(Debug)]
pub struct Difference {
    /// The fact.
    pub atom: String,
    /// The facts of the world, sorted.
    pub world: Vec<String>,
    /// The statement that causes the difference.
    pub cause: Option<Cause>,
    /// The proof of the fact.
    pub proof: Proof,
    /// The program with the rules of the proof.
    pub compiled: Arc<CompiledProgram>,
}

/// A statement that causes a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// The file in its own program.
    pub file: FileId,
    /// The index of the statement.
    pub item: u32,
    /// True if the statement belongs to the other program.
    pub is_other: bool,
    /// True if only that program has the statement. False if both have it with different effects.
    pub is_own: bool,
}

/// Compares the facts of two programs for an atom.
///
/// # Errors
/// Returns an error if the atom is invalid, or if neither program has its predicate.
pub fn compare(
    setup: Setup<'_>,
    pair: &ProgramPair,
    atom: &Piece,
    scope: Scope,
    cancel: &Cancel,
) -> Result<Comparison, PropertyError> {
    let atom = ComparedAtom::read(pair, atom)?;
    if pair.has_same_rules(atom.key) {
        return Ok(Comparison { argument: Some(SAME_RULES), ..Comparison::default() });
    }
    let search = DifferenceSearch { setup, pair, atom, scope, cancel };
    let (added, removed) = (search.run(Direction::Added)?, search.run(Direction::Removed)?);
    Ok(Comparison {
        solver: added.solver.or(removed.solver),
        added: added.differences,
        removed: removed.differences,
        argument: None,
        may_remove: removed.undecided.is_some(),
        may_add: added.undecided.is_some(),
        undecided: added.undecided.or(removed.undecided),
    })
}

/// Combines a program without the cases of its test file with another program.
#[must_use]
pub fn pair(setup: Setup<'_>, other: &Program) -> ProgramPair {
    ProgramPair::new(&own_program(setup), other)
}

/// A difference, and the location in [`ProgramPair::program`] of the statement that causes it.
type LocatedDifference = (Difference, Option<(FileId, u32)>);

/// The differences in one direction.
#[derive(Default)]
struct OneDirection {
    differences: Vec<Difference>,
    /// The reason that more differences may exist.
    undecided: Option<String>,
    solver: Option<&'static str>,
}

struct DifferenceSearch<'d> {
    setup: Setup<'d>,
    pair: &'d ProgramPair,
    atom: ComparedAtom,
    scope: Scope,
    cancel: &'d Cancel,
}

impl DifferenceSearch<'_> {
    fn run(&self, direction: Direction) -> Result<OneDirection, PropertyError> {
        let mut found = OneDirection::default();
        let mut excluded: Vec<(FileId, u32)> = Vec::new();
        while found.differences.len() < MAX_DIFFERENCES {
            let rest = self.pair.without(&excluded);
            let question = difference(self.setup, &rest, &self.atom, direction, String::new())?;
            let searched = search(&question, self.scope, self.cancel);
            found.solver = searched.solver.or(found.solver);
            let world = match searched.outcome {
                Outcome::Found { world, .. } => self.texts(&world),
                Outcome::Never(_) | Outcome::NotInScope | Outcome::NoWorld | Outcome::Aborts { .. } => break,
                Outcome::Undecided { obstacle, .. } => {
                    found.undecided = Some(obstacle.to_string());
                    break;
                }
            };
            let Some((difference, place)) = self.confirm(direction, world)? else {
                found.undecided = Some("a world that was found was not confirmed".to_owned());
                break;
            };
            found.differences.push(difference);
            match place.filter(|place| !excluded.contains(place)) {
                Some(place) => excluded.push(place),
                None => break,
            }
        }
        Ok(found)
    }

    /// Returns the facts of a world in the names of the original programs.
    fn texts(&self, world: &World) -> Vec<String> {
        let (model, compiled) = (world.kernel.model(), world.kernel.compiled());
        let whole = |fact: &mangle_engine::kernel::Fact| {
            let text = model.fact_within(compiled, fact.predicate, &fact.tuple, usize::MAX);
            original_fact(&text).unwrap_or(text)
        };
        let mut facts: Vec<String> = world.facts.iter().map(whole).collect();
        facts.sort();
        facts
    }

    /// Evaluates both complete programs in a world. Returns the confirmed difference with its
    /// cause.
    fn confirm(
        &self,
        direction: Direction,
        world: Vec<String>,
    ) -> Result<Option<LocatedDifference>, PropertyError> {
        let both: String = world.iter().map(|fact| format!("{fact}.\n{}.\n", renamed_fact(fact))).collect();
        let question = difference(self.setup, self.pair, &self.atom, direction, both)?;
        let mut kernel = self.evaluate(&question);
        let has_fact = kernel.model().relation(question.goal).is_some_and(|relation| !relation.is_empty());
        if !has_fact || kernel.model().stopped.is_some() {
            return Ok(None);
        }
        let compiled = Arc::clone(&question.compiled);
        let proof = kernel.model_mut().explain(&compiled, question.clock, question.goal, 0);
        let Some(fact) = proof.nodes.get(1).map(|node| node.fact.clone()) else { return Ok(None) };
        let parting = DifferenceTracer::new(&compiled, kernel.model(), question.clock, self.pair);
        let place = parting.cause(kernel.model_mut(), &fact);
        let proof = plain_proof(parting.proof(kernel.model_mut(), &fact).unwrap_or(proof));
        let cause = place.map(|place| Cause {
            file: self.pair.originals.get(&place.0).map_or(place.0, |file| file.id),
            item: place.1,
            is_other: self.pair.is_other(place.0),
            is_own: parting.is_of_one_program(place.0, place.1),
        });
        let atom = with_own_names(&fact);
        Ok(Some((Difference { atom, world, cause, proof, compiled }, place)))
    }

    fn evaluate(&self, question: &Question) -> Kernel {
        let mut kernel = Kernel::new(Arc::clone(&question.compiled));
        kernel.evaluate(question.limits, question.clock, self.cancel);
        kernel
    }
}

/// The maximum number of facts.
const MAX_FACTS: usize = 50;

/// A fact that a world has in only one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingDifference {
    /// The fact.
    pub fact: String,
    /// The reading with the fact.
    pub reading: Reading,
}

/// Returns the first 50 facts of a world that only one reading derives, sorted.
///
/// Empty if the evaluation stops in a reading.
pub(crate) fn reading_differences(
    setup: Setup<'_>,
    world: &[String],
    cancel: &Cancel,
) -> Vec<ReadingDifference> {
    let program = own_program(setup);
    let text: String = world.iter().map(|fact| format!("{fact}.\n")).collect();
    let facts = FileSummary::new(
        FileId::from_path(Path::new("mangle-verify/world")),
        &SourceFile::parse(text.as_str().into()),
    );
    let files = program.files.iter().cloned().chain([Arc::new(facts)]).collect();
    let whole = Program::embedded(files, Arc::clone(&program.embedding));
    let facts = |reading| -> Option<FxHashSet<String>> {
        let mut kernel = Kernel::new(compile(&whole, reading));
        kernel.evaluate(setup.limits, setup.clock, cancel);
        let (model, compiled) = (kernel.model(), kernel.compiled());
        model.stopped.is_none().then(|| model.dump(compiled).into_iter().collect())
    };
    let (Some(go), Some(written)) = (facts(Reading::Engine), facts(Reading::Intended)) else {
        return Vec::new();
    };
    let only = |own: &FxHashSet<String>, other: &FxHashSet<String>, reading| -> Vec<ReadingDifference> {
        own.difference(other).map(|fact| ReadingDifference { fact: fact.clone(), reading }).collect()
    };
    let mut all = only(&go, &written, Reading::Engine);
    all.extend(only(&written, &go, Reading::Intended));
    all.sort_by(|a, b| (&a.fact, a.reading.as_str()).cmp(&(&b.fact, b.reading.as_str())));
    all.truncate(MAX_FACTS);
    all
}

/// The maximum number of nested derivations that are followed.
const MAX_DEPTH: usize = 64;

/// The rules of two programs and their facts in one world.
struct DifferenceTracer<'p> {
    compiled: &'p Arc<CompiledProgram>,
    clock: Clock,
    pair: &'p ProgramPair,
    /// The relation and number of each fact, by its text.
    places: FxHashMap<String, (PredicateId, u32)>,
    /// The digests of the statements of the program and of the other program.
    digests: [FxHashSet<u64>; 2],
}

impl<'p> DifferenceTracer<'p> {
    fn new(compiled: &'p Arc<CompiledProgram>, model: &Model, clock: Clock, pair: &'p ProgramPair) -> Self {
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
    fn cause(&self, model: &mut Model, fact: &str) -> Option<(FileId, u32)> {
        let mut fact = fact.to_owned();
        let mut last = None;
        for _ in 0..MAX_DEPTH {
            let Some(proof) = self.proof(model, &fact) else { break };
            let Some(first) = proof.nodes.first() else { break };
            let Some(place) = self.place(first.rule) else { break };
            last = Some(place);
            if self.is_of_one_program(place.0, place.1) {
                break;
            }
            match self.premise(&proof, first, 0) {
                Some(next) => fact = next,
                None => break,
            }
        }
        last
    }

    fn proof(&self, model: &mut Model, fact: &str) -> Option<Proof> {
        let (predicate, number) = self.places.get(fact).copied()?;
        Some(model.explain(self.compiled, self.clock, predicate, number))
    }

    fn place(&self, rule: RuleId) -> Option<(FileId, u32)> {
        let rule = self.compiled.rule(rule).filter(|_| rule != RuleId::ASSERTED)?;
        self.pair.program.file(rule.file).map(|_| (rule.file, rule.item))
    }

    /// True if only one of the programs has the statement.
    fn is_of_one_program(&self, file: FileId, item: u32) -> bool {
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
