//! Tests of scripts and answers without a real solver.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use mangle_engine::kernel::Reading;
use mangle_syntax::text::Cancel;

use super::expr::{Exprs, Kind, Op, Sort};
use super::script::{TextSorts, print_script, quoted};
use crate::tests::{question, told};
use crate::{Scope, Solver, SolverError, Solvers, search};

const TEXTS: TextSorts = TextSorts { strings: Sort::Text, names: Sort::Text };

#[test]
fn shared_parts_are_defined_once() {
    let mut exprs = Exprs::default();
    let n = exprs.variable("n".to_owned(), Sort::Int);
    let (one, five) = (exprs.int(1), exprs.int(5));
    let sum = exprs.add([n, one]);
    let (is_five, is_less) = (exprs.equal(sum, five), exprs.less(n, sum));
    let text = print_script(&exprs, TEXTS, &[is_five, is_less], &[n]).unwrap();
    assert_eq!(
        text,
        "(set-option :produce-models true)\n(set-logic ALL)\n(declare-const n Int)\n\
         (define-fun e0 () Int (+ n 1))\n(assert (= 5 e0))\n(assert (< n e0))\n(check-sat)\n(get-value (n))\n"
    );
}

#[test]
fn texts_are_quoted_for_solvers() {
    assert_eq!(quoted("a\"b\\c\u{e9}\n"), "\"a\"\"b\\u{5c}c\\u{e9}\\u{a}\"");
}

#[test]
fn values_of_different_kinds_differ_without_a_solver() {
    let mut exprs = Exprs::default();
    let n = exprs.variable("n".to_owned(), Sort::Int);
    let (number, time) = (exprs.make(Kind::Number, &[n]), exprs.make(Kind::Time, &[n]));
    let equal = exprs.equal(number, time);
    assert_eq!(exprs.as_bool(equal), Some(false));
    let is = exprs.is(Kind::Time, time);
    assert_eq!(exprs.as_bool(is), Some(true));
    assert_eq!(exprs.content(Kind::Time, 0, time, Sort::Int), n);
}

#[test]
fn numbers_out_of_range_are_never_equal() {
    let mut exprs = Exprs::default();
    let hour = exprs.variable_in("hour".to_owned(), Sort::Int, 0, 23);
    let (late, noon) = (exprs.int(24), exprs.int(12));
    let (never, open) = (exprs.equal(hour, late), exprs.equal(hour, noon));
    assert_eq!(exprs.as_bool(never), Some(false));
    assert_eq!(exprs.as_bool(open), None);
    let contradiction = exprs.not(open);
    let both = exprs.and([open, contradiction]);
    assert_eq!(exprs.as_bool(both), Some(false));
}

#[test]
fn a_root_is_no_number_below_zero_only() {
    let mut exprs = Exprs::default();
    let of = exprs.variable("f".to_owned(), Sort::Float);
    let root = exprs.raw(Op::FloatSqrt, &[of], Sort::Float);
    let is_nan = exprs.float_test(Op::FloatIsNan, root);
    let text = print_script(&exprs, TEXTS, &[is_nan], &[]).unwrap();
    assert!(!text.contains("fp.sqrt"), "{text}");
}

/// A solver that always returns the same answer.
#[derive(Debug)]
struct Canned(Result<&'static str, SolverError>);

impl Solver for Canned {
    fn name(&self) -> &'static str {
        "canned"
    }

    fn run(&self, _: &str, _: Duration, _: &Cancel) -> Result<String, SolverError> {
        self.0.clone().map(str::to_owned)
    }
}

/// Returns the answer about a property that only a solver decides.
fn answer(output: Result<&'static str, SolverError>) -> String {
    let policy = "Decl n(X) descr [extensional()] bound [/number].\n\
        ok() :- n(A), n(B), A > 1, B > 1, C = fn:mult(A, B), C = 8633.";
    let mut question = question(policy, "ok()", Reading::Engine);
    question.solvers = Solvers::new(vec![std::sync::Arc::new(Canned(output))]);
    told(&mut search(&question, Scope { facts: 2, ..Scope::default() }, &Cancel::new()))
}

#[test]
fn unsatisfiable_scripts_decide() {
    assert_eq!(answer(Ok("unsat\n")), "not in scope");
}

#[test]
fn what_a_solver_does_not_decide_stays_open() {
    for output in [
        Ok("unknown\n"),
        Ok("sat\n()"),
        Ok("(error \"x\")"),
        Ok("sat\n(("),
        Err(SolverError::Failed("x".into())),
    ] {
        let told = answer(output.clone());
        assert!(told.starts_with("undecided"), "{output:?}: {told}");
    }
}
