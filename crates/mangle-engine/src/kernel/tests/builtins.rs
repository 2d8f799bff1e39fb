//! Tests of built-in predicates. The expected results are results of the engine.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use crate::kernel::builtin::{Builtin, compare};
use crate::kernel::testing;
use crate::kernel::values::Values;
use crate::program::builtins::PREDICATES;
use mangle_syntax::syntax::ast::Operator;

/// Prints `call holds`, `call fails`, `call = output values` (one line per solution) or
/// `call ! failure`.
fn outcome(call: &str) -> String {
    let mut values = Values::new();
    let (name, args) = testing::atom(&mut values, call);
    let args = args.unwrap();
    let mut out = Vec::new();
    let solutions = match Builtin::from_name(&name).unwrap().solve(&mut values, &args, &mut out) {
        Ok(0) => return format!("{call} fails\n"),
        Ok(solutions) => solutions,
        Err(failure) => return format!("{call} ! {failure}\n"),
    };
    if out.is_empty() {
        assert_eq!(solutions, 1);
        return format!("{call} holds\n");
    }
    let shown = |solution: &[_]| {
        let shown: Vec<_> = solution.iter().map(|value| values.display(*value).to_string()).collect();
        format!("{call} = {}\n", shown.join(" and "))
    };
    out.chunks(out.len() / solutions).map(shown).collect()
}

#[track_caller]
fn check(calls: &[&str], expected: Expect) {
    expected.assert_eq(&calls.iter().map(|call| outcome(call)).collect::<String>());
}

const COMPARISONS: &[&str] = &[
    ":lt(1, 2)",
    ":lt(2, 2)",
    ":lt(1, 2.0)",
    ":le(2, 2)",
    ":le(3, 2)",
    ":le(\"a\", \"b\")",
    ":gt(2, 1)",
    ":gt(1, 2)",
    ":gt(/a, 1)",
    ":ge(1, 1)",
    ":ge(0, 1)",
    ":ge(X, 1)",
    ":time:lt(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2))",
    ":time:lt(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(2))",
    ":time:lt(1, 2)",
    ":time:le(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(2))",
    ":time:le(fn:time:from_unix_nanos(3), fn:time:from_unix_nanos(2))",
    ":time:le(fn:time:from_unix_nanos(3), 2)",
    ":time:gt(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(1))",
    ":time:gt(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2))",
    ":time:gt(\"a\", \"b\")",
    ":time:ge(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(2))",
    ":time:ge(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2))",
    ":time:ge(/a, /b)",
    ":duration:lt(fn:duration:parse(\"1s\"), fn:duration:parse(\"1m\"))",
    ":duration:lt(fn:duration:parse(\"1s\"), fn:duration:parse(\"1s\"))",
    ":duration:lt(1, 2)",
    ":duration:le(fn:duration:parse(\"1s\"), fn:duration:parse(\"1s\"))",
    ":duration:le(fn:duration:parse(\"2s\"), fn:duration:parse(\"1s\"))",
    ":duration:le(fn:duration:parse(\"2s\"), fn:time:from_unix_nanos(1))",
    ":duration:gt(fn:duration:parse(\"1m\"), fn:duration:parse(\"1s\"))",
    ":duration:gt(fn:duration:parse(\"-1m\"), fn:duration:parse(\"1s\"))",
    ":duration:gt(1.5, 1.0)",
    ":duration:ge(fn:duration:parse(\"1m\"), fn:duration:parse(\"60s\"))",
    ":duration:ge(fn:duration:parse(\"1s\"), fn:duration:parse(\"60s\"))",
    ":duration:ge([], [])",
    ":float:lt(1.0, 1.5)",
    ":float:lt(1.5, 1.5)",
    ":float:lt(1, 3)",
    ":float:le(1.5, 1.5)",
    ":float:le(2.5, 1.5)",
    ":float:le(1.5, 2)",
    ":float:gt(2.5, 1.5)",
    ":float:gt(1.5, 1.5)",
    ":float:gt(\"a\", 1.5)",
    ":float:ge(1.5, 1.5)",
    ":float:ge(1.0, 1.5)",
    ":float:ge(X, 1.5)",
    ":within_distance(5, 7, 3)",
    ":within_distance(5, 8, 3)",
    ":within_distance(-9223372036854775808, 1, 9223372036854775807)",
    ":within_distance(5, 8, 3.5)",
];

