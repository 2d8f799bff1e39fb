//! Cancellation flag for long computations. Defined in the lowest layer, so that every layer can
//! check the flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    use super::*;

    #[test]
    fn clones_are_the_same_flag() {
        let cancel = Cancel::new();
        let seen = cancel.clone();
        assert!(!seen.is_cancelled());
        cancel.cancel();
        assert!(seen.is_cancelled());
    }
}
