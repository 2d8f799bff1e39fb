#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{ClauseYield, Evaluation, PlaceNames, Readings, fingerprint};
use crate::query::AnswerOptions;
use crate::testing::{self, program, readings};
use mangle_engine::kernel::{Clock, Limits, compile};
use mangle_engine::program::{PredicateKey, Program};
use mangle_settings::{KernelSettings, Reading, RuleSettings};
use mangle_syntax::text::{Cancel, FileId, Symbol};

const DOORS: &str = "door(/d). door(/e).\nlocked(/d, /key).\nopen(D) :-\n    door(D),\n    !locked(D, _).\nway(D) :- open(D), door(D).\nlost(D) :- way(D), locked(D, /k).\n";

fn evaluated(text: &str) -> (Arc<Program>, Readings) {
    let program = Arc::new(program(text));
    let readings = readings(&program);
    (program, readings)
}

fn key(name: &str, arity: u16) -> PredicateKey {
    PredicateKey { name: Symbol::new(name), arity }
}

fn places(program: &Program) -> PlaceNames<'_> {
    PlaceNames { program, file: &|file| format!("f{}.mg", file.0) }
}

/// Checks the findings of an evaluation. Findings of static checks are excluded.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&testing::evaluated(text, &RuleSettings::default()).render());
}

