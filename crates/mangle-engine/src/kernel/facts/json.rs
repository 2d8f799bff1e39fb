//! Reads facts from JSON lines. A row is an array, or an object with argument names as keys.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;

use serde_json::{Map, Value as Json};

use super::{CellError, MAX_ROW_LEN, RowSink, Rows, TableReport, TableShape};
use crate::kernel::Values;
use mangle_syntax::text::shorten;

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
        if !text.iter().all(u8::is_ascii_whitespace) && row(&mut rows, line, text).is_break() {
            break;
        }
    }
    Ok(rows.report)
}

fn row(rows: &mut Rows<'_>, line: u64, text: &[u8]) -> ControlFlow<()> {
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
pub(super) fn placement<'s>(
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
