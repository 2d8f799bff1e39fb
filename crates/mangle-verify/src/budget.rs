//! The limits of a search: its end, its cancellation, and the bytes of the values that it computes.

use std::cell::Cell;
use std::time::Instant;

use mangle_engine::kernel::Values;
use mangle_syntax::text::Cancel;

use crate::obstacle::Obstacle;

/// The most bytes of values that a search computes.
const MAX_BYTES: usize = 128 << 20;

/// How often the limits are asked between two looks at the clock.
const INTERVAL: u32 = 16;

/// What is left of the time and the memory of a search.
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

    /// True if the time is over, the search was cancelled, or the values take too many bytes.
    pub(crate) fn is_over(&self, values: &Values) -> bool {
        self.is_late() || values.bytes() > MAX_BYTES
    }

    /// True if the time is over or the search was cancelled.
    pub(crate) fn is_late(&self) -> bool {
        let asked = self.asked.get();
        self.asked.set(asked.wrapping_add(1));
        if asked.is_multiple_of(INTERVAL) && Instant::now() >= self.end {
            self.is_late.set(true);
        }
        self.is_late.get() || self.cancel.is_cancelled()
    }

    /// Why a search has to end, if it has to.
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
