//! Times of several works, taken in turns: what else the machine does hits all of them alike, and ratios are those of
//! one turn.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often each work is done.
const ROUNDS: usize = 5;

/// Something that takes time; it gives a number, so that it is done.
type Work<'w> = Box<dyn FnMut() -> usize + 'w>;

/// Works, each with what it is called.
#[derive(Default)]
pub(crate) struct Rounds<'w> {
    works: Vec<(&'static str, Work<'w>)>,
}

impl<'w> Rounds<'w> {
    /// Adds a work. The first is the measure of the others.
    pub(crate) fn add(&mut self, what: &'static str, work: impl FnMut() -> usize + 'w) {
        self.works.push((what, Box::new(work)));
    }

    /// Does all works in turns, and tells the median of each: its time, and its speed beside the first of its turn.
    pub(crate) fn run(mut self) {
        let start = Instant::now();
        let round = |_| self.works.iter_mut().map(|(_, work)| time(start, work)).collect::<Vec<_>>();
        let rounds: Vec<_> = (0..ROUNDS).map(round).collect();
        for (at, (what, _)) in self.works.iter().enumerate() {
            let time = median(rounds.iter().map(|round| round[at].as_secs_f64()));
            let speed = median(rounds.iter().map(|round| round[0].as_secs_f64() / round[at].as_secs_f64()));
            println!("{what:<40} {:>8.1} ms {speed:>6.2} x as fast", time * 1e3);
        }
    }
}

fn time(start: Instant, work: &mut dyn FnMut() -> usize) -> Duration {
    let before = on_processor(start);
    black_box(work());
    on_processor(start) - before
}

/// How long this thread has had a processor, where the system tells it; else how long it is since the start.
fn on_processor(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
