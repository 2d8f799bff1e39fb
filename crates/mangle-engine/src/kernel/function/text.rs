//! Functions on strings and names.

use std::borrow::Cow;

use super::{Entry, FunctionResult};
use crate::kernel::failure::{Failure, check_length, exactly, name, number, string};
use crate::kernel::values::{Datum, ValueId, Values, float_text};

pub(super) const FUNCTIONS: &[Entry] = &[
    Entry { name: "string:concat", apply: |values, args, _| concat(values, args) },
    Entry { name: "string:replace", apply: |values, args, _| replace(values, args) },
    Entry { name: "number:to_string", apply: |values, args, _| to_string(values, args, "a number") },
    Entry { name: "float64:to_string", apply: |values, args, _| to_string(values, args, "a float") },
    Entry { name: "name:to_string", apply: |values, args, _| to_string(values, args, "a name") },
    Entry { name: "name:root", apply: |values, args, _| root(values, args) },
    Entry { name: "name:tip", apply: |values, args, _| tip(values, args) },
    Entry { name: "name:list", apply: |values, args, _| segments(values, args) },
];

/// The text of a value in a concatenation.
fn text_of(values: &Values, id: ValueId) -> Result<Cow<'_, str>, Failure> {
    match values.get(id) {
        Datum::String(text) | Datum::Name(text) => Ok(Cow::Borrowed(text)),
        Datum::Number(number) => Ok(Cow::Owned(number.to_string())),
        Datum::Float(bits) => Ok(Cow::Owned(float_text(f64::from_bits(*bits)))),
        _ => Err(Failure::kind(values, id, "strings, names, numbers and floats")),
    }
}

fn concat(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let mut joined = String::new();
    for arg in args {
        let part = text_of(values, *arg)?;
        check_length(joined.len() + part.len())?;
        joined.push_str(&part);
    }
    Ok(values.string(&joined))
}

fn replace(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [text, old, new, count] = exactly(args)?;
    let (text, old, new) = (string(values, text)?, string(values, old)?, string(values, new)?);
    let limit = usize::try_from(number(values, count)?).unwrap_or(usize::MAX);
    if limit == 0 || old == new {
        let same = args.first().copied();
        return same.ok_or_else(|| Failure::wrong("it lacks an argument"));
    }
    let found = text.matches(old).take(limit).count();
    let longer = found.saturating_mul(new.len().saturating_sub(old.len()));
    check_length(text.len().saturating_add(longer))?;
    let replaced = text.replacen(old, new, limit);
    Ok(values.string(&replaced))
}

fn to_string(values: &mut Values, args: &[ValueId], wanted: &'static str) -> FunctionResult {
    let [only] = exactly(args)?;
    if values.get(only).kind() != wanted {
        return Err(Failure::kind(values, only, wanted));
    }
    let text = text_of(values, only)?.into_owned();
    Ok(values.string(&text))
}

fn root(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let first = slashed(name(values, only)?).next().unwrap_or_default();
    Ok(values.name(&first))
}

fn tip(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let last = slashed(name(values, only)?).next_back().unwrap_or_default();
    Ok(values.name(&last))
}

fn segments(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let all: Vec<String> = slashed(name(values, only)?).collect();
    let all: Vec<ValueId> = all.iter().map(|segment| values.name(segment)).collect();
    Ok(values.list(&all)?)
}

/// The segments of a name: `/a` and `/b` of `/a/b`.
fn slashed(name: &str) -> impl DoubleEndedIterator<Item = String> + '_ {
    let segments = name.strip_prefix('/').unwrap_or(name).split('/');
    segments.map(|segment| format!("/{segment}"))
}
