//! In tests: how much work is done between two looks at the clock and the cancellation.
//!
//! Counted where the work is done, tuple by tuple and value by value, and not by those who are to look.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    /// The work since the last look, and the most between two looks.
    static WORK: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// So much work is done: a tuple or a value is read or made.
#[inline]
pub(super) fn done(_units: usize) {
    #[cfg(test)]
    WORK.with(|work| {
        let (since, most) = work.get();
        work.set((since + _units, most.max(since + _units)));
    });
}

/// Somebody looks.
#[inline]
pub(super) fn looked() {
    #[cfg(test)]
    WORK.with(|work| work.set((0, work.get().1)));
}

/// The most work between two looks while something is done.
#[cfg(test)]
pub(super) fn most<T>(work: impl FnOnce() -> T) -> (T, usize) {
    WORK.with(|work| work.set((0, 0)));
    let result = work();
    (result, WORK.with(|work| work.get().1))
}
