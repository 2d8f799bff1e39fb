//! What two programs give differently: for each rule that makes a difference, a smallest world that shows it.
//!
//! A world is searched for in which one program has a fact that the other does not have; the statement that is behind it is
//! found, and the search begins again without that statement, until there is no difference left.

use std::sync::Arc;

use mangle_check::policy_test::property::{Piece, PropertyError};
use mangle_engine::kernel::{Compiled, Kernel, Proof};
use mangle_engine::program::Program;
use mangle_syntax::text::{Cancel, FileId};

use crate::answer::{Covered, covered};
use crate::cause::Parting;
use crate::goal_rules::Direction;
use crate::joined::{Joined, in_other_text, with_own_names, without_mark};
use crate::question::{Setup, difference, own_program};
use crate::search::{Outcome, Question, Scope, World, search};

/// How many rules are told of in each direction.
const MOST_DIFFERENCES: usize = 16;

/// What two programs give differently.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What only the program gives.
    pub added: Vec<Difference>,
    /// What only the other program gives.
    pub removed: Vec<Difference>,
    /// Why there is no difference in any world, however large.
    pub argument: Option<String>,
    /// Why there may be more.
    pub undecided: Option<String>,
    /// What was looked at.
    pub covered: Covered,
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
    pub compiled: Arc<Compiled>,
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
    joined: &Joined,
    atom: &Piece,
    scope: Scope,
    cancel: &Cancel,
) -> Result<Comparison, PropertyError> {
    let mut comparison = Comparison::default();
    let search = Differences { setup, joined, atom, scope, cancel };
    comparison.added = search.of(Direction::Added, &mut comparison)?;
    comparison.removed = search.of(Direction::Removed, &mut comparison)?;
    Ok(comparison)
}

/// A program without the cases of its test file, and another one, in one.
#[must_use]
pub fn join(setup: Setup<'_>, other: &Program) -> Joined {
    Joined::new(&own_program(setup), other)
}

/// A difference, and the statement that makes it, where [`Joined::program`] has it.
type Shown = (Difference, Option<(FileId, u32)>);

struct Differences<'d> {
    setup: Setup<'d>,
    joined: &'d Joined,
    atom: &'d Piece,
    scope: Scope,
    cancel: &'d Cancel,
}

impl Differences<'_> {
    /// The differences of one direction.
    fn of(&self, direction: Direction, told: &mut Comparison) -> Result<Vec<Difference>, PropertyError> {
        let mut found: Vec<Difference> = Vec::new();
        let mut gone: Vec<(FileId, u32)> = Vec::new();
        loop {
            let rest = self.joined.without(&gone);
            let asked = difference(self.setup, &rest, self.atom, direction, "")?;
            let searched = search(&asked, self.scope, self.cancel);
            if gone.is_empty() {
                told.covered = covered(&searched, self.scope, &asked);
            }
            if asked.settled.is_some() {
                told.argument = asked.settled.map(str::to_owned);
                return Ok(found);
            }
            let world = match &searched.outcome {
                Outcome::Found { world, .. } => self.texts(world),
                Outcome::Never(_) | Outcome::NotInScope | Outcome::NoWorld | Outcome::Aborts { .. } => {
                    return Ok(found);
                }
                Outcome::Undecided { obstacle, .. } => {
                    told.undecided.get_or_insert_with(|| obstacle.to_string());
                    return Ok(found);
                }
            };
            let Some((difference, place)) = self.shown(direction, world)? else { return Ok(found) };
            found.push(difference);
            match place.filter(|place| !gone.contains(place)) {
                Some(place) if found.len() < MOST_DIFFERENCES => gone.push(place),
                _ => return Ok(found),
            }
        }
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
    fn shown(&self, direction: Direction, world: Vec<String>) -> Result<Option<Shown>, PropertyError> {
        let both: String = world.iter().map(|fact| format!("{fact}.\n{}.\n", in_other_text(fact))).collect();
        let asked = difference(self.setup, self.joined, self.atom, direction, &both)?;
        let mut kernel = self.evaluated(&asked);
        let has_fact = kernel.model().relation(asked.goal).is_some_and(|relation| !relation.is_empty());
        if !has_fact || kernel.model().stopped.is_some() {
            return Ok(None);
        }
        let compiled = Arc::clone(&asked.compiled);
        let proof = kernel.model_mut().explain(&compiled, asked.clock, asked.goal, 0);
        let Some(fact) = proof.nodes.get(1).map(|node| node.fact.clone()) else { return Ok(None) };
        let parting = Parting::new(&compiled, kernel.model(), asked.clock, self.joined);
        let place = parting.cause(kernel.model_mut(), &fact);
        let proof = parting.proof(kernel.model_mut(), &fact).unwrap_or(proof);
        let cause = place.map(|place| Cause {
            file: self.joined.originals.get(&place.0).map_or(place.0, |file| file.id),
            item: place.1,
            is_other: self.joined.is_other(place.0),
            is_own: parting.is_of_one_program(place),
        });
        let atom = with_own_names(&fact);
        Ok(Some((Difference { atom, world, cause, proof, compiled }, place)))
    }

    fn evaluated(&self, asked: &Question) -> Kernel {
        let mut kernel = Kernel::new(Arc::clone(&asked.compiled));
        kernel.evaluate(asked.limits, asked.clock, self.cancel);
        kernel
    }
}
