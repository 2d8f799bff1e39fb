//! Parallel execution on dedicated threads, safe for callers that hold a lock, and cancellation of
//! long computations.
//!
//! A waiting thread of a pool can take other work of the pool, which can need the lock that the
//! thread holds. The threads of this module have no other work, and the caller waits only for them.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// Maximum number of items that a thread takes at a time.
const BATCH: usize = 16;

/// Minimum number of batches per thread, so that all threads end at about the same time.
const TURNS: usize = 4;

/// The stack size of a thread, in bytes. Only used pages take memory.
const STACK: usize = 8 << 20;

/// Maps `items` in parallel and returns the results in order. Each thread gets at least `least`
/// items on average.
///
/// ```
/// let squares = mangle_syntax::parallel::map(&[1, 2, 3], 1, |number| number * number);
/// assert_eq!(squares, [1, 4, 9]);
/// ```
///
/// # Panics
/// If `work` panics.
pub fn map<'t, T: Sync, R: Send>(items: &'t [T], least: usize, work: impl Fn(&'t T) -> R + Sync) -> Vec<R> {
    let most = available_parallelism().map_or(1, NonZero::get);
    let threads = most.min(items.len() / least.max(1));
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let size = (items.len() / (threads * TURNS)).clamp(1, BATCH);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done: Vec<(usize, Vec<R>)> = Vec::new();
        loop {
            let start = next.fetch_add(size, Ordering::Relaxed);
            let Some(batch) =
                items.get(start..(start + size).min(items.len())).filter(|batch| !batch.is_empty())
            else {
                return done;
            };
            done.push((start, batch.iter().map(&work).collect()));
        }
    };
    let mut done = scope(|scope| {
        // If no thread can be started, the current thread does all work.
        let spawn = || Builder::new().stack_size(STACK).spawn_scoped(scope, take).ok();
        let others: Vec<_> = (1..threads).filter_map(|_| spawn()).collect();
        let mut done = take();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(start, _)| *start);
    done.into_iter().flat_map(|(_, batch)| batch).collect()
}

/// Runs two closures in parallel and returns their results. The first runs on another thread.
///
/// ```
/// assert_eq!(mangle_syntax::parallel::both(|| 1, || "b"), (1, "b"));
/// ```
///
/// # Panics
/// If one of the closures panics.
pub fn both<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    if available_parallelism().map_or(1, NonZero::get) < 2 {
        return (first(), second());
    }
    scope(|scope| {
        let other = Builder::new().stack_size(STACK).spawn_scoped(scope, &first).ok();
        let of_second = second();
        let of_first = match other {
            Some(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // No thread can be started.
            None => first(),
        };
        (of_first, of_second)
    })
}

/// A cancellation flag shared between the requester and the worker. Clones share the same flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Creates a flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag permanently.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if the work is canceled. Cheap enough for inner loops.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::{both, map, *};

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(map(&items, 1, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(map(&items[..3], 100, |item| item + 1), [1, 2, 3]);
        assert!(map(&[] as &[usize], 1, |item| *item).is_empty());
    }

    #[test]
    fn both_are_done() {
        let items: Vec<usize> = (0..1_000).collect();
        let sum = || items.iter().sum::<usize>();
        assert_eq!(both(sum, || items.len()), (499_500, 1_000));
    }

    #[test]
    #[should_panic = "the first"]
    fn a_panic_of_the_first_reaches_the_caller() {
        both(|| panic!("the first"), || ());
    }

    #[test]
    #[should_panic = "an item"]
    fn panics_reach_the_caller() {
        let items: Vec<usize> = (0..200).collect();
        map(&items, 1, |item| assert!(*item != 150, "an item"));
    }

    #[test]
    fn clones_are_the_same_flag() {
        let cancel = Cancel::new();
        let seen = cancel.clone();
        assert!(!seen.is_cancelled());
        cancel.cancel();
        assert!(seen.is_cancelled());
    }
}
