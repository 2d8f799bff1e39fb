//! What two programs give differently: for each rule that makes a difference, a smallest world that shows it.
//!
//! A world is searched for in which one program has a fact that the other does not have; the statement that makes the difference is
//! found, and the search begins again without that statement, until there is no difference left.

use std::sync::Arc;

use mangle_check::policy_test::property::{Piece, PropertyError};
use mangle_engine::kernel::{CompiledProgram, Kernel, Proof};
use mangle_engine::program::Program;
use mangle_syntax::text::{Cancel, FileId};

use crate::cause::Parting;
use crate::goal_rules::{ComparedAtom, Direction};
use crate::plain_proof::plain_proof;
use crate::program_pair::{ProgramPair, in_other_text, with_own_names, without_mark};
use crate::question::{Setup, difference, own_program};
use crate::same_rules::SAME_RULES;
use crate::search::{Outcome, Question, Scope, World, search};

/// How many differences are listed in each direction.
const MOST_DIFFERENCES: usize = 16;

/// What two programs give differently.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What only the program gives.
    pub added: Vec<Difference>,
    /// What only the other program gives.
    pub removed: Vec<Difference>,
    /// The solver that decided, if one did.
    pub solver: Option<&'static str>,
    /// Why there is no difference in any world, however large.
    pub argument: Option<&'static str>,
    /// Why there may be more.
    pub undecided: Option<String>,
    /// True if it is not proved that the other program gives nothing more.
    pub may_remove: bool,
    /// True if it is not proved that the program gives nothing more.
    pub may_add: bool,
}

/// A fact that one program gives and the other does not, in a world.
#[derive(Debug)]
pub struct Difference {
    /// The fact.
    pub atom: String,
    /// The facts of the world, sorted.
    pub world: Vec<String>,
    /// The statement that makes the difference.
    pub cause: Option<Cause>,
    /// What derives the fact.
    pub proof: Proof,
    /// The program that the rules of the proof are in.
    pub compiled: Arc<CompiledProgram>,
}

/// A statement that makes a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// The file, as the program that has it calls it.
    pub file: FileId,
    /// The index of the statement.
    pub item: u32,
    /// Whether it is a statement of the other program.
    pub is_other: bool,
    /// Whether only that program has it; else both do, and it works differently.
    pub is_own: bool,
}

/// Compares what a program and another one give for an atom.
///
/// # Errors
/// When the atom cannot be read, or neither program has its predicate.
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

/// A program without the cases of its test file, and another one.
#[must_use]
pub fn pair(setup: Setup<'_>, other: &Program) -> ProgramPair {
    ProgramPair::new(&own_program(setup), other)
}

/// A difference, and the statement that makes it, where [`ProgramPair::program`] has it.
type LocatedDifference = (Difference, Option<(FileId, u32)>);

/// What only one of the programs gives.
#[derive(Default)]
struct OneDirection {
    differences: Vec<Difference>,
    /// Why there may be more.
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
        while found.differences.len() < MOST_DIFFERENCES {
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

    /// The facts of a world, as both programs call them.
    fn texts(&self, world: &World) -> Vec<String> {
        let (model, compiled) = (world.kernel.model(), world.kernel.compiled());
        let whole = |fact: &mangle_engine::kernel::Fact| {
            let text = model.fact_within(compiled, fact.predicate, &fact.tuple, usize::MAX);
            without_mark(&text).unwrap_or(text)
        };
        let mut facts: Vec<String> = world.facts.iter().map(whole).collect();
        facts.sort();
        facts
    }

    /// The difference that both programs, whole, have in a world, and the statement that makes it.
    fn confirm(
        &self,
        direction: Direction,
        world: Vec<String>,
    ) -> Result<Option<LocatedDifference>, PropertyError> {
        let both: String = world.iter().map(|fact| format!("{fact}.\n{}.\n", in_other_text(fact))).collect();
        let question = difference(self.setup, self.pair, &self.atom, direction, both)?;
        let mut kernel = self.evaluate(&question);
        let has_fact = kernel.model().relation(question.goal).is_some_and(|relation| !relation.is_empty());
        if !has_fact || kernel.model().stopped.is_some() {
            return Ok(None);
        }
        let compiled = Arc::clone(&question.compiled);
        let proof = kernel.model_mut().explain(&compiled, question.clock, question.goal, 0);
        let Some(fact) = proof.nodes.get(1).map(|node| node.fact.clone()) else { return Ok(None) };
        let parting = Parting::new(&compiled, kernel.model(), question.clock, self.pair);
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
