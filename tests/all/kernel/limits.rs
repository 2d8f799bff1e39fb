//! Bad input: whatever is wrong or without end, there is a limit or a fault that says which rule it is, and what was
//! derived can be asked for.

use crate::support;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use expect_test::{Expect, expect};
use mangle_engine::kernel::{Clock, CompiledProgram, Kernel, Limits, Model, Reading, RuleId, compile, run};
use mangle_engine::program::{PredicateKey, Program};
use mangle_syntax::text::{Cancel, Symbol};

const CLOCK: Clock = Clock { now_ns: 0 };

/// Small, and not of time, so that each ends where it always ends.
const LIMITS: Limits =
    Limits { facts: 20_000, derived: 10_000, steps: 300_000, time: Duration::MAX, bytes: 1 << 26 };

fn evaluated(text: &str, reading: Reading, limits: Limits) -> (Program, Arc<CompiledProgram>, Model) {
    let program = support::program(&[text]);
    let compiled = compile(&program, reading);
    let model = run(&compiled, limits, CLOCK, &Cancel::new());
    (program, compiled, model)
}

/// The head of a rule, as it is written.
fn rule(text: &str, compiled: &CompiledProgram, rule: RuleId) -> String {
    let item = compiled.rule(rule).unwrap().item as usize;
    // One statement a line.
    text.lines().nth(item).unwrap().split(" :-").next().unwrap().to_owned()
}

/// How many facts there are of each predicate, and what went wrong where.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(text: &str, reading: Reading, expect: Expect) {
    let (program, compiled, model) = evaluated(text, reading, LIMITS);
    let mut out = String::new();
    for (predicate, id) in program.predicates.iter().zip(0u32..) {
        let rows =
            model.relation(mangle_engine::program::PredicateId(id)).map_or(0, |relation| relation.len());
        let _ = writeln!(out, "{}: {rows}", predicate.key.name.as_str());
    }
    if let Some(stop) = &model.stopped {
        let place = stop.rule.map_or_else(|| "nowhere".to_owned(), |it| rule(text, &compiled, it));
        let _ = writeln!(out, "stopped at {place}: {}", stop.reason);
    }
    for error in &model.errors {
        let _ = writeln!(out, "lost a row of {}: {}", rule(text, &compiled, error.rule), error.failure);
    }
    for fault in &compiled.faults {
        let _ = writeln!(out, "cannot evaluate {}: {}", rule(text, &compiled, fault.rule), fault.failure);
    }
    expect.assert_eq(&out);
}

