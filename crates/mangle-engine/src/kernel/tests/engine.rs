//! Tests of unexpected behavior in the engine's reading, and of plans that both readings share. The
//! unexpected behavior was observed in the engine.

use std::sync::Arc;

use super::{program, *};
use crate::kernel::{CompiledProgram, Reading, compile, compile_sharing};

#[test]
fn a_temporal_rule_finds_what_the_rule_before_it_added() {
    check(
        "Decl w(X) temporal.\nt(/c). k(/c).\nw(X)@[now, now] :- t(X).\nw(X)@[now, _] :- k(X), w(X)@[T1].\n",
        Reading::Engine,
        expect!["k(/c) t(/c) w(/c) w(/c)@[2024-03-01T00:00:00Z, _] w(/c)@[2024-03-01T00:00:00Z]"],
    );
}

#[test]
fn the_second_round_of_a_temporal_rule_starts_from_what_it_derived() {
    check(
        "Decl w(X) temporal.\nw(/a)@[2024-01-01, 2024-01-02]. k(/a).\n\
         w(X)@[2024-01-03, 2024-01-04] :- w(X)@[2024-01-01, 2024-01-02], k(X).\n",
        Reading::Engine,
        expect![
            "k(/a) w(/a)@[2024-01-01T00:00:00Z, 2024-01-02T00:00:00Z] w(/a)@[2024-01-03T00:00:00Z, 2024-01-04T00:00:00Z]"
        ],
    );
}

