//! Facts from tables: CSV and JSON lines, whose file's name is that of the predicate.
//!
//! Takes bytes and what the program says of the predicates of that name ([`Shape`]); gives the rows as values, one
//! after the other, and what is wrong with the others ([`BadRow`]). Nothing but the row at hand is kept, so tables
//! may be larger than memory as far as this is concerned. Also writes values as cells. Knows no files.

mod cell;
mod csv;
mod json;
mod shape;
#[cfg(test)]
mod tests;
mod write;

pub use self::csv::read_csv;
pub use cell::{Cell, Field};
pub use json::read_json_lines;
pub use shape::Shape;

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
    /// The predicate.
    pub predicate: PredicateId,
    /// As [`Fact::tuple`](super::Fact::tuple).
    pub tuple: &'r [ValueId],
    /// The line that it begins at, counted from 1.
    pub line: u64,
}

/// What becomes of the rows. Gets the values, too, because a fact may be made of them. `Break` ends the reading.
pub type Sink<'s> = dyn FnMut(&mut Values, Row<'_>) -> ControlFlow<()> + 's;

/// A row that is no fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// The line, counted from 1.
    pub line: u64,
    /// The cell of the row, counted from 1; 0 for the row as a whole.
    pub cell: usize,
    /// What is wrong, as a sentence.
    pub why: String,
}

/// What became of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many rows were facts.
    pub facts: u64,
    /// The first rows that were none.
    pub bad: Vec<BadRow>,
    /// How many rows were none.
    pub bad_count: u64,
}

impl Report {
    fn reject(&mut self, line: u64, Wrong { cell, why }: Wrong) {
        self.bad_count += 1;
        if self.bad.len() < BAD_ROWS_KEPT {
            self.bad.push(BadRow { line, cell, why });
        }
    }
}

/// What is wrong with a row, before its line is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wrong {
    /// As [`BadRow::cell`].
    cell: usize,
    why: String,
}

impl Wrong {
    fn row(why: impl Into<String>) -> Self {
        Self { cell: 0, why: why.into() }
    }
}

/// Rows on their way from cells to the sink, with room that is used again.
struct Rows<'r> {
    shapes: &'r [Shape],
    values: &'r mut Values,
    sink: &'r mut Sink<'r>,
    tuple: Vec<ValueId>,
    report: Report,
}

impl<'r> Rows<'r> {
    fn new(shapes: &'r [Shape], values: &'r mut Values, sink: &'r mut Sink<'r>) -> Self {
        Self { shapes, values, sink, tuple: Vec::new(), report: Report::default() }
    }

    /// The shape with so many cells.
    fn shape(&self, cells: usize) -> Result<&'r Shape, Wrong> {
        let shapes = self.shapes;
        shapes
            .iter()
            .find(|shape| shape.columns.len() == cells)
            .ok_or_else(|| Wrong::row(shape::miscounted(shapes, cells)))
    }

    /// Hands on a row. `value` gives the value of each column; the index of the cell is that in the file.
    fn row(
        &mut self,
        line: u64,
        shape: &Shape,
        mut value: impl FnMut(&mut Values, usize, &Cell) -> Result<ValueId, Wrong>,
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
