//! Tables of the built-in functions, reducers and predicates, sorted by name.

use super::{Arity, BuiltinFunction, BuiltinPredicate, FunctionRole, Parameter};
use crate::program::Mode;

type Text = &'static str;

const fn function_entry(
    name: Text,
    arity: Arity,
    parameters: &'static [Text],
    result: Text,
    role: FunctionRole,
    since: Text,
    description: Text,
) -> BuiltinFunction {
    let (registered, evaluable) = (true, true);
    BuiltinFunction { name, arity, parameters, result, role, registered, evaluable, description, since }
}

/// A function with a fixed number of arguments.
const fn plain(name: Text, types: &'static [Text], result: Text, since: Text, says: Text) -> BuiltinFunction {
    function_entry(name, Arity::Exactly(types.len()), types, result, FunctionRole::Function, since, says)
}

/// A function with any number of arguments.
const fn any(name: Text, types: &'static [Text], result: Text, since: Text, says: Text) -> BuiltinFunction {
    function_entry(name, Arity::AtLeast(0), types, result, FunctionRole::Function, since, says)
}

/// A function whose arguments are pairs of keys and values.
const fn pairs(name: Text, types: &'static [Text], result: Text, since: Text, says: Text) -> BuiltinFunction {
    function_entry(name, Arity::Pairs, types, result, FunctionRole::Function, since, says)
}

const fn grouping(
    name: Text,
    types: &'static [Text],
    result: Text,
    since: Text,
    says: Text,
) -> BuiltinFunction {
    function_entry(name, Arity::AtLeast(0), types, result, FunctionRole::Grouping, since, says)
}

/// A reducer over the rows of a group.
const fn reducer(
    name: Text,
    types: &'static [Text],
    result: Text,
    since: Text,
    says: Text,
) -> BuiltinFunction {
    function_entry(
        name,
        Arity::Exactly(types.len()),
        types,
        result,
        FunctionRole::Reducer { list_form: false },
        since,
        says,
    )
}

/// A reducer over the rows of a group or over a list.
const fn list_reducer(
    name: Text,
    types: &'static [Text],
    result: Text,
    since: Text,
    says: Text,
) -> BuiltinFunction {
    function_entry(
        name,
        Arity::Exactly(types.len()),
        types,
        result,
        FunctionRole::Reducer { list_form: true },
        since,
        says,
    )
}

impl BuiltinFunction {
    const fn at_least(self, count: usize) -> Self {
        Self { arity: Arity::AtLeast(count), ..self }
    }

    const fn not_registered(self) -> Self {
        Self { registered: false, ..self }
    }

    const fn not_evaluable(self) -> Self {
        Self { evaluable: false, ..self }
    }
}