#[test]
fn comparisons() {
    check(
        COMPARISONS,
        expect![[r#"
            :lt(1, 2) holds
            :lt(2, 2) fails
            :lt(1, 2.0) ! it takes a number, and 2.0 is a float
            :le(2, 2) holds
            :le(3, 2) fails
            :le("a", "b") ! it takes a number, and "a" is a string
            :gt(2, 1) holds
            :gt(1, 2) fails
            :gt(/a, 1) ! it takes a number, and /a is a name
            :ge(1, 1) holds
            :ge(0, 1) fails
            :ge(X, 1) ! a variable is unbound
            :time:lt(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2)) holds
            :time:lt(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(2)) fails
            :time:lt(1, 2) ! it takes a time, and 1 is a number
            :time:le(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(2)) holds
            :time:le(fn:time:from_unix_nanos(3), fn:time:from_unix_nanos(2)) fails
            :time:le(fn:time:from_unix_nanos(3), 2) ! it takes a time, and 2 is a number
            :time:gt(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(1)) holds
            :time:gt(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2)) fails
            :time:gt("a", "b") ! it takes a time, and "a" is a string
            :time:ge(fn:time:from_unix_nanos(2), fn:time:from_unix_nanos(2)) holds
            :time:ge(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2)) fails
            :time:ge(/a, /b) ! it takes a time, and /a is a name
            :duration:lt(fn:duration:parse("1s"), fn:duration:parse("1m")) holds
            :duration:lt(fn:duration:parse("1s"), fn:duration:parse("1s")) fails
            :duration:lt(1, 2) ! it takes a duration, and 1 is a number
            :duration:le(fn:duration:parse("1s"), fn:duration:parse("1s")) holds
            :duration:le(fn:duration:parse("2s"), fn:duration:parse("1s")) fails
            :duration:le(fn:duration:parse("2s"), fn:time:from_unix_nanos(1)) ! it takes a duration, and 1970-01-01T00:00:00.000000001Z is a time
            :duration:gt(fn:duration:parse("1m"), fn:duration:parse("1s")) holds
            :duration:gt(fn:duration:parse("-1m"), fn:duration:parse("1s")) fails
            :duration:gt(1.5, 1.0) ! it takes a duration, and 1.5 is a float
            :duration:ge(fn:duration:parse("1m"), fn:duration:parse("60s")) holds
            :duration:ge(fn:duration:parse("1s"), fn:duration:parse("60s")) fails
            :duration:ge([], []) ! it takes a duration, and [] is a list
            :float:lt(1.0, 1.5) holds
            :float:lt(1.5, 1.5) fails
            :float:lt(1, 3) ! it takes a float, and 1 is a number
            :float:le(1.5, 1.5) holds
            :float:le(2.5, 1.5) fails
            :float:le(1.5, 2) ! it takes a float, and 2 is a number
            :float:gt(2.5, 1.5) holds
            :float:gt(1.5, 1.5) fails
            :float:gt("a", 1.5) ! it takes a float, and "a" is a string
            :float:ge(1.5, 1.5) holds
            :float:ge(1.0, 1.5) fails
            :float:ge(X, 1.5) ! a variable is unbound
            :within_distance(5, 7, 3) holds
            :within_distance(5, 8, 3) fails
            :within_distance(-9223372036854775808, 1, 9223372036854775807) fails
            :within_distance(5, 8, 3.5) ! it takes a number, and 3.5 is a float
        "#]],
    );
}

