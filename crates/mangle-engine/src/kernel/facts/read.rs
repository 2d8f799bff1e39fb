//! Reads the rows of a table in each input format.
//!
//! - Comma-separated values (RFC 4180). A first row with the names of the arguments is a header.
//! - JSON lines. A row is an array, or an object with argument names as keys.
//! - Named columns of equal length, such as a data frame.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Terminator};
use serde_json::{Map, Value as Json};

use super::{Cell, CellError, MAX_ROW_LEN, RowSink, Rows, TableReport, TableShape};
use crate::kernel::{ValueId, Values};
use mangle_syntax::text::shorten;

/// Reads the facts of a table.
///
/// # Errors
/// If the bytes cannot be read, or a row is longer than 16 MiB. Earlier rows were already passed to
/// the sink.
pub fn read_csv<'r>(
    input: impl Read,
    shapes: &'r [TableShape],
    values: &'r mut Values,
    sink: &'r mut RowSink<'r>,
) -> io::Result<TableReport> {
    // A final line end makes the line numbers of the last row consistent.
    let read = std::cell::Cell::new(0);
    let input = RowLimit { input: input.chain(&b"\n"[..]), read: &read };
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).terminator(Terminator::Any(b'\n'));
    let mut reader = builder.from_reader(input);
    let mut rows = Rows::new(shapes, values, sink);
    let mut record = StringRecord::new();
    let mut header: Option<(usize, Vec<usize>)> = None;
    let mut is_first = true;
    loop {
        read.set(0);
        let more = match reader.read_record(&mut record) {
            Ok(more) => more,
            Err(error) => {
                bad_record(error, &mut rows.report)?;
                is_first = false;
                continue;
            }
        };
        if !more {
            return Ok(rows.report);
        }
        let within: usize =
            record.iter().map(|cell| memchr::memchr_iter(b'\n', cell.as_bytes()).count()).sum();
        let line = reader.position().line().saturating_sub(1 + within as u64);
        if record.get(record.len().saturating_sub(1)).is_some_and(|cell| cell.ends_with('\r')) {
            without_return(&mut record);
            if record.iter().eq([""]) {
                continue;
            }
        }
        if std::mem::take(&mut is_first) {
            match first_record(&record, shapes) {
                FirstRecord::Header(shape, order) => {
                    header = Some((shape, order));
                    continue;
                }
                FirstRecord::Wrong(wrong) => {
                    rows.report.reject(line, wrong);
                    continue;
                }
                FirstRecord::Data => {}
            }
        }
        if csv_row(&mut rows, line, &record, header.as_ref()).is_break() {
            return Ok(rows.report);
        }
    }
}

/// A reader that fails if a row is too long. An unclosed quote must not fill the memory.
struct RowLimit<'c, R> {
    input: R,
    /// The number of bytes of the current row.
    read: &'c std::cell::Cell<u64>,
}

impl<R: Read> Read for RowLimit<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read.get() > MAX_ROW_LEN {
            return Err(io::Error::other(format!("a row is longer than {} MiB", MAX_ROW_LEN >> 20)));
        }
        let read = self.input.read(into)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

/// Removes the `\r` of a `\r\n` line end from the last cell.
fn without_return(record: &mut StringRecord) {
    let last = record.len().saturating_sub(1);
    let cells = record.iter().enumerate();
    *record = cells
        .map(|(at, cell)| if at == last { cell.strip_suffix('\r').unwrap_or(cell) } else { cell })
        .collect();
}

fn csv_row(
    rows: &mut Rows<'_>,
    line: u64,
    record: &StringRecord,
    header: Option<&(usize, Vec<usize>)>,
) -> ControlFlow<()> {
    let named = header.and_then(|(shape, order)| Some((rows.shapes.get(*shape)?, order)));
    let shape = match named {
        Some((shape, order)) if order.len() == record.len() => Ok(shape),
        Some((_, order)) => {
            let (has, wants) = (record.len(), order.len());
            Err(CellError::row(format!("row has {has} cells, but the header has {wants}")))
        }
        None => rows.shape(record.len()),
    };
    let shape = match shape {
        Ok(shape) => shape,
        Err(wrong) => {
            rows.report.reject(line, wrong);
            return ControlFlow::Continue(());
        }
    };
    rows.row(line, shape, |values, at, column| {
        let cell = named.and_then(|(_, order)| order.get(at).copied()).unwrap_or(at);
        let text = record.get(cell).unwrap_or_default();
        column.of_text(text, values).map_err(|why| CellError { cell: cell + 1, why })
    })
}

/// The kind of the first row.
enum FirstRecord {
    /// A header: the index of the shape, and for each of its columns the index of the cell.
    Header(usize, Vec<usize>),
    /// A header with an unknown argument.
    Wrong(CellError),
    /// A fact.
    Data,
}

