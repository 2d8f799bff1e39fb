//! Reads facts from tables (CSV, JSON lines and data frame columns), and writes values as cells.
//!
//! The input is bytes and the shapes of the predicates with the name of the table ([`TableShape`]).
//! The output is one row of values at a time, and the invalid rows ([`BadRow`]).
//!
//! Only the current row is kept, so a table may be larger than memory. The module does not open
//! files.

mod cell;
mod read;
mod write;

pub use cell::{Cell, CellField};
pub use read::{ColumnCell, FactColumns, read_columns, read_csv, read_json_lines};

use std::ops::ControlFlow;

use super::plan::{BEGINNING, END};
use super::{Datum, ValueId, Values};
use crate::program::PredicateId;
use mangle_syntax::text::nearest;

/// The maximum number of bad rows to describe. Further bad rows are only counted.
pub const BAD_ROWS_KEPT: usize = 20;

/// The maximum size of a row in bytes. A file without line ends must not fill the memory.
const MAX_ROW_LEN: u64 = 16 << 20;

/// A fact of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'r> {
    /// The predicate of the fact.
    pub predicate: PredicateId,
    /// The values, in the form of [`Fact::tuple`](super::Fact::tuple).
    pub tuple: &'r [ValueId],
    /// The first line of the row, from 1.
    pub line: u64,
}

/// The consumer of the rows. The values are mutable because a sink may create facts. `Break` stops
/// reading.
pub type RowSink<'s> = dyn FnMut(&mut Values, Row<'_>) -> ControlFlow<()> + 's;

/// An invalid row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The line, from 1.
    pub line: u64,
    /// The index of the cell, from 1. Zero for the whole row.
    pub cell: usize,
    /// The problem, as a headline.
    pub why: String,
}

/// The result of reading a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableReport {
    /// The number of valid rows.
    pub facts: u64,
    /// The first [`BAD_ROWS_KEPT`] invalid rows.
    pub bad: Vec<BadRow>,
    /// The number of invalid rows.
    pub bad_count: u64,
}

impl TableReport {
    fn reject(&mut self, line: u64, CellError { cell, why }: CellError) {
        self.bad_count += 1;
        if self.bad.len() < BAD_ROWS_KEPT {
            self.bad.push(BadRow { line, cell, why });
        }
    }
}

/// A problem of a row without its line number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CellError {
    /// See [`BadRow::cell`].
    cell: usize,
    why: String,
}

impl CellError {
    fn row(why: impl Into<String>) -> Self {
        Self { cell: 0, why: why.into() }
    }
}

/// Passes rows to the sink, with a reused buffer.
struct Rows<'r> {
    shapes: &'r [TableShape],
    values: &'r mut Values,
    sink: &'r mut RowSink<'r>,
    tuple: Vec<ValueId>,
    report: TableReport,
}

impl<'r> Rows<'r> {
    fn new(shapes: &'r [TableShape], values: &'r mut Values, sink: &'r mut RowSink<'r>) -> Self {
        Self { shapes, values, sink, tuple: Vec::new(), report: TableReport::default() }
    }

    /// The shape with this number of cells.
    fn shape(&self, cells: usize) -> Result<&'r TableShape, CellError> {
        let shapes = self.shapes;
        shapes
            .iter()
            .find(|shape| shape.columns.len() == cells)
            .ok_or_else(|| CellError::row(miscounted(shapes, cells)))
    }

    /// Passes a row to the sink. `value` returns the value of each column. The cell index of its
    /// error refers to the file.
    fn row(
        &mut self,
        line: u64,
        shape: &TableShape,
        mut value: impl FnMut(&mut Values, usize, &Cell) -> Result<ValueId, CellError>,
    ) -> ControlFlow<()> {
        self.tuple.clear();
        for (at, column) in shape.columns.iter().enumerate() {
            match value(self.values, at, column) {
                Ok(value) => self.tuple.push(value),
                Err(wrong) => {
                    self.report.reject(line, wrong);
                    return ControlFlow::Continue(());
                }
            }
        }
        if let Err(wrong) = shape.complete(self.values, &mut self.tuple) {
            self.report.reject(line, wrong);
            return ControlFlow::Continue(());
        }
        self.report.facts += 1;
        (self.sink)(self.values, Row { predicate: shape.predicate, tuple: &self.tuple, line })
    }
}

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
    fn title(&self) -> String {
        format!("{}/{}", self.name, self.columns.len() - if self.has_interval { 2 } else { 0 })
    }

    /// The index of the column with this name. Ignores case if no name matches exactly.
    fn column(&self, name: &str) -> Option<usize> {
        let name = name.trim();
        let exact = self.names.iter().position(|own| own == name);
        exact.or_else(|| self.names.iter().position(|own| own.eq_ignore_ascii_case(name)))
    }

    /// A suggestion for a wrong name: the most similar name, or all names.
    fn near(&self, name: &str) -> String {
        let near = nearest(name.trim(), self.names.iter().map(String::as_str));
        near.map_or_else(
            || format!("the arguments are {}", self.names.join(", ")),
            |near| format!("did you mean `{near}`?"),
        )
    }

    /// Completes the tuple of a row. A fact without an interval always holds.
    fn complete(&self, values: &mut Values, tuple: &mut Vec<ValueId>) -> Result<(), CellError> {
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
fn miscounted(shapes: &[TableShape], cells: usize) -> String {
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

#[cfg(test)]
mod tests;