/// All built-in functions and reducers, sorted by name.
pub const FUNCTIONS: &[BuiltinFunction] = &[
    reducer("fn:avg", &[".Union</number, /float64>"], "/float64", "2024-08-30", "The mean of the integers and floats in a group, as a float."),
    reducer("fn:collect", &["X"], ".List<X>", "2022-11-25", "The values of a group as a list; several arguments become pairs or tuples.").at_least(1),
    reducer("fn:collect_distinct", &["X"], ".List<X>", "2022-11-25", "The different values of a group as a list; several arguments become pairs or tuples.").at_least(1),
    reducer("fn:collect_to_map", &["K", "V"], ".Map<K, V>", "2025-10-08", "Keys and values of a group as a map; of equal keys an arbitrary one wins."),
    reducer("fn:count", &[], "/number", "2022-11-25", "The number of rows in the group. Without rows there is no group, and so no 0."),
    reducer("fn:count_distinct", &[], "/number", "2024-09-10", "The number of different rows. The analysis does not know it; collect with `fn:collect_distinct` and take `fn:list:len` in another `let`.").not_registered(),
    any("fn:div", &["/number"], "/number", "2022-11-25", "Divides from left to right, cutting towards zero; one argument N is 1/N, so nearly always 0. Dividing by zero aborts the evaluation.").at_least(1),
    plain("fn:duration:add", &["/duration", "/duration"], "/duration", "2026-02-02", "Sum of two durations."),
    plain("fn:duration:from_hours", &["/float64"], "/duration", "2026-02-02", "A duration of so many hours."),
    plain("fn:duration:from_minutes", &["/float64"], "/duration", "2026-02-02", "A duration of so many minutes."),
    plain("fn:duration:from_nanos", &["/number"], "/duration", "2026-02-02", "A duration of so many nanoseconds."),
    plain("fn:duration:from_seconds", &["/float64"], "/duration", "2026-02-02", "A duration of so many seconds."),
    plain("fn:duration:hours", &["/duration"], "/float64", "2026-02-02", "A duration in hours, as a float."),
    list_reducer("fn:duration:max", &["/duration"], "/duration", "2026-06-30", "The longest of the durations in a group."),
    list_reducer("fn:duration:min", &["/duration"], "/duration", "2026-06-30", "The shortest of the durations in a group."),
    plain("fn:duration:minutes", &["/duration"], "/float64", "2026-02-02", "A duration in minutes, as a float."),
    plain("fn:duration:mult", &["/duration", "/number"], "/duration", "2026-02-02", "A duration taken so many times."),
    plain("fn:duration:nanos", &["/duration"], "/number", "2026-02-02", "A duration in nanoseconds."),
    plain("fn:duration:parse", &["/string"], "/duration", "2026-02-03", "The duration that a text like `1h30m`, `-1.5h` or `500ms` names; other text aborts the evaluation."),
    plain("fn:duration:seconds", &["/duration"], "/float64", "2026-02-02", "A duration in seconds, as a float."),
    list_reducer("fn:duration:sum", &["/duration"], "/duration", "2026-06-30", "Sum of the durations in a group."),
    plain("fn:float64:to_string", &["/float64"], "/string", "2023-03-03", "The float in decimal, never with an exponent."),
    any("fn:float:div", &["/float64"], "/float64", "2023-04-28", "Divides floats from left to right; one argument gives its reciprocal. Dividing by zero aborts the evaluation.").at_least(1),
    list_reducer("fn:float:max", &["/float64"], "/float64", "2022-12-19", "The largest of the floats in a group. Other values abort the evaluation."),
    list_reducer("fn:float:min", &["/float64"], "/float64", "2022-12-19", "The smallest of the floats in a group. Other values abort the evaluation."),
    any("fn:float:mult", &["/float64"], "/float64", "2025-04-23", "Product of floats."),
    any("fn:float:plus", &["/float64"], "/float64", "2025-04-23", "Sum of floats."),
    list_reducer("fn:float:sum", &["/float64"], "/float64", "2022-12-19", "Sum of the floats in a group. Other values abort the evaluation."),
    grouping("fn:group_by", &["X"], "/any", "2022-11-25", "Behind `do`: makes one group of rows for each combination of the variables' values; `fn:group_by()` makes a single group."),
    plain("fn:interval:duration", &[".Pair</time, /time>"], "/duration", "2026-02-09", "The length of an interval; an unbounded one aborts the evaluation."),
    plain("fn:interval:end", &[".Pair</time, /time>"], "/time", "2026-02-09", "The last instant of an interval."),
    plain("fn:interval:start", &[".Pair</time, /time>"], "/time", "2026-02-09", "The first instant of an interval."),
    any("fn:list", &["X"], ".List<X>", "2022-11-25", "A list, also written `[a, b]`."),
    plain("fn:list:append", &[".List<X>", "X"], ".List<X>", "2022-11-25", "Adds a value at the end of a list."),
    plain("fn:list:cons", &["X", ".List<X>"], ".List<X>", "2022-11-25", "Puts a value in front of a list."),
    plain("fn:list:contains", &[".List<X>", "X"], ".Union<.Singleton</true>, .Singleton</false>>", "2022-12-23", "`/true` when the value is an element, else `/false`; test it with `:filter`."),
    plain("fn:list:get", &[".List<X>", "/number"], "X", "2022-11-25", "The element at an index that starts at 0; out of range it aborts the evaluation."),
    plain("fn:list:len", &[".List<X>"], "/number", "2022-11-25", "The number of elements."),
    pairs("fn:map", &["K", "V"], ".Map<K, V>", "2022-12-06", "A map of keys and values, also written `[k : v]`; `fn:map()` is the empty map."),
    plain("fn:map:get", &[".Map<K, V>", "K"], "V", "2022-12-09", "The value under a key. The engine could compute it, but its analysis rejects every body that uses it; use `:match_entry`.").not_registered(),
    list_reducer("fn:max", &["/number"], "/number", "2022-11-25", "The largest of the integers in a group. Other values abort the evaluation."),
    list_reducer("fn:min", &["/number"], "/number", "2022-11-25", "The smallest of the integers in a group. Other values abort the evaluation."),
    any("fn:minus", &["/number"], "/number", "2022-11-25", "Subtracts from left to right; one argument is negated.").at_least(1),
    plain("fn:mod", &["/number", "/number"], "/number", "2026-06-12", "Remainder, with the sign of the first. A zero divisor aborts the evaluation."),
    any("fn:mult", &["/number"], "/number", "2022-11-25", "Product; of nothing, 1. Overflow wraps around."),
    plain("fn:name:list", &["/name"], ".List</name>", "2024-11-18", "All segments: `/a/b/c` gives `[/a, /b, /c]`."),
    plain("fn:name:root", &["/name"], "/name", "2024-11-18", "The first segment: `/a/b/c` gives `/a`."),
    plain("fn:name:tip", &["/name"], "/name", "2024-11-18", "The last segment: `/a/b/c` gives `/c`."),
    plain("fn:name:to_string", &["/name"], "/string", "2023-03-03", "The text of a name, slash included."),
    plain("fn:number:to_string", &["/number"], "/string", "2023-03-02", "The integer in decimal."),
    plain("fn:pair", &["X", "Y"], ".Pair<X, Y>", "2022-11-25", "A pair. `:match_pair` binds its parts."),
    reducer("fn:pick_any", &["X"], "X", "2022-11-25", "Any value of the group. The analysis accepts it, but the engine cannot compute it.").not_evaluable(),
    any("fn:plus", &["/number"], "/number", "2022-11-25", "Sum; of nothing, 0. Overflow wraps around."),
    plain("fn:some", &["X"], ".Option<X>", "2023-04-13", "An optional value. The analysis accepts it, but the engine cannot compute it.").not_evaluable(),
    plain("fn:sqrt", &["/float64"], "/float64", "2025-04-23", "Square root."),
    any("fn:string:concat", &["/any"], "/string", "2023-03-02", "Joins strings, names, integers and floats as text; other values abort the evaluation."),
    plain("fn:string:replace", &["/string", "/string", "/string", "/number"], "/string", "2024-11-18", "Replaces the first N occurrences of the second string in the first by the third; all of them when N is negative."),
    pairs("fn:struct", &["/name", "/any"], "/any", "2022-12-06", "A struct of fields and values, also written `{/f : v}`."),
    plain("fn:struct:get", &["/any", "/name"], "/any", "2022-12-09", "The value of a field; a missing field aborts the evaluation. `:match_field` does not."),
    list_reducer("fn:sum", &["/number"], "/number", "2022-11-25", "Sum of the integers in a group. Other values abort the evaluation."),
    plain("fn:time:add", &["/time", "/duration"], "/time", "2026-02-02", "An instant moved by a duration."),
    plain("fn:time:add_civil", &["/time", "/string", "/number", "/name"], "/time", "2026-09-19", "An instant moved by so many of a calendar unit (`/year`, `/month`, `/week`, `/day`) in a time zone such as `\"Europe/Paris\"`. A day that the month does not have runs over into the next."),
    plain("fn:time:day", &["/time"], "/number", "2026-02-02", "The day of the month of an instant in UTC."),
    plain("fn:time:format", &["/time", "/name"], "/string", "2026-02-02", "Text of an instant in UTC down to a unit: `/year`, `/month`, `/day`, … `/nanosecond`."),
    plain("fn:time:format_civil", &["/time", "/string", "/name"], "/string", "2026-02-02", "Text of an instant in a time zone such as `\"Europe/Paris\"` down to a unit."),
    plain("fn:time:from_unix_nanos", &["/number"], "/time", "2026-02-02", "The instant so many nanoseconds after 1970 began."),
    plain("fn:time:hour", &["/time"], "/number", "2026-02-02", "The hour, 0 to 23, of an instant in UTC."),
    list_reducer("fn:time:max", &["/time"], "/time", "2026-06-30", "The latest of the instants in a group."),
    list_reducer("fn:time:min", &["/time"], "/time", "2026-06-30", "The earliest of the instants in a group."),
    plain("fn:time:minute", &["/time"], "/number", "2026-02-02", "The minute of an instant in UTC."),
    plain("fn:time:month", &["/time"], "/number", "2026-02-02", "The month, 1 to 12, of an instant in UTC."),
    plain("fn:time:now", &[], "/time", "2026-02-02", "The clock, read anew at each call."),
    plain("fn:time:parse_civil", &["/string", "/string"], "/time", "2026-02-02", "The instant of `YYYY-MM-DDTHH:MM:SS` in a time zone."),
    plain("fn:time:parse_rfc3339", &["/string"], "/time", "2026-02-02", "The instant that an RFC 3339 text names; other text aborts the evaluation."),
    plain("fn:time:second", &["/time"], "/number", "2026-02-02", "The second of an instant in UTC."),
    plain("fn:time:sub", &["/time", "/time"], "/duration", "2026-02-02", "The duration from the second instant to the first."),
    plain("fn:time:to_unix_nanos", &["/time"], "/number", "2026-02-02", "Nanoseconds from the beginning of 1970 to an instant."),
    plain("fn:time:trunc", &["/time", "/name"], "/time", "2026-02-02", "The start of the `/day`, `/hour`, … `/nanosecond` in UTC that holds an instant."),
    plain("fn:time:trunc_civil", &["/time", "/string", "/name"], "/time", "2026-06-19", "The start of the `/year`, `/month`, `/week` or `/day` in a time zone that holds an instant."),
    plain("fn:time:weekday_civil", &["/time", "/string"], "/number", "2026-09-19", "The day of the week of an instant in a time zone, 1 for Monday to 7 for Sunday."),
    plain("fn:time:year", &["/time"], "/number", "2026-02-02", "The year of an instant in UTC."),
    any("fn:tuple", &["X"], "/any", "2022-11-25", "Of one value, the value; of two, a pair; of more, pairs nested to the right.").at_least(1),
];

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