/// Determines if the first row names the arguments.
fn first_record(record: &StringRecord, shapes: &[TableShape]) -> FirstRecord {
    for (index, shape) in shapes.iter().enumerate().filter(|(_, shape)| shape.names.len() == record.len()) {
        let order: Option<Vec<usize>> = shape
            .names
            .iter()
            .map(|name| record.iter().position(|cell| shape.column(cell) == shape.column(name)))
            .collect();
        if let Some(order) = order.filter(|order| !order.is_empty()) {
            return FirstRecord::Header(index, order);
        }
        let unknown: Vec<_> =
            record.iter().enumerate().filter(|(_, cell)| shape.column(cell).is_none()).collect();
        // If most cells are argument names, the row is a header with typing errors.
        if let Some((at, cell)) = unknown.first().filter(|_| unknown.len() * 2 < record.len()) {
            let why = format!(
                "`{}` in the header is not an argument of `{}`; {}",
                shorten(cell, 32),
                shape.title(),
                shape.near(cell)
            );
            return FirstRecord::Wrong(CellError { cell: at + 1, why });
        }
    }
    FirstRecord::Data
}

/// Reports a row that cannot be parsed. Returns an error if no further row can be read.
fn bad_record(error: csv::Error, report: &mut TableReport) -> io::Result<()> {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        ErrorKind::Io(error) => Err(error),
        ErrorKind::Utf8 { err, .. } => {
            let why = "cell is not UTF-8".to_owned();
            report.reject(line, CellError { cell: err.field() + 1, why });
            Ok(())
        }
        other => Err(io::Error::other(format!("{other:?}"))),
    }
}

/// Reads the facts of a table.
///
/// # Errors
/// If the bytes cannot be read, or a line is longer than 16 MiB. Earlier rows were already passed
/// to the sink.
pub fn read_json_lines<'r>(
    input: impl Read,
    shapes: &'r [TableShape],
    values: &'r mut Values,
    sink: &'r mut RowSink<'r>,
) -> io::Result<TableReport> {
    let mut input = BufReader::new(input);
    let mut rows = Rows::new(shapes, values, sink);
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let length = input.by_ref().take(MAX_ROW_LEN + 1).read_until(b'\n', &mut bytes)?;
        if length == 0 {
            break;
        }
        if length as u64 > MAX_ROW_LEN {
            return Err(io::Error::other(format!("line {line} is longer than 16 MiB")));
        }
        let text = if line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) } else { &bytes };
        if !text.iter().all(u8::is_ascii_whitespace) && json_row(&mut rows, line, text).is_break() {
            break;
        }
    }
    Ok(rows.report)
}

fn json_row(rows: &mut Rows<'_>, line: u64, text: &[u8]) -> ControlFlow<()> {
    let outcome = match serde_json::from_slice::<Json>(text.trim_ascii_end()) {
        Ok(Json::Array(cells)) => rows.shape(cells.len()).map(|shape| {
            rows.row(line, shape, |values, at, column| {
                let cell = cells.get(at).unwrap_or(&Json::Null);
                column.of_json(cell, values).map_err(|why| CellError { cell: at + 1, why })
            })
        }),
        Ok(Json::Object(cells)) => named(rows, line, &cells),
        Ok(_) => Err(CellError::row("row is neither an array nor an object")),
        Err(error) if error.is_eof() => Err(CellError::row("row is not JSON: it ends too early")),
        Err(error) => Err(CellError::row(format!("row is not JSON from column {} on", error.column()))),
    };
    outcome.unwrap_or_else(|wrong| {
        rows.report.reject(line, wrong);
        ControlFlow::Continue(())
    })
}

/// Reads a row with named cells.
fn named(rows: &mut Rows<'_>, line: u64, cells: &Map<String, Json>) -> Result<ControlFlow<()>, CellError> {
    let names: Vec<&str> = cells.keys().map(String::as_str).collect();
    let (shape, places) = placement(rows.shapes, &names)?;
    Ok(rows.row(line, shape, |values, at, column| {
        let place = places.get(at).copied().unwrap_or(0);
        let cell = cells.values().nth(place).unwrap_or(&Json::Null);
        column.of_json(cell, values).map_err(|why| CellError { cell: place + 1, why })
    }))
}

/// The shape with these argument names, and for each of its columns the index of the name.
fn placement<'s>(
    shapes: &'s [TableShape],
    names: &[&str],
) -> Result<(&'s TableShape, Vec<usize>), CellError> {
    let fits = |shape: &&TableShape| {
        shape.names.len() == names.len() && names.iter().all(|name| shape.column(name).is_some())
    };
    let Some(shape) = shapes.iter().find(fits) else { return Err(unnamed(shapes, names)) };
    let mut places = vec![0; shape.columns.len()];
    for (at, name) in names.iter().enumerate() {
        let place = shape.column(name).and_then(|column| places.get_mut(column));
        place.into_iter().for_each(|place| *place = at);
    }
    Ok((shape, places))
}

/// The error for names that match no shape.
fn unnamed(shapes: &[TableShape], names: &[&str]) -> CellError {
    let Some(shape) = shapes.iter().find(|shape| !shape.names.is_empty()) else {
        return CellError::row("object without a `Decl` that names the arguments; write an array");
    };
    let title = shape.title();
    match names.iter().enumerate().find(|(_, name)| shape.column(name).is_none()) {
        Some((at, name)) => CellError {
            cell: at + 1,
            why: format!("`{}` is not an argument of `{title}`; {}", shorten(name, 32), shape.near(name)),
        },
        None => {
            let lacks =
                |argument: &&String| !names.iter().any(|name| shape.column(name) == shape.column(argument));
            let missing = shape.names.iter().find(lacks).cloned().unwrap_or_default();
            CellError::row(format!("missing argument `{missing}` of `{title}`"))
        }
    }
}

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
