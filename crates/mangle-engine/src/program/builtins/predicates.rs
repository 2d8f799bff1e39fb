//! Table of the built-in predicates, sorted by name.

use super::{BuiltinPredicate, Parameter};
use crate::program::Mode;

/// A parameter that needs an argument with a value.
const fn input(ty: &'static str) -> Parameter {
    Parameter { mode: Mode::Input, ty, constant: false, bound_since: None }
}

/// A parameter that needs a literal constant.
const fn constant(ty: &'static str) -> Parameter {
    Parameter { mode: Mode::Input, ty, constant: true, bound_since: None }
}

/// A parameter that needs a fresh variable.
const fn output(ty: &'static str) -> Parameter {
    Parameter { mode: Mode::Output, ty, constant: false, bound_since: None }
}

/// A parameter that accepts a value since the given day. In older engines it needs a fresh
/// variable.
const fn output_or_test(ty: &'static str, since: &'static str) -> Parameter {
    Parameter { mode: Mode::Either, ty, constant: false, bound_since: Some(since) }
}

const fn entry(
    name: &'static str,
    parameters: &'static [Parameter],
    since: &'static str,
    description: &'static str,
) -> BuiltinPredicate {
    BuiltinPredicate { name, parameters, description, since }
}

const NUMBERS: &[Parameter] = &[input("/number"), input("/number")];
const TIMES: &[Parameter] = &[input("/time"), input("/time")];
const DURATIONS: &[Parameter] = &[input("/duration"), input("/duration")];
const FLOATS: &[Parameter] = &[input("/float64"), input("/float64")];
const STRINGS: &[Parameter] = &[input("/string"), input("/string")];
const INTERVALS: &[Parameter] = &[input(".Pair</time, /time>"), input(".Pair</time, /time>")];

/// All built-in predicates, sorted by name.
pub const PREDICATES: &[BuiltinPredicate] = &[
    entry(":duration:ge", DURATIONS, "2026-02-02", "The first duration is as long as the second, or longer."),
    entry(":duration:gt", DURATIONS, "2026-02-02", "The first duration is longer than the second."),
    entry(
        ":duration:le",
        DURATIONS,
        "2026-02-02",
        "The first duration is as long as the second, or shorter.",
    ),
    entry(":duration:lt", DURATIONS, "2026-02-02", "The first duration is shorter than the second."),
    entry(
        ":filter",
        &[input(".Union<.Singleton</true>, .Singleton</false>>")],
        "2024-06-11",
        "Holds when the expression is `/true`: turns a boolean function into a test.",
    ),
    entry(
        ":float:ge",
        FLOATS,
        "2026-09-19",
        "The first float is at least the second. Integers are not converted: they abort the evaluation.",
    ),
    entry(
        ":float:gt",
        FLOATS,
        "2026-09-19",
        "The first float is greater than the second. Integers are not converted: they abort the evaluation.",
    ),
    entry(
        ":float:le",
        FLOATS,
        "2026-09-19",
        "The first float is at most the second. Integers are not converted: they abort the evaluation.",
    ),
    entry(
        ":float:lt",
        FLOATS,
        "2026-09-19",
        "The first float is less than the second. Integers are not converted: they abort the evaluation.",
    ),
    entry(
        ":ge",
        NUMBERS,
        "2023-06-29",
        "Integer comparison, written `>=`. Anything but integers aborts the evaluation.",
    ),
    entry(
        ":gt",
        NUMBERS,
        "2023-06-29",
        "Integer comparison, written `>`. Anything but integers aborts the evaluation.",
    ),
    entry(
        ":interval:after",
        INTERVALS,
        "2026-02-09",
        "The first interval starts after the second has ended. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:before",
        INTERVALS,
        "2026-02-09",
        "The first interval ends before the second starts. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:contains",
        INTERVALS,
        "2026-02-09",
        "The second interval lies within the first. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:during",
        INTERVALS,
        "2026-02-09",
        "The first interval lies within the second. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:equals",
        INTERVALS,
        "2026-02-09",
        "Both intervals have the same ends. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:finishes",
        INTERVALS,
        "2026-02-09",
        "Both intervals end at the same instant. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:meets",
        INTERVALS,
        "2026-02-09",
        "The first interval ends exactly where the second starts. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:overlaps",
        INTERVALS,
        "2026-02-09",
        "The intervals share an instant. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":interval:starts",
        INTERVALS,
        "2026-02-09",
        "Both intervals start at the same instant. The engine wants pairs of numbers (nanoseconds).",
    ),
    entry(
        ":le",
        NUMBERS,
        "2022-11-25",
        "Integer comparison, written `<=`. Anything but integers aborts the evaluation.",
    ),
    entry(
        ":list:member",
        &[output_or_test("X", "2026-09-19"), input(".List<X>")],
        "2022-12-23",
        "Binds a fresh variable to each element in turn; under `!` it tests a value. Since 2026-09-19 it also tests a value without `!`; for older engines use `:filter(fn:list:contains(L, X))`.",
    ),
    entry(
        ":lt",
        NUMBERS,
        "2022-11-25",
        "Integer comparison, written `<`. Anything but integers aborts the evaluation.",
    ),
    entry(
        ":match_cons",
        &[input(".List<X>"), output("X"), output(".List<X>")],
        "2022-11-25",
        "Takes a non-empty list apart: head and tail.",
    ),
    entry(
        ":match_entry",
        &[input(".Map<K, V>"), constant("K"), output("V")],
        "2022-12-06",
        "The value that a map has under a key; does not hold when the key is missing.",
    ),
    entry(
        ":match_field",
        &[input("/any"), constant("/name"), output("/any")],
        "2022-12-06",
        "The value of a struct's field; does not hold when the field is missing.",
    ),
    entry(":match_nil", &[input(".List<X>")], "2022-11-25", "Holds for the empty list."),
    entry(
        ":match_pair",
        &[input(".Pair<X, Y>"), output("X"), output("Y")],
        "2022-11-25",
        "Takes a pair apart.",
    ),
    entry(
        ":match_prefix",
        &[input("/name"), constant("/name")],
        "2023-03-08",
        "The first name starts with the text of the second and is longer. Ignores segments: `/ab` matches the prefix `/a`.",
    ),
    entry(":string:contains", STRINGS, "2023-10-24", "The second string occurs in the first."),
    entry(":string:ends_with", STRINGS, "2023-10-24", "The first string ends with the second."),
    entry(
        ":string:matches",
        STRINGS,
        "2026-09-30",
        "A part of the string matches the regular expression (RE2). A pattern that does not compile aborts the evaluation. The bounds checker rejects every use.",
    ),
    entry(":string:starts_with", STRINGS, "2023-10-24", "The first string begins with the second."),
    entry(":time:ge", TIMES, "2026-02-02", "The first instant is the second, or later."),
    entry(":time:gt", TIMES, "2026-02-02", "The first instant is later than the second."),
    entry(":time:le", TIMES, "2026-02-02", "The first instant is the second, or earlier."),
    entry(":time:lt", TIMES, "2026-02-02", "The first instant is earlier than the second."),
    entry(
        ":within_distance",
        &[input("/number"), input("/number"), input("/number")],
        "2022-11-25",
        "The distance of the first two integers is below the third.",
    ),
];
