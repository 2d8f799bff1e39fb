//! Inverse functions: arguments that give a function a certain value.

mod number;
mod text;
mod time;

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};

pub(super) use text::part_of_test;

/// A function call with a known value and at least one unknown argument.
pub(super) struct Call<'c> {
    pub(super) function: &'static str,
    /// The arguments. `None` for unknown arguments.
    pub(super) args: &'c [Option<ValueId>],
    pub(super) result: ValueId,
}

impl Call<'_> {
    /// Returns the known arguments.
    fn known(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.args.iter().flatten().copied()
    }

    /// Returns the number of unknown arguments.
    fn count(&self) -> usize {
        self.args.iter().filter(|arg| arg.is_none()).count()
    }

    /// True if the first argument is unknown.
    fn is_first(&self) -> bool {
        matches!(self.args.first(), Some(None))
    }
}

/// Returns values of the unknown arguments of a call.
///
/// If many values give the result or a similar result, only the smallest and largest values are
/// returned.
pub(super) fn inverse(values: &mut Values, clock: Clock, call: &Call<'_>) -> Vec<ValueId> {
    let found = match call.function {
        "plus" | "minus" | "mult" | "div" | "mod" => number::integers(values, call),
        "float:plus" | "float:mult" | "float:div" | "sqrt" => number::floats(values, call),
        "string:replace" | "number:to_string" | "float64:to_string" | "name:to_string" | "name:root"
        | "name:tip" => text::inverse(values, call),
        "pair" | "list" | "list:cons" => parts(values, call),
        _ => time::inverse(values, clock, call),
    };
    found.unwrap_or_default()
}

/// Returns the unknown parts of a constructed value.
fn parts(values: &Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
    let parts = match (call.function, values.get(call.result)) {
        ("pair", Datum::Pair(first, second)) => vec![*first, *second],
        ("list", Datum::List(elements)) => elements.to_vec(),
        ("list:cons", Datum::List(elements)) => vec![*elements.first()?],
        _ => return None,
    };
    let unknown = call.args.iter().zip(parts).filter(|(arg, _)| arg.is_none());
    Some(unknown.map(|(_, part)| part).collect())
}

fn number(values: &Values, value: ValueId) -> Option<i64> {
    match values.get(value) {
        Datum::Number(number) => Some(*number),
        _ => None,
    }
}

fn text(values: &Values, value: ValueId) -> Option<String> {
    match values.get(value) {
        Datum::String(text) => Some(text.to_string()),
        _ => None,
    }
}

pub(super) use number::part_of_fold;
pub(super) use text::{Piece, pieces_of};
