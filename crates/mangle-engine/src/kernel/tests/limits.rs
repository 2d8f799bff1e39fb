//! Tests that infinite programs are stopped, with the rule in the result.

use super::*;

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
