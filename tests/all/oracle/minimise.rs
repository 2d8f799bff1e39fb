//! The shortest history that shows a difference, found by leaving out parts of one that does.

use std::time::Duration;

use crate::oracle::compare::Difference;
use crate::oracle::operation::Operation;
use crate::oracle::session::{Session, Setup};

/// How long a difference must last while a history is made shorter.
const PATIENCE: Duration = Duration::from_secs(4);

/// How many histories are tried.
const TRIALS: usize = 150;

/// Ends the test with a difference and the shortest history found that shows one.
pub(crate) fn report(session: &Session, seed: u64, history: Vec<Operation>, found: &Difference) -> ! {
    let setup = session.setup;
    eprintln!("{setup:?}, seed {seed}: a difference after {} operations\n{}", history.len(), found.0);
    eprintln!("on disk: {:#?}\nopen: {:#?}", session.model.disk, session.model.open_texts());
    let (shortest, difference) = minimise(setup, history);
    let shown: Vec<_> = shortest.iter().map(|operation| format!("  {operation:?},\n")).collect();
    let difference =
        difference.map_or_else(|| "not seen again with the history alone".into(), |found| found.0);
    panic!("{setup:?}, seed {seed}\n[\n{}]\n{difference}", shown.concat());
}

/// The difference after a history.
fn difference(setup: Setup, history: &[Operation]) -> Option<Difference> {
    let mut session = Session::new(setup);
    history.iter().for_each(|operation| session.apply(operation));
    (0..3).find_map(|seed| session.compare(seed, PATIENCE).err())
}

fn minimise(setup: Setup, mut history: Vec<Operation>) -> (Vec<Operation>, Option<Difference>) {
    let mut found = difference(setup, &history);
    if found.is_none() {
        return (history, None);
    }
    let mut trials = 0;
    let mut size = history.len().div_ceil(2).max(1);
    while trials < TRIALS {
        let mut is_shorter = false;
        let mut at = 0;
        while at < history.len() && trials < TRIALS {
            trials += 1;
            let mut shorter = history.clone();
            drop(shorter.drain(at..(at + size).min(history.len())));
            match difference(setup, &shorter) {
                Some(difference) => (history, found, is_shorter) = (shorter, Some(difference), true),
                None => at += size,
            }
        }
        if size == 1 && !is_shorter {
            break;
        }
        size = size.div_ceil(2).max(1);
    }
    (history, found)
}
