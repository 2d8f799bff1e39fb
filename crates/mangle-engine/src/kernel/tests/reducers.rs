//! Tests of reducers. The expected results are results of the engine.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use crate::kernel::reducer::Reducer;
use crate::kernel::testing::term;
use crate::kernel::values::{ValueId, Values};
use crate::program::builtins::FUNCTIONS;

/// A reducer and its rows.
type Case = (&'static str, &'static [&'static [&'static str]]);

/// Prints `reducer of rows = value` or `reducer of rows ! failure`.
fn outcome(case: &Case) -> String {
    let (name, rows) = case;
    let mut values = Values::new();
    let row = |row: &&[&str]| row.iter().map(|text| term(&mut values, text).unwrap()).collect();
    let ids: Vec<Vec<ValueId>> = rows.iter().map(row).collect();
    let reducer = Reducer::from_name(name).unwrap();
    let rows: Vec<String> = rows.iter().map(|row| row.join(", ")).collect();
    let rows = rows.join("; ");
    match reducer.reduce(&mut values, &mut ids.iter().map(Vec::as_slice)) {
        Ok(value) => format!("{name} of {rows} = {}\n", values.display(value)),
        Err(failure) => format!("{name} of {rows} ! {failure}\n"),
    }
}

#[track_caller]
fn check(cases: &[Case], expected: Expect) {
    expected.assert_eq(&cases.iter().map(outcome).collect::<String>());
}

const NUMBERS: &[Case] = &[
    ("fn:count", &[&[], &[], &[]]),
    ("fn:sum", &[&["1"], &["2"], &["9223372036854775807"]]),
    ("fn:sum", &[&["1"], &["2.0"]]),
    ("fn:max", &[&["1"], &["7"], &["-2"]]),
    ("fn:max", &[&["1.5"]]),
    ("fn:min", &[&["1"], &["7"], &["-2"]]),
    ("fn:min", &[&["\"a\""]]),
    ("fn:avg", &[&["1"], &["2.5"], &["4"]]),
    ("fn:avg", &[&["/a"]]),
    ("fn:float:sum", &[&["0.1"], &["0.2"], &["0.3"]]),
    ("fn:float:sum", &[&["1"]]),
    ("fn:float:max", &[&["-1.5"], &["0.5"]]),
    ("fn:float:max", &[&["1"]]),
    ("fn:float:min", &[&["-1.5"], &["0.5"]]),
    ("fn:float:min", &[&["/a"]]),
];

const TIMES: &[Case] = &[
    ("fn:duration:sum", &[&["fn:duration:parse(\"1h\")"], &["fn:duration:parse(\"30m\")"]]),
    ("fn:duration:sum", &[&["5"]]),
    ("fn:duration:max", &[&["fn:duration:parse(\"1h\")"], &["fn:duration:parse(\"30m\")"]]),
    ("fn:duration:max", &[&["fn:duration:parse(\"1h\")"], &["5"]]),
    ("fn:duration:min", &[&["fn:duration:parse(\"1h\")"], &["fn:duration:parse(\"30m\")"]]),
    ("fn:duration:min", &[&["fn:time:from_unix_nanos(0)"]]),
    ("fn:time:max", &[&["fn:time:from_unix_nanos(0)"], &["fn:time:from_unix_nanos(1)"]]),
    ("fn:time:max", &[&["0"]]),
    ("fn:time:min", &[&["fn:time:from_unix_nanos(0)"], &["fn:time:from_unix_nanos(1)"]]),
    ("fn:time:min", &[&["fn:duration:parse(\"1h\")"]]),
];

const COLLECTIONS: &[Case] = &[
    ("fn:collect", &[&["/b"], &["/a"], &["/b"]]),
    ("fn:collect", &[&["1", "/a"], &["2", "/b"]]),
    ("fn:collect", &[&["1", "2", "3"]]),
    ("fn:collect", &[&[]]),
    ("fn:collect_distinct", &[&["/b"], &["/a"], &["/b"], &["1"], &["1.0"]]),
    ("fn:collect_distinct", &[&["1", "2"], &["1", "2"]]),
    ("fn:collect_to_map", &[&["/a", "1"], &["/b", "2"], &["/a", "3"]]),
    ("fn:collect_to_map", &[&["/a"]]),
    ("fn:count_distinct", &[&["1"]]),
    ("fn:pick_any", &[&["1"]]),
];

