//! The answer to a property: what holds, in which worlds, and what shows it.

use std::sync::Arc;

use mangle_check::policy_test::property::{Property, PropertyError};
use mangle_engine::kernel::{CompiledProgram, Proof, StopReason};
use mangle_engine::program::{FileSummary, PredicateId};
use mangle_syntax::text::{Cancel, FileId};
use rustc_hash::FxHashMap;

use crate::input::Input;
use crate::obstacle::{Obstacle, listed};
use crate::plain_proof::plain_proof;
use crate::program_pair::with_own_names;
use crate::question::{Setup, question};
use crate::readable_world::fact_text;
use crate::reading_difference::{ReadingDifference, reading_differences};
use crate::search::{Outcome, Scope, Searched, World, search};
use crate::vacuity;

/// What a property comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A world breaks it.
    Violated,
    /// A world is as it says, where it says that some is.
    Possible,
    /// No world breaks it, however large.
    Holds,
    /// No world of the scope breaks it.
    HoldsUpTo,
    /// No world is as it says, however large.
    Impossible,
    /// No world of the scope is as it says.
    ImpossibleUpTo,
    /// No world breaks it, but in one of them the evaluation stops with an error.
    Aborts,
    /// No world was found, but it is not proved that there is none.
    NotDecided,
    /// No world breaks it, but it depends on no fact of a world: the program has the facts.
    Vacuous,
    /// It cannot be checked.
    Error,
}

impl Verdict {
    /// The word of reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::Possible => "possible",
            Self::Holds => "holds",
            Self::HoldsUpTo => "holds_up_to",
            Self::Impossible => "impossible",
            Self::ImpossibleUpTo => "impossible_up_to",
            Self::Aborts => "aborts",
            Self::NotDecided => "not_decided",
            Self::Vacuous => "vacuous",
            Self::Error => "error",
        }
    }

    /// Whether it is what the author of the property expects.
    #[must_use]
    pub fn is_good(self) -> bool {
        matches!(self, Self::Holds | Self::HoldsUpTo | Self::Possible)
    }

    /// Whether it says that the property does not hold.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Violated | Self::Impossible | Self::ImpossibleUpTo | Self::Aborts)
    }
}

/// What a property comes to, with what shows it.
#[derive(Debug)]
pub struct Answer {
    /// What it comes to.
    pub verdict: Verdict,
    /// The same as a sentence without its full stop.
    pub message: String,
    /// The facts of the world, sorted.
    pub world: Option<Vec<String>>,
    /// Whether no world with fewer facts is like it.
    pub is_smallest: bool,
    /// What the other reading comes to, where a world was found.
    pub other_reading: Option<Verdict>,
    /// Where the other reading comes to something else: what it gives differently in the world.
    pub differences: Vec<ReadingDifference>,
    /// Why no world breaks it, however large.
    pub argument: Option<String>,
    /// The operations of the rules for which the tried values are not complete. Empty unless the answer is not decided.
    pub reasons: Vec<String>,
    /// The solver that decided, if one did.
    pub solver: Option<&'static str>,
    /// What derives the solution, and the program that its rules are in.
    pub proof: Option<(Proof, Arc<CompiledProgram>)>,
    /// Where that is a pair of programs: the files of the other one, as they are there.
    pub originals: FxHashMap<FileId, Arc<FileSummary>>,
    /// What was looked at.
    pub covered: Covered,
    /// Where the property cannot be read.
    pub error: Option<PropertyError>,
}

/// What a search looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Covered {
    /// The most facts of a world.
    pub facts: usize,
    /// Each input with the values of its columns.
    pub values: Vec<(String, Vec<Vec<String>>)>,
    /// How many worlds there are.
    pub worlds: f64,
    /// What excluded a world.
    pub assumptions: usize,
}

/// Checks a property.
#[must_use]
pub fn verify(setup: Setup<'_>, property: &Property, scope: Scope, cancel: &Cancel) -> Answer {
    let own = property.restrictions.facts.or(setup.restrictions.facts);
    let scope = Scope { facts: own.unwrap_or(scope.facts), ..scope };
    let asked = match question(setup, property) {
        Ok(asked) => asked,
        Err(error) => return Answer::of_error(error),
    };
    let asked = setup.aborts.reduce(asked, scope);
    let mut searched = search(&asked, scope, cancel);
    setup.aborts.remember(&asked, scope, &searched);
    let mut answer = Answer::of(property, &mut searched, scope, &asked);
    if answer.verdict == Verdict::Vacuous {
        answer.message = vacuity::message(setup.program, setup.name, &asked.constants);
    }
    if matches!(answer.verdict, Verdict::Violated | Verdict::Possible) {
        let other = question(Setup { reading: setup.reading.other(), ..setup }, property).ok();
        answer.other_reading = other.map(|asked| {
            let mut searched = search(&asked, scope, cancel);
            Answer::of(property, &mut searched, scope, &asked).verdict
        });
        let differs = answer.other_reading.is_some_and(|other| other != answer.verdict);
        if let Some(world) = answer.world.as_ref().filter(|_| differs && answer.originals.is_empty()) {
            answer.differences = reading_differences(setup, world, cancel);
        }
    }
    answer
}

impl Answer {
    fn new(verdict: Verdict, message: String) -> Self {
        Self {
            verdict,
            message,
            world: None,
            is_smallest: false,
            other_reading: None,
            differences: Vec::new(),
            argument: None,
            reasons: Vec::new(),
            solver: None,
            proof: None,
            originals: FxHashMap::default(),
            covered: Covered::default(),
            error: None,
        }
    }

    fn of_error(error: PropertyError) -> Self {
        Self { error: Some(error.clone()), ..Self::new(Verdict::Error, error.message) }
    }

