//! Fact tables (CSV and JSON Lines) of a program. The file name selects the predicate, and its
//! declaration determines the cell types.
//!
//! The input is a program, a file name and the bytes; the rows go to a sink. `kernel::facts`
//! defines the row format.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;

use mangle_engine::kernel::facts::{
    Cell, CellField, FactColumns, Row, RowSink, TableReport, TableShape, read_columns, read_csv,
    read_json_lines,
};
use mangle_engine::kernel::{Fact, Kernel, RuleId, Values};
use mangle_engine::program::{Predicate, PredicateId, Program};
use mangle_engine::types::{Base, Rows, Type};
use mangle_syntax::syntax::ast::Term;
use mangle_syntax::text::{Symbol, nearest};

/// True if the file has the extension of a fact table.
#[must_use]
pub fn is_table(file_name: &str) -> bool {
    table_name_and_format(file_name).is_some()
}

/// File format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Csv,
    JsonLines,
}

/// Returns the name of the predicate and the file format.
fn table_name_and_format(file_name: &str) -> Option<(&str, Form)> {
    let (name, extension) = file_name.rsplit_once('.')?;
    match extension {
        "csv" => Some((name, Form::Csv)),
        "jsonl" | "ndjson" => Some((name, Form::JsonLines)),
        _ => None,
    }
}

/// Reads the table with this file name (without folder) and passes its facts to `sink`.
///
/// # Errors If the name does not have the extension of a table, the program does not have the
/// predicate, or the bytes cannot be parsed. The error is a message for users.
pub fn read_table<'r>(
    program: &Program,
    file_name: &str,
    input: impl Read,
    values: &'r mut Values,
    sink: &'r mut RowSink<'r>,
) -> Result<TableReport, String> {
    let Some((name, form)) = table_name_and_format(file_name) else {
        return Err("facts are read from `.mg`, `.gl`, `.csv`, `.jsonl` and `.ndjson` files".to_owned());
    };
    let shapes = shapes(program, name);
    if shapes.is_empty() {
        return Err(unknown(program, name));
    }
    let report = match form {
        Form::Csv => read_csv(input, &shapes, values, sink),
        Form::JsonLines => read_json_lines(input, &shapes, values, sink),
    };
    report.map_err(|error| error.to_string())
}

/// Adds the facts of a table to a program before its evaluation. At most `most` facts are accepted.
///
/// # Errors
/// See [`read_table`].
pub fn add_table(
    kernel: &mut Kernel,
    program: &Program,
    file_name: &str,
    input: impl Read,
    most: usize,
) -> Result<TableReport, String> {
    add_facts(kernel, most, |values, sink| read_table(program, file_name, input, values, sink))
}

/// Adds the rows of columns as facts of the named predicate before the evaluation. At most `most`
/// facts are accepted.
///
/// # Errors
/// If the program does not have the predicate, or there are more than `most` rows.
pub fn add_columns<C: FactColumns>(
    kernel: &mut Kernel,
    program: &Program,
    name: &str,
    parts: &[C],
    most: usize,
) -> Result<TableReport, String> {
    let shapes = shapes(program, name);
    if shapes.is_empty() {
        return Err(unknown(program, name));
    }
    add_facts(kernel, most, |values, sink| Ok(read_columns(parts, &shapes, values, sink)))
}

