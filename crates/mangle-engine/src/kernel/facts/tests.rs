//! Tests of reading facts from tables.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::ops::ControlFlow;

use expect_test::{Expect, expect};

use super::{
    BAD_ROWS_KEPT, Cell, CellField, ColumnCell, FactColumns, Row, TableReport, TableShape, read_columns,
    read_csv, read_json_lines,
};
use crate::kernel::Values;
use crate::program::PredicateId;
use mangle_syntax::text::Symbol;

/// `door(Id, Open)` with declared cell types.
fn declared(columns: &[(&str, Cell)]) -> Vec<TableShape> {
    let (names, columns) = columns.iter().map(|(name, cell)| ((*name).to_owned(), cell.clone())).unzip();
    TableShape::new(PredicateId(0), "door", columns, names, false)
}

/// `door/N` without a declaration.
fn undeclared(arities: &[usize]) -> Vec<TableShape> {
    let shape = |(at, arity): (u32, &usize)| {
        TableShape::new(PredicateId(at), "door", vec![Cell::Any; *arity], Vec::new(), false)
    };
    (0..).zip(arities).flat_map(shape).collect()
}

fn read(json: bool, shapes: &[TableShape], bytes: &[u8]) -> (String, TableReport) {
    let (mut values, mut out) = (Values::new(), String::new());
    let mut sink = |values: &mut Values, row: Row<'_>| {
        let tuple: Vec<_> = row.tuple.iter().map(|&value| values.display(value).to_string()).collect();
        writeln!(out, "{}: {}({})", row.line, row.predicate.0, tuple.join(", ")).unwrap();
        ControlFlow::Continue(())
    };
    let read = if json { read_json_lines } else { read_csv };
    let report = read(bytes, shapes, &mut values, &mut sink).unwrap();
    (out, report)
}

fn check_both(json: bool, shapes: &[TableShape], text: &str, expected: Expect) {
    let (mut out, report) = read(json, shapes, text.as_bytes());
    for bad in &report.bad {
        writeln!(out, "line {}, cell {}: {}", bad.line, bad.cell, bad.why).unwrap();
    }
    assert_eq!(report.bad_count, report.bad.len() as u64);
    expected.assert_eq(&out);
}

fn csv(shapes: &[TableShape], text: &str, expected: Expect) {
    check_both(false, shapes, text, expected);
}

fn json(shapes: &[TableShape], text: &str, expected: Expect) {
    check_both(true, shapes, text, expected);
}

fn name(text: &str) -> Symbol {
    Symbol::new(text)
}

