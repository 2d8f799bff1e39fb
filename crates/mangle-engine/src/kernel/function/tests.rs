//! Tests of built-in functions. Results after `=` are results of the engine. The engine stops at
//! calls with `!`, but the reasons are texts of this crate.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::Function;
use crate::kernel::testing::{CLOCK, outcome_line};
use crate::kernel::values::Values;
use crate::program::builtins::{FUNCTIONS, FunctionRole};

#[track_caller]
fn check(calls: &[&str], expected: Expect) {
    expected.assert_eq(&calls.iter().map(|call| outcome_line(call)).collect::<String>());
}

const ARITHMETIC: &[&str] = &[
    "fn:plus()",
    "fn:plus(1, 2, -7)",
    "fn:plus(9223372036854775807, 1)",
    "fn:plus(1, 2.0)",
    "fn:minus(5)",
    "fn:minus(-9223372036854775808)",
    "fn:minus(5, 2, 10)",
    "fn:minus()",
    "fn:minus(\"5\")",
    "fn:mult()",
    "fn:mult(3, -4)",
    "fn:mult(4611686018427387904, 2)",
    "fn:mult(2, /two)",
    "fn:div(-7, 2)",
    "fn:div(1)",
    "fn:div(-1)",
    "fn:div(0)",
    "fn:div(100, 7, 2)",
    "fn:div(1, 2, 0)",
    "fn:div(4, 2, 0)",
    "fn:div(-9223372036854775808, -1)",
    "fn:div()",
    "fn:mod(-7, 3)",
    "fn:mod(-9223372036854775808, -1)",
    "fn:mod(7, 0)",
    "fn:mod(7)",
    "fn:float:plus(0.1, 0.2)",
    "fn:float:plus(1, 2.5)",
    "fn:float:plus(1.0, \"x\")",
    "fn:float:mult(1.5, 4)",
    "fn:float:mult()",
    "fn:float:mult(/a)",
    "fn:float:div(1.0, 8)",
    "fn:float:div(4)",
    "fn:float:div(1.0, -0.0)",
    "fn:float:div(0.0)",
    "fn:float:div()",
    "fn:sqrt(2.0)",
    "fn:sqrt(9)",
    "fn:sqrt(-1.0)",
    "fn:sqrt(4, 9)",
];

