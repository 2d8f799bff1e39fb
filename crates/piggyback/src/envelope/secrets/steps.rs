//! The bytes that detectors look at, counted in tests only: each must grow with the length of a text, not with its square.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that a detector looks at.
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