#[test]
fn recursion_without_end() {
    let text = "start(0).\nfine(X) :- start(X).\nn(X) :- fine(X).\nn(Y) :- n(X), Y = fn:plus(X, 1).";
    check(
        text,
        Reading::Engine,
        expect![[r#"
        start: 1
        fine: 1
        n: 10000
        stopped at n(Y): more than 10000 derived facts
    "#]],
    );
}

#[test]
fn texts_that_double() {
    check(
        "t(\"abcdefgh\").\nt(Y) :- t(X), Y = fn:string:concat(X, X).",
        Reading::Intended,
        expect![[r#"
        t: 20
        lost a row of t(Y): a text would be longer than 4194304 bytes
    "#]],
    );
}

#[test]
fn values_that_nest_without_end() {
    check(
        "deep([]).\ndeep([X]) :- deep(X).",
        Reading::Intended,
        expect![[r#"
        deep: 1001
        lost a row of deep([X]): a value would nest deeper than 1000 levels
    "#]],
    );
    check(
        "deep([]).\ndeep([X]) :- deep(X).",
        Reading::Engine,
        expect![[r#"
        deep: 1001
        stopped at deep([X]): a value would nest deeper than 1000 levels
        lost a row of deep([X]): a value would nest deeper than 1000 levels
    "#]],
    );
}

#[test]
fn division_by_zero_and_numbers_that_overflow() {
    let text = "n(0).\nn(2).\nn(9223372036854775807).\nhalf(Y) :- n(X), Y = fn:div(4, X).\nmore(Y) :- n(X), Y = fn:plus(X, 1).";
    check(
        text,
        Reading::Intended,
        expect![[r#"
        n: 3
        half: 2
        more: 3
        lost a row of half(Y): division by zero
    "#]],
    );
    check(
        text,
        Reading::Engine,
        expect![[r#"
        n: 3
        half: 0
        more: 0
        stopped at half(Y): division by zero
        lost a row of half(Y): division by zero
    "#]],
    );
}

#[test]
fn a_circle_through_a_negation() {
    let text = "q(1).\np(X) :- q(X), !r(X).\nr(X) :- q(X), !p(X).\nfine(X) :- q(X).";
    for reading in [Reading::Engine, Reading::Intended] {
        check(
            text,
            reading,
            expect![[r#"
                q: 1
                p: 0
                r: 0
                fine: 1
                cannot evaluate p(X): what is negated here depends on this rule: neither can be evaluated first
                cannot evaluate r(X): what is negated here depends on this rule: neither can be evaluated first
            "#]],
        );
    }
}

#[test]
fn predicates_that_nobody_defines() {
    let text = "q(1).\np(X) :- q(X), nobody(X).\nr(X) :- q(X), !nobody(X).\nfine(X) :- q(X).";
    check(
        text,
        Reading::Intended,
        expect![[r#"
        q: 1
        nobody: 0
        p: 0
        r: 1
        fine: 1
    "#]],
    );
}

#[test]
fn facts_with_variables() {
    let text = "q(1).\np(X).\nfine(X) :- q(X).";
    check(
        text,
        Reading::Intended,
        expect![[r#"
        q: 1
        p: 0
        fine: 1
        lost a row of p(X).: `X` in the head is unbound
    "#]],
    );
    check(
        text,
        Reading::Engine,
        expect![[r#"
        q: 1
        p: 0
        fine: 0
        stopped at p(X).: `X` in the head is unbound
        lost a row of p(X).: `X` in the head is unbound
    "#]],
    );
}

/// Numbers from 0 on as facts of a predicate, without a text of them all.
fn load(kernel: &mut Kernel, program: &Program, name: &str, count: i64) {
    let predicate = program.id(PredicateKey { name: Symbol::new(name), arity: 1 }).unwrap();
    for number in 0..count {
        let tuple = [kernel.values().number(number)].into();
        kernel.assert(&mangle_engine::kernel::Fact { predicate, tuple, rule: RuleId::ASSERTED });
    }
}

#[test]
fn a_cross_product_of_two_large_relations_and_more_facts_than_allowed() {
    let text = "left(0).\nright(0).\nboth(X, Y) :- left(X), right(Y).\nfine(X) :- left(X), X < 3.";
    let program = support::program(&[text]);
    let compiled = compile(&program, Reading::Intended);
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    load(&mut kernel, &program, "left", 100_000);
    load(&mut kernel, &program, "right", 100_000);
    let limits = Limits { facts: usize::MAX, steps: 5_000_000, bytes: 1 << 30, ..LIMITS };
    kernel.evaluate(limits, CLOCK, &Cancel::new());
    let stop = kernel.model().stopped.clone().unwrap();
    assert_eq!(stop.reason.to_string(), "more than 10000 derived facts");
    assert_eq!(rule(text, &compiled, stop.rule.unwrap()), "both(X, Y)");
    let rows = |name: &str, arity| {
        let id = program.id(PredicateKey { name: Symbol::new(name), arity }).unwrap();
        kernel.model().relation(id).unwrap().len()
    };
    assert_eq!((rows("left", 1), rows("right", 1), rows("both", 2)), (100_000, 100_000, 10_001));
    let fewer = Limits { facts: 250_000, ..limits };
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    load(&mut kernel, &program, "left", 300_000);
    kernel.evaluate(fewer, CLOCK, &Cancel::new());
    assert_eq!(kernel.model().stopped.clone().unwrap().reason.to_string(), "more than 250000 facts");
}

#[test]
fn nobody_waits_for_what_was_cancelled() {
    let cancel = Cancel::new();
    cancel.cancel();
    let program = support::program(&["n(0). n(Y) :- n(X), Y = fn:plus(X, 1)."]);
    let model = run(&compile(&program, Reading::Engine), LIMITS, CLOCK, &cancel);
    assert_eq!(model.stopped.unwrap().reason.to_string(), "cancelled");
    assert!(model.steps < 2 * u64::from(mangle_engine::kernel::STEPS_BETWEEN_CHECKS));
}