/// Adds the facts that `read` passes to its sink.
fn add_facts(
    kernel: &mut Kernel,
    most: usize,
    read: impl FnOnce(&mut Values, &mut RowSink<'_>) -> Result<TableReport, String>,
) -> Result<TableReport, String> {
    let mut facts = Vec::new();
    let mut sink = |_: &mut Values, row: Row<'_>| {
        let (predicate, tuple) = (row.predicate, row.tuple.into());
        facts.push(Fact { predicate, tuple, rule: RuleId::ASSERTED });
        if facts.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = read(kernel.values(), &mut sink)?;
    if facts.len() > most {
        return Err(format!("there are more than {most} facts"));
    }
    facts.iter().for_each(|fact| kernel.assert(fact));
    Ok(report)
}

/// Returns the possible row shapes for the predicates with this name.
fn shapes(program: &Program, name: &str) -> Vec<TableShape> {
    let of_name = program.named(Symbol::new(name));
    of_name
        .filter_map(|predicate| Some((program.id(predicate.key)?, predicate)))
        .flat_map(|(id, predicate)| shape(program, id, predicate))
        .collect()
}

fn shape(program: &Program, id: PredicateId, predicate: &Predicate) -> Vec<TableShape> {
    let arity = usize::from(predicate.key.arity);
    let (name, temporal) = (predicate.key.name.as_str(), predicate.signature.temporal);
    let Some(declaration) = program.declaration(predicate) else {
        return TableShape::new(id, name, vec![Cell::Any; arity], Vec::new(), temporal);
    };
    let rows = Rows::declared(declaration);
    let columns = (0..arity).map(|at| cell(&rows.column(at))).collect();
    let names: Option<Vec<_>> = declaration.atom.args.iter().map(Term::variable).collect();
    let names = names.unwrap_or_default().iter().map(|name| name.as_str().to_owned()).collect();
    TableShape::new(id, name, columns, names, temporal)
}

/// Returns the cell format of a column type.
fn cell(ty: &Type) -> Cell {
    match ty {
        // The textual form of option values in the engine is unknown.
        Type::Any | Type::Variable(_) | Type::Option(_) => Cell::Any,
        Type::Base(base) => match base {
            Base::Number => Cell::Number,
            Base::Float => Cell::Float,
            Base::String => Cell::String,
            Base::Bytes => Cell::Bytes,
            Base::Name => Cell::Name,
            Base::Time => Cell::Time,
            Base::Duration => Cell::Duration,
        },
        Type::Prefix(prefix) => Cell::Below(*prefix),
        Type::Singleton(name) | Type::Literal(name) => Cell::Constant(*name),
        Type::List(element) => Cell::List(Box::new(cell(element))),
        Type::Pair(parts) => Cell::Pair(Box::new((cell(&parts.0), cell(&parts.1)))),
        Type::Map(parts) => Cell::Map(Box::new((cell(&parts.0), cell(&parts.1)))),
        Type::Struct(fields) => Cell::Struct(
            fields
                .iter()
                .map(|field| CellField {
                    label: field.label,
                    optional: field.optional,
                    cell: cell(&field.ty),
                })
                .collect(),
        ),
        Type::Union(members) => {
            // Every text is a valid string, so strings are tried last.
            let (texts, others): (Vec<_>, Vec<_>) = Arc::clone(members)
                .iter()
                .cloned()
                .partition(|member| matches!(member, Type::Base(Base::String | Base::Bytes)));
            Cell::Either(others.iter().chain(&texts).map(cell).collect())
        }
    }
}

fn unknown(program: &Program, name: &str) -> String {
    let exists = |predicate: &&Predicate| predicate.exists();
    let names = program.predicates.iter().filter(exists).map(|predicate| predicate.key.name.as_str());
    let near = nearest(name, names).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("the name of the file is not a predicate: `{name}`{near}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::program;

    fn check(text: &str, file: &str, table: &str, expected: Expect) {
        let program = program(text);
        let (mut values, mut out) = (Values::new(), String::new());
        let mut sink = |values: &mut Values, row: Row<'_>| {
            let tuple: Vec<_> = row.tuple.iter().map(|&value| values.display(value).to_string()).collect();
            out.push_str(&format!("{}({})\n", program.get(row.predicate).key, tuple.join(", ")));
            ControlFlow::Continue(())
        };
        match read_table(&program, file, table.as_bytes(), &mut values, &mut sink) {
            Ok(report) => report.bad.iter().for_each(|bad| out.push_str(&format!("{bad:?}\n"))),
            Err(why) => out.push_str(&why),
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn declarations_say_what_cells_are() {
        let decl = "Decl door(Id, Size, State, Tags)\n  bound [/string, /number, .Union<.Singleton</open>, /string>, .List</name>].\n";
        check(
            decl,
            "door.csv",
            "Id,Size,State,Tags\n1,2,/open,\"[\"\"/a\"\"]\"\n1,2,/shut,[]\n1,x,,[]\n",
            expect![[r#"
                door/4("1", 2, /open, [/a])
                door/4("1", 2, "/shut", [])
                BadRow { line: 4, cell: 2, why: "`x` is not a number" }
            "#]],
        );
        check(
            decl,
            "door.jsonl",
            "{\"Id\": \"1\", \"Size\": 2, \"State\": \"/open\", \"Tags\": [\"/a\"]}\n[1]\n",
            expect![[r#"
                door/4("1", 2, /open, [/a])
                BadRow { line: 2, cell: 0, why: "row has 1 cell, but `door/4` has 4" }
            "#]],
        );
    }

    #[test]
    fn names_of_files_are_those_of_predicates() {
        let text = "Decl door(Id) bound [/string].\nway(A, B) :- door(A), door(B).\nway(A) :- door(A), lock.key(A).\n";
        check(
            text,
            "way.csv",
            "a\na,b\n",
            expect![[r#"
            way/1("a")
            way/2("a", "b")
        "#]],
        );
        check(
            text,
            "lock.key.csv",
            "1\n",
            expect![[r#"
            lock.key/1(1)
        "#]],
        );
        check(
            text,
            "dor.ndjson",
            "",
            expect!["the name of the file is not a predicate: `dor`; did you mean `door`?"],
        );
        check(
            text,
            "door.txt",
            "",
            expect!["facts are read from `.mg`, `.gl`, `.csv`, `.jsonl` and `.ndjson` files"],
        );
    }
}
