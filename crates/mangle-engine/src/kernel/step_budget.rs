//! Tests that the work between two checks of the clock and of cancellation is bounded. Work is
//! counted, never timed.

use std::time::Duration;

use super::{Clock, Limits, Reading, STEPS_BETWEEN_CHECKS, StopReason, compile, run, work};
use crate::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

/// The maximum work between two checks: tuples and values that are read or created.
const MAX_WORK: usize = 24 * STEPS_BETWEEN_CHECKS as usize;

const LIMITS: Limits =
    Limits { facts: 1_000_000, derived: 1_000_000, steps: 1_000_000, time: Duration::MAX, bytes: usize::MAX };

/// A program with the numbers from 0 to 30,000.
const NUMBERS: &str = "n(0). n(Y) :- n(X), X < 30000, Y = fn:plus(X, 1).\n";

fn program(text: &str) -> Program {
    Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()])
}

/// The work between two checks is bounded, independent of the reason for the end of the evaluation.
#[track_caller]
fn check(text: &str, limits: Limits) -> Option<StopReason> {
    let program = program(text);
    let compiled = compile(&program, Reading::Intended);
    let (model, most) =
        work::max_between_checks(|| run(&compiled, limits, Clock { now_ns: 0 }, &Cancel::new()));
    assert!(most <= MAX_WORK, "{most} between two looks");
    assert_eq!(compiled.faults, []);
    model.stopped.map(|stop| stop.reason)
}

#[test]
fn recursion_without_end() {
    let limits = Limits { derived: 50_000, ..LIMITS };
    let stopped = check("n(0). n(Y) :- n(X), Y = fn:plus(X, 1).", limits);
    assert_eq!(stopped, Some(StopReason::Derived(50_000)));
}

#[test]
fn a_cross_product() {
    let text = format!("{NUMBERS}both(X, Y) :- n(X), n(Y), X < 0.");
    assert_eq!(check(&text, LIMITS), Some(StopReason::Steps(LIMITS.steps)));
}

#[test]
fn negations_without_an_index() {
    let text = format!("{NUMBERS}pair(X, Y) :- n(X), Y = fn:minus(X).\nfree(X) :- n(X), !pair(X, X).");
    assert_eq!(check(&text, LIMITS), None);
}

#[test]
fn indices_of_large_relations() {
    let text = format!(
        "{NUMBERS}pair(X, Y) :- n(X), Y = fn:mod(X, 7).\nfew(3).\n\
         triple(X, Y, Z) :- pair(X, Y), Z = fn:mod(X, 5).\n\
         one(X) :- few(Y), pair(X, Y).\ntwo(X) :- few(Y), triple(X, Y, Y)."
    );
    assert_eq!(check(&text, LIMITS), None);
}

#[test]
fn aggregations_of_many_rows() {
    let of = |lets: &str| format!("{NUMBERS}a(N) :- n(X) |> do fn:group_by(), let N = {lets}.");
    for lets in
        ["fn:count()", "fn:sum(X)", "fn:max(X)", "fn:avg(X)", "fn:collect(X)", "fn:collect_distinct(X)"]
    {
        assert_eq!(check(&of(lets), LIMITS), None, "{lets}");
    }
    let text = format!(
        "{NUMBERS}part(X, Y) :- n(X), Y = fn:mod(X, 1000).\n\
         a(X, N) :- n(X) |> do fn:group_by(X), let N = fn:count().\n\
         b(Y, N) :- part(X, Y), n(Y) |> do fn:group_by(Y), let N = fn:collect_to_map(X, Y).\n\
         c(N) :- part(X, Y) |> do fn:group_by(), let N = fn:collect_distinct(Y)."
    );
    assert_eq!(check(&text, LIMITS), None);
}

#[test]
fn long_texts_and_lists() {
    let doubling = "t(\"abcdefgh\"). t(Y) :- t(X), Y = fn:string:concat(X, X).\n\
                    found(X) :- t(X), t(Y), :string:contains(X, Y).";
    let limits = Limits { steps: 30_000_000, ..LIMITS };
    assert_eq!(check(doubling, limits), None);
    let lists = "l([]). l(M) :- l(L), N = fn:list:len(L), N < 1500, M = fn:list:append(L, N).\n\
                 s(N) :- l(L), N = fn:sum(L). m(X) :- l(L), :list:member(X, L). big(L) :- l(L), :filter(fn:list:contains(L, 1499)).";
    assert_eq!(check(lists, limits), None);
}
