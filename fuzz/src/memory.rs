//! The memory of the process, counted by its allocator.

use peak_alloc::PeakAlloc;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

/// Runs `body`, and panics if more than `ceiling` bytes were in use beside those in use before.
pub(crate) fn within<T>(ceiling: usize, what: &str, body: impl FnOnce() -> T) -> T {
    let before = COUNTED.current_usage();
    COUNTED.reset_peak_usage();
    let result = body();
    let used = COUNTED.peak_usage().saturating_sub(before);
    assert!(used <= ceiling, "{what}: {used} bytes of memory, more than {ceiling}");
    result
}
