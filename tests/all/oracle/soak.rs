//! The same comparison for any number of minutes, with the memory of the servers.

use std::time::{Duration, Instant};

use crate::oracle::operation::Operation;
use crate::oracle::session::{self, Session, Setup};
use crate::oracle::text::Dice;
use crate::oracle::{BETWEEN, minimise};

/// How much more memory a server may have in the last quarter of the time than in the first.
const GROWTH: f64 = 1.25;

/// What memory may vary by in any case, in kibibytes: pools and caches fill up to their limits.
const SLACK: u64 = 24 << 10;

/// The seed that was asked for.
pub(crate) fn seed() -> u64 {
    variable("MANGLE_LS_ORACLE_SEED").unwrap_or(1)
}

/// For how many minutes servers are to be compared; `None` for the ordinary test.
pub(crate) fn minutes() -> Option<u64> {
    variable("MANGLE_LS_ORACLE_MINUTES").filter(|minutes| *minutes > 0)
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A server with its history and its memory at each comparison.
struct Run {
    setup: Setup,
    seed: u64,
    dice: Dice,
    session: Session,
    history: Vec<Operation>,
    edits: usize,
    comparisons: usize,
    resident: Vec<Option<u64>>,
}

/// Takes one server for each setup through edits, in turns, until the time is over.
pub(crate) fn soak(setups: &[Setup], seed: u64, minutes: u64) {
    let end = Instant::now() + Duration::from_secs(minutes * 60);
    let one = |(setup, seed): (&Setup, u64)| Run {
        setup: *setup,
        seed,
        dice: Dice::new(seed),
        session: Session::new(*setup),
        history: Vec::new(),
        edits: 0,
        comparisons: 0,
        resident: Vec::new(),
    };
    let mut runs: Vec<_> = setups.iter().zip(seed..).map(one).collect();
    while Instant::now() < end {
        runs.iter_mut().for_each(Run::go_on);
    }
    let (edits, comparisons) = runs.iter().fold((0, 0), |(e, c), run| (e + run.edits, c + run.comparisons));
    println!("soak: seed {seed}, {minutes} minutes, {edits} edits, {comparisons} comparisons, 0 differences");
    let grown: Vec<_> = runs.iter().filter(|run| run.has_grown()).map(|run| run.setup).collect();
    assert!(grown.is_empty(), "memory grows: {grown:?}");
}

impl Run {
    fn go_on(&mut self) {
        for _ in 0..BETWEEN * 2 {
            let operation = Operation::random(&self.session.model, &mut self.dice);
            self.edits +=
                usize::from(matches!(operation, Operation::Edit { .. } | Operation::Replace { .. }));
            self.session.apply(&operation);
            self.history.push(operation);
        }
        self.comparisons += 1;
        if let Err(found) = self.session.compare(self.dice.below(1 << 30) as u64, session::PATIENCE) {
            minimise::report(&self.session, self.seed, std::mem::take(&mut self.history), &found);
        }
        self.resident.push(self.session.resident());
    }

    /// Says what memory the server had, and whether that grew.
    fn has_grown(&self) -> bool {
        let measured: Vec<u64> = self.resident.iter().copied().flatten().collect();
        let quarter = measured.len() / 4;
        let (Some(first), Some(last)) =
            (median(&measured[..quarter]), median(&measured[measured.len() - quarter..]))
        else {
            println!("memory of {:?}: not measured", self.setup);
            return false;
        };
        println!("memory of {:?}: {first} KiB in the first quarter, {last} KiB in the last", self.setup);
        last > first + SLACK && last as f64 > first as f64 * GROWTH
    }
}

fn median(measured: &[u64]) -> Option<u64> {
    let mut sorted = measured.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}
