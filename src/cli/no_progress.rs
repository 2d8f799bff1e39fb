//! Progress bar for WebAssembly, which has no terminal: does nothing.

pub(super) struct Progress;

impl Progress {
    pub(super) fn new(_what: &'static str, _steps: usize) -> Self {
        Self
    }

    pub(super) fn of_bytes(_what: &'static str, _bytes: Option<u64>) -> Self {
        Self
    }

    pub(super) fn of_names(_what: &'static str) -> Self {
        Self
    }

    pub(super) fn show(&self, _name: &str) {}

    pub(super) fn set(&self, _done: u64) {}

    pub(super) fn add(&self, _done: u64) {}

    pub(super) fn step(&self) {}
}
