//! Which lists of values were cut because they are too long.

use std::cell::Cell;

/// Remembers the first list that was cut.
#[derive(Debug, Default)]
pub(super) struct Cuts(Cell<Option<&'static str>>);

impl Cuts {
    /// A list was cut, for this reason.
    pub(super) fn add(&self, what: &'static str) {
        if self.0.get().is_none() {
            self.0.set(Some(what));
        }
    }

    /// Shortens a list to `most` elements.
    pub(super) fn shorten<T>(&self, list: &mut Vec<T>, most: usize, what: &'static str) {
        if list.len() > most {
            list.truncate(most);
            self.add(what);
        }
    }

    /// Why a list was cut, if any was.
    pub(super) fn first(&self) -> Option<&'static str> {
        self.0.get()
    }
}