#[test]
fn numbers() {
    check(
        NUMBERS,
        expect![[r#"
        fn:count of ; ;  = 3
        fn:sum of 1; 2; 9223372036854775807 = -9223372036854775806
        fn:sum of 1; 2.0 ! it takes a number, and 2.0 is a float
        fn:max of 1; 7; -2 = 7
        fn:max of 1.5 ! it takes a number, and 1.5 is a float
        fn:min of 1; 7; -2 = -2
        fn:min of "a" ! it takes a number, and "a" is a string
        fn:avg of 1; 2.5; 4 = 2.5
        fn:avg of /a ! it takes a number or float, and /a is a name
        fn:float:sum of 0.1; 0.2; 0.3 = 0.6000000000000001
        fn:float:sum of 1 ! it takes a float, and 1 is a number
        fn:float:max of -1.5; 0.5 = 0.5
        fn:float:max of 1 ! it takes a float, and 1 is a number
        fn:float:min of -1.5; 0.5 = -1.5
        fn:float:min of /a ! it takes a float, and /a is a name
    "#]],
    );
}

#[test]
fn times() {
    check(
        TIMES,
        expect![[r#"
        fn:duration:sum of fn:duration:parse("1h"); fn:duration:parse("30m") = fn:duration:parse("1h30m0s")
        fn:duration:sum of 5 ! it takes a duration, and 5 is a number
        fn:duration:max of fn:duration:parse("1h"); fn:duration:parse("30m") = fn:duration:parse("1h0m0s")
        fn:duration:max of fn:duration:parse("1h"); 5 ! it takes a duration, and 5 is a number
        fn:duration:min of fn:duration:parse("1h"); fn:duration:parse("30m") = fn:duration:parse("30m0s")
        fn:duration:min of fn:time:from_unix_nanos(0) ! it takes a duration, and 1970-01-01T00:00:00Z is a time
        fn:time:max of fn:time:from_unix_nanos(0); fn:time:from_unix_nanos(1) = fn:time:parse_rfc3339("1970-01-01T00:00:00.000000001Z")
        fn:time:max of 0 ! it takes a time, and 0 is a number
        fn:time:min of fn:time:from_unix_nanos(0); fn:time:from_unix_nanos(1) = fn:time:parse_rfc3339("1970-01-01T00:00:00Z")
        fn:time:min of fn:duration:parse("1h") ! it takes a time, and 1h0m0s is a duration
    "#]],
    );
}

#[test]
fn collections() {
    check(
        COLLECTIONS,
        expect![[r#"
        fn:collect of /b; /a; /b = [/b, /a, /b]
        fn:collect of 1, /a; 2, /b = [fn:pair(1, /a), fn:pair(2, /b)]
        fn:collect of 1, 2, 3 = [fn:pair(1, fn:pair(2, 3))]
        fn:collect of  = []
        fn:collect_distinct of /b; /a; /b; 1; 1.0 = [/a, /b, 1, 1]
        fn:collect_distinct of 1, 2; 1, 2 = [fn:pair(1, 2)]
        fn:collect_to_map of /a, 1; /b, 2; /a, 3 = [/b : 2, /a : 1]
        fn:collect_to_map of /a ! it takes 2 arguments, not 1
        fn:count_distinct of 1 ! the engine does not know `fn:count_distinct`
        fn:pick_any of 1 ! the engine cannot compute `fn:pick_any`
    "#]],
    );
}

/// Every reducer of the table needs a group with a value and, if possible, a failing group.
#[test]
fn no_reducer_is_forgotten() {
    let outcomes: Vec<String> =
        [NUMBERS, TIMES, COLLECTIONS].iter().copied().flatten().map(outcome).collect();
    for entry in FUNCTIONS.iter().filter(|entry| entry.is_reducer()) {
        assert!(Reducer::from_name(entry.name).is_some(), "{} is missing", entry.name);
        let group = format!("{} of ", entry.name);
        let has = |sign| outcomes.iter().any(|line| line.starts_with(&group) && line.contains(sign));
        assert_eq!(has(" = "), entry.usable(), "{} with a value", entry.name);
        let never_fails = ["fn:count", "fn:collect", "fn:collect_distinct"].contains(&entry.name);
        assert_eq!(has(" ! "), !never_fails, "{} with a failure", entry.name);
    }
    assert_eq!((Reducer::from_name("fn:plus"), Reducer::from_name("sum")), (None, None));
}

#[test]
fn collecting_skips_rows_that_fail() {
    assert!(Reducer::from_name("fn:collect").unwrap().skips_failing_rows());
    assert!(!Reducer::from_name("fn:sum").unwrap().skips_failing_rows());
}
