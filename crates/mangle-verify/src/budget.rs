//! The limits of a search: deadline, cancellation, and total size of computed values.

use std::cell::Cell;
use std::time::Instant;

use mangle_engine::kernel::Values;
use mangle_syntax::text::Cancel;

use crate::obstacle::Obstacle;

/// The maximum total size in bytes of the values of a search.
const MAX_BYTES: usize = 128 << 20;

/// The number of checks between two reads of the clock.
const INTERVAL: u32 = 16;

/// The remaining time and memory of a search.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    end: Instant,
    cancel: Cancel,
    asked: Cell<u32>,
    is_late: Cell<bool>,
}

impl Budget {
    pub(crate) fn new(end: Instant, cancel: &Cancel) -> Self {
        Self { end, cancel: cancel.clone(), asked: Cell::new(0), is_late: Cell::new(false) }
    }

    /// True if the deadline has passed, the search was canceled, or the values are too large.
    pub(crate) fn is_over(&self, values: &Values) -> bool {
        self.is_late() || values.bytes() > MAX_BYTES
    }

    /// True if the deadline has passed or the search was canceled.
    pub(crate) fn is_late(&self) -> bool {
        let asked = self.asked.get();
        self.asked.set(asked.wrapping_add(1));
        if asked.is_multiple_of(INTERVAL) && Instant::now() >= self.end {
            self.is_late.set(true);
        }
        self.is_late.get() || self.cancel.is_cancelled()
    }

    /// Returns the reason for ending the search, if any.
    pub(crate) fn obstacle(&self, values: &Values) -> Option<Obstacle> {
        if self.cancel.is_cancelled() {
            Some(Obstacle::Cancelled)
        } else if Instant::now() >= self.end {
            Some(Obstacle::Time)
        } else if values.bytes() > MAX_BYTES {
            Some(Obstacle::Size("the values take too much memory"))
        } else {
            None
        }
    }
}
