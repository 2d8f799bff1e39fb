//! Expected shape of table rows: a predicate, with the names and types of its arguments.

use super::{Cell, CellError};
use crate::kernel::plan::{BEGINNING, END};
use crate::kernel::{Datum, ValueId, Values};
use crate::program::PredicateId;
use mangle_syntax::text::nearest;

/// A possible predicate of the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableShape {
    /// The predicate of the facts.
    pub predicate: PredicateId,
    /// The name of the predicate, for messages.
    pub name: String,
    /// The type of each cell.
    pub columns: Vec<Cell>,
    /// The name of each cell. Empty without a declaration.
    pub names: Vec<String>,
    /// True if the predicate is temporal.
    pub temporal: bool,
    /// True if the last two cells are the ends of the interval of the fact.
    pub has_interval: bool,
}

impl TableShape {
    /// The shapes of a predicate with these arguments. A temporal predicate has a second shape with
    /// the additional cells `start` and `end`.
    #[must_use]
    pub fn new(
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

    /// The name and arity, for example `door/2`.
    pub(super) fn title(&self) -> String {
        format!("{}/{}", self.name, self.columns.len() - if self.has_interval { 2 } else { 0 })
    }

    /// The index of the column with this name. Ignores case if no name matches exactly.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let name = name.trim();
        let exact = self.names.iter().position(|own| own == name);
        exact.or_else(|| self.names.iter().position(|own| own.eq_ignore_ascii_case(name)))
    }

    /// A suggestion for a wrong name: the most similar name, or all names.
    pub(super) fn near(&self, name: &str) -> String {
        let near = nearest(name.trim(), self.names.iter().map(String::as_str));
        near.map_or_else(
            || format!("the arguments are {}", self.names.join(", ")),
            |near| format!("did you mean `{near}`?"),
        )
    }

    /// Completes the tuple of a row. A fact without an interval always holds.
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

/// The headline for a row with the wrong number of cells.
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