const TEXT: &[&str] = &[
    ":match_prefix(/a/b, /a)",
    ":match_prefix(/ab, /a)",
    ":match_prefix(/a, /a)",
    ":match_prefix(\"/a/b\", /a)",
    ":match_prefix(/a/b, \"/a\")",
    ":string:starts_with(\"abc\", \"ab\")",
    ":string:starts_with(\"abc\", \"bc\")",
    ":string:starts_with(/abc, \"/a\")",
    ":string:starts_with(\"abc\", /a)",
    ":string:ends_with(\"abc\", \"bc\")",
    ":string:ends_with(\"abc\", \"ab\")",
    ":string:ends_with(5, 5)",
    ":string:contains(\"abc\", \"\")",
    ":string:contains(\"abc\", \"x\")",
    ":string:contains(\"abc\", X)",
    ":string:matches(\"dev\", \"^[a-z-]+$\")",
    ":string:matches(\"a-migration-file\", \"migration\")",
    ":string:matches(\"Dev1\", \"^[a-z-]+$\")",
    ":string:matches(42, \"^[0-9]+$\")",
    ":string:matches(\"\", \"^$\")",
    ":string:matches(\"dev\", \"([un\")",
    ":string:matches(42, \"(un\")",
    ":string:matches(\"dev\", \"*\")",
    ":string:matches(\"dev\", 42)",
];

#[test]
fn text() {
    check(
        TEXT,
        expect![[r#"
            :match_prefix(/a/b, /a) holds
            :match_prefix(/ab, /a) holds
            :match_prefix(/a, /a) fails
            :match_prefix("/a/b", /a) fails
            :match_prefix(/a/b, "/a") ! it takes a name, and "/a" is a string
            :string:starts_with("abc", "ab") holds
            :string:starts_with("abc", "bc") fails
            :string:starts_with(/abc, "/a") fails
            :string:starts_with("abc", /a) ! it takes a string, and /a is a name
            :string:ends_with("abc", "bc") holds
            :string:ends_with("abc", "ab") fails
            :string:ends_with(5, 5) ! it takes a string, and 5 is a number
            :string:contains("abc", "") holds
            :string:contains("abc", "x") fails
            :string:contains("abc", X) ! a variable is unbound
            :string:matches("dev", "^[a-z-]+$") holds
            :string:matches("a-migration-file", "migration") holds
            :string:matches("Dev1", "^[a-z-]+$") fails
            :string:matches(42, "^[0-9]+$") fails
            :string:matches("", "^$") holds
            :string:matches("dev", "([un") ! pattern "([un" does not compile: error parsing regexp: missing closing ]: `[un`
            :string:matches(42, "(un") ! pattern "(un" does not compile: error parsing regexp: missing closing ): `(un`
            :string:matches("dev", "*") ! pattern "*" does not compile: repetition operator missing expression
            :string:matches("dev", 42) ! it takes a string, and 42 is a number
        "#]],
    );
}

const SHAPES: &[&str] = &[
    ":filter(/true)",
    ":filter(/false)",
    ":filter(\"/true\")",
    ":filter(X)",
    ":match_pair(fn:pair(1, [2]), X, Y)",
    ":match_pair([1, 2], X, Y)",
    ":match_pair(fn:pair(1, 2), 1, Y)",
    ":match_cons([1, 2, 3], X, Y)",
    ":match_cons([], X, Y)",
    ":match_cons(fn:pair(1, 2), X, Y)",
    ":match_cons([1], X, [])",
    ":match_nil([])",
    ":match_nil([1])",
    ":match_nil(fn:map())",
    ":match_nil(X)",
    ":match_entry([/a : 1, /b : 2], /b, X)",
    ":match_entry([/a : 1], /b, X)",
    ":match_entry({/a : 1}, /a, X)",
    ":match_entry([/a : 1], /a, 1)",
    ":match_entry([/a : 1], /a, 2)",
    ":match_entry([/a : 1], K, X)",
    ":match_entry(fn:map(), K, X)",
    ":match_field({/a : 1, /b : [2]}, /b, X)",
    ":match_field({/a : 1}, /b, X)",
    ":match_field([/a : 1], /a, X)",
    ":match_field({/a : 1}, /a, 2)",
    ":match_field({/a : 1}, K, X)",
    ":list:member(X, [1, [2], 1])",
    ":list:member(X, [])",
    ":list:member(X, 5)",
    ":list:member([2], [1, [2]])",
    ":list:member(2, [1])",
    ":list:member(2, 2)",
];

