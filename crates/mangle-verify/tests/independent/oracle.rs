//! Worlds that answer a question, found without the search, and the answers that they contradict.

use std::collections::BTreeSet;

use mangle_syntax::syntax::SourceFile;
use mangle_verify::{Answer, Verdict};

use crate::naive::kernel::parse;
use crate::naive::syntax::Program;
use crate::support::Random;

use super::generate::facts;
use super::pool;
use super::question::{EXCLUDED, GOAL, Question, WorldFact, fact_text};

/// The number of worlds that are tried for each question, besides the known one and its parts.
const RANDOM_WORLDS: usize = 150;

/// The knowledge of the oracle about a question.
pub struct Oracle<'q> {
    question: &'q Question,
    program: Program,
    /// Worlds that answer the property, the smallest first.
    pub worlds: Vec<Vec<WorldFact>>,
}

impl<'q> Oracle<'q> {
    pub fn new(question: &'q Question) -> Self {
        let mut oracle = Self { question, program: question.program(), worlds: Vec::new() };
        let mut tried = BTreeSet::new();
        for world in candidates(question) {
            let size_is_useful =
                oracle.worlds.first().is_none_or(|smallest: &Vec<WorldFact>| world.len() < smallest.len());
            if size_is_useful && tried.insert(world.clone()) && oracle.answers(&world) {
                oracle.worlds.insert(0, world);
            }
        }
        oracle
    }

    /// True if the evaluation of a world ends, no assumption excludes it, and it answers the property.
    fn answers(&self, world: &[WorldFact]) -> bool {
        let Some(facts) = facts(&self.program, world) else { return false };
        let holds = |name: &str| facts.get(&(name.to_owned(), 0)).is_some_and(|tuples| !tuples.is_empty());
        holds(GOAL) && !holds(EXCLUDED)
    }

    /// The reason why an answer is wrong, if it is.
    pub fn contradicts(&self, answer: &Answer) -> Option<String> {
        let shown = |world: &[WorldFact]| world.iter().map(fact_text).collect::<Vec<_>>().join(" ");
        match answer.verdict {
            Verdict::Violated | Verdict::Possible => {
                let world = match read(answer.world.as_deref().unwrap_or_default()) {
                    Ok(world) => world,
                    Err(text) => return Some(format!("`{text}` cannot be read as Mangle")),
                };
                if !self.answers(&world) {
                    return Some(format!("the world `{}` does not answer the property", shown(&world)));
                }
                let smaller = self.worlds.first().filter(|known| known.len() < world.len())?;
                answer.is_smallest.then(|| format!("`{}` is smaller than the smallest world", shown(smaller)))
            }
            Verdict::NotDecided => None,
            Verdict::Error => Some("the property cannot be checked".to_owned()),
            Verdict::Aborts
            | Verdict::Holds
            | Verdict::Vacuous
            | Verdict::HoldsUpTo
            | Verdict::Impossible
            | Verdict::ImpossibleUpTo => {
                self.worlds.first().map(|world| format!("the world `{}` answers the property", shown(world)))
            }
        }
    }
}

/// The world of an answer, read from its text. Fails with a fact that is not Mangle.
pub fn read(facts: &[String]) -> Result<Vec<WorldFact>, String> {
    let facts = facts.iter().map(|text| {
        let source = SourceFile::parse(format!("{text} .").into());
        if source.items().len() != 1 || source.items().iter().any(|item| item.statement.damaged) {
            return Err(text.clone());
        }
        let (name, args) = parse(text);
        let args: Vec<_> = args.into_iter().map(Option::unwrap).collect();
        Ok(((name, args.len()), args))
    });
    facts.collect()
}

/// The seed world, its subsets, worlds close to it, and random ones.
pub fn candidates(question: &Question) -> Vec<Vec<WorldFact>> {
    let seed = &question.seed_world;
    let mut random = Random::seeded(7);
    let subset = |mask: usize| -> Vec<WorldFact> {
        let members = seed.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0);
        members.map(|(_, fact)| fact.clone()).collect()
    };
    let mut all: Vec<Vec<WorldFact>> = (0..1usize << seed.len()).map(subset).collect();
    for _ in 0..RANDOM_WORLDS {
        all.push(if random.chance(60) {
            variant(question, &mut random)
        } else {
            random_world(question, &mut random)
        });
    }
    all.iter_mut().for_each(|world| {
        world.sort();
        world.dedup();
    });
    all.retain(|world| world.len() <= question.scope);
    all
}

fn variant(question: &Question, random: &mut Random) -> Vec<WorldFact> {
    let mut world = question.seed_world.clone();
    for _ in 0..1 + random.below(2) {
        let at = random.below(world.len());
        let Some((key, tuple)) = world.get_mut(at) else { continue };
        let input = question.inputs.iter().find(|input| input.key() == *key).unwrap();
        let column = random.below(tuple.len());
        tuple[column] = pool::neighbor(random, input.columns[column], &tuple[column]);
    }
    if random.chance(40) {
        let at = random.below(world.len());
        world.remove(at);
    }
    world
}

fn random_world(question: &Question, random: &mut Random) -> Vec<WorldFact> {
    let mut world = Vec::new();
    for _ in 0..1 + random.below(question.scope) {
        let input = random.pick(&question.inputs);
        world.push(pool::fact(random, input, &question.seed_world, &question.inputs));
    }
    world
}
