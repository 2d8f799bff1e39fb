//! A server that lives long against one that was just started on the same state, and against the command line: after any
//! edits, openings, links and changes on disk, in any order, they say the same.
//!
//! The environment asks for more: `MANGLE_LS_ORACLE_MINUTES` for rounds until so many minutes are over, with the resident
//! memory of the servers; `MANGLE_LS_ORACLE_SEED` for the numbers that decide everything. `cargo xtask soak` sets them.
#![cfg(unix)]

use crate::support::client;
use crate::support::text;

mod command_line;
mod compare;
mod minimise;
mod model;
mod operation;
mod session;
mod soak;
mod texts;

use operation::Operation;
use session::{Session, Setup};
use text::{Columns, Dice};

/// How many edits the ordinary test does, in all settings together.
const EDITS: usize = 2_000;

/// How many edits there are between two comparisons.
const BETWEEN: usize = 25;

/// The settings that servers are compared in.
fn setups() -> Vec<Setup> {
    let both = Columns::ALL.into_iter().flat_map(|columns| [true, false].map(|pull| Setup { columns, pull }));
    both.collect()
}

/// Does `edits` edits with whatever else happens between them; gives how often servers were compared.
fn run(setup: Setup, seed: u64, edits: usize) -> usize {
    let mut session = Session::new(setup);
    let mut history = Vec::new();
    let mut comparisons = 0;
    let mut dice = Dice::new(seed);
    let mut done = 0;
    while done < edits {
        let operation = Operation::random(&session.model, &mut dice);
        done += usize::from(matches!(operation, Operation::Edit { .. } | Operation::Replace { .. }));
        session.apply(&operation);
        history.push(operation);
        if dice.below(BETWEEN * 2) == 0 || done >= edits {
            comparisons += 1;
            if let Err(difference) = session.compare(dice.below(1 << 30) as u64, session::PATIENCE) {
                minimise::report(&session, seed, history, &difference);
            }
        }
    }
    comparisons
}

/// The server for which there is nothing to compare with but itself.
#[test]
fn a_long_session_says_what_a_new_one_says() {
    let setups = setups();
    let seed = soak::seed();
    match soak::minutes() {
        Some(minutes) => soak::soak(&setups, seed, minutes),
        None => {
            let each = EDITS / setups.len() + 1;
            let comparisons: usize =
                setups.iter().zip(seed..).map(|(setup, seed)| run(*setup, seed, each)).sum();
            assert!(comparisons >= setups.len() * 5, "only {comparisons} comparisons");
        }
    }
}
