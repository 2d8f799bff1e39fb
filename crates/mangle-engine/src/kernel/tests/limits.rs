//! Tests that infinite programs are stopped, with the rule in the result, and that the work between
//! two checks of the clock and of cancellation is bounded. Work is counted, never timed.

use super::*;
use crate::kernel::{STEPS_BETWEEN_CHECKS, work};

#[test]
fn a_rule_that_never_ends_names_itself() {
    let program = program("n(0). n(Y) :- n(X), Y = fn:plus(X, 1). m(1).");
    let compiled = compile(&program, Reading::Engine);
    let stopped = |limits: Limits| {
        run(&compiled, limits, CLOCK, &Cancel::new())
            .stopped
            .map(|stop| (stop.rule.map(|rule| rule.0), stop.reason))
    };
    let limits = Limits::default();
    assert_eq!(stopped(Limits { derived: 100, ..limits }), Some((Some(1), StopReason::Derived(100))));
    assert_eq!(stopped(Limits { facts: 50, ..limits }), Some((Some(1), StopReason::Facts(50))));
    assert_eq!(stopped(Limits { steps: 10_000, ..limits }), Some((Some(1), StopReason::Steps(10_000))));
    let time = Duration::from_millis(1);
    assert_eq!(stopped(Limits { time, ..limits }), Some((Some(1), StopReason::Time(time))));
    let cancel = Cancel::new();
    cancel.cancel();
    let model = run(&compiled, limits, CLOCK, &cancel);
    assert_eq!(model.stopped.map(|stop| stop.reason), Some(StopReason::Cancelled));
    // The model contains the facts that were derived until then.
    assert!(model.relations.iter().any(|relation| relation.len() > 100));
}

#[test]
fn a_cross_product_is_stopped_without_deriving_anything() {
    let facts: String = (0..2_000).map(|n| format!("a({n}). ")).collect();
    let program = program(&format!("{facts} p(X) :- a(X), a(Y), X > Y, Y > X."));
    let compiled = compile(&program, Reading::Engine);
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let stop = run(&compiled, limits, CLOCK, &Cancel::new()).stopped;
    assert_eq!(stop.map(|stop| stop.reason), Some(StopReason::Steps(1_000_000)));
}

#[test]
fn a_body_without_end_is_no_danger() {
    let premises = vec!["a(X)"; 100_000].join(", ");
    let (_, compiled, model) = model(&format!("a(1). p(X) :- {premises}. q(X) :- a(X)."), Reading::Engine);
    assert_eq!(model.dump(&compiled), ["a(1)", "q(1)"]);
    assert_eq!(compiled.faults.len(), 1);
}

#[test]
fn around_a_circle_the_engine_never_ends() {
    let text = format!(
        "{BIGGER}in(/a, 1). in(/b, 2). e(/a, /b). e(/b, /a).\nbest(X, V) :- in(X, V). best(Y, V) :- best(X, V), e(X, Y)."
    );
    check(&text, Reading::Intended, expect!["best(/a,2) best(/b,2) e(/a,/b) e(/b,/a) in(/a,1) in(/b,2)"]);
    let program = program(&text);
    let limits = Limits { derived: 1_000, ..Limits::default() };
    let compiled = compile(&program, Reading::Engine);
    let model = run(&compiled, limits, CLOCK, &Cancel::new());
    assert_eq!(model.stopped.map(|stop| stop.reason), Some(StopReason::Derived(1_000)));
}

/// The maximum work between two checks: tuples and values that are read or created.
const MAX_WORK: usize = 24 * STEPS_BETWEEN_CHECKS as usize;

const LIMITS: Limits =
    Limits { facts: 1_000_000, derived: 1_000_000, steps: 1_000_000, time: Duration::MAX, bytes: usize::MAX };

/// A program with the numbers from 0 to 30,000.
const NUMBERS: &str = "n(0). n(Y) :- n(X), X < 30000, Y = fn:plus(X, 1).\n";

/// The work between two checks is bounded, independent of the reason for the end of the evaluation.
#[track_caller]
fn check_work(text: &str, limits: Limits) -> Option<StopReason> {
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
    let stopped = check_work("n(0). n(Y) :- n(X), Y = fn:plus(X, 1).", limits);
    assert_eq!(stopped, Some(StopReason::Derived(50_000)));
}

#[test]
fn a_cross_product() {
    let text = format!("{NUMBERS}both(X, Y) :- n(X), n(Y), X < 0.");
    assert_eq!(check_work(&text, LIMITS), Some(StopReason::Steps(LIMITS.steps)));
}

#[test]
fn negations_without_an_index() {
    let text = format!("{NUMBERS}pair(X, Y) :- n(X), Y = fn:minus(X).\nfree(X) :- n(X), !pair(X, X).");
    assert_eq!(check_work(&text, LIMITS), None);
}

#[test]
fn indices_of_large_relations() {
    let text = format!(
        "{NUMBERS}pair(X, Y) :- n(X), Y = fn:mod(X, 7).\nfew(3).\n\
         triple(X, Y, Z) :- pair(X, Y), Z = fn:mod(X, 5).\n\
         one(X) :- few(Y), pair(X, Y).\ntwo(X) :- few(Y), triple(X, Y, Y)."
    );
    assert_eq!(check_work(&text, LIMITS), None);
}

#[test]
fn aggregations_of_many_rows() {
    let of = |lets: &str| format!("{NUMBERS}a(N) :- n(X) |> do fn:group_by(), let N = {lets}.");
    for lets in
        ["fn:count()", "fn:sum(X)", "fn:max(X)", "fn:avg(X)", "fn:collect(X)", "fn:collect_distinct(X)"]
    {
        assert_eq!(check_work(&of(lets), LIMITS), None, "{lets}");
    }
    let text = format!(
        "{NUMBERS}part(X, Y) :- n(X), Y = fn:mod(X, 1000).\n\
         a(X, N) :- n(X) |> do fn:group_by(X), let N = fn:count().\n\
         b(Y, N) :- part(X, Y), n(Y) |> do fn:group_by(Y), let N = fn:collect_to_map(X, Y).\n\
         c(N) :- part(X, Y) |> do fn:group_by(), let N = fn:collect_distinct(Y)."
    );
    assert_eq!(check_work(&text, LIMITS), None);
}

#[test]
fn long_texts_and_lists() {
    let doubling = "t(\"abcdefgh\"). t(Y) :- t(X), Y = fn:string:concat(X, X).\n\
                    found(X) :- t(X), t(Y), :string:contains(X, Y).";
    let limits = Limits { steps: 30_000_000, ..LIMITS };
    assert_eq!(check_work(doubling, limits), None);
    let lists = "l([]). l(M) :- l(L), N = fn:list:len(L), N < 1500, M = fn:list:append(L, N).\n\
                 s(N) :- l(L), N = fn:sum(L). m(X) :- l(L), :list:member(X, L). big(L) :- l(L), :filter(fn:list:contains(L, 1499)).";
    assert_eq!(check_work(lists, limits), None);
}
