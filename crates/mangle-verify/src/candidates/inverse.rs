//! Arguments with which a function has a certain value.

use mangle_engine::kernel::{Datum, ValueId, Values};

use super::flow::Flow;
use super::graph::Computation;

/// The values of one argument with which a computation gives `result`, where the others are constants. Only sums,
/// differences and concatenations are inverted.
pub(super) fn inverse(
    flow: &Flow,
    values: &mut Values,
    computation: &Computation,
    arg: u32,
    result: ValueId,
) -> Vec<ValueId> {
    let arg = arg as usize;
    let others = |range: std::ops::Range<usize>| flow.arguments(computation.args.get(range).unwrap_or(&[]));
    let before = others(0..arg);
    let after = others(arg + 1..computation.args.len());
    let mut found = Vec::new();
    for before in &before {
        for after in &after {
            found.extend(one(values, computation.function.name(), (before, after), result));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn one(
    values: &mut Values,
    function: &str,
    (before, after): (&[ValueId], &[ValueId]),
    result: ValueId,
) -> Option<ValueId> {
    match function {
        "plus" => {
            let rest = sum(values, before)?.checked_add(sum(values, after)?)?;
            let value = number(values, result)?.checked_sub(rest)?;
            Some(values.number(value))
        }
        "minus" => {
            let result = number(values, result)?;
            let value = match before {
                [] => result.checked_add(sum(values, after)?)?,
                [first, rest @ ..] => number(values, *first)?
                    .checked_sub(sum(values, rest)?)?
                    .checked_sub(sum(values, after)?)?
                    .checked_sub(result)?,
            };
            Some(values.number(value))
        }
        "string:concat" => {
            let text = text(values, result)?;
            let (start, end) = (concatenation(values, before)?, concatenation(values, after)?);
            let middle = text.strip_prefix(start.as_str())?.strip_suffix(end.as_str())?;
            Some(values.string(middle))
        }
        _ => None,
    }
}

fn number(values: &Values, value: ValueId) -> Option<i64> {
    match values.get(value) {
        Datum::Number(number) => Some(*number),
        _ => None,
    }
}

fn sum(values: &Values, all: &[ValueId]) -> Option<i64> {
    all.iter().try_fold(0i64, |sum, value| sum.checked_add(number(values, *value)?))
}

fn text(values: &Values, value: ValueId) -> Option<String> {
    match values.get(value) {
        Datum::String(text) => Some(text.to_string()),
        _ => None,
    }
}

fn concatenation(values: &Values, all: &[ValueId]) -> Option<String> {
    all.iter().map(|value| text(values, *value)).collect()
}
