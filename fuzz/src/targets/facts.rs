//! Any table of facts is read. What was read is written, and read again as the same facts.

use std::ops::ControlFlow;

use mangle_engine::kernel::facts::{Cell, CellField, TableShape, read_csv, read_json_lines};
use mangle_engine::kernel::{ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_syntax::text::Symbol;

use crate::memory;

/// Tables are short; whatever is in them, they take no more than this.
const CEILING: usize = 64 << 20;

/// No value of such a table is longer than this, so none is cut.
const WHOLE: usize = 1 << 20;

pub(crate) fn run(bytes: &[u8]) {
    let [kinds, is_json, rest @ ..] = bytes else { return };
    let shapes = shapes(*kinds);
    memory::within(CEILING, "a table", || {
        let mut values = Values::new();
        let rows = read(rest, is_json % 2 == 1, &shapes, &mut values);
        let again = written(&rows, &values, &shapes[0]);
        let back = read(again.as_bytes(), true, &shapes[..1], &mut values);
        let expected: Vec<_> = rows.into_iter().filter(|row| round(row, &values)).collect();
        let found: Vec<_> = back.into_iter().filter(|row| round(row, &values)).collect();
        assert_eq!(found, expected, "{again}");
    });
}

/// Whether each value is written as JSON has it: JSON knows no infinity and no bytes, and is cut where it nests too deep.
fn round(row: &[ValueId], values: &Values) -> bool {
    row.iter().all(|id| {
        serde_json::to_string(&values.json_within(*id, WHOLE))
            .is_ok_and(|text| !["inf", "NaN", ", hash "].iter().any(|lost| text.contains(lost)))
    })
}

fn shapes(kinds: u8) -> Vec<TableShape> {
    let field = |label: &str, cell| CellField { label: Symbol::new(label), optional: kinds & 1 == 0, cell };
    let all = [
        Cell::Number,
        Cell::String,
        Cell::Name,
        Cell::Time,
        Cell::Duration,
        Cell::Below(Symbol::new("/a")),
        Cell::List(Box::new(Cell::Number)),
        Cell::List(Box::new(Cell::String)),
        Cell::Pair(Box::new((Cell::Number, Cell::String))),
        Cell::Struct(vec![field("/f", Cell::Number), field("/g", Cell::String)]),
        Cell::Map(Box::new((Cell::Name, Cell::Number))),
        Cell::Float,
        Cell::Any,
    ];
    let cells: Vec<_> =
        [kinds % 13, kinds / 13 % 13].iter().map(|at| all[usize::from(*at)].clone()).collect();
    let names = if kinds & 2 == 0 { vec!["A".to_owned(), "É".to_owned()] } else { Vec::new() };
    TableShape::new(PredicateId(0), "t", cells, names, kinds & 0x80 != 0)
}

fn read(bytes: &[u8], is_json: bool, shapes: &[TableShape], values: &mut Values) -> Vec<Vec<ValueId>> {
    let mut rows = Vec::new();
    let mut sink = |_: &mut Values, row: mangle_engine::kernel::facts::Row<'_>| {
        rows.push(row.tuple.to_vec());
        ControlFlow::Continue(())
    };
    let report = match is_json {
        true => read_json_lines(bytes, shapes, values, &mut sink),
        false => read_csv(bytes, shapes, values, &mut sink),
    };
    let report = report.unwrap();
    assert_eq!(report.facts, rows.len() as u64);
    assert!(report.bad.len() as u64 <= report.bad_count);
    rows
}

/// The rows as JSON lines, an array each.
fn written(rows: &[Vec<ValueId>], values: &Values, shape: &TableShape) -> String {
    let mut out = String::new();
    for row in rows {
        let cells: Vec<_> =
            row.iter().take(shape.columns.len()).map(|id| values.json_within(*id, WHOLE)).collect();
        out.push_str(&serde_json::Value::Array(cells).to_string());
        out.push('\n');
    }
    out
}