#[test]
fn cells_are_what_they_look_like() {
    csv(
        &undeclared(&[1]),
        "1\n-7\n1.5\n1e3\n/a/b\n/ a\n/\nfree text\n\" padded \"\n 12 \n\"a \"\"b\"\"\nc\"\n99999999999999999999\n007\n0.5\ninf\n-\n2026-01-31\n",
        expect![[r#"
            1: 0(1)
            2: 0(-7)
            3: 0(1.5)
            4: 0(1000)
            5: 0(/a/b)
            6: 0("/ a")
            7: 0("/")
            8: 0("free text")
            9: 0(" padded ")
            10: 0(12)
            11: 0("a \"b\"\nc")
            13: 0("99999999999999999999")
            14: 0("007")
            15: 0(0.5)
            16: 0("inf")
            17: 0("-")
            18: 0("2026-01-31")
        "#]],
    );
    json(
        &undeclared(&[1]),
        "[1]\n[1.5]\n[\"/a/b\"]\n[\"text\"]\n[\"1\"]\n[true]\n[[1, \"/a\", []]]\n[{\"x\": 1, \"/y\": {}}]\n[null]\n\
         [18446744073709551615]\n[{\"a b\": 1}]\n",
        expect![[r#"
            1: 0(1)
            2: 0(1.5)
            3: 0(/a/b)
            4: 0("text")
            5: 0("1")
            6: 0(/true)
            7: 0([1, /a, []])
            8: 0({/y : {}, /x : 1})
            line 9, cell 1: `null` is not a value
            line 10, cell 1: `18446744073709551615` does not fit in 64 bits
            line 11, cell 1: `a b` cannot be the label of a field
        "#]],
    );
}

#[test]
fn cells_are_what_is_declared() {
    let shapes = declared(&[("Id", Cell::String), ("Size", Cell::Number), ("At", Cell::Time)]);
    csv(
        &shapes,
        "1,2,2026-01-31T12:00:00Z\n/a, 2 ,2026-01-31\n,x,2026-01-31\na,1.5,2026-01-31\na,1,yesterday\n",
        expect![[r#"
            1: 0("1", 2, fn:time:parse_rfc3339("2026-01-31T12:00:00Z"))
            2: 0("/a", 2, fn:time:parse_rfc3339("2026-01-31T00:00:00Z"))
            line 3, cell 2: `x` is not a number
            line 4, cell 2: `1.5` is not a number
            line 5, cell 3: `yesterday` is not an instant such as `2026-01-31T12:00:00Z`
        "#]],
    );
    let shapes = declared(&[
        ("Rate", Cell::Float),
        ("Kind", Cell::Name),
        ("Wait", Cell::Duration),
        ("Raw", Cell::Bytes),
    ]);
    csv(
        &shapes,
        "3,/a,1h30m,ab\nNaN,/a,1s,\n1,a,1s,\n1,/a,1 day,\n",
        expect![[r#"
            1: 0(3, /a, fn:duration:parse("1h30m0s"), b"ab")
            line 2, cell 1: `NaN` is not a float
            line 3, cell 2: `a` is not a name such as `/door`; did you mean `/a`?
            line 4, cell 3: `1 day` is not a duration such as `1h30m`
        "#]],
    );
    json(
        &shapes,
        "[3, true, \"1s\", \"ab\"]\n[\"3\", \"/a\", \"1s\", \"\"]\n[1, 2, \"1s\", \"\"]\n[1, \"/a\", 5, \"\"]\n",
        expect![[r#"
            1: 0(3, /true, fn:duration:parse("1s"), b"ab")
            line 2, cell 1: `"3"` is not a float
            line 3, cell 2: `2` is not a name such as `/door`
            line 4, cell 3: `5` is not a duration such as `1h30m`
        "#]],
    );
    let colour = Cell::Either(vec![Cell::Constant(name("/red")), Cell::Constant(name("/green"))]);
    let mixed = Cell::Either(vec![Cell::Number, Cell::String]);
    csv(
        &declared(&[("Colour", colour), ("Role", Cell::Below(name("/role"))), ("Mixed", mixed)]),
        "/red,/role/admin,7\n/green,/role/a/b,seven\n/blue,/role/a,1\n/red,/roles/a,1\n",
        expect![[r#"
            1: 0(/red, /role/admin, 7)
            2: 0(/green, /role/a/b, "seven")
            line 3, cell 1: `/blue` is not `/red` or `/green`
            line 4, cell 2: `/roles/a` is not a name below `/role`
        "#]],
    );
}

#[test]
fn values_with_parts() {
    let numbers = Cell::List(Box::new(Cell::Number));
    let triple = Cell::Pair(Box::new((Cell::Number, Cell::Pair(Box::new((Cell::String, Cell::Name))))));
    let map = Cell::Map(Box::new((Cell::Name, Cell::Number)));
    let field = |label, optional| CellField { label: name(label), optional, cell: Cell::Number };
    let point = Cell::Struct(vec![field("/x", false), field("/y", true)]);
    let shapes = declared(&[("L", numbers), ("T", triple), ("M", map), ("P", point)]);
    json(
        &shapes,
        "[[1, 2], [1, \"a\", \"/b\"], {\"/k\": 1}, {\"x\": 1}]\n[[], [1, [\"a\", \"/b\"]], {}, {\"/x\": 1, \"y\": 2}]\n\
         [[1, \"2\"], [1, \"a\", \"/b\"], {}, {\"x\": 1}]\n[[], [1], {}, {\"x\": 1}]\n[[], [1, \"a\", \"/b\"], {\"k\": 1}, {\"x\": 1}]\n\
         [[], [1, \"a\", \"/b\"], {}, {\"y\": 1}]\n[[], [1, \"a\", \"/b\"], {}, {\"x\": 1, \"z\": 2}]\n[{}, [], {}, {}]\n",
        expect![[r#"
            1: 0([1, 2], fn:pair(1, fn:pair("a", /b)), [/k : 1], {/x : 1})
            2: 0([], fn:pair(1, fn:pair("a", /b)), fn:map(), {/y : 2, /x : 1})
            line 3, cell 1: `"2"` is not a number
            line 4, cell 2: `[1]` is not a pair (a JSON array of two)
            line 5, cell 3: `k` is not a name such as `/door`; did you mean `/k`?
            line 6, cell 4: missing field `/x` of the struct
            line 7, cell 4: unknown field `/z` of the struct
            line 8, cell 1: `{}` is not a list (a JSON array)
        "#]],
    );
    csv(
        &shapes,
        "\"[1,2]\",\"[1,\"\"a\"\",\"\"/b\"\"]\",\"{\"\"/k\"\": 1}\",\"{\"\"x\"\": 1}\"\n1 2,[],{},{}\n",
        expect![[r#"
            1: 0([1, 2], fn:pair(1, fn:pair("a", /b)), [/k : 1], {/x : 1})
            line 2, cell 1: `1 2` is not a list (a JSON array)
        "#]],
    );
}

#[test]
fn headers() {
    let shapes = declared(&[("Id", Cell::String), ("Open", Cell::Name), ("Size", Cell::Number)]);
    csv(
        &shapes,
        "size,ID,Open\n1,a,/true\n2,b\n",
        expect![[r#"
            2: 0("a", /true, 1)
            line 3, cell 0: row has 2 cells, but the header has 3
        "#]],
    );
    csv(
        &shapes,
        "Id,Open,Site\na,/true,1\n",
        expect![[r#"
            2: 0("a", /true, 1)
            line 1, cell 3: `Site` in the header is not an argument of `door/3`; did you mean `Size`?
        "#]],
    );
    csv(
        &shapes,
        "\u{feff}Id,Open,Size\r\n\r\na,/true,1\r\n\n\"b\nc\",/true,2\nd,/true,x",
        expect![[r#"
            3: 0("a", /true, 1)
            5: 0("b\nc", /true, 2)
            line 7, cell 3: `x` is not a number
        "#]],
    );
    // Without a declaration, the arguments have no names.
    csv(
        &undeclared(&[2]),
        "Id,Open\na,/true\n",
        expect![[r#"
        1: 0("Id", "Open")
        2: 0("a", /true)
    "#]],
    );
    json(
        &shapes,
        "{\"Size\": 1, \"Id\": \"a\", \"open\": true}\n{\"Id\": \"a\", \"Open\": true}\n{\"Id\": \"a\", \"Opne\": true, \"Size\": 1}\n\
         {\"Id\": \"a\", \"Open\": true, \"Size\": \"1\"}\n",
        expect![[r#"
            1: 0("a", /true, 1)
            line 2, cell 0: missing argument `Size` of `door/3`
            line 3, cell 2: `Opne` is not an argument of `door/3`; did you mean `Open`?
            line 4, cell 3: `"1"` is not a number
        "#]],
    );
    json(
        &undeclared(&[1]),
        "{\"Id\": 1}\n",
        expect![[r#"
            line 1, cell 0: object without a `Decl` that names the arguments; write an array
        "#]],
    );
}

#[test]
fn several_arities() {
    let shapes = undeclared(&[1, 3]);
    csv(
        &shapes,
        "a\na,b,c\na,b\n",
        expect![[r#"
            1: 0("a")
            2: 1("a", "b", "c")
            line 3, cell 0: row has 2 cells, but `door/1` has 1, `door/3` has 3
        "#]],
    );
    json(
        &shapes,
        "[\"a\"]\n\n  \n[1,2,3]\n[]\n",
        expect![[r#"
            1: 0("a")
            4: 1(1, 2, 3)
            line 5, cell 0: row has 0 cells, but `door/1` has 1, `door/3` has 3
        "#]],
    );
}

#[test]
fn temporal_facts() {
    let shapes = TableShape::new(PredicateId(3), "on", vec![Cell::Name], vec!["Lamp".into()], true);
    csv(
        &shapes,
        "/a\n/a,2026-01-01,2026-01-02T12:00:00Z\n/a,,2026-01-02\n/a,2026-01-02,_\n/a,2026-01-02,2026-01-01\n/a,2026-01-02\n",
        expect![[r#"
            1: 3(/a, fn:time:parse_rfc3339("1677-09-21T00:12:43.145224192Z"), fn:time:parse_rfc3339("2262-04-11T23:47:16.854775807Z"))
            2: 3(/a, fn:time:parse_rfc3339("2026-01-01T00:00:00Z"), fn:time:parse_rfc3339("2026-01-02T12:00:00Z"))
            3: 3(/a, fn:time:parse_rfc3339("1677-09-21T00:12:43.145224192Z"), fn:time:parse_rfc3339("2026-01-02T00:00:00Z"))
            4: 3(/a, fn:time:parse_rfc3339("2026-01-02T00:00:00Z"), fn:time:parse_rfc3339("2262-04-11T23:47:16.854775807Z"))
            line 5, cell 3: interval ends before it starts
            line 6, cell 0: row has 2 cells, but `on/1` has 1, `on/1` with its interval has 3
        "#]],
    );
    json(
        &shapes,
        "{\"Lamp\": \"/a\"}\n{\"Lamp\": \"/a\", \"start\": \"2026-01-01\", \"end\": null}\n",
        expect![[r#"
            1: 3(/a, fn:time:parse_rfc3339("1677-09-21T00:12:43.145224192Z"), fn:time:parse_rfc3339("2262-04-11T23:47:16.854775807Z"))
            2: 3(/a, fn:time:parse_rfc3339("2026-01-01T00:00:00Z"), fn:time:parse_rfc3339("2262-04-11T23:47:16.854775807Z"))
        "#]],
    );
}

#[test]
fn rows_that_cannot_be_read() {
    json(
        &undeclared(&[1]),
        "[1\n3\n[1] [2]\nnot json\n{\"a\": }\n[2]",
        expect![[r#"
            6: 0(2)
            line 1, cell 0: row is not JSON: it ends too early
            line 2, cell 0: row is neither an array nor an object
            line 3, cell 0: row is not JSON from column 5 on
            line 4, cell 0: row is not JSON from column 2 on
            line 5, cell 0: row is not JSON from column 7 on
        "#]],
    );
    let (out, report) = read(false, &undeclared(&[1]), b"a\n\xff\nb\n");
    assert_eq!((out.as_str(), report.facts, report.bad_count), ("1: 0(\"a\")\n3: 0(\"b\")\n", 2, 1));
    assert_eq!(report.bad[0].why, "cell is not UTF-8");
    let deep = format!("[{}1{}]\n[2]\n", "[".repeat(5000), "]".repeat(5000));
    let (out, report) = read(true, &undeclared(&[1]), deep.as_bytes());
    assert_eq!((out.as_str(), report.bad_count), ("2: 0(2)\n", 1));
    let (_, report) = read(false, &undeclared(&[2]), "a\n".repeat(1000).as_bytes());
    assert_eq!((report.bad.len(), report.bad_count, report.facts), (BAD_ROWS_KEPT, 1000, 0));
}

#[test]
fn a_reader_that_has_enough_ends_the_reading() {
    let mut seen = 0;
    let mut sink = |_: &mut Values, _: Row<'_>| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = read_csv("a\nb\nc\n".as_bytes(), &undeclared(&[1]), &mut Values::new(), &mut sink).unwrap();
    assert_eq!((report.facts, seen), (2, 2));
}

#[test]
fn a_row_without_end_does_not_fill_the_memory() {
    for start in ["1", "\"", "[\""] {
        let input =
            std::io::Read::chain(start.as_bytes(), std::io::Read::take(std::io::repeat(b'1'), 1 << 30));
        let mut sink = |_: &mut Values, _: Row<'_>| ControlFlow::Continue(());
        let (shapes, mut values) = (undeclared(&[1]), Values::new());
        let error = match start.starts_with('[') {
            true => read_json_lines(input, &shapes, &mut values, &mut sink),
            false => read_csv(input, &shapes, &mut values, &mut sink),
        };
        assert!(error.unwrap_err().to_string().ends_with("is longer than 16 MiB"), "{start}");
    }
}

/// The cost of a row does not depend on its position: the table is read once, and only the values
/// of a row are kept.
#[test]
fn a_table_is_read_once() {
    struct Counting<'b>(&'b [u8], usize);
    impl std::io::Read for Counting<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1 += read;
            Ok(read)
        }
    }
    for rows in [1_000, 10_000] {
        let text = "/a,1\n".repeat(rows);
        let mut input = Counting(text.as_bytes(), 0);
        let mut values = Values::new();
        let mut sink = |_: &mut Values, _: Row<'_>| ControlFlow::Continue(());
        let report = read_csv(&mut input, &undeclared(&[2]), &mut values, &mut sink).unwrap();
        assert_eq!((report.facts, input.1, values.len()), (rows as u64, text.len(), 2));
    }
}

/// Facts survive being written as a table and read again.
#[test]
fn cells_are_read_back() {
    let field = CellField { label: name("/x"), optional: false, cell: Cell::Number };
    let shapes = declared(&[
        ("A", Cell::String),
        ("B", Cell::Name),
        ("C", Cell::Float),
        ("D", Cell::Time),
        ("E", Cell::Duration),
        ("F", Cell::List(Box::new(Cell::Pair(Box::new((Cell::String, Cell::Number)))))),
        ("G", Cell::Map(Box::new((Cell::Name, Cell::Struct(vec![field]))))),
    ]);
    let table = "\"say \"\"hi\"\"\",/a/b,1.0,2026-01-31T12:00:00.5Z,1h30m0s,\"[[\"\"a\"\",1]]\",\"{\"\"/k\"\":{\"\"/x\"\":1}}\"\n";
    let mut values = Values::new();
    let mut written = Vec::new();
    let mut sink = |values: &mut Values, row: Row<'_>| {
        written = row.tuple.iter().map(|&arg| values.cell_within(arg, usize::MAX)).collect();
        ControlFlow::Continue(())
    };
    read_csv(table.as_bytes(), &shapes, &mut values, &mut sink).unwrap();
    let again: csv::StringRecord = written.into();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&again).unwrap();
    assert_eq!(String::from_utf8(writer.into_inner().unwrap()).unwrap(), table);
}

/// A part of a table: the column names and the rows.
struct Part(&'static [&'static str], Vec<Vec<serde_json::Value>>);

impl FactColumns for Part {
    fn names(&self) -> Vec<&str> {
        self.0.to_vec()
    }

    fn rows(&self) -> usize {
        self.1.len()
    }

    fn cell(&self, row: usize, column: usize) -> ColumnCell<'_> {
        match &self.1[row][column] {
            serde_json::Value::String(text) => ColumnCell::Text(text),
            json => ColumnCell::Json(json.clone()),
        }
    }
}

fn columns(shapes: &[TableShape], parts: &[Part], expected: Expect) {
    let (mut values, mut out) = (Values::new(), String::new());
    let mut sink = |values: &mut Values, row: Row<'_>| {
        let tuple: Vec<_> = row.tuple.iter().map(|&value| values.display(value).to_string()).collect();
        writeln!(out, "{}: {}({})", row.line, row.predicate.0, tuple.join(", ")).unwrap();
        ControlFlow::Continue(())
    };
    let report = read_columns(parts, shapes, &mut values, &mut sink);
    for bad in &report.bad {
        writeln!(out, "row {}, cell {}: {}", bad.line, bad.cell, bad.why).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn columns_are_placed_by_their_names() {
    use serde_json::json;
    let shapes = declared(&[("Id", Cell::String), ("Open", Cell::Number)]);
    let first = Part(&["open", "Id"], vec![vec![json!(1), json!("a")], vec![json!("x"), json!("b")]]);
    let second = Part(&["open", "Id"], vec![vec![json!(null), json!("c")], vec![json!(4), json!("/d")]]);
    columns(
        &shapes,
        &[first, second],
        expect![[r#"
        1: 0("a", 1)
        4: 0("/d", 4)
        row 2, cell 1: `"x"` is not a number
        row 3, cell 1: `null` is not a number
    "#]],
    );
    columns(
        &shapes,
        &[Part(&["Id", "Opn"], vec![vec![json!("a"), json!(1)]])],
        expect![[r#"
        row 1, cell 2: `Opn` is not an argument of `door/2`; did you mean `Open`?
    "#]],
    );
    columns(
        &shapes,
        &[Part(&["Id"], vec![vec![json!("a")]])],
        expect![[r#"
        row 1, cell 0: missing argument `Open` of `door/2`
    "#]],
    );
}

#[test]
fn columns_without_names_in_the_declaration_keep_their_order() {
    use serde_json::json;
    let rows = vec![vec![json!("/a"), json!([1, "b"])], vec![json!(" c"), json!(true)]];
    columns(
        &undeclared(&[2]),
        &[Part(&["x", "y"], rows)],
        expect![[r#"
        1: 0(/a, [1, "b"])
        2: 0(" c", /true)
    "#]],
    );
    columns(
        &undeclared(&[1]),
        &[Part(&["x", "y"], vec![vec![json!(1), json!(2)]])],
        expect![[r#"
        row 1, cell 0: row has 2 cells, but `door/1` has 1
    "#]],
    );
}
