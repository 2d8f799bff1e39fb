//! The progress bar in WebAssembly, where there is no terminal: nothing is shown.

/// A bar that nothing shows.
pub(super) struct Progress;

impl Progress {
    /// A bar for `steps` steps of `what`.
    pub(super) fn new(_what: &'static str, _steps: usize) -> Self {
        Self
    }

    /// A bar for bytes that are read.
    pub(super) fn of_bytes(_what: &'static str, _bytes: Option<u64>) -> Self {
        Self
    }

    /// A line that names what is being worked at.
    pub(super) fn of_names(_what: &'static str) -> Self {
        Self
    }

    /// Does nothing.
    pub(super) fn show(&self, _name: &str) {}

    /// Does nothing.
    pub(super) fn set(&self, _done: u64) {}

    /// Does nothing.
    pub(super) fn add(&self, _done: u64) {}

    /// Does nothing.
    pub(super) fn step(&self) {}
}
