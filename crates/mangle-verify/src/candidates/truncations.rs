//! A record of truncated candidate lists, and the reason: too long, or no time or memory left.

use std::cell::Cell;

use mangle_engine::kernel::Values;

use crate::budget::Budget;

/// Records the first truncated list.
#[derive(Debug)]
pub(super) struct Truncations<'b> {
    first: Cell<Option<&'static str>>,
    budget: &'b Budget,
}

impl<'b> Truncations<'b> {
    /// Creates a record without truncated lists.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self { first: Cell::new(None), budget }
    }

    /// Records a truncated list with its reason.
    pub(super) fn add(&self, what: &'static str) {
        if self.first.get().is_none() {
            self.first.set(Some(what));
        }
    }

    /// Truncates a list to `most` elements.
    pub(super) fn shorten<T>(&self, list: &mut Vec<T>, most: usize, what: &'static str) {
        if list.len() > most {
            list.truncate(most);
            self.add(what);
        }
    }

    /// True if the budget for computing values is exhausted.
    pub(super) fn is_over(&self, values: &Values) -> bool {
        let is_over = self.budget.is_over(values);
        if is_over {
            self.add("the values take too much time or memory");
        }
        is_over
    }

    /// Returns the reason for the first truncated list, if any.
    pub(super) fn first(&self) -> Option<&'static str> {
        self.first.get()
    }
}
