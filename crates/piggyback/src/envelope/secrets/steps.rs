//! A counter of the bytes that detectors read, for tests of linear running time. Disabled outside
//! of tests.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that a detector reads.
#[inline]
pub(super) fn count(bytes: usize) {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + bytes + 1));
    #[cfg(not(test))]
    let _ = bytes;
}

/// Returns the number of bytes since the latest call.
#[cfg(test)]
pub(super) fn take() -> usize {
    STEPS.with(std::cell::Cell::take)
}
