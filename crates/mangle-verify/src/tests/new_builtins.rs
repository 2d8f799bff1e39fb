//! Tests for an engine that compares floats and matches regular expressions.

use mangle_engine::kernel::Reading;
use mangle_settings::EngineVersion;
use mangle_settings::versions::engine_names;
use mangle_syntax::text::Cancel;

use super::{question_for, told};
use crate::{Scope, search};

/// Checks the result of each question about a policy.
#[track_caller]
fn check(policy: &str, questions: &[(&str, &str)]) {
    let versions = engine_names().filter_map(EngineVersion::parse);
    let newest = versions.max_by_key(|version| version.day.to_string()).unwrap();
    let answer = |body: &str| {
        let question = question_for(newest, policy, body, Reading::Engine);
        told(&mut search(&question, Scope::default(), &Cancel::new()))
    };
    let found: Vec<_> = questions.iter().map(|(body, _)| (*body, answer(body))).collect();
    let expected: Vec<_> = questions.iter().map(|(body, told)| (*body, (*told).to_owned())).collect();
    assert_eq!(found, expected);
}

const FLOAT: &str = "Decl p(X) bound [/float64].";
const TEXT: &str = "Decl s(X) bound [/string].";

#[test]
fn floats_beside_a_bound_are_tried() {
    check(
        FLOAT,
        &[
            ("p(X), :float:gt(X, 2.5)", "1 p(3.5)"),
            ("p(X), :float:ge(X, 2.5)", "1 p(2.5)"),
            ("p(X), :float:lt(X, -2.5)", "1 p(-3.5)"),
            ("p(X), :float:le(X, -2.5), X != -2.5", "1 p(-3.5)"),
            ("p(X), p(Y), :float:lt(X, Y)", "2 p(0.5) p(1.5)"),
        ],
    );
}

#[test]
fn floats_between_bounds_are_tried() {
    check(FLOAT, &[("p(X), :float:gt(X, 2.5), :float:lt(X, 2.75)", "1 p(2.625)")]);
}

#[test]
fn order_of_floats_is_not_proved_complete() {
    let told = "undecided below 0: not every value was tried: order of floats on `p/1`: 4 values tried; \
                a solver (z3 or cvc5) could decide it";
    check(FLOAT, &[("p(X), :float:gt(X, 2.5), :float:lt(X, 2.5)", told)]);
}

#[test]
fn texts_that_match_are_tried() {
    let questions = [
        ("s(X), :string:matches(X, \"^/etc/(passwd|shadow)$\")", "1 s(\"/etc/passwd\")"),
        ("s(X), :string:matches(X, \"^[a-z]{3}-[0-9]+$\"), !:string:matches(X, \"0\")", "1 s(\"aaa-1\")"),
        ("s(X), !:string:matches(X, \"^[a-z]+$\")", "1 s(\"^[a-z]+$\")"),
    ];
    check(TEXT, &questions);
    let policy = format!("{TEXT}\npat(\"^ab+$\").\nhit(X) :- s(X), pat(P), :string:matches(X, P).");
    check(&policy, &[("hit(X)", "1 s(\"ab\")")]);
}

#[test]
fn matches_are_not_proved_complete_and_have_no_solver() {
    let told = "undecided below 0: not every value was tried: matches of regular expressions on `s/1`: 4 values tried";
    check(TEXT, &[("s(X), :string:matches(X, \"^a$\"), :string:matches(X, \"^b$\")", told)]);
}