#[test]
fn an_open_end_that_goes_through_a_variable_is_an_instant() {
    check(
        "Decl r(X) temporal.\nDecl v(X) temporal.\nr(/o)@[_, 2024-01-01].\nv(X)@[S, E] :- r(X)@[S, E].\n\
         given(X) :- r(X)@[_, 2023-01-01].\nderived(X) :- v(X)@[_, 2023-01-01].\n\
         bounded(X) :- v(X)@[2022-01-01, 2023-01-01].\n",
        Reading::Engine,
        expect![[r#"
            bounded(/o) given(/o) r(/o)@[_, 2024-01-01T00:00:00Z] v(/o)@[1677-09-21T00:12:43Z, 2024-01-01T00:00:00Z]
            stopped at premise Some(0): the result depends on the order of evaluation: the engine may evaluate `v` too late for this rule"#]],
    );
}

#[test]
fn an_interval_that_ends_before_it_starts_aborts() {
    check(
        "Decl r(X) temporal.\np(/a).\nr(X)@[2024-01-02, 2024-01-01] :- p(X).\n",
        Reading::Engine,
        expect![[r#"
            p(/a)
            stopped at premise Some(4294967295): invalid temporal interval: start 2024-01-02T00:00:00Z > end 2024-01-01T00:00:00Z
            error behind the body: invalid temporal interval: start 2024-01-02T00:00:00Z > end 2024-01-01T00:00:00Z; premise 0 argument 0: /a"#]],
    );
    check(
        "Decl r(X) temporal.\nr(/a)@[2024-01-02, 2024-01-01].\n",
        Reading::Engine,
        expect![[r#"

        stopped at premise Some(4294967295): invalid temporal interval: start 2024-01-02T00:00:00Z > end 2024-01-01T00:00:00Z
        error behind the body: invalid temporal interval: start 2024-01-02T00:00:00Z > end 2024-01-01T00:00:00Z"#]],
    );
}

#[test]
fn an_inverted_question_finds_nothing() {
    check(
        "Decl r(X) temporal.\nr(/a)@[2024-01-05, 2024-01-06].\nq(X) :- r(X)@[2024-01-09, 2024-01-01].\n",
        Reading::Engine,
        expect!["r(/a)@[2024-01-05T00:00:00Z, 2024-01-06T00:00:00Z]"],
    );
}

#[test]
fn a_derived_temporal_predicate_has_no_order() {
    let text = "Decl active(U) temporal.\nsession(/ann).\n\
                active(U)@[2024-01-01, 2024-03-01] :- session(U).\nalert(U) :- active(U)@[S, E].\n";
    check(
        text,
        Reading::Engine,
        expect![[r#"
        active(/ann)@[2024-01-01T00:00:00Z, 2024-03-01T00:00:00Z] alert(/ann) session(/ann)
        stopped at premise Some(0): the result depends on the order of evaluation: the engine may evaluate `active` too late for this rule"#]],
    );
    check(
        text,
        Reading::Intended,
        expect!["active(/ann)@[2024-01-01T00:00:00Z, 2024-03-01T00:00:00Z] alert(/ann) session(/ann)"],
    );
    check(
        &text
            .replace("session(/ann).", "session(/ann). active(/bob)@[2024-01-01, 2024-03-01].")
            .replace(":- session(U)", ":- session(U), U = /nobody "),
        Reading::Engine,
        expect!["active(/bob)@[2024-01-01T00:00:00Z, 2024-03-01T00:00:00Z] alert(/bob) session(/ann)"],
    );
}

#[test]
fn a_result_of_a_call_that_differs_aborts() {
    let text = |mode: &str| {
        format!(
            "Decl step(X, Y) descr [deferred(), mode({mode})].\nstep(X, Y) :- e(X, Y).\n\
             e(1, 2). e(1, 3).\nq(A) :- e(A, B), step(A, B).\n"
        )
    };
    check(
        &text(r#""+", "-""#),
        Reading::Engine,
        expect![[r#"
        e(1,2) e(1,3)
        stopped at premise Some(1): cannot unify 2 3
        error at premise 1: cannot unify 2 3; premise 0 argument 0: 1; premise 0 argument 1: 2"#]],
    );
    check(
        &text(r#""?", "?""#),
        Reading::Engine,
        expect![[r#"
        e(1,2) e(1,3) q(1)
        stopped at premise Some(1): cannot unify 2 3
        error at premise 1: cannot unify 2 3; premise 0 argument 0: 1; premise 0 argument 1: 2"#]],
    );
    check(&text(r#""+", "-""#), Reading::Intended, expect!["e(1,2) e(1,3) q(1)"]);
}

#[test]
fn a_called_rule_with_one_variable_for_two_inputs_is_passed_over_if_they_differ() {
    let text = "Decl same(X, Y) descr [deferred(), mode(\"+\", \"+\")].\nsame(X, X) :- e(X, _).\n\
                e(0, 2). e(1, 1).\nq(A, B) :- e(A, B), same(A, B).\nr(A) :- same(A, A), e(A, _).\n";
    check(text, Reading::Engine, expect!["e(0,2) e(1,1) q(1,1) r(0) r(1)"]);
    check(text, Reading::Intended, expect!["e(0,2) e(1,1) q(1,1) r(0) r(1)"]);
}

#[test]
fn a_call_without_an_input_has_all_values() {
    check(
        "Decl step(X, Y) descr [deferred(), mode(\"+\", \"-\")].\nstep(X, Y) :- e(X, Y).\n\
         e(1, 2). e(2, 3).\nq(A, B) :- step(A, B), e(A, _).\n",
        Reading::Engine,
        expect!["e(1,2) e(2,3) q(1,2) q(2,3)"],
    );
}

#[test]
fn two_facts_of_a_round_are_not_combined() {
    let text = "d(1).\nd(Y) :- d(X), d(Z), X = Z, Y = fn:mult(X, 2), Y < 100.\n";
    check(text, Reading::Engine, expect!["d(1) d(2) d(4)"]);
    check(text, Reading::Intended, expect!["d(1) d(16) d(2) d(32) d(4) d(64) d(8)"]);
}

#[test]
fn an_ignored_negation_closes_no_cycle() {
    let text = "node(/a).\nout(X) :- node(X), !in(Y).\nin(X) :- node(X), !out(X).\n";
    check(text, Reading::Engine, expect!["node(/a) out(/a)"]);
    check(
        text,
        Reading::Intended,
        expect![[r#"
        node(/a)
        fault: what is negated here depends on this rule: neither can be evaluated first
        fault: what is negated here depends on this rule: neither can be evaluated first"#]],
    );
}

#[test]
fn a_plain_negation_finds_temporal_facts_that_lost_their_interval() {
    check(
        "Decl t(X) temporal.\nt(/c)@[2026-01-15, _]. k(/c). k(/e).\nt(X)@[S, _] :- t(X)@[S, _].\nw(X) :- k(X), !t(X).\n",
        Reading::Engine,
        expect!["k(/c) k(/e) t(/c) t(/c)@[2026-01-15T00:00:00Z, _] w(/e)"],
    );
    check(
        "Decl s(X, N) temporal.\nk(/c, 1). k(/c, 2). k(/e, 1).\n\
         s(X, N)@[2026-01-15, _] :- k(X, _) |> do fn:group_by(X), let N = fn:count().\nw(X) :- k(X, _), !s(X, 2).\n",
        Reading::Engine,
        expect!["k(/c,1) k(/c,2) k(/e,1) s(/c,2) s(/e,1) w(/e)"],
    );
}

/// The clauses with shared plans.
fn shared(one: &CompiledProgram, other: &CompiledProgram) -> Vec<u32> {
    let pairs = one.strata.iter().zip(&other.strata).flat_map(|(one, other)| {
        one.plans.iter().flat_map(|plan| other.plans.iter().map(move |other| (plan, other)))
    });
    let same = pairs.filter(|(one, other)| Arc::ptr_eq(one, other));
    let mut rules: Vec<u32> = same.map(|(plan, _)| plan.rule.0).collect();
    rules.sort_unstable();
    rules
}

#[test]
fn plans_facts_and_clauses_are_shared() {
    // In the engine's reading, the negation of `open` is evaluated before its variable is bound, so
    // it is ignored.
    let program = program(
        "door(/d). locked(/d, /key).\n\
         closed(D) :- door(D), locked(D, K).\n\
         open(D) :- !locked(D, K), door(D).\n\
         count(N) :- door(D), closed(D) |> do fn:group_by(), let N = fn:count().\n",
    );
    let go = compile(&program, Reading::Engine);
    let written = compile_sharing(&program, Reading::Intended, &go);
    assert_eq!(shared(&go, &written), [2, 4]);
    assert!(Arc::ptr_eq(&go.facts, &written.facts) && Arc::ptr_eq(&go.rules, &written.rules));
    assert_eq!(shared(&go, &compile(&program, Reading::Intended)), [0_u32; 0]);
}
