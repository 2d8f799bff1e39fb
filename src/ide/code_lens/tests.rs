#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{LensKind, code_lenses, rows_in_words};
use crate::ide::Analysis as _;
use crate::ide::evaluation::{EvaluationView, PlaceNames};
use crate::ide::testing::{Fixture, readings};
use mangle_engine::program::Program;
use mangle_syntax::text::slice;

/// The lenses of the first file of a fixture; each further file, `#- NAME`, is a sample that goes with it.
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
        places: PlaceNames { program, file: &|_| String::new() },
    });
    let tried: Vec<_> = tried.collect();
    let mut out = String::new();
    let file = all[0].id;
    for lens in code_lenses(&fixture, file) {
        let head = slice(fixture.text(file), lens.range);
        let words = match lens.kind {
            LensKind::Query => format!("asks for {}", lens.atom),
            LensKind::Rows(at) => rows_in_words(&tried, &all[0], at),
        };
        writeln!(out, "{head}: {words}").unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn rules_and_predicates() {
    check(
        "Decl open(Door).\ndoor(/d). door(/e).\nlocked(/d, /key).\nopen(D) :- door(D), !locked(D, _).\nopen(D) :- door(D), locked(D, D).\n\
         open(D) :- locked(D, _), door(D).\nway(D, D) :- open(D).\n",
        expect![[r#"
            open(Door): asks for open(Door)
            door(/d): asks for door(X1)
            locked(/d, /key): asks for locked(X1, X2)
            open(D): 2 rows (as written: 1)
            open(D): 0 rows
            open(D): no row of its own (as written: 1)
            way(D, D): asks for way(D, X2)
            way(D, D): 2 rows
        "#]],
    );
}

#[test]
fn of_several_samples() {
    check(
        "#- main.mg\nopen(D) :- door(D), !locked(D).\n#- one.kernel.mg\ndoor(/d).\n#- two.kernel.mg\ndoor(/d). door(/e). locked(/e).\n",
        expect![[r#"
            open(D): asks for open(D)
            open(D): 1 row in one.kernel.mg, 1 in two.kernel.mg
        "#]],
    );
}

#[test]
fn of_what_cannot_be_evaluated_or_does_not_end() {
    check(
        "p(1).\nq(X) :- p(X), \n",
        expect![[r#"
        p(1): asks for p(X1)
        q(X): asks for q(X)
        q(X): 1 row
    "#]],
    );
    check(
        "n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\nhalf(Y) :- n(X), Y = fn:div(4, X).\n",
        expect![[r#"
        n(0): asks for n(X1)
        n(Y): 501 rows so far
        half(Y): asks for half(Y)
        half(Y): 0 rows so far
    "#]],
    );
}
