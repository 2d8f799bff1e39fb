//! Work on all cores, for those who hold a lock meanwhile.
//!
//! A thread of a pool that waits for a part of its work takes up other work of the pool, which may want the lock that it holds.
//! The threads here do nothing else, and the caller waits for them alone.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// How many items a thread takes at a time at most.
const BATCH: usize = 16;

/// How often a thread takes some at least, so that all end at about the same time.
const TURNS: usize = 4;

/// The stack of a thread, in bytes. Only what is used of it takes memory.
const STACK: usize = 8 << 20;

/// What `work` gives for each item, in their order. Each thread is to have at least `least` of them.
///
/// ```
/// let squares = mangle_syntax::parallel::map(&[1, 2, 3], 1, |number| number * number);
/// assert_eq!(squares, [1, 4, 9]);
/// ```
///
/// # Panics
/// When `work` does.
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
        // Where there are no threads to be had, this one does it all.
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

/// The results of two closures. The first runs on another thread.
///
/// ```
/// assert_eq!(mangle_syntax::parallel::both(|| 1, || "b"), (1, "b"));
/// ```
///
/// # Panics
/// When one of them does.
pub fn both<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    if available_parallelism().map_or(1, NonZero::get) < 2 {
        return (first(), second());
    }
    scope(|scope| {
        let other = Builder::new().stack_size(STACK).spawn_scoped(scope, &first).ok();
        let of_second = second();
        let of_first = match other {
            Some(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // There are no threads to be had.
            None => first(),
        };
        (of_first, of_second)
    })
}

#[cfg(test)]
mod tests {
    use super::{both, map};

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
}
