//! The rows of a data frame as facts: cells straight from Arrow's columns.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use arrow_cast::cast;
use arrow_json::ArrayWriter;
use arrow_schema::{ArrowError, DataType};
use mangle_engine::kernel::facts::{ColumnCell, FactColumns};
use serde_json::{Map, Value as Json};

/// A batch of rows whose columns are the arguments of a predicate.
pub(crate) struct FactBatch {
    names: Vec<String>,
    columns: Vec<CellColumn>,
    rows: usize,
}

/// A column, in the form in which its cells are read.
enum CellColumn {
    Numbers(Int64Array),
    Floats(Float64Array),
    Texts(LargeStringArray),
    /// Of another type: as Arrow writes it in JSON.
    Others(Vec<Json>),
}

impl FactBatch {
    /// # Errors
    /// When a column has a type that cannot be written as JSON.
    pub(crate) fn new(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let names = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        let columns = (0..batch.num_columns()).map(|at| CellColumn::new(batch, at)).collect::<Result<_, _>>()?;
        Ok(Self { names, columns, rows: batch.num_rows() })
    }
}

impl FactColumns for FactBatch {
    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn cell(&self, row: usize, column: usize) -> ColumnCell<'_> {
        self.columns.get(column).and_then(|column| column.cell(row)).unwrap_or(ColumnCell::Json(Json::Null))
    }
}

impl CellColumn {
    fn new(batch: &RecordBatch, at: usize) -> Result<Self, ArrowError> {
        let column = batch.column(at);
        let to = |form: DataType| -> Result<ArrayRef, ArrowError> { cast(column, &form) };
        let is_text = |form: &DataType| {
            matches!(form, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
                || matches!(form, DataType::Dictionary(_, values) if values.is_string())
        };
        Ok(match column.data_type() {
            // Not each of these fits 64 bits with a sign; as JSON each keeps its digits.
            DataType::UInt64 => Self::Others(json(batch, at)?),
            form if form.is_integer() => Self::Numbers(to(DataType::Int64)?.as_primitive::<Int64Type>().clone()),
            // One of 32 bits is not widened: as JSON 0.1 stays 0.1.
            DataType::Float64 => Self::Floats(column.as_primitive::<Float64Type>().clone()),
            form if is_text(form) => Self::Texts(to(DataType::LargeUtf8)?.as_string::<i64>().clone()),
            _ => Self::Others(json(batch, at)?),
        })
    }

    /// The cell of a row; `None` where there is none.
    fn cell(&self, row: usize) -> Option<ColumnCell<'_>> {
        match self {
            Self::Numbers(column) => {
                column.is_valid(row).then(|| ColumnCell::Json(Json::from(column.value(row))))
            }
            Self::Floats(column) => {
                column.is_valid(row).then(|| ColumnCell::Json(Json::from(column.value(row))))
            }
            Self::Texts(column) => column.is_valid(row).then(|| ColumnCell::Text(column.value(row))),
            Self::Others(cells) => cells.get(row).cloned().map(ColumnCell::Json),
        }
    }
}

/// The cells of a column as JSON.
fn json(batch: &RecordBatch, at: usize) -> Result<Vec<Json>, ArrowError> {
    let mut writer = ArrayWriter::new(Vec::new());
    writer.write(&batch.project(&[at])?)?;
    writer.finish()?;
    let wrong = |error: serde_json::Error| ArrowError::JsonError(error.to_string());
    // A cell that is null is left out of its row.
    let rows: Vec<Map<String, Json>> = serde_json::from_slice(&writer.into_inner()).map_err(wrong)?;
    Ok(rows.into_iter().map(|row| row.into_iter().next().map_or(Json::Null, |(_, cell)| cell)).collect())
}
