//! Functions on lists, maps, structs and pairs.

use super::{Entry, FunctionResult};
use crate::kernel::failure::{Failure, SHOWN, check_elements, count, exactly, list, number};
use crate::kernel::values::{Datum, ValueId, Values};

pub(super) const FUNCTIONS: &[Entry] = &[
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
