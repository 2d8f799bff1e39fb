//! Test instrumentation for the work between two checks of the clock and of cancellation.
//!
//! The work is counted per tuple and value by the code that performs it, not by the checks.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    /// The work since the last check, and the maximum work between two checks.
    static WORK: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Records work: a tuple or a value is read or created.
#[inline]
pub(super) fn record_work(_units: usize) {
    #[cfg(test)]
    WORK.with(|work| {
        let (since, most) = work.get();
        work.set((since + _units, most.max(since + _units)));
    });
}

#[inline]
pub(super) fn record_check() {
    #[cfg(test)]
    WORK.with(|work| work.set((0, work.get().1)));
}

/// The maximum work between two checks while `work` runs.
#[cfg(test)]
pub(super) fn max_between_checks<T>(work: impl FnOnce() -> T) -> (T, usize) {
    WORK.with(|work| work.set((0, 0)));
    let result = work();
    (result, WORK.with(|work| work.get().1))
}
