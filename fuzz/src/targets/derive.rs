//! The kernel derives what the second evaluator derives.

use crate::naive::compare::disagreement;
use crate::naive::generate::program_of;
use crate::support::Random;

/// How much work the second evaluator may have.
const FUEL: usize = 60_000;

pub(crate) fn run(bytes: &[u8]) {
    let program = program_of(Random::from_bytes(bytes));
    if let Some(difference) = disagreement(&program, FUEL) {
        panic!("{difference}\n{program}");
    }
}