/// Checks the truth of each ground clause head, in both readings.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_holds(text: &str, asked: &str, expect: Expect) {
    let (before, readings) = evaluated(text);
    // The queried atoms are in a file of the same program that was not evaluated.
    let with = program(&format!("#- a.mg\n{text}#- b.mg\n{asked}"));
    let file = with.file(FileId(1)).unwrap();
    let mut out = String::new();
    for item in file.items.iter() {
        let atom = &item.statement.clause().unwrap().head;
        for reading in [Reading::Engine, Reading::Intended] {
            let evaluation = readings.get(reading);
            let said = match evaluation.holds(file, atom, file.statement_text(item), places(&before)) {
                Some(found) => format!("{}: {}", found.holds, found.because),
                None => "nothing".to_owned(),
            };
            writeln!(out, "{} {}: {said}", file.statement_text(item), reading.as_str()).unwrap();
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn rows_and_what_each_rule_gave() {
    let (program, readings) = evaluated(DOORS);
    let go = readings.get(Reading::Engine);
    let open = go.rows(key("open", 1), 1).unwrap();
    assert_eq!((open.count, open.first), (2, vec!["open(/d)".to_owned()]));
    assert_eq!(go.rows(key("closed", 1), 1), None);
    let file = program.file(FileId(0)).unwrap();
    let given = |evaluation: &Evaluation| {
        let items = file.items.iter().enumerate();
        items.map(|(at, item)| evaluation.given(FileId(0), at, &item.statement).unwrap()).collect::<Vec<_>>()
    };
    let rows = |rows: &[usize]| {
        rows.iter()
            .map(|&rows| if rows == 0 { ClauseYield::Nothing } else { ClauseYield::Rows(rows) })
            .collect::<Vec<_>>()
    };
    assert_eq!(given(go), rows(&[1, 1, 1, 2, 2, 0]));
    assert_eq!(given(readings.get(Reading::Intended)), rows(&[1, 1, 1, 1, 1, 0]));
    assert!(go.is_complete());
}

#[test]
fn a_rule_that_only_repeats_is_told_from_one_that_never_fires() {
    let text = "p(1). q(1). q(2).\nr(X) :- q(X).\nr(X) :- p(X).\nr(X) :- p(X), X > 1.\n";
    let (program, readings) = evaluated(text);
    let file = program.file(FileId(0)).unwrap();
    let given = file.items.iter().enumerate().skip(3);
    let given =
        given.map(|(at, item)| readings.get(Reading::Engine).given(FileId(0), at, &item.statement).unwrap());
    assert_eq!(
        given.collect::<Vec<_>>(),
        [ClauseYield::Rows(2), ClauseYield::NothingNew, ClauseYield::Nothing]
    );
}

#[test]
fn readings_differ_in_rows() {
    let (_, readings) = evaluated(DOORS);
    let found = readings.difference(key("open", 1)).unwrap();
    assert_eq!((found.engine, found.intended), (2, 1));
    assert_eq!((found.only_go, found.only_written), (vec!["open(/d)".to_owned()], vec![]));
    assert_eq!(readings.difference(key("door", 1)), None);
}

#[test]
fn ground_atoms() {
    check_holds(
        DOORS,
        "door(/d).\nopen(/d).\nway(/e).\nlost(/d).\nopen(/x).\ndoor(/nowhere).\n",
        expect![[r#"
            door(/d). engine: true: a fact at f0.mg:1
            door(/d). intended: true: a fact at f0.mg:1
            open(/d). engine: true: by the rule at f0.mg:3 from `door(/d)`, `!locked(D, _)`, which the engine ignores
            open(/d). intended: false: f0.mg:3 requires `!locked(/d,_)`
            way(/e). engine: true: by the rule at f0.mg:6 from `open(/e)`, `door(/e)`
            way(/e). intended: true: by the rule at f0.mg:6 from `open(/e)`, `door(/e)`
            lost(/d). engine: false: f0.mg:7 finds no `locked(/d,/k)`
            lost(/d). intended: false: f0.mg:7 finds no `way(/d)`
            open(/x). engine: false: f0.mg:3 finds no `door(/x)`
            open(/x). intended: false: f0.mg:3 finds no `door(/x)`
            door(/nowhere). engine: false: this fact does not exist, and the predicate has no rules
            door(/nowhere). intended: false: this fact does not exist, and the predicate has no rules
        "#]],
    );
    check_holds(
        "Decl at(X) temporal.\nat(/a)@[2024-01-01T00:00:00Z, 2024-01-02T00:00:00Z].\nn(1). n(2). n(fn:plus(1, 2)).\n\
         many(N) :- n(X) |> do fn:group_by(), let N = fn:count().\nfour(A, B, C, D) :- n(A), n(B), n(C), n(D), A < B.\n",
        "at(/a).\nn(3).\nmany(3).\nmany(4).\nfour(1, 2, 1, 1).\nn(X).\n",
        expect![[r#"
            at(/a). engine: true: a fact at f0.mg:2
            at(/a). intended: true: a fact at f0.mg:2
            n(3). engine: true: a fact at f0.mg:3
            n(3). intended: true: a fact at f0.mg:3
            many(3). engine: true: by the rule at f0.mg:4 from a group of 3
            many(3). intended: true: by the rule at f0.mg:4 from a group of 3
            many(4). engine: false: f0.mg:4 has no matching group
            many(4). intended: false: f0.mg:4 has no matching group
            four(1, 2, 1, 1). engine: true: by the rule at f0.mg:5 from `n(1)`, `n(2)`, `n(1)` and 2 more
            four(1, 2, 1, 1). intended: true: by the rule at f0.mg:5 from `n(1)`, `n(2)`, `n(1)` and 2 more
            n(X). engine: nothing
            n(X). intended: nothing
        "#]],
    );
}

#[test]
fn rows_that_fail() {
    check(
        "fare(/tram, 120).\nfare(/ferry, 0).\nper_euro(L, N) :-\n    fare(L, F),\n    N = fn:div(1000, F).\n\
         behind(L, N) :- fare(L, F) |> let N = fn:div(1, F).\nlow(L) :- fare(L, F), name(L, M), M < F.\n\
         name(/tram, \"t\").\n",
        expect![[r#"
            5:9-24 error evaluation-fails: `fn:div(1000, F)` fails: division by zero
              note: it fails where F = 0
              note: the engine aborts the whole evaluation at such a solution
              help: exclude the value with an earlier premise
            6:39-51 error evaluation-fails: `fn:div(1, F)` fails: division by zero
              note: it fails where F = 0
              note: the engine aborts the whole evaluation at such a solution
              help: exclude the value with an earlier premise
            7:37-38 error compare-non-number: `<` requires integers, found string `M`
              8:13-16 type of `M` comes from here
              note: the engine aborts when it evaluates this comparison
              note: all clauses of `name/2` have a string as argument 2
        "#]],
    );
    check(
        "fare(/ferry, 0).\n# mangle-ls: ignore evaluation-fails -- there is no ferry\nper_euro(L, N) :- fare(L, F), N = fn:div(1000, F).\n\
         # mangle-ls: ignore evaluation-fails -- perhaps\nfine(L) :- fare(L, _).\n",
        expect![[r#""#]],
    );
    check(
        "fare(120).\nshare(X) :- fare(F), X = fn:div(F, 0).\n",
        expect![[r#"
            2:36-37 error division-by-zero: `fn:div` divides by zero
              note: the engine aborts when it evaluates this division
        "#]],
    );
}

#[test]
fn rules_that_run_away() {
    check(
        "n(1). n(2). n(3). n(4). n(5). n(6). n(7). n(8). n(9).\nall(A, B, C) :- n(A), n(B), n(C).\nafter(A) :- all(A, _, _).\n",
        expect![[r#"
            2:1-13 warning evaluation-limit: evaluation of `all/3` reaches the limit: more than 500 derived facts
              note: `all/3` had 501 facts at the end of the evaluation
              note: facts that depend on it are unknown, and the engine may run out of memory
        "#]],
    );
    // One finding per mistake.
    check(
        "tick(0).\ntick(Next) :- tick(Now), Next = fn:plus(Now, 1).\n",
        expect![[r#"
            2:33-48 warning unbounded-recursion: recursion of `tick` never ends
              label: a new value in each round
              2:15-19 made from this value
              note: each round makes a new value (`fn:plus`) from an earlier one, and no comparison bounds it
              note: the engine derives facts until it reaches the limit
              help: compare the value with a limit
        "#]],
    );
}

#[test]
fn a_cancelled_evaluation_is_none() {
    let program = Arc::new(program("tick(0).\ntick(M) :- tick(N), M = fn:plus(N, 1).\n"));
    let cancel = Cancel::new();
    cancel.cancel();
    let clock = Clock { now_ns: 0 };
    let compiled = compile(&program, Reading::Engine);
    assert!(Evaluation::new(&program, compiled, Limits::default(), clock, &|_, _| {}, &cancel).is_none());
}

#[test]
fn both_readings_share_the_limit_of_memory() {
    const LIMIT: usize = 16 << 20;
    let text = format!("s(\"a\").\ns(Y) :- s(X), Y = fn:string:concat(X, \"{}\").\n", "b".repeat(1000));
    let program = Arc::new(program(&text));
    for reading in [Reading::Engine, Reading::Intended] {
        let settings = KernelSettings { reading, ..KernelSettings::default() };
        let limits = Limits { bytes: LIMIT, ..Limits::default() };
        let readings = Readings::new(&program, &settings, limits, &|_, _| {}, &Cancel::new()).unwrap();
        assert!(readings.get(reading).bytes() > LIMIT / 2, "the reading that is shown has the room");
        assert!(readings.bytes() < LIMIT + LIMIT / 8, "{} bytes", readings.bytes());
    }
}

#[test]
fn answers_name_places_of_the_program_as_it_is_now() {
    let (_, readings) = evaluated("#- a.mg\np(1).\nq(X) :- p(X).\n");
    let moved = program("#- a.mg\n# A comment.\np(1).\nq(X) :- p(X).\n");
    let wish = AnswerOptions { why: true, ..AnswerOptions::default() };
    let answer = readings.get(Reading::Engine).ask(Some("q(X)"), wish, places(&moved)).unwrap();
    assert_eq!(answer.facts[0].proof(), Some("q(1)  by f0.mg:3\n  p(1)  [f0.mg:2]\n"));
}

#[test]
fn the_fingerprint_follows_the_statements() {
    let text = "p(1).\nq(X) :- p(X).\n";
    let same = |other: &str| fingerprint(&program(text)) == fingerprint(&program(other));
    assert!(same("# A comment.\np( 1 ) .\nq(X) :-\n  p(X).\n"));
    assert!(
        !same("p(1).\nq(Y) :- p(Y).\n") && !same("p(2).\nq(X) :- p(X).\n") && !same("q(X) :- p(X).\np(1).\n")
    );
}
