//! What a row of a table can be: a predicate, the names of its arguments and what they hold.

use super::{Cell, CellError};
use crate::kernel::plan::{BEGINNING, END};
use crate::kernel::{Datum, ValueId, Values};
use crate::program::PredicateId;
use mangle_syntax::text::nearest;

/// A predicate that the rows of a table may be facts of.
#[derive(Debug, Clone, PartialEq)]
pub struct TableShape {
    /// The predicate whose facts the rows may be.
    pub predicate: PredicateId,
    /// Its name, for messages.
    pub name: String,
    /// What each cell of a row holds.
    pub columns: Vec<Cell>,
    /// What each cell is called; none without a declaration.
    pub names: Vec<String>,
    /// Whether its facts hold during intervals.
    pub temporal: bool,
    /// Whether the last two cells are the ends of the interval during which the fact holds.
    pub has_interval: bool,
}

impl TableShape {
    /// The shapes of a predicate with these arguments: one, and for a temporal predicate a second one with the
    /// cells `start` and `end` of its interval.
    #[must_use]
    pub fn of(
        predicate: PredicateId,
        name: &str,
        columns: Vec<Cell>,
        names: Vec<String>,
        temporal: bool,
    ) -> Vec<Self> {
        let plain = Self { predicate, name: name.to_owned(), columns, names, temporal, has_interval: false };
        if !temporal {
            return vec![plain];
        }
        let mut timed = Self { has_interval: true, ..plain.clone() };
        timed.columns.extend([Cell::Start, Cell::End]);
        if !timed.names.is_empty() {
            timed.names.extend(["start", "end"].map(String::from));
        }
        vec![plain, timed]
    }

    /// `door/2`
    pub(super) fn title(&self) -> String {
        format!("{}/{}", self.name, self.columns.len() - if self.has_interval { 2 } else { 0 })
    }

    /// The column of this name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let name = name.trim();
        let exact = self.names.iter().position(|own| own == name);
        exact.or_else(|| self.names.iter().position(|own| own.eq_ignore_ascii_case(name)))
    }

    /// A suggestion: the name that was probably meant, else all names.
    pub(super) fn near(&self, name: &str) -> String {
        let near = nearest(name.trim(), self.names.iter().map(String::as_str));
        near.map_or_else(
            || format!("the arguments are {}", self.names.join(", ")),
            |near| format!("did you mean `{near}`?"),
        )
    }

    /// Makes a tuple of the cells of a row: a fact without interval always holds.
    pub(super) fn complete(&self, values: &mut Values, tuple: &mut Vec<ValueId>) -> Result<(), CellError> {
        if self.temporal && !self.has_interval {
            tuple.extend([BEGINNING, END].map(|end| values.time(end)));
        }
        match tuple.as_slice() {
            [.., start, end] if self.has_interval => match (values.get(*start), values.get(*end)) {
                (Datum::Time(first), Datum::Time(last)) if first > last => {
                    Err(CellError { cell: tuple.len(), why: "interval ends before it starts".into() })
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// The headline about a row whose number of cells fits no predicate.
pub(super) fn miscounted(shapes: &[TableShape], cells: usize) -> String {
    let plural = if cells == 1 { "cell" } else { "cells" };
    let known: Vec<_> = shapes
        .iter()
        .map(|shape| {
            let interval = if shape.has_interval { " with its interval" } else { "" };
            format!("`{}`{interval} has {}", shape.title(), shape.columns.len())
        })
        .collect();
    format!("row has {cells} {plural}, but {}", known.join(", "))
}
