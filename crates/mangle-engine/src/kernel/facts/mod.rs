//! Facts from tables: CSV and JSON lines, whose file's name is that of the predicate, and columns.
//!
//! Takes bytes and what the program says of the predicates of that name ([`TableShape`]); gives the rows as values, one
//! after the other, and what is wrong with the others ([`BadRow`]). Nothing but the row at hand is kept, so tables
//! may be larger than memory as far as this is concerned. Also writes values as cells. Knows no files.

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

/// How many bad rows are described; further ones are counted.
pub const BAD_ROWS_KEPT: usize = 20;

/// How long a row may be, in bytes. A file without line ends must not fill the memory.
const LONGEST_ROW: u64 = 16 << 20;

/// A fact of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'r> {
    /// The predicate that the row is a fact of.
    pub predicate: PredicateId,
    /// As [`Fact::tuple`](super::Fact::tuple).
    pub tuple: &'r [ValueId],
    /// The line that it begins at, counted from 1.
    pub line: u64,
}

/// What becomes of the rows. Gets the values, too, because a fact may be made of them. `Break` ends the reading.
pub type RowSink<'s> = dyn FnMut(&mut Values, Row<'_>) -> ControlFlow<()> + 's;

/// A row that is no fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The line, counted from 1.
    pub line: u64,
    /// The cell of the row, counted from 1; 0 for the row as a whole.
    pub cell: usize,
    /// What is wrong, as a headline.
    pub why: String,
}

/// What became of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableReport {
    /// How many rows were facts.
    pub facts: u64,
    /// The first rows that were none.
    pub bad: Vec<BadRow>,
    /// How many rows were none.
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

/// What is wrong with a row, before its line is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CellError {
    /// As [`BadRow::cell`].
    cell: usize,
    why: String,
}

impl CellError {
    fn row(why: impl Into<String>) -> Self {
        Self { cell: 0, why: why.into() }
    }
}

/// Rows on their way from cells to the sink, with room that is used again.
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

    /// The shape with so many cells.
    fn shape(&self, cells: usize) -> Result<&'r TableShape, CellError> {
        let shapes = self.shapes;
        shapes
            .iter()
            .find(|shape| shape.columns.len() == cells)
            .ok_or_else(|| CellError::row(shape::miscounted(shapes, cells)))
    }

    /// Hands on a row. `value` gives the value of each column; the index of the cell is that in the file.
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
