//! Facts from columns, such as those of a data frame: each has a name, and all have a cell for each row.

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
    /// Anything else, as JSON.
    Json(Json),
}

/// Columns of the same length.
pub trait FactColumns {
    /// What the columns are called, in their order.
    fn names(&self) -> Vec<&str>;

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// The cell of a column in a row, both counted from 0 and in bounds.
    fn cell(&self, row: usize, column: usize) -> ColumnCell<'_>;
}

/// Reads the facts of a table that is given in parts, each with the same columns. Rows are counted from 1 through all parts.
///
/// The names of columns are those of the arguments; of a predicate whose declaration names none, the columns are the
/// arguments in their order.
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
