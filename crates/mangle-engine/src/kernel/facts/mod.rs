//! Reads facts from tables (CSV, JSON lines and data frame columns), and writes values as cells.
//!
//! The input is bytes and the shapes of the predicates with the name of the table ([`TableShape`]).
//! The output is one row of values at a time, and the invalid rows ([`BadRow`]).
//!
//! Only the current row is kept, so a table may be larger than memory. The module does not open
//! files.

mod cell;
mod columns;
mod csv;
mod json;
mod shape;
#[cfg(test)]
mod tests;
mod write;

pub use self::csv::read_csv;
pub use cell::{Cell, CellField};
pub use columns::{ColumnCell, FactColumns, read_columns};
pub use json::read_json_lines;
pub use shape::TableShape;

use std::ops::ControlFlow;

use super::{ValueId, Values};
use crate::program::PredicateId;

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
            .ok_or_else(|| CellError::row(shape::miscounted(shapes, cells)))
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
