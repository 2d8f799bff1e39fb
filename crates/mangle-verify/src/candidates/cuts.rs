//! Which lists of values were cut because they are too long, or because the search has no time or memory left.

use std::cell::Cell;

use mangle_engine::kernel::Values;

use crate::budget::Budget;

/// Remembers the first list that was cut.
#[derive(Debug)]
pub(super) struct Cuts<'b> {
    first: Cell<Option<&'static str>>,
    budget: &'b Budget,
}

impl<'b> Cuts<'b> {
    /// No list has been cut.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self { first: Cell::new(None), budget }
    }

    /// A list was cut, for this reason.
    pub(super) fn add(&self, what: &'static str) {
        if self.first.get().is_none() {
            self.first.set(Some(what));
        }
    }

    /// Shortens a list to `most` elements.
    pub(super) fn shorten<T>(&self, list: &mut Vec<T>, most: usize, what: &'static str) {
        if list.len() > most {
            list.truncate(most);
            self.add(what);
        }
    }

    /// True if nothing more is to be computed.
    pub(super) fn is_over(&self, values: &Values) -> bool {
        let is_over = self.budget.is_over(values);
        if is_over {
            self.add("the values take too much time or memory");
        }
        is_over
    }

    /// Why a list was cut, if any was.
    pub(super) fn first(&self) -> Option<&'static str> {
        self.first.get()
    }
}
