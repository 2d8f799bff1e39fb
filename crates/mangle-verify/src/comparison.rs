//! Comparison of two programs, with a smallest world for each rule that causes a difference.
//!
//! A search finds a world with a fact that only one program derives. The statement that causes the
//! difference is determined, and the search is repeated after removing that statement. The
//! comparison ends when no difference is left.

use std::sync::Arc;

use mangle_check::policy_test::property::{Piece, PropertyError};
use mangle_engine::kernel::{CompiledProgram, Kernel, Proof};
use mangle_engine::program::Program;
use mangle_syntax::text::{Cancel, FileId};

use crate::cause::DifferenceTracer;
use crate::goal_rules::{ComparedAtom, Direction};
use crate::plain_proof::plain_proof;
use crate::program_pair::{ProgramPair, original_fact, renamed_fact, with_own_names};
use crate::question::{Setup, difference, own_program};
use crate::same_rules::SAME_RULES;
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
            is_own: parting.is_of_one_program(place),
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