#[test]
fn shapes() {
    check(
        SHAPES,
        expect![[r#"
        :filter(/true) holds
        :filter(/false) fails
        :filter("/true") fails
        :filter(X) fails
        :match_pair(fn:pair(1, [2]), X, Y) = 1 and [2]
        :match_pair([1, 2], X, Y) fails
        :match_pair(fn:pair(1, 2), 1, Y) ! it takes apart into unbound variables
        :match_cons([1, 2, 3], X, Y) = 1 and [2, 3]
        :match_cons([], X, Y) fails
        :match_cons(fn:pair(1, 2), X, Y) fails
        :match_cons([1], X, []) ! it takes apart into unbound variables
        :match_nil([]) holds
        :match_nil([1]) fails
        :match_nil(fn:map()) fails
        :match_nil(X) ! a variable is unbound
        :match_entry([/a : 1, /b : 2], /b, X) = 2
        :match_entry([/a : 1], /b, X) fails
        :match_entry({/a : 1}, /a, X) fails
        :match_entry([/a : 1], /a, 1) holds
        :match_entry([/a : 1], /a, 2) fails
        :match_entry([/a : 1], K, X) ! a variable is unbound
        :match_entry(fn:map(), K, X) fails
        :match_field({/a : 1, /b : [2]}, /b, X) = [2]
        :match_field({/a : 1}, /b, X) fails
        :match_field([/a : 1], /a, X) fails
        :match_field({/a : 1}, /a, 2) fails
        :match_field({/a : 1}, K, X) ! a variable is unbound
        :list:member(X, [1, [2], 1]) = 1
        :list:member(X, [1, [2], 1]) = [2]
        :list:member(X, [1, [2], 1]) = 1
        :list:member(X, []) fails
        :list:member(X, 5) fails
        :list:member([2], [1, [2]]) holds
        :list:member(2, [1]) fails
        :list:member(2, 2) ! it takes a list, and 2 is a number
    "#]],
    );
}

const INTERVALS: &[&str] = &[
    ":interval:before(fn:pair(1, 2), fn:pair(3, 4))",
    ":interval:before(fn:pair(1, 3), fn:pair(3, 4))",
    ":interval:before(fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2)), fn:pair(3, 4))",
    ":interval:after(fn:pair(3, 4), fn:pair(1, 2))",
    ":interval:after(fn:pair(1, 2), fn:pair(3, 4))",
    ":interval:after(1, 2)",
    ":interval:meets(fn:pair(1, 3), fn:pair(3, 4))",
    ":interval:meets(fn:pair(3, 4), fn:pair(1, 3))",
    ":interval:meets([1, 3], [3, 4])",
    ":interval:overlaps(fn:pair(1, 3), fn:pair(3, 4))",
    ":interval:overlaps(fn:pair(1, 2), fn:pair(3, 4))",
    ":interval:overlaps(fn:pair(1, 2), fn:pair(3, 4.0))",
    ":interval:during(fn:pair(2, 3), fn:pair(1, 3))",
    ":interval:during(fn:pair(1, 3), fn:pair(2, 3))",
    ":interval:during(fn:pair(1, 3), X)",
    ":interval:contains(fn:pair(1, 3), fn:pair(2, 3))",
    ":interval:contains(fn:pair(2, 3), fn:pair(1, 3))",
    ":interval:contains(/a, fn:pair(1, 3))",
    ":interval:starts(fn:pair(1, 3), fn:pair(1, 9))",
    ":interval:starts(fn:pair(2, 9), fn:pair(1, 9))",
    ":interval:starts(fn:pair(1, \"3\"), fn:pair(1, 9))",
    ":interval:finishes(fn:pair(2, 9), fn:pair(1, 9))",
    ":interval:finishes(fn:pair(1, 3), fn:pair(1, 9))",
    ":interval:finishes(\"a\", \"b\")",
    ":interval:equals(fn:pair(1, 9), fn:pair(1, 9))",
    ":interval:equals(fn:pair(1, 9), fn:pair(1, 8))",
    ":interval:equals(1.5, 1.5)",
];

#[test]
fn intervals() {
    check(
        INTERVALS,
        expect![[r#"
        :interval:before(fn:pair(1, 2), fn:pair(3, 4)) holds
        :interval:before(fn:pair(1, 3), fn:pair(3, 4)) fails
        :interval:before(fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(2)), fn:pair(3, 4)) ! it takes a number, and 1970-01-01T00:00:00.000000001Z is a time
        :interval:after(fn:pair(3, 4), fn:pair(1, 2)) holds
        :interval:after(fn:pair(1, 2), fn:pair(3, 4)) fails
        :interval:after(1, 2) ! it takes an interval, which is a pair of numbers, and 1 is a number
        :interval:meets(fn:pair(1, 3), fn:pair(3, 4)) holds
        :interval:meets(fn:pair(3, 4), fn:pair(1, 3)) fails
        :interval:meets([1, 3], [3, 4]) ! it takes an interval, which is a pair of numbers, and [1, 3] is a list
        :interval:overlaps(fn:pair(1, 3), fn:pair(3, 4)) holds
        :interval:overlaps(fn:pair(1, 2), fn:pair(3, 4)) fails
        :interval:overlaps(fn:pair(1, 2), fn:pair(3, 4.0)) ! it takes a number, and 4.0 is a float
        :interval:during(fn:pair(2, 3), fn:pair(1, 3)) holds
        :interval:during(fn:pair(1, 3), fn:pair(2, 3)) fails
        :interval:during(fn:pair(1, 3), X) ! a variable is unbound
        :interval:contains(fn:pair(1, 3), fn:pair(2, 3)) holds
        :interval:contains(fn:pair(2, 3), fn:pair(1, 3)) fails
        :interval:contains(/a, fn:pair(1, 3)) ! it takes an interval, which is a pair of numbers, and /a is a name
        :interval:starts(fn:pair(1, 3), fn:pair(1, 9)) holds
        :interval:starts(fn:pair(2, 9), fn:pair(1, 9)) fails
        :interval:starts(fn:pair(1, "3"), fn:pair(1, 9)) ! it takes a number, and "3" is a string
        :interval:finishes(fn:pair(2, 9), fn:pair(1, 9)) holds
        :interval:finishes(fn:pair(1, 3), fn:pair(1, 9)) fails
        :interval:finishes("a", "b") ! it takes an interval, which is a pair of numbers, and "a" is a string
        :interval:equals(fn:pair(1, 9), fn:pair(1, 9)) holds
        :interval:equals(fn:pair(1, 9), fn:pair(1, 8)) fails
        :interval:equals(1.5, 1.5) ! it takes an interval, which is a pair of numbers, and 1.5 is a float
    "#]],
    );
}

/// Every predicate of the table needs a call with and without a solution, and, if possible, a call
/// with values of the wrong kind.
#[test]
fn no_predicate_is_forgotten() {
    let all = [COMPARISONS, TEXT, SHAPES, INTERVALS];
    let outcomes: Vec<String> = all.iter().copied().flatten().map(|call| outcome(call)).collect();
    for entry in PREDICATES {
        let call = format!("{}(", entry.name);
        let has = |sign: &str| outcomes.iter().any(|line| line.starts_with(&call) && line.contains(sign));
        assert!(has(") holds") || has(") = "), "{} with a solution", entry.name);
        assert!(has(") fails"), "{} without one", entry.name);
        assert!(has(") ! ") || entry.name == ":filter", "{} with a failure", entry.name);
    }
    assert_eq!(
        (Builtin::from_name(":lte"), Builtin::from_name("lt"), Builtin::from_name(":time:now")),
        (None, None, None)
    );
}

#[test]
fn comparisons_of_two_values() {
    let mut values = Values::new();
    let (one, float, two) = (values.number(1), values.float(1.0), values.number(2));
    let check = |operator, right, expected: Option<bool>| {
        assert_eq!(compare(&values, operator, one, right).ok(), expected, "{operator:?}");
    };
    check(Operator::Equal, one, Some(true));
    check(Operator::Equal, float, Some(false));
    check(Operator::NotEqual, float, Some(true));
    check(Operator::Less, two, Some(true));
    check(Operator::LessEqual, one, Some(true));
    check(Operator::Greater, two, Some(false));
    check(Operator::GreaterEqual, two, Some(false));
    check(Operator::Less, float, None);
}
