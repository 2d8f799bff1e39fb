#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{LensKind, code_lenses, rule_title};
use crate::Analysis as _;
use crate::evaluation::{EvaluationView, PlaceNames};
use crate::testing::{Fixture, readings};
use mangle_engine::program::Program;
use mangle_syntax::text::slice;

/// Checks the lenses of the first file of a fixture. Each further file `#- NAME` is a sample of
/// that program.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let all = &fixture.program().files;
    let alone = vec![vec![Arc::clone(&all[0])]];
    let with_samples = all.iter().skip(1).map(|sample| vec![Arc::clone(&all[0]), Arc::clone(sample)]);
    let programs: Vec<_> = match all.len() {
        1 => alone,
        _ => with_samples.collect(),
    };
    let programs: Vec<_> = programs.into_iter().map(|files| Arc::new(Program::new(files))).collect();
    let readings: Vec<_> = programs.iter().map(readings).collect();
    let tried = programs.iter().zip(&readings).enumerate().map(|(at, (program, readings))| EvaluationView {
        sample: (all.len() > 1).then(|| fixture.names[at + 1].as_str()),
        readings: Some(readings),
        is_current: true,
        refusal: None,
        places: PlaceNames { program, file: &|_| String::new() },
    });
    let tried: Vec<_> = tried.collect();
    let mut out = String::new();
    let file = all[0].id;
    for lens in code_lenses(&fixture, file) {
        let head = slice(fixture.text(file), lens.range);
        let title = match lens.kind {
            LensKind::Query => format!("query {}", lens.atom),
            LensKind::Rule(at) => rule_title(&tried, &all[0], at),
        };
        let hidden = if lens.has_solutions(&tried, &all[0]) { "" } else { " [hidden]" };
        writeln!(out, "{head}: {title}{hidden}").unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn rules_and_predicates() {
    check(
        "Decl open(Door).\ndoor(/d). door(/e).\nlocked(/d, /key).\nopen(D) :- door(D), !locked(D, _).\nopen(D) :- door(D), locked(D, D).\n\
         open(D) :- locked(D, _), door(D).\nway(D, D) :- open(D).\n",
        expect![[r#"
            open(Door): query open(Door)
            door(/d): query door(X1)
            locked(/d, /key): query locked(X1, X2)
            open(D): 2 facts (reading intended: 1)
            open(D): no solutions [hidden]
            open(D): no new facts (reading intended: 1)
            way(D, D): query way(D, X2)
            way(D, D): 2 facts
        "#]],
    );
}

#[test]
fn of_several_samples() {
    check(
        "#- main.mg\nopen(D) :- door(D), !locked(D).\n#- one.kernel.mg\ndoor(/d).\n#- two.kernel.mg\ndoor(/d). door(/e). locked(/e).\n",
        expect![[r#"
            open(D): query open(D)
            open(D): 1 fact in one.kernel.mg, 1 in two.kernel.mg
        "#]],
    );
}

#[test]
fn samples_without_solutions_are_left_out() {
    check(
        "#- main.mg\nopen(D) :- door(D).\nshut(D) :- locked(D).\nlost(D) :- gone(D).\n\
         #- one.kernel.mg\nlocked(/d).\n#- two.kernel.mg\ndoor(/d). door(/e).\n",
        expect![[r#"
            open(D): query open(D)
            open(D): 2 facts in two.kernel.mg
            shut(D): query shut(D)
            shut(D): 1 fact in one.kernel.mg
            lost(D): query lost(D) [hidden]
            lost(D): no solutions [hidden]
        "#]],
    );
}

#[test]
fn a_lens_is_kept_where_one_reading_has_solutions() {
    check(
        "door(/d). locked(/d, /key).\nopen(D) :- door(D), !locked(D, _).\n",
        expect![[r#"
            door(/d): query door(X1)
            locked(/d, /key): query locked(X1, X2)
            open(D): query open(D)
            open(D): 1 fact (reading intended: 0)
        "#]],
    );
}

#[test]
fn of_what_cannot_be_evaluated_or_does_not_end() {
    check(
        "p(1).\nq(X) :- p(X), \n",
        expect![[r#"
        p(1): query p(X1)
        q(X): query q(X)
        q(X): 1 fact
    "#]],
    );
    check(
        "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\nhalf(Y) :- n(X), Y = fn:div(4, X).\n",
        expect![[r#"
        n(0): query n(X1)
        n(Y): 501 facts so far
        half(Y): query half(Y) [hidden]
        half(Y): no solutions so far [hidden]
    "#]],
    );
}
