//! Programs for the engine by a seed: those of `naive::generate`, and texts about what these leave out: time, calls,
//! built-ins on values of the wrong type, packages.

use crate::naive;
use crate::support::Random;

mod builtins;
mod calls;
mod negations;
mod packages;
mod temporal;

/// A program: its files, and what kind of program it is.
pub struct Generated {
    pub kind: &'static str,
    pub files: Vec<String>,
}

/// A generator by the name of what it is about.
type Generator = (&'static str, fn(&mut Random) -> Vec<String>);

const GENERATORS: &[Generator] = &[
    ("general", general),
    ("time", temporal::program),
    ("calls", calls::program),
    ("built-ins", builtins::program),
    ("negations", negations::program),
    ("packages", packages::program),
];

/// The program of a seed. Neighbors are of different kinds.
pub fn program(seed: u64) -> Generated {
    let count = u64::try_from(GENERATORS.len()).unwrap();
    let (kind, generate) = GENERATORS[usize::try_from(seed % count).unwrap()];
    let mut random = Random::seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
    Generated { kind, files: generate(&mut random) }
}

/// A program that the second evaluator of this repository is compared on.
fn general(random: &mut Random) -> Vec<String> {
    vec![naive::generate::program_of(Random::seeded(random.next())).to_string()]
}

/// True in so many of 100 cases.
fn chance(random: &mut Random, percent: usize) -> bool {
    random.below(100) < percent
}

fn pick<'a, T: ?Sized>(random: &mut Random, all: &[&'a T]) -> &'a T {
    all[random.below(all.len())]
}
