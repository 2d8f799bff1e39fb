//! Reads facts from named columns of equal length, such as a data frame.

use std::ops::ControlFlow;

use serde_json::Value as Json;

use super::json::placement;
use super::{Cell, CellError, RowSink, Rows, TableReport, TableShape};
use crate::kernel::{ValueId, Values};

/// A cell of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnCell<'c> {
    /// A text.
    Text(&'c str),
    /// Any other value, as JSON.
    Json(Json),
}

/// Columns of the same length.
pub trait FactColumns {
    /// The names of the columns, in order.
    fn names(&self) -> Vec<&str>;

    /// The number of rows.
    fn rows(&self) -> usize;

    /// The cell at a row and column, both from 0 and in bounds.
    fn cell(&self, row: usize, column: usize) -> ColumnCell<'_>;
}

/// Reads the facts of a table that consists of parts with the same columns. Row numbers start at 1
/// and continue through all parts.
///
/// Columns are matched to arguments by name. If the declaration of the predicate names no
/// arguments, columns are matched by position.
pub fn read_columns<'r, C: FactColumns>(
    parts: &[C],
    shapes: &'r [TableShape],
    values: &'r mut Values,
    sink: &'r mut RowSink<'r>,
) -> TableReport {
    let mut rows = Rows::new(shapes, values, sink);
    let mut line = 0;
    for part in parts {
        let names = part.names();
        let placed = match shapes.iter().any(|shape| !shape.names.is_empty()) {
            true => placement(shapes, &names),
            false => rows.shape(names.len()).map(|shape| (shape, (0..names.len()).collect())),
        };
        let (shape, places) = match placed {
            Ok(placed) => placed,
            Err(wrong) => {
                rows.report.reject(line + 1, wrong);
                return rows.report;
            }
        };
        for row in 0..part.rows() {
            line += 1;
            let flow = rows.row(line, shape, |values, at, column| {
                let place = places.get(at).copied().unwrap_or(at);
                let value = column.of_column_cell(part.cell(row, place), values);
                value.map_err(|why| CellError { cell: place + 1, why })
            });
            if flow == ControlFlow::Break(()) {
                return rows.report;
            }
        }
    }
    rows.report
}

impl Cell {
    fn of_column_cell(&self, cell: ColumnCell<'_>, values: &mut Values) -> Result<ValueId, String> {
        match cell {
            ColumnCell::Text(text) => self.of_json_text(text, values),
            ColumnCell::Json(json) => self.of_json(&json, values),
        }
    }
}