    /// The answer if a world was found.
    fn found(world: &mut World, is_smallest: bool, wants_world: bool, asked: &crate::Question) -> Self {
        let (verdict, word) = match wants_world {
            true => (Verdict::Possible, "possible with"),
            false => (Verdict::Violated, "violated by"),
        };
        let message = format!("{word} {}", counted(world.facts.len()));
        Self {
            is_smallest,
            world: Some(facts_of(world)),
            proof: Some(proof(world, asked)),
            ..Self::new(verdict, message)
        }
    }

    /// The answer if the search ended before it was complete.
    fn undecided(obstacle: &Obstacle, below: usize, wants_world: bool, facts: usize) -> Self {
        if let Obstacle::Incomplete { reasons, has_solver } = obstacle {
            let found = if wants_world { "no world found" } else { "no violation found" };
            let why = listed(reasons, *has_solver);
            let message = format!("{found} up to {}, but {why}", counted(facts));
            let reasons = reasons.iter().map(ToString::to_string).collect();
            return Self { reasons, ..Self::new(Verdict::NotDecided, message) };
        }
        let covered = match below {
            0 => String::new(),
            below => format!("; no world of fewer than {} was found", counted(below)),
        };
        Self::new(Verdict::NotDecided, format!("not decided: {obstacle}{covered}"))
    }

    fn of(property: &Property, searched: &mut Searched, scope: Scope, asked: &crate::Question) -> Self {
        let covered = covered(searched, scope, asked);
        let facts = scope.facts;
        let wants_world = property.kind.wants_world();
        let is_vacuous = searched.is_constant && !wants_world && !asked.constants.is_empty();
        let mut answer = match &mut searched.outcome {
            Outcome::Found { world, is_smallest } => Self::found(world, *is_smallest, wants_world, asked),
            Outcome::Never(why) if is_vacuous => Self::new(Verdict::Vacuous, format!("vacuous: {why}")),
            Outcome::Never(why) => {
                let verdict = if wants_world { Verdict::Impossible } else { Verdict::Holds };
                let word = if wants_world { "impossible in any world" } else { "holds in every world" };
                Self { argument: Some(why.clone()), ..Self::new(verdict, format!("{word}: {why}")) }
            }
            Outcome::NotInScope => {
                let verdict = if wants_world { Verdict::ImpossibleUpTo } else { Verdict::HoldsUpTo };
                let word = if wants_world { "impossible" } else { "holds" };
                Self::new(verdict, format!("{word} up to {}", counted(facts)))
            }
            Outcome::Aborts { world, stop } => {
                let why = match &stop.reason {
                    StopReason::Failed(failure) => failure.to_string(),
                    other => other.to_string(),
                };
                let message =
                    format!("evaluation aborts in a world of {}: {why}", counted(world.facts.len()));
                Self { world: Some(facts_of(world)), ..Self::new(Verdict::Aborts, message) }
            }
            Outcome::NoWorld => Self::new(
                Verdict::Error,
                "no world is left: the assumptions contradict each other".to_owned(),
            ),
            Outcome::Undecided { obstacle, below } => Self::undecided(obstacle, *below, wants_world, facts),
        };
        answer.covered = covered;
        answer.solver = searched.solver.filter(|_| answer.verdict != Verdict::NotDecided);
        answer.originals.clone_from(&asked.originals);
        answer
    }
}

fn counted(facts: usize) -> String {
    format!("{facts} {}", if facts == 1 { "fact" } else { "facts" })
}

/// The facts of a world as the program writes them, sorted.
fn facts_of(world: &World) -> Vec<String> {
    let (model, compiled) = (world.kernel.model(), world.kernel.compiled());
    let facts = world.facts.iter().map(|fact| fact_text(model, compiled, fact));
    let facts = facts.map(|fact| with_own_names(&fact));
    let mut facts: Vec<String> = facts.collect();
    facts.sort();
    facts.dedup();
    facts
}

fn proof(world: &mut World, asked: &crate::Question) -> (Proof, Arc<CompiledProgram>) {
    let compiled = Arc::clone(&asked.compiled);
    (plain_proof(world.kernel.model_mut().explain(&compiled, asked.clock, asked.goal, 0)), compiled)
}

/// What was looked at, with the values as the program writes them.
fn covered(searched: &Searched, scope: Scope, asked: &crate::Question) -> Covered {
    let values = &searched.base.model().values;
    let name = |input: &Input| {
        let predicate = input.predicates.first().copied().unwrap_or(PredicateId(0));
        with_own_names(&format!("{}/{}", asked.compiled.name(predicate), input.columns.len()))
    };
    let shown = |column: &Vec<_>| column.iter().map(|value| values.display(*value).to_string()).collect();
    let listed = |input: &Input| (name(input), input.columns.iter().map(shown).collect());
    let facts: f64 = searched.inputs.iter().map(|input| product(&input.columns)).sum();
    Covered {
        facts: scope.facts,
        values: searched.inputs.iter().map(listed).collect(),
        worlds: worlds(facts, scope.facts),
        assumptions: asked.forbidden.len(),
    }
}

#[allow(clippy::cast_precision_loss)] // a count for people
fn product<T>(columns: &[Vec<T>]) -> f64 {
    columns.iter().map(|column| column.len() as f64).product()
}

/// How many sets of at most `most` of `facts` facts there are.
#[allow(clippy::cast_precision_loss)] // a count for people
fn worlds(facts: f64, most: usize) -> f64 {
    let (mut all, mut of_size) = (1.0, 1.0);
    for size in 1..=most {
        of_size *= (facts + 1.0 - size as f64).max(0.0) / size as f64;
        all += of_size;
    }
    all
}
