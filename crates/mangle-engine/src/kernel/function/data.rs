//! Functions on numbers, texts and collections. Integer arithmetic wraps.

use std::borrow::Cow;

use super::{Entry, FunctionResult};
use crate::kernel::failure::{
    Failure, SHOWN, check_elements, check_length, count, exactly, list, name, number, number_or_float, string,
};
use crate::kernel::values::{Datum, ValueId, Values, float_text};

pub(super) const NUMBER_FUNCTIONS: &[Entry] = &[
    Entry { name: "plus", apply: |values, args, _| plus(values, args) },
    Entry { name: "minus", apply: |values, args, _| minus(values, args) },
    Entry { name: "mult", apply: |values, args, _| mult(values, args) },
    Entry { name: "div", apply: |values, args, _| div(values, args) },
    Entry { name: "mod", apply: |values, args, _| modulo(values, args) },
    Entry { name: "float:plus", apply: |values, args, _| float_fold(values, args, 0.0, |a, b| a + b) },
    Entry { name: "float:mult", apply: |values, args, _| float_fold(values, args, 1.0, |a, b| a * b) },
    Entry { name: "float:div", apply: |values, args, _| float_div(values, args) },
    Entry { name: "sqrt", apply: |values, args, _| sqrt(values, args) },
];

fn plus(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let mut sum = 0_i64;
    for arg in args {
        sum = sum.wrapping_add(number(values, *arg)?);
    }
    Ok(values.number(sum))
}

fn mult(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let mut product = 1_i64;
    for arg in args {
        product = product.wrapping_mul(number(values, *arg)?);
    }
    Ok(values.number(product))
}

fn minus(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (first, rest) = args.split_first().ok_or_else(no_arguments)?;
    let mut difference = number(values, *first)?;
    if rest.is_empty() {
        difference = difference.wrapping_neg();
    }
    for arg in rest {
        difference = difference.wrapping_sub(number(values, *arg)?);
    }
    Ok(values.number(difference))
}

/// Divides from left to right and truncates toward zero. Arguments after a quotient of zero are not
/// checked.
fn div(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (first, rest) = args.split_first().ok_or_else(no_arguments)?;
    let mut quotient = number(values, *first)?;
    if rest.is_empty() {
        return match quotient {
            0 => Err(Failure::division_by_zero()),
            only => Ok(values.number(i64::from(only == 1))),
        };
    }
    for arg in rest {
        let divisor = number(values, *arg)?;
        if divisor == 0 {
            return Err(Failure::division_by_zero());
        }
        quotient = quotient.wrapping_div(divisor);
        if quotient == 0 {
            break;
        }
    }
    Ok(values.number(quotient))
}

fn modulo(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [left, right] = exactly(args)?;
    let (left, right) = (number(values, left)?, number(values, right)?);
    if right == 0 {
        return Err(Failure::division_by_zero());
    }
    Ok(values.number(left.wrapping_rem(right)))
}

fn float_fold(
    values: &mut Values,
    args: &[ValueId],
    start: f64,
    combine: fn(f64, f64) -> f64,
) -> FunctionResult {
    let mut total = start;
    for arg in args {
        total = combine(total, number_or_float(values, *arg)?);
    }
    Ok(values.float(total))
}

fn float_div(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (first, rest) = args.split_first().ok_or_else(no_arguments)?;
    let first = number_or_float(values, *first)?;
    if rest.is_empty() {
        let reciprocal = float_quotient(1.0, first)?;
        return Ok(values.float(reciprocal));
    }
    let mut quotient = first;
    for arg in rest {
        quotient = float_quotient(quotient, number_or_float(values, *arg)?)?;
    }
    Ok(values.float(quotient))
}

fn float_quotient(left: f64, right: f64) -> Result<f64, Failure> {
    if right == 0.0 { Err(Failure::division_by_zero()) } else { Ok(left / right) }
}

fn sqrt(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let root = number_or_float(values, only)?.sqrt();
    Ok(values.float(root))
}

fn no_arguments() -> Failure {
    Failure::wrong("it lacks an argument")
}