#[test]
fn arithmetic() {
    check(
        ARITHMETIC,
        expect![[r#"
        fn:plus() = 0
        fn:plus(1, 2, -7) = -4
        fn:plus(9223372036854775807, 1) = -9223372036854775808
        fn:plus(1, 2.0) ! it takes a number, and 2.0 is a float
        fn:minus(5) = -5
        fn:minus(-9223372036854775808) = -9223372036854775808
        fn:minus(5, 2, 10) = -7
        fn:minus() ! it lacks an argument
        fn:minus("5") ! it takes a number, and "5" is a string
        fn:mult() = 1
        fn:mult(3, -4) = -12
        fn:mult(4611686018427387904, 2) = -9223372036854775808
        fn:mult(2, /two) ! it takes a number, and /two is a name
        fn:div(-7, 2) = -3
        fn:div(1) = 1
        fn:div(-1) = 0
        fn:div(0) ! division by zero
        fn:div(100, 7, 2) = 7
        fn:div(1, 2, 0) = 0
        fn:div(4, 2, 0) ! division by zero
        fn:div(-9223372036854775808, -1) = -9223372036854775808
        fn:div() ! it lacks an argument
        fn:mod(-7, 3) = -1
        fn:mod(-9223372036854775808, -1) = 0
        fn:mod(7, 0) ! division by zero
        fn:mod(7) ! it takes 2 arguments, not 1
        fn:float:plus(0.1, 0.2) = 0.30000000000000004
        fn:float:plus(1, 2.5) = 3.5
        fn:float:plus(1.0, "x") ! it takes a number or float, and "x" is a string
        fn:float:mult(1.5, 4) = 6
        fn:float:mult() = 1
        fn:float:mult(/a) ! it takes a number or float, and /a is a name
        fn:float:div(1.0, 8) = 0.125
        fn:float:div(4) = 0.25
        fn:float:div(1.0, -0.0) ! division by zero
        fn:float:div(0.0) ! division by zero
        fn:float:div() ! it lacks an argument
        fn:sqrt(2.0) = 1.4142135623730951
        fn:sqrt(9) = 3
        fn:sqrt(-1.0) = NaN
        fn:sqrt(4, 9) ! it takes 1 argument, not 2
    "#]],
    );
}

const TEXT: &[&str] = &[
    "fn:string:concat()",
    "fn:string:concat(\"n=\", 5, /a/b, 1.0, -0.5)",
    "fn:string:concat(\"a\", [1])",
    "fn:string:replace(\"aXbXc\", \"X\", \"--\", 1)",
    "fn:string:replace(\"aXbXc\", \"X\", \"\", -1)",
    "fn:string:replace(\"aXbXc\", \"X\", \"-\", 0)",
    "fn:string:replace(\"ab\", \"\", \"-\", -1)",
    "fn:string:replace(\"a\", \"a\", 5, 1)",
    "fn:string:replace(\"a\", \"a\", \"b\", 1.0)",
    "fn:number:to_string(-12)",
    "fn:number:to_string(1.5)",
    "fn:float64:to_string(1.0)",
    "fn:float64:to_string(100000000000000000000000.0)",
    "fn:float64:to_string(0.0000001)",
    "fn:float64:to_string(5)",
    "fn:name:to_string(/a/b)",
    "fn:name:to_string(\"/a\")",
    "fn:name:root(/a/b/c)",
    "fn:name:root(/a)",
    "fn:name:root(\"/a\")",
    "fn:name:tip(/a/b/c)",
    "fn:name:tip(5)",
    "fn:name:list(/a/b/c)",
    "fn:name:list([])",
];

#[test]
fn text() {
    check(
        TEXT,
        expect![[r#"
        fn:string:concat() = ""
        fn:string:concat("n=", 5, /a/b, 1.0, -0.5) = "n=5/a/b1-0.5"
        fn:string:concat("a", [1]) ! it takes strings, names, numbers and floats, and [1] is a list
        fn:string:replace("aXbXc", "X", "--", 1) = "a--bXc"
        fn:string:replace("aXbXc", "X", "", -1) = "abc"
        fn:string:replace("aXbXc", "X", "-", 0) = "aXbXc"
        fn:string:replace("ab", "", "-", -1) = "-a-b-"
        fn:string:replace("a", "a", 5, 1) ! it takes a string, and 5 is a number
        fn:string:replace("a", "a", "b", 1.0) ! it takes a number, and 1.0 is a float
        fn:number:to_string(-12) = "-12"
        fn:number:to_string(1.5) ! it takes a number, and 1.5 is a float
        fn:float64:to_string(1.0) = "1"
        fn:float64:to_string(100000000000000000000000.0) = "100000000000000000000000"
        fn:float64:to_string(0.0000001) = "0.0000001"
        fn:float64:to_string(5) ! it takes a float, and 5 is a number
        fn:name:to_string(/a/b) = "/a/b"
        fn:name:to_string("/a") ! it takes a name, and "/a" is a string
        fn:name:root(/a/b/c) = /a
        fn:name:root(/a) = /a
        fn:name:root("/a") ! it takes a name, and "/a" is a string
        fn:name:tip(/a/b/c) = /c
        fn:name:tip(5) ! it takes a name, and 5 is a number
        fn:name:list(/a/b/c) = [/a, /b, /c]
        fn:name:list([]) ! it takes a name, and [] is a list
    "#]],
    );
}

const COLLECTIONS: &[&str] = &[
    "fn:list()",
    "fn:list(1, [2], \"x\")",
    "fn:map(/a, 1, /b, 2)",
    "fn:map()",
    "fn:map(/a)",
    "fn:struct(/a, 1)",
    "fn:struct(/a, 1, /b)",
    "fn:pair(1, fn:pair(2, 3))",
    "fn:pair(1)",
    "fn:tuple(1)",
    "fn:tuple(1, 2)",
    "fn:tuple(1, 2, 3, 4)",
    "fn:tuple()",
    "fn:list:append([1], 2)",
    "fn:list:append([], [])",
    "fn:list:append(1, [2])",
    "fn:list:cons(1, [2])",
    "fn:list:cons([1], 2)",
    "fn:list:contains([1, [2]], [2])",
    "fn:list:contains([1], 1.0)",
    "fn:list:contains(fn:map(), 1)",
    "fn:list:get([/a, /b], 1)",
    "fn:list:get([/a, /b], 2)",
    "fn:list:get([/a, /b], -1)",
    "fn:list:get([/a], \"0\")",
    "fn:list:get(/a, 0)",
    "fn:list:len([1, 1])",
    "fn:list:len(\"abc\")",
    "fn:map:get([/a : 1, /b : 2], /b)",
    "fn:map:get([[1 : 2] : 3], [1 : 2])",
    "fn:map:get([/a : 1], /b)",
    "fn:map:get({/a : 1}, /a)",
    "fn:struct:get({/a : 1, /b : 2}, /b)",
    "fn:struct:get({/a : 1}, /b)",
    "fn:struct:get([/a : 1], /a)",
];

#[test]
fn collections() {
    check(
        COLLECTIONS,
        expect![[r#"
        fn:list() = []
        fn:list(1, [2], "x") = [1, [2], "x"]
        fn:map(/a, 1, /b, 2) = [/b : 2, /a : 1]
        fn:map() = fn:map()
        fn:map(/a) ! a key lacks its value
        fn:struct(/a, 1) = {/a : 1}
        fn:struct(/a, 1, /b) ! a key lacks its value
        fn:pair(1, fn:pair(2, 3)) = fn:pair(1, fn:pair(2, 3))
        fn:pair(1) ! it takes 2 arguments, not 1
        fn:tuple(1) = 1
        fn:tuple(1, 2) = fn:pair(1, 2)
        fn:tuple(1, 2, 3, 4) = fn:pair(1, fn:pair(2, fn:pair(3, 4)))
        fn:tuple() ! it lacks an argument
        fn:list:append([1], 2) = [1, 2]
        fn:list:append([], []) = [[]]
        fn:list:append(1, [2]) ! it takes a list, and 1 is a number
        fn:list:cons(1, [2]) = [1, 2]
        fn:list:cons([1], 2) ! it takes a list, and 2 is a number
        fn:list:contains([1, [2]], [2]) = /true
        fn:list:contains([1], 1.0) = /false
        fn:list:contains(fn:map(), 1) ! it takes a list, and fn:map() is a map
        fn:list:get([/a, /b], 1) = /b
        fn:list:get([/a, /b], 2) ! index 2 is out of range, the list has 2 elements
        fn:list:get([/a, /b], -1) ! index -1 is out of range, the list has 2 elements
        fn:list:get([/a], "0") ! it takes a number, and "0" is a string
        fn:list:get(/a, 0) ! it takes a list, and /a is a name
        fn:list:len([1, 1]) = 2
        fn:list:len("abc") ! it takes a list, and "abc" is a string
        fn:map:get([/a : 1, /b : 2], /b) = 2
        fn:map:get([[1 : 2] : 3], [1 : 2]) = 3
        fn:map:get([/a : 1], /b) ! the map has no key /b
        fn:map:get({/a : 1}, /a) ! it takes a map, and {/a : 1} is a struct
        fn:struct:get({/a : 1, /b : 2}, /b) = 2
        fn:struct:get({/a : 1}, /b) ! the struct has no field /b
        fn:struct:get([/a : 1], /a) ! it takes a struct, and [/a : 1] is a map
    "#]],
    );
}

const DURATIONS: &[&str] = &[
    "fn:duration:add(fn:duration:parse(\"1h\"), fn:duration:parse(\"-30m\"))",
    "fn:duration:add(fn:duration:parse(\"1h\"), 5)",
    "fn:duration:mult(fn:duration:parse(\"1m\"), -3)",
    "fn:duration:mult(fn:duration:parse(\"1m\"), 1.5)",
    "fn:duration:hours(fn:duration:parse(\"90m\"))",
    "fn:duration:hours(fn:duration:from_nanos(-9223372036854775808))",
    "fn:duration:hours(90)",
    "fn:duration:minutes(fn:duration:parse(\"90s\"))",
    "fn:duration:minutes(\"90s\")",
    "fn:duration:seconds(fn:duration:parse(\"1500ms\"))",
    "fn:duration:seconds(/a)",
    "fn:duration:nanos(fn:duration:parse(\"1us\"))",
    "fn:duration:nanos(1)",
    "fn:duration:from_hours(1.5)",
    "fn:duration:from_hours(-2)",
    "fn:duration:from_hours(9223372036854775807)",
    "fn:duration:from_hours(fn:sqrt(-1.0))",
    "fn:duration:from_hours(\"1\")",
    "fn:duration:from_minutes(0.5)",
    "fn:duration:from_minutes([])",
    "fn:duration:from_seconds(0.25)",
    "fn:duration:from_seconds(/a)",
    "fn:duration:from_nanos(1000000000)",
    "fn:duration:from_nanos(1.0)",
    "fn:duration:parse(\"1h30m\")",
    "fn:duration:parse(\"-1.5h\")",
    "fn:duration:parse(\"+.5s\")",
    "fn:duration:parse(\"0\")",
    "fn:duration:parse(\"1h1h1ns\")",
    "fn:duration:parse(\"-9223372036854775808ns\")",
    "fn:duration:parse(\"9223372036854775808ns\")",
    "fn:duration:parse(\"0.3333333333333333333h\")",
    "fn:duration:parse(\"7d\")",
    "fn:duration:parse(\"1\")",
    "fn:duration:parse(\".s\")",
    "fn:duration:parse(\"\")",
    "fn:duration:parse(\"1h-1m\")",
    "fn:duration:parse(5)",
    "fn:interval:start(fn:pair(1, 2))",
    "fn:interval:start([1, 2])",
    "fn:interval:end(fn:pair(1, 2))",
    "fn:interval:end(2)",
    "fn:interval:duration(fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(5)))",
    "fn:interval:duration(fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(9223372036854775807)))",
    "fn:interval:duration(fn:pair(1, 2))",
];

#[test]
fn durations() {
    check(
        DURATIONS,
        expect![[r#"
        fn:duration:add(fn:duration:parse("1h"), fn:duration:parse("-30m")) = fn:duration:parse("30m0s")
        fn:duration:add(fn:duration:parse("1h"), 5) ! it takes a duration, and 5 is a number
        fn:duration:mult(fn:duration:parse("1m"), -3) = fn:duration:parse("-3m0s")
        fn:duration:mult(fn:duration:parse("1m"), 1.5) ! it takes a number, and 1.5 is a float
        fn:duration:hours(fn:duration:parse("90m")) = 1.5
        fn:duration:hours(fn:duration:from_nanos(-9223372036854775808)) = -2562047.7880152157
        fn:duration:hours(90) ! it takes a duration, and 90 is a number
        fn:duration:minutes(fn:duration:parse("90s")) = 1.5
        fn:duration:minutes("90s") ! it takes a duration, and "90s" is a string
        fn:duration:seconds(fn:duration:parse("1500ms")) = 1.5
        fn:duration:seconds(/a) ! it takes a duration, and /a is a name
        fn:duration:nanos(fn:duration:parse("1us")) = 1000
        fn:duration:nanos(1) ! it takes a duration, and 1 is a number
        fn:duration:from_hours(1.5) = fn:duration:parse("1h30m0s")
        fn:duration:from_hours(-2) = fn:duration:parse("-2h0m0s")
        fn:duration:from_hours(9223372036854775807) = fn:duration:parse("-2562047h47m16.854775808s")
        fn:duration:from_hours(fn:sqrt(-1.0)) = fn:duration:parse("-2562047h47m16.854775808s")
        fn:duration:from_hours("1") ! it takes a number or float, and "1" is a string
        fn:duration:from_minutes(0.5) = fn:duration:parse("30s")
        fn:duration:from_minutes([]) ! it takes a number or float, and [] is a list
        fn:duration:from_seconds(0.25) = fn:duration:parse("250ms")
        fn:duration:from_seconds(/a) ! it takes a number or float, and /a is a name
        fn:duration:from_nanos(1000000000) = fn:duration:parse("1s")
        fn:duration:from_nanos(1.0) ! it takes a number, and 1.0 is a float
        fn:duration:parse("1h30m") = fn:duration:parse("1h30m0s")
        fn:duration:parse("-1.5h") = fn:duration:parse("-1h30m0s")
        fn:duration:parse("+.5s") = fn:duration:parse("500ms")
        fn:duration:parse("0") = fn:duration:parse("0s")
        fn:duration:parse("1h1h1ns") = fn:duration:parse("2h0m0.000000001s")
        fn:duration:parse("-9223372036854775808ns") = fn:duration:parse("-2562047h47m16.854775808s")
        fn:duration:parse("9223372036854775808ns") ! "9223372036854775808ns" is no duration; `1h30m`, `500ms` and `-1.5h` are
        fn:duration:parse("0.3333333333333333333h") = fn:duration:parse("20m0s")
        fn:duration:parse("7d") ! "7d" is no duration; `1h30m`, `500ms` and `-1.5h` are
        fn:duration:parse("1") ! "1" is no duration; `1h30m`, `500ms` and `-1.5h` are
        fn:duration:parse(".s") ! ".s" is no duration; `1h30m`, `500ms` and `-1.5h` are
        fn:duration:parse("") ! "" is no duration; `1h30m`, `500ms` and `-1.5h` are
        fn:duration:parse("1h-1m") ! "1h-1m" is no duration; `1h30m`, `500ms` and `-1.5h` are
        fn:duration:parse(5) ! it takes a string, and 5 is a number
        fn:interval:start(fn:pair(1, 2)) = 1
        fn:interval:start([1, 2]) ! it takes an interval, which is a pair, and [1, 2] is a list
        fn:interval:end(fn:pair(1, 2)) = 2
        fn:interval:end(2) ! it takes an interval, which is a pair, and 2 is a number
        fn:interval:duration(fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(5))) = fn:duration:parse("4ns")
        fn:interval:duration(fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(9223372036854775807))) ! the interval has no end, so it has no duration
        fn:interval:duration(fn:pair(1, 2)) ! it takes a time, and 1 is a number
    "#]],
    );
}

const INSTANTS: &[&str] = &[
    "fn:time:now()",
    "fn:time:add(fn:time:from_unix_nanos(0), fn:duration:parse(\"-1s\"))",
    "fn:time:add(fn:time:from_unix_nanos(0), 1)",
    "fn:time:sub(fn:time:from_unix_nanos(5), fn:time:from_unix_nanos(7))",
    "fn:time:sub(fn:time:from_unix_nanos(5), fn:duration:parse(\"1s\"))",
    "fn:time:year(fn:time:parse_rfc3339(\"2024-02-29T12:34:56Z\"))",
    "fn:time:month(fn:time:parse_rfc3339(\"2024-02-29T12:34:56Z\"))",
    "fn:time:day(fn:time:parse_rfc3339(\"2024-02-29T12:34:56Z\"))",
    "fn:time:hour(fn:time:parse_rfc3339(\"2024-02-29T12:34:56Z\"))",
    "fn:time:minute(fn:time:parse_rfc3339(\"2024-02-29T12:34:56Z\"))",
    "fn:time:second(fn:time:parse_rfc3339(\"2024-02-29T12:34:56Z\"))",
    "fn:time:second(fn:time:from_unix_nanos(-1))",
    "fn:time:year(2024)",
    "fn:time:month(/may)",
    "fn:time:day(29)",
    "fn:time:hour(\"12\")",
    "fn:time:minute(1.5)",
    "fn:time:second(fn:duration:parse(\"1s\"))",
    "fn:time:from_unix_nanos(1)",
    "fn:time:from_unix_nanos(1.0)",
    "fn:time:to_unix_nanos(fn:time:from_unix_nanos(-5))",
    "fn:time:to_unix_nanos(5)",
    "fn:time:trunc(fn:time:parse_rfc3339(\"1969-12-31T23:59:59.123456789Z\"), /day)",
    "fn:time:trunc(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.123456789Z\"), /hour)",
    "fn:time:trunc(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.123456789Z\"), /millisecond)",
    "fn:time:trunc(fn:time:from_unix_nanos(0), /month)",
    "fn:time:trunc(fn:time:from_unix_nanos(0), \"/day\")",
];

#[test]
fn instants() {
    check(
        INSTANTS,
        expect![[r#"
        fn:time:now() = fn:time:parse_rfc3339("2024-02-29T12:00:00.25Z")
        fn:time:add(fn:time:from_unix_nanos(0), fn:duration:parse("-1s")) = fn:time:parse_rfc3339("1969-12-31T23:59:59Z")
        fn:time:add(fn:time:from_unix_nanos(0), 1) ! it takes a duration, and 1 is a number
        fn:time:sub(fn:time:from_unix_nanos(5), fn:time:from_unix_nanos(7)) = fn:duration:parse("-2ns")
        fn:time:sub(fn:time:from_unix_nanos(5), fn:duration:parse("1s")) ! it takes a time, and 1s is a duration
        fn:time:year(fn:time:parse_rfc3339("2024-02-29T12:34:56Z")) = 2024
        fn:time:month(fn:time:parse_rfc3339("2024-02-29T12:34:56Z")) = 2
        fn:time:day(fn:time:parse_rfc3339("2024-02-29T12:34:56Z")) = 29
        fn:time:hour(fn:time:parse_rfc3339("2024-02-29T12:34:56Z")) = 12
        fn:time:minute(fn:time:parse_rfc3339("2024-02-29T12:34:56Z")) = 34
        fn:time:second(fn:time:parse_rfc3339("2024-02-29T12:34:56Z")) = 56
        fn:time:second(fn:time:from_unix_nanos(-1)) = 59
        fn:time:year(2024) ! it takes a time, and 2024 is a number
        fn:time:month(/may) ! it takes a time, and /may is a name
        fn:time:day(29) ! it takes a time, and 29 is a number
        fn:time:hour("12") ! it takes a time, and "12" is a string
        fn:time:minute(1.5) ! it takes a time, and 1.5 is a float
        fn:time:second(fn:duration:parse("1s")) ! it takes a time, and 1s is a duration
        fn:time:from_unix_nanos(1) = fn:time:parse_rfc3339("1970-01-01T00:00:00.000000001Z")
        fn:time:from_unix_nanos(1.0) ! it takes a number, and 1.0 is a float
        fn:time:to_unix_nanos(fn:time:from_unix_nanos(-5)) = -5
        fn:time:to_unix_nanos(5) ! it takes a time, and 5 is a number
        fn:time:trunc(fn:time:parse_rfc3339("1969-12-31T23:59:59.123456789Z"), /day) = fn:time:parse_rfc3339("1969-12-31T00:00:00Z")
        fn:time:trunc(fn:time:parse_rfc3339("2024-02-29T12:34:56.123456789Z"), /hour) = fn:time:parse_rfc3339("2024-02-29T12:00:00Z")
        fn:time:trunc(fn:time:parse_rfc3339("2024-02-29T12:34:56.123456789Z"), /millisecond) = fn:time:parse_rfc3339("2024-02-29T12:34:56.123Z")
        fn:time:trunc(fn:time:from_unix_nanos(0), /month) ! it knows no unit /month, only `/day` to `/nanosecond`
        fn:time:trunc(fn:time:from_unix_nanos(0), "/day") ! it takes a name, and "/day" is a string
    "#]],
    );
}

const CIVIL: &[&str] = &[
    "fn:time:parse_rfc3339(\"2024-02-29T13:30:00+01:30\")",
    "fn:time:parse_rfc3339(\"2024-02-29T8:30:00,5Z\")",
    "fn:time:parse_rfc3339(\"2024-02-29T12:00:00+24:60\")",
    "fn:time:parse_rfc3339(\"9999-12-31T23:59:59Z\")",
    "fn:time:parse_rfc3339(\"2023-02-29T12:00:00Z\")",
    "fn:time:parse_rfc3339(\"2024-02-29T24:00:00Z\")",
    "fn:time:parse_rfc3339(\"2024-02-29T12:00:00\")",
    "fn:time:parse_rfc3339(\"2024-02-29\")",
    "fn:time:parse_rfc3339(5)",
    "fn:time:parse_civil(\"2024-05-01T08:30:00\", \"Europe/Paris\")",
    "fn:time:parse_civil(\"2024-05-01T08:30:00.25\", \"\")",
    "fn:time:parse_civil(\"2024-03-31T02:30:00\", \"Europe/Paris\")",
    "fn:time:parse_civil(\"2024-10-27T02:30:00\", \"Europe/Paris\")",
    "fn:time:parse_civil(\"2024-05-01T08:30:00Z\", \"UTC\")",
    "fn:time:parse_civil(\"2024-05-01T08:30:00\", \"europe/paris\")",
    "fn:time:parse_civil(\"2024-05-01T08:30:00\", /utc)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /year)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /month)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /day)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /hour)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /minute)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /second)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /millisecond)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /microsecond)",
    "fn:time:format(fn:time:parse_rfc3339(\"2024-02-29T12:34:56.120Z\"), /nanosecond)",
    "fn:time:format(fn:time:from_unix_nanos(0), /week)",
    "fn:time:format(fn:time:from_unix_nanos(0), \"2006\")",
    "fn:time:format_civil(fn:time:parse_rfc3339(\"2024-02-29T23:34:56Z\"), \"Asia/Kolkata\", /minute)",
    "fn:time:format_civil(fn:time:parse_rfc3339(\"2024-02-29T23:34:56Z\"), \"America/St_Johns\", /second)",
    "fn:time:format_civil(fn:time:parse_rfc3339(\"1900-01-01T00:00:00Z\"), \"Europe/Paris\", /second)",
    "fn:time:format_civil(fn:time:from_unix_nanos(0), \"Mars/Olympus\", /day)",
    "fn:time:format_civil(fn:time:from_unix_nanos(0), \"UTC\", /week)",
    "fn:time:trunc_civil(fn:time:parse_rfc3339(\"2024-05-01T23:30:00Z\"), \"Europe/Paris\", /day)",
    "fn:time:trunc_civil(fn:time:parse_rfc3339(\"2024-05-01T23:30:00Z\"), \"Europe/Paris\", /week)",
    "fn:time:trunc_civil(fn:time:parse_rfc3339(\"2024-05-01T23:30:00Z\"), \"Europe/Paris\", /month)",
    "fn:time:trunc_civil(fn:time:parse_rfc3339(\"2024-05-01T23:30:00Z\"), \"Europe/Paris\", /year)",
    "fn:time:trunc_civil(fn:time:parse_rfc3339(\"2018-11-04T12:00:00Z\"), \"America/Sao_Paulo\", /week)",
    "fn:time:trunc_civil(fn:time:from_unix_nanos(0), \"UTC\", /hour)",
    "fn:time:trunc_civil(fn:time:from_unix_nanos(0), 5, /day)",
    "fn:time:add_civil(fn:time:parse_rfc3339(\"2026-01-31T00:00:00Z\"), \"UTC\", 1, /month)",
    "fn:time:add_civil(fn:time:parse_rfc3339(\"2026-03-28T12:00:00Z\"), \"Europe/Paris\", 1, /day)",
    "fn:time:add_civil(fn:time:parse_rfc3339(\"2024-02-29T12:00:00Z\"), \"UTC\", -1, /year)",
    "fn:time:add_civil(fn:time:parse_rfc3339(\"2024-02-29T12:00:00Z\"), \"UTC\", 2, /week)",
    "fn:time:add_civil(fn:time:from_unix_nanos(0), \"UTC\", 1, /hour)",
    "fn:time:add_civil(fn:time:from_unix_nanos(0), \"UTC\", 1.5, /day)",
    "fn:time:weekday_civil(fn:time:parse_rfc3339(\"2026-09-28T00:00:00Z\"), \"UTC\")",
    "fn:time:weekday_civil(fn:time:parse_rfc3339(\"2026-09-28T00:00:00Z\"), \"America/New_York\")",
    "fn:time:weekday_civil(5, \"UTC\")",
];

#[test]
fn calendars_and_zones() {
    check(
        CIVIL,
        expect![[r#"
            fn:time:parse_rfc3339("2024-02-29T13:30:00+01:30") = fn:time:parse_rfc3339("2024-02-29T12:00:00Z")
            fn:time:parse_rfc3339("2024-02-29T8:30:00,5Z") = fn:time:parse_rfc3339("2024-02-29T08:30:00.5Z")
            fn:time:parse_rfc3339("2024-02-29T12:00:00+24:60") = fn:time:parse_rfc3339("2024-02-28T11:00:00Z")
            fn:time:parse_rfc3339("9999-12-31T23:59:59Z") = fn:time:parse_rfc3339("1816-03-30T05:56:07.066277376Z")
            fn:time:parse_rfc3339("2023-02-29T12:00:00Z") ! "2023-02-29T12:00:00Z" is no instant; `2024-05-01T08:30:00Z` is one
            fn:time:parse_rfc3339("2024-02-29T24:00:00Z") ! "2024-02-29T24:00:00Z" is no instant; `2024-05-01T08:30:00Z` is one
            fn:time:parse_rfc3339("2024-02-29T12:00:00") ! "2024-02-29T12:00:00" is no instant; `2024-05-01T08:30:00Z` is one
            fn:time:parse_rfc3339("2024-02-29") ! "2024-02-29" is no instant; `2024-05-01T08:30:00Z` is one
            fn:time:parse_rfc3339(5) ! it takes a string, and 5 is a number
            fn:time:parse_civil("2024-05-01T08:30:00", "Europe/Paris") = fn:time:parse_rfc3339("2024-05-01T06:30:00Z")
            fn:time:parse_civil("2024-05-01T08:30:00.25", "") = fn:time:parse_rfc3339("2024-05-01T08:30:00.25Z")
            fn:time:parse_civil("2024-03-31T02:30:00", "Europe/Paris") = fn:time:parse_rfc3339("2024-03-31T01:30:00Z")
            fn:time:parse_civil("2024-10-27T02:30:00", "Europe/Paris") = fn:time:parse_rfc3339("2024-10-27T01:30:00Z")
            fn:time:parse_civil("2024-05-01T08:30:00Z", "UTC") ! "2024-05-01T08:30:00Z" is no time of a day; `2024-05-01T08:30:00` is one
            fn:time:parse_civil("2024-05-01T08:30:00", "europe/paris") ! there is no time zone "europe/paris"; "Europe/Paris" is one
            fn:time:parse_civil("2024-05-01T08:30:00", /utc) ! it takes a string, and /utc is a name
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /year) = "2024"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /month) = "2024-02"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /day) = "2024-02-29"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /hour) = "2024-02-29T12Z"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /minute) = "2024-02-29T12:34Z"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /second) = "2024-02-29T12:34:56Z"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /millisecond) = "2024-02-29T12:34:56.120Z"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /microsecond) = "2024-02-29T12:34:56.120000Z"
            fn:time:format(fn:time:parse_rfc3339("2024-02-29T12:34:56.120Z"), /nanosecond) = "2024-02-29T12:34:56.12Z"
            fn:time:format(fn:time:from_unix_nanos(0), /week) ! it knows no unit /week, only `/year` to `/nanosecond`
            fn:time:format(fn:time:from_unix_nanos(0), "2006") ! it takes a name, and "2006" is a string
            fn:time:format_civil(fn:time:parse_rfc3339("2024-02-29T23:34:56Z"), "Asia/Kolkata", /minute) = "2024-03-01T05:04+05:30"
            fn:time:format_civil(fn:time:parse_rfc3339("2024-02-29T23:34:56Z"), "America/St_Johns", /second) = "2024-02-29T20:04:56-03:30"
            fn:time:format_civil(fn:time:parse_rfc3339("1900-01-01T00:00:00Z"), "Europe/Paris", /second) = "1900-01-01T00:09:21+00:09"
            fn:time:format_civil(fn:time:from_unix_nanos(0), "Mars/Olympus", /day) ! there is no time zone "Mars/Olympus"; "Europe/Paris" is one
            fn:time:format_civil(fn:time:from_unix_nanos(0), "UTC", /week) ! it knows no unit /week, only `/year` to `/nanosecond`
            fn:time:trunc_civil(fn:time:parse_rfc3339("2024-05-01T23:30:00Z"), "Europe/Paris", /day) = fn:time:parse_rfc3339("2024-05-01T22:00:00Z")
            fn:time:trunc_civil(fn:time:parse_rfc3339("2024-05-01T23:30:00Z"), "Europe/Paris", /week) = fn:time:parse_rfc3339("2024-04-28T22:00:00Z")
            fn:time:trunc_civil(fn:time:parse_rfc3339("2024-05-01T23:30:00Z"), "Europe/Paris", /month) = fn:time:parse_rfc3339("2024-04-30T22:00:00Z")
            fn:time:trunc_civil(fn:time:parse_rfc3339("2024-05-01T23:30:00Z"), "Europe/Paris", /year) = fn:time:parse_rfc3339("2023-12-31T23:00:00Z")
            fn:time:trunc_civil(fn:time:parse_rfc3339("2018-11-04T12:00:00Z"), "America/Sao_Paulo", /week) = fn:time:parse_rfc3339("2018-10-30T02:00:00Z")
            fn:time:trunc_civil(fn:time:from_unix_nanos(0), "UTC", /hour) ! it knows no unit /hour, only `/year`, `/month`, `/week` and `/day`
            fn:time:trunc_civil(fn:time:from_unix_nanos(0), 5, /day) ! it takes a string, and 5 is a number
            fn:time:add_civil(fn:time:parse_rfc3339("2026-01-31T00:00:00Z"), "UTC", 1, /month) = fn:time:parse_rfc3339("2026-03-03T00:00:00Z")
            fn:time:add_civil(fn:time:parse_rfc3339("2026-03-28T12:00:00Z"), "Europe/Paris", 1, /day) = fn:time:parse_rfc3339("2026-03-29T11:00:00Z")
            fn:time:add_civil(fn:time:parse_rfc3339("2024-02-29T12:00:00Z"), "UTC", -1, /year) = fn:time:parse_rfc3339("2023-03-01T12:00:00Z")
            fn:time:add_civil(fn:time:parse_rfc3339("2024-02-29T12:00:00Z"), "UTC", 2, /week) = fn:time:parse_rfc3339("2024-03-14T12:00:00Z")
            fn:time:add_civil(fn:time:from_unix_nanos(0), "UTC", 1, /hour) ! it knows no unit /hour, only `/year`, `/month`, `/week` and `/day`
            fn:time:add_civil(fn:time:from_unix_nanos(0), "UTC", 1.5, /day) ! it takes a number, and 1.5 is a float
            fn:time:weekday_civil(fn:time:parse_rfc3339("2026-09-28T00:00:00Z"), "UTC") = 1
            fn:time:weekday_civil(fn:time:parse_rfc3339("2026-09-28T00:00:00Z"), "America/New_York") = 7
            fn:time:weekday_civil(5, "UTC") ! it takes a time, and 5 is a number
        "#]],
    );
}

const OVER_A_LIST: &[&str] = &[
    "fn:sum([1, 2, 9223372036854775807])",
    "fn:sum([])",
    "fn:sum([1, 2.0])",
    "fn:max([3, -5])",
    "fn:max([])",
    "fn:max(5)",
    "fn:min([3, -5])",
    "fn:min([/a])",
    "fn:float:sum([0.1, 0.2])",
    "fn:float:sum([1])",
    "fn:float:max([0.0, -0.0])",
    "fn:float:max([])",
    "fn:float:max([\"1\"])",
    "fn:float:min([1.0, fn:sqrt(-1.0)])",
    "fn:float:min([1.5], 2.5)",
    "fn:duration:sum([fn:duration:parse(\"1h\"), fn:duration:parse(\"1m\")])",
    "fn:duration:sum([1])",
    "fn:duration:max([fn:duration:parse(\"1h\"), fn:duration:parse(\"1m\")])",
    "fn:duration:max([fn:time:from_unix_nanos(0)])",
    "fn:duration:min([])",
    "fn:duration:min([/a])",
    "fn:time:max([fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(1)])",
    "fn:time:max([0])",
    "fn:time:min([fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(1)])",
    "fn:time:min([fn:duration:parse(\"1h\")])",
];

#[test]
fn reducers_over_a_list() {
    check(
        OVER_A_LIST,
        expect![[r#"
        fn:sum([1, 2, 9223372036854775807]) = -9223372036854775806
        fn:sum([]) = 0
        fn:sum([1, 2.0]) ! it takes a number, and 2.0 is a float
        fn:max([3, -5]) = 3
        fn:max([]) = -9223372036854775808
        fn:max(5) ! it takes a list, and 5 is a number
        fn:min([3, -5]) = -5
        fn:min([/a]) ! it takes a number, and /a is a name
        fn:float:sum([0.1, 0.2]) = 0.30000000000000004
        fn:float:sum([1]) ! it takes a float, and 1 is a number
        fn:float:max([0.0, -0.0]) = 0
        fn:float:max([]) = -179769313486231570000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        fn:float:max(["1"]) ! it takes a float, and "1" is a string
        fn:float:min([1.0, fn:sqrt(-1.0)]) = NaN
        fn:float:min([1.5], 2.5) ! it takes 1 argument, not 2
        fn:duration:sum([fn:duration:parse("1h"), fn:duration:parse("1m")]) = fn:duration:parse("1h1m0s")
        fn:duration:sum([1]) ! it takes a duration, and 1 is a number
        fn:duration:max([fn:duration:parse("1h"), fn:duration:parse("1m")]) = fn:duration:parse("1h0m0s")
        fn:duration:max([fn:time:from_unix_nanos(0)]) ! it takes a duration, and 1970-01-01T00:00:00Z is a time
        fn:duration:min([]) = fn:duration:parse("2562047h47m16.854775807s")
        fn:duration:min([/a]) ! it takes a duration, and /a is a name
        fn:time:max([fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(1)]) = fn:time:parse_rfc3339("1970-01-01T00:00:00.000000001Z")
        fn:time:max([0]) ! it takes a time, and 0 is a number
        fn:time:min([fn:time:from_unix_nanos(0), fn:time:from_unix_nanos(1)]) = fn:time:parse_rfc3339("1970-01-01T00:00:00Z")
        fn:time:min([fn:duration:parse("1h")]) ! it takes a time, and 1h0m0s is a duration
    "#]],
    );
}

const WITHOUT_VALUE: &[&str] = &[
    "fn:avg([1])",
    "fn:collect(1)",
    "fn:collect_distinct(1)",
    "fn:collect_to_map(1, 2)",
    "fn:count()",
    "fn:count_distinct()",
    "fn:group_by()",
    "fn:pick_any([1])",
    "fn:some(1)",
];

#[test]
fn what_the_engine_cannot_compute() {
    check(
        WITHOUT_VALUE,
        expect![[r#"
        fn:avg([1]) ! `fn:avg` has no value outside an aggregation
        fn:collect(1) ! `fn:collect` has no value outside an aggregation
        fn:collect_distinct(1) ! `fn:collect_distinct` has no value outside an aggregation
        fn:collect_to_map(1, 2) ! `fn:collect_to_map` has no value outside an aggregation
        fn:count() ! `fn:count` has no value outside an aggregation
        fn:count_distinct() ! `fn:count_distinct` cannot be computed by the engine
        fn:group_by() ! `fn:group_by` has no value
        fn:pick_any([1]) ! `fn:pick_any` cannot be computed by the engine
        fn:some(1) ! `fn:some` cannot be computed by the engine
    "#]],
    );
}

/// Every function of the table needs a successful and a failing call, if both are possible.
#[test]
fn no_function_is_forgotten() {
    let all = [ARITHMETIC, TEXT, COLLECTIONS, DURATIONS, INSTANTS, CIVIL, OVER_A_LIST, WITHOUT_VALUE];
    let outcomes: Vec<String> = all.iter().copied().flatten().map(|call| outcome_line(call)).collect();
    for entry in FUNCTIONS {
        assert!(Function::from_name(entry.name).is_some(), "{} is missing", entry.name);
        let call = format!("{}(", entry.name);
        let has = |sign| outcomes.iter().any(|line| line.starts_with(&call) && line.contains(sign));
        let computes = match entry.role {
            FunctionRole::Function => entry.evaluable,
            FunctionRole::Reducer { list_form } => list_form,
            FunctionRole::Grouping => false,
        };
        assert_eq!(has(") = "), computes, "{} with a value", entry.name);
        let never_fails = ["fn:list", "fn:time:now"].contains(&entry.name);
        assert_eq!(has(") ! "), !never_fails, "{} with a failure", entry.name);
    }
}

#[test]
fn names() {
    assert_eq!(Function::from_name("plus"), None);
    assert_eq!(Function::from_name("fn:List"), None);
    assert_eq!(Function::from_name("fn:plus").unwrap().name(), "plus");
    assert!(Function::from_name("fn:time:now").unwrap().reads_clock());
}

/// A growing text reaches the size limit before it exhausts the memory.
#[test]
fn texts_do_not_grow_for_ever() {
    let mut values = Values::new();
    let concat = Function::from_name("fn:string:concat").unwrap();
    let replace = Function::from_name("fn:string:replace").unwrap();
    let mut text = values.string("aaaaaaaa");
    let failure = loop {
        match concat.apply(&mut values, &[text, text], &CLOCK) {
            Ok(longer) => text = longer,
            Err(failure) => break failure,
        }
    };
    assert!(failure.is_limit());
    assert_eq!(failure.to_string(), "a text would be longer than 4194304 bytes");
    let (a, all) = (values.string("a"), values.number(-1));
    assert!(replace.apply(&mut values, &[text, a, text, all], &CLOCK).unwrap_err().is_limit());
}
