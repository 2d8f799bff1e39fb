//! Reads facts from comma-separated values (RFC 4180). A first row with the names of the arguments
//! is a header.

use std::cell::Cell;
use std::io::{self, Read};
use std::ops::ControlFlow;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Terminator};

use super::{CellError, MAX_ROW_LEN, RowSink, Rows, TableReport, TableShape};
use crate::kernel::Values;
use mangle_syntax::text::shorten;

/// The kind of the first row.
enum First {
    /// A header: the index of the shape, and for each of its columns the index of the cell.
    Header(usize, Vec<usize>),
    /// A header with an unknown argument.
    Wrong(CellError),
    /// A fact.
    Data,
}

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
    let read = Cell::new(0);
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
            match first(&record, shapes) {
                First::Header(shape, order) => {
                    header = Some((shape, order));
                    continue;
                }
                First::Wrong(wrong) => {
                    rows.report.reject(line, wrong);
                    continue;
                }
                First::Data => {}
            }
        }
        if row(&mut rows, line, &record, header.as_ref()).is_break() {
            return Ok(rows.report);
        }
    }
}

/// A reader that fails if a row is too long. An unclosed quote must not fill the memory.
struct RowLimit<'c, R> {
    input: R,
    /// The number of bytes of the current row.
    read: &'c Cell<u64>,
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

fn row(
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

/// Determines if the first row names the arguments.
fn first(record: &StringRecord, shapes: &[TableShape]) -> First {
    for (index, shape) in shapes.iter().enumerate().filter(|(_, shape)| shape.names.len() == record.len()) {
        let order: Option<Vec<usize>> = shape
            .names
            .iter()
            .map(|name| record.iter().position(|cell| shape.column(cell) == shape.column(name)))
            .collect();
        if let Some(order) = order.filter(|order| !order.is_empty()) {
            return First::Header(index, order);
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
            return First::Wrong(CellError { cell: at + 1, why });
        }
    }
    First::Data
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