const fn predicate_entry(
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
    predicate_entry(
        ":duration:ge",
        DURATIONS,
        "2026-02-02",
        "The first duration is as long as the second, or longer.",
    ),
    predicate_entry(":duration:gt", DURATIONS, "2026-02-02", "The first duration is longer than the second."),
    predicate_entry(
        ":duration:le",
        DURATIONS,
        "2026-02-02",
        "The first duration is as long as the second, or shorter.",
    ),
    predicate_entry(
        ":duration:lt",
        DURATIONS,
        "2026-02-02",
        "The first duration is shorter than the second.",
    ),
    predicate_entry(
        ":filter",
        &[input(".Union<.Singleton</true>, .Singleton</false>>")],
        "2024-06-11",
        "Holds when the expression is `/true`: turns a boolean function into a test.",
    ),
    predicate_entry(
        ":float:ge",
        FLOATS,
        "2026-09-19",
        "The first float is at least the second. Integers are not converted: they abort the evaluation.",
    ),
    predicate_entry(
        ":float:gt",
        FLOATS,
        "2026-09-19",
        "The first float is greater than the second. Integers are not converted: they abort the evaluation.",
    ),
    predicate_entry(
        ":float:le",
        FLOATS,
        "2026-09-19",
        "The first float is at most the second. Integers are not converted: they abort the evaluation.",
    ),
    predicate_entry(
        ":float:lt",
        FLOATS,
        "2026-09-19",
        "The first float is less than the second. Integers are not converted: they abort the evaluation.",
    ),
    predicate_entry(
        ":ge",
        NUMBERS,
        "2023-06-29",
        "Integer comparison, written `>=`. Anything but integers aborts the evaluation.",
    ),
    predicate_entry(
        ":gt",
        NUMBERS,
        "2023-06-29",
        "Integer comparison, written `>`. Anything but integers aborts the evaluation.",
    ),
    predicate_entry(
        ":interval:after",
        INTERVALS,
        "2026-02-09",
        "The first interval starts after the second has ended. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:before",
        INTERVALS,
        "2026-02-09",
        "The first interval ends before the second starts. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:contains",
        INTERVALS,
        "2026-02-09",
        "The second interval lies within the first. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:during",
        INTERVALS,
        "2026-02-09",
        "The first interval lies within the second. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:equals",
        INTERVALS,
        "2026-02-09",
        "Both intervals have the same ends. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:finishes",
        INTERVALS,
        "2026-02-09",
        "Both intervals end at the same instant. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:meets",
        INTERVALS,
        "2026-02-09",
        "The first interval ends exactly where the second starts. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:overlaps",
        INTERVALS,
        "2026-02-09",
        "The intervals share an instant. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":interval:starts",
        INTERVALS,
        "2026-02-09",
        "Both intervals start at the same instant. The engine wants pairs of numbers (nanoseconds).",
    ),
    predicate_entry(
        ":le",
        NUMBERS,
        "2022-11-25",
        "Integer comparison, written `<=`. Anything but integers aborts the evaluation.",
    ),
    predicate_entry(
        ":list:member",
        &[output_or_test("X", "2026-09-19"), input(".List<X>")],
        "2022-12-23",
        "Binds a fresh variable to each element in turn; under `!` it tests a value. Since 2026-09-19 it also tests a value without `!`; for older engines use `:filter(fn:list:contains(L, X))`.",
    ),
    predicate_entry(
        ":lt",
        NUMBERS,
        "2022-11-25",
        "Integer comparison, written `<`. Anything but integers aborts the evaluation.",
    ),
    predicate_entry(
        ":match_cons",
        &[input(".List<X>"), output("X"), output(".List<X>")],
        "2022-11-25",
        "Takes a non-empty list apart: head and tail.",
    ),
    predicate_entry(
        ":match_entry",
        &[input(".Map<K, V>"), constant("K"), output("V")],
        "2022-12-06",
        "The value that a map has under a key; does not hold when the key is missing.",
    ),
    predicate_entry(
        ":match_field",
        &[input("/any"), constant("/name"), output("/any")],
        "2022-12-06",
        "The value of a struct's field; does not hold when the field is missing.",
    ),
    predicate_entry(":match_nil", &[input(".List<X>")], "2022-11-25", "Holds for the empty list."),
    predicate_entry(
        ":match_pair",
        &[input(".Pair<X, Y>"), output("X"), output("Y")],
        "2022-11-25",
        "Takes a pair apart.",
    ),
    predicate_entry(
        ":match_prefix",
        &[input("/name"), constant("/name")],
        "2023-03-08",
        "The first name starts with the text of the second and is longer. Ignores segments: `/ab` matches the prefix `/a`.",
    ),
    predicate_entry(":string:contains", STRINGS, "2023-10-24", "The second string occurs in the first."),
    predicate_entry(":string:ends_with", STRINGS, "2023-10-24", "The first string ends with the second."),
    predicate_entry(
        ":string:matches",
        STRINGS,
        "2026-09-30",
        "A part of the string matches the regular expression (RE2). A pattern that does not compile aborts the evaluation. The bounds checker rejects every use.",
    ),
    predicate_entry(":string:starts_with", STRINGS, "2023-10-24", "The first string begins with the second."),
    predicate_entry(":time:ge", TIMES, "2026-02-02", "The first instant is the second, or later."),
    predicate_entry(":time:gt", TIMES, "2026-02-02", "The first instant is later than the second."),
    predicate_entry(":time:le", TIMES, "2026-02-02", "The first instant is the second, or earlier."),
    predicate_entry(":time:lt", TIMES, "2026-02-02", "The first instant is earlier than the second."),
    predicate_entry(
        ":within_distance",
        &[input("/number"), input("/number"), input("/number")],
        "2022-11-25",
        "The distance of the first two integers is below the third.",
    ),
];
