//! Arguments with which a function has a certain value.

mod number;
mod text;
mod time;

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};

pub(super) use text::part_of_test;

/// A call of a function whose value is known, but not all of its arguments.
pub(super) struct Call<'c> {
    pub(super) function: &'static str,
    /// The arguments; `None` where the value that is looked for is one.
    pub(super) args: &'c [Option<ValueId>],
    pub(super) result: ValueId,
}

impl Call<'_> {
    /// The arguments that are known.
    fn known(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.args.iter().flatten().copied()
    }

    /// How many arguments are looked for.
    fn count(&self) -> usize {
        self.args.iter().filter(|arg| arg.is_none()).count()
    }

    /// Whether the first argument is looked for.
    fn is_first(&self) -> bool {
        matches!(self.args.first(), Some(None))
    }
}

/// Values of the unknown arguments of a call. Of many that give the result, or that only come near it, the least and the
/// greatest.
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

/// The unknown parts of a value that is made of its parts.
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