pub(super) const TEXT_FUNCTIONS: &[Entry] = &[
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

pub(super) const COLLECTION_FUNCTIONS: &[Entry] = &[
    Entry { name: "list", apply: |values, args, _| Ok(values.list(args)?) },
    Entry { name: "map", apply: |values, args, _| Ok(values.intern(Datum::Map(entries(args)?))?) },
    Entry { name: "struct", apply: |values, args, _| Ok(values.intern(Datum::Struct(entries(args)?))?) },
    Entry { name: "pair", apply: |values, args, _| pair(values, args) },
    Entry { name: "tuple", apply: |values, args, _| tuple(values, args) },
    Entry { name: "list:append", apply: |values, args, _| append(values, args) },
    Entry { name: "list:cons", apply: |values, args, _| cons(values, args) },
    Entry { name: "list:contains", apply: |values, args, _| contains(values, args) },
    Entry { name: "list:get", apply: |values, args, _| get(values, args) },
    Entry { name: "list:len", apply: |values, args, _| len(values, args) },
    Entry { name: "map:get", apply: |values, args, _| map_get(values, args) },
    Entry { name: "struct:get", apply: |values, args, _| struct_get(values, args) },
];

fn entries(args: &[ValueId]) -> Result<Box<[(ValueId, ValueId)]>, Failure> {
    let (pairs, rest) = args.as_chunks::<2>();
    if rest.is_empty() {
        Ok(pairs.iter().map(|[key, value]| (*key, *value)).collect())
    } else {
        Err(Failure::wrong("a key lacks its value"))
    }
}

fn pair(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [first, second] = exactly(args)?;
    Ok(values.pair(first, second)?)
}

/// One value is unchanged, two values become a pair, and more become pairs nested to the right.
pub(in crate::kernel) fn tuple(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let Some((last, before)) = args.split_last() else {
        return Err(Failure::wrong("it lacks an argument"));
    };
    let mut tuple = *last;
    for arg in before.iter().rev() {
        tuple = values.pair(*arg, tuple)?;
    }
    Ok(tuple)
}

fn append(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [all, last] = exactly(args)?;
    let longer: Vec<_> = list(values, all)?.iter().copied().chain([last]).collect();
    check_elements(longer.len())?;
    Ok(values.list(&longer)?)
}

fn cons(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [head, tail] = exactly(args)?;
    let longer: Vec<_> = [head].into_iter().chain(list(values, tail)?.iter().copied()).collect();
    check_elements(longer.len())?;
    Ok(values.list(&longer)?)
}

fn contains(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [all, wanted] = exactly(args)?;
    let found = list(values, all)?.contains(&wanted);
    Ok(values.name(if found { "/true" } else { "/false" }))
}

fn len(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [all] = exactly(args)?;
    let length = count(list(values, all)?.len());
    Ok(values.number(length))
}

/// Checks the type of the index before the type of the list.
fn get(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [all, index] = exactly(args)?;
    let index = number(values, index)?;
    let elements = list(values, all)?;
    let found = usize::try_from(index).ok().and_then(|index| elements.get(index));
    found.copied().ok_or_else(|| {
        let length = elements.len();
        Failure::wrong(format!("index {index} is out of range, the list has {length} elements"))
    })
}

fn map_get(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [map, wanted] = exactly(args)?;
    let Datum::Map(entries) = values.get(map) else { return Err(Failure::kind(values, map, "a map")) };
    entry(entries, wanted).ok_or_else(|| {
        let key = values.short(wanted, SHOWN);
        Failure::wrong(format!("the map has no key {key}"))
    })
}

fn struct_get(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [fields, wanted] = exactly(args)?;
    let Datum::Struct(entries) = values.get(fields) else {
        return Err(Failure::kind(values, fields, "a struct"));
    };
    entry(entries, wanted).ok_or_else(|| {
        let field = values.short(wanted, SHOWN);
        Failure::wrong(format!("the struct has no field {field}"))
    })
}

/// The value of a key. If a key is repeated, its first value.
pub(in crate::kernel) fn entry(entries: &[(ValueId, ValueId)], wanted: ValueId) -> Option<ValueId> {
    entries.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value)
}
