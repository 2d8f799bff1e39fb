use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use expect_test::{Expect, expect};

use super::{BEHIND_BODY, Clock, Compiled, Ground, Limits, Model, Obstacle, Reading, Reason, compile, run};
use crate::program::{FileSummary, PredicateId, PredicateKey, Program};
use crate::syntax::SourceFile;
use crate::text::{Cancel, FileId, Symbol};

const CLOCK: Clock = Clock { now_ns: 1_709_251_200_000_000_000 };

fn program(text: &str) -> Program {
    Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()])
}

fn model(text: &str, reading: Reading) -> (Program, Arc<Compiled>, Model) {
    let program = program(text);
    let compiled = compile(&program, reading);
    let model = run(&compiled, Limits::default(), CLOCK, &Cancel::new());
    (program, compiled, model)
}

fn id(program: &Program, name: &str, arity: u16) -> PredicateId {
    program.id(PredicateKey { name: Symbol::new(name), arity }).unwrap_or_else(|| panic!("{name}"))
}

/// The facts that a program derives, and what went wrong.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(text: &str, reading: Reading, expect: Expect) {
    let (_, compiled, model) = model(text, reading);
    let mut out = model.dump(&compiled).join(" ");
    if let Some(stop) = &model.stopped {
        let _ = write!(out, "\nstopped at premise {:?}: {}", stop.premise, stop.reason);
    }
    for error in &model.errors {
        let place = match error.premise {
            BEHIND_BODY => "behind the body".to_owned(),
            premise => format!("at premise {premise}"),
        };
        let _ = write!(out, "\nerror {place}: {}", error.failure);
        for found in model.bindings(&compiled, error) {
            let _ = write!(out, "; premise {} argument {}: {}", found.premise, found.argument, found.value);
        }
    }
    for fault in &compiled.faults {
        let _ = write!(out, "\nfault: {}", fault.failure);
    }
    expect.assert_eq(&out);
}

/// The proof of the last fact of a predicate.
fn check_proof(text: &str, name: &str, arity: u16, expect: Expect) {
    check_proof_in(Reading::Written, text, name, arity, expect);
}

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_proof_in(reading: Reading, text: &str, name: &str, arity: u16, expect: Expect) {
    let (program, compiled, mut model) = model(text, reading);
    let predicate = id(&program, name, arity);
    let last = model.relation(predicate).map_or(0, |relation| relation.len()).saturating_sub(1);
    let proof = model.explain(&compiled, CLOCK, predicate, u32::try_from(last).unwrap_or(0));
    let mut out = String::new();
    for node in &proof.nodes {
        let _ = writeln!(out, "{}", node.fact);
        for step in &node.steps {
            let ground = match &step.ground {
                Ground::Fact(at) => proof.nodes.get(*at).map_or(String::new(), |node| node.fact.clone()),
                Ground::Absent(fact) => format!("no {fact}"),
                Ground::Dropped(text) => format!("dropped: {text}"),
                Ground::Holds(text) => text.clone(),
                Ground::Rows(rows) => format!("{} rows", rows.len()),
            };
            let _ = writeln!(out, "  {}: {ground}", step.premise);
        }
    }
    expect.assert_eq(&out);
}

/// Why no fact of a predicate has a first argument.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_why_not(text: &str, name: &str, arity: u16, first: &str, expect: Expect) {
    let (program, compiled, mut model) = model(text, Reading::Written);
    let mut wanted = vec![None; usize::from(arity)];
    let value = model.values.name(first);
    wanted.iter_mut().take(1).for_each(|wanted| *wanted = Some(value));
    let mut out = String::new();
    for miss in model.why_not(&compiled, CLOCK, id(&program, name, arity), &wanted) {
        let _ = match miss.obstacle {
            Obstacle::Head { argument, has } => writeln!(out, "argument {argument} is {has}"),
            Obstacle::Premise { premise, asked, near } => {
                writeln!(out, "premise {premise}: {asked}; near {near:?}")
            }
            Obstacle::Groups { near } => writeln!(out, "other groups: {near:?}"),
            Obstacle::TooMany => writeln!(out, "too many"),
        };
    }
    expect.assert_eq(&out);
}

const DOORS: &str = "door(/d). door(/e). locked(/d, /key).\n";

#[test]
fn a_negation_that_the_engine_drops_is_kept_as_it_is_written() {
    let text = format!("{DOORS}open(D) :- door(D), !locked(D, _).");
    check(&text, Reading::Go, expect!["door(/d) door(/e) locked(/d,/key) open(/d) open(/e)"]);
    check(&text, Reading::Written, expect!["door(/d) door(/e) locked(/d,/key) open(/e)"]);
}

#[test]
fn negations_and_inequalities_wait_for_their_variables() {
    let text = "a(1). a(2). b(3). red(1).\ncalm(A, B) :- !red(A), A != B, b(B), a(A).";
    check(text, Reading::Go, expect!["a(1) a(2) b(3) red(1)"]);
    check(text, Reading::Written, expect!["a(1) a(2) b(3) calm(2,3) red(1)"]);
}

#[test]
fn a_negation_waits_until_one_of_two_equal_variables_has_a_value() {
    let text = "p(1). p(5).\nsmall(X) :- !:gt(X, 1), X = Y, p(Y).";
    check(text, Reading::Written, expect!["p(1) p(5) small(1)"]);
}

#[test]
fn a_list_in_the_only_premise_of_an_aggregation_selects_nothing() {
    let text = "p([1], 1). p([2], 1).\nn(N) :- p([1], X) |> do fn:group_by(X), let N = fn:count().";
    for reading in [Reading::Go, Reading::Written] {
        check(text, reading, expect!["n(2) p([1],1) p([2],1)"]);
    }
}

#[test]
fn recursion_through_several_premises_and_repeated_variables() {
    check(
        "e(1, 2). e(2, 3). e(3, 1). e(3, 3).\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), r(Y, Z).\nloop(X) :- r(X, X).",
        Reading::Go,
        expect![
            "e(1,2) e(2,3) e(3,1) e(3,3) loop(1) loop(2) loop(3) r(1,1) r(1,2) r(1,3) r(2,1) r(2,2) r(2,3) r(3,1) r(3,2) r(3,3)"
        ],
    );
}

#[test]
fn a_failing_row_stops_the_engine_and_is_one_row_as_written() {
    let text = "n(0). n(2). half(X, Y) :- n(X), Y = fn:div(4, X). other(X) :- n(X), X > 1.";
    check(
        text,
        Reading::Go,
        expect![[r#"
            n(0) n(2)
            stopped at premise Some(1): division by zero
            error at premise 1: division by zero; premise 0 argument 0: 0"#]],
    );
    check(
        text,
        Reading::Written,
        expect![[r#"
            half(2,2) n(0) n(2) other(2)
            error at premise 1: division by zero; premise 0 argument 0: 0"#]],
    );
}

#[test]
fn failures_behind_the_body_and_in_groups() {
    check(
        "n(0). n(2). m(/a). half(X, Y) :- m(A), n(X), A != /b |> let Y = fn:div(4, X).\n\
         all(Z) :- n(X) |> do fn:group_by(), let S = fn:min(X), let Z = fn:div(1, S).",
        Reading::Written,
        expect![[r#"
            half(2,2) m(/a) n(0) n(2)
            error behind the body: division by zero; premise 0 argument 0: /a; premise 1 argument 0: 0
            error behind the body: division by zero"#]],
    );
}

#[test]
fn aggregations_count_what_the_engine_counts() {
    check(
        "p(1, 2). p(1, 3). r(1).\none(X, N) :- p(X, _) |> do fn:group_by(X), let N = fn:count().\n\
         two(X, N) :- p(X, _), r(X) |> do fn:group_by(X), let N = fn:count().\n\
         sum(N, M) :- p(_, Y) |> do fn:group_by(), let N = fn:sum(Y), let M = fn:plus(N, 1).",
        Reading::Go,
        expect!["one(1,2) p(1,2) p(1,3) r(1) sum(5,6) two(1,1)"],
    );
}

#[test]
fn deferred_predicates_are_evaluated_where_they_are_asked_for() {
    check(
        "Decl inc(X, Y) descr [deferred(), mode(\"+\", \"-\")].\ninc(X, Y) :- Y = fn:plus(X, 1).\nn(1). n(5). m(Y) :- n(X), inc(X, Y).",
        Reading::Go,
        expect!["m(2) m(6) n(1) n(5)"],
    );
}

#[test]
fn a_rule_that_never_ends_names_itself() {
    let program = program("n(0). n(Y) :- n(X), Y = fn:plus(X, 1). m(1).");
    let compiled = compile(&program, Reading::Go);
    let stopped = |limits: Limits| {
        run(&compiled, limits, CLOCK, &Cancel::new())
            .stopped
            .map(|stop| (stop.rule.map(|rule| rule.0), stop.reason))
    };
    let limits = Limits::default();
    assert_eq!(stopped(Limits { derived: 100, ..limits }), Some((Some(1), Reason::Derived(100))));
    assert_eq!(stopped(Limits { facts: 50, ..limits }), Some((Some(1), Reason::Facts(50))));
    assert_eq!(stopped(Limits { steps: 10_000, ..limits }), Some((Some(1), Reason::Steps(10_000))));
    let time = Duration::from_millis(1);
    assert_eq!(stopped(Limits { time, ..limits }), Some((Some(1), Reason::Time(time))));
    let cancel = Cancel::new();
    cancel.cancel();
    let model = run(&compiled, limits, CLOCK, &cancel);
    assert_eq!(model.stopped.map(|stop| stop.reason), Some(Reason::Cancelled));
    // What was derived until then is there.
    assert!(model.relations.iter().any(|relation| relation.len() > 100));
}

#[test]
fn a_cross_product_is_stopped_without_deriving_anything() {
    let facts: String = (0..2_000).map(|n| format!("a({n}). ")).collect();
    let program = program(&format!("{facts} p(X) :- a(X), a(Y), X > Y, Y > X."));
    let compiled = compile(&program, Reading::Go);
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let stop = run(&compiled, limits, CLOCK, &Cancel::new()).stopped;
    assert_eq!(stop.map(|stop| stop.reason), Some(Reason::Steps(1_000_000)));
}

#[test]
fn a_body_without_end_is_no_danger() {
    let premises = vec!["a(X)"; 100_000].join(", ");
    let (_, compiled, model) = model(&format!("a(1). p(X) :- {premises}. q(X) :- a(X)."), Reading::Go);
    assert_eq!(model.dump(&compiled), ["a(1)", "q(1)"]);
    assert_eq!(compiled.faults.len(), 1);
}

#[test]
fn proofs_name_facts_absences_and_what_holds() {
    check_proof(
        &format!(
            "{DOORS}size(/e, 3).\nopen(D) :- door(D), !locked(D, _), size(D, N), N > 2, M = fn:plus(N, 1), M < 9.\nway(X) :- open(X), door(X)."
        ),
        "way",
        1,
        expect![[r#"
            way(/e)
              0: open(/e)
              1: door(/e)
            open(/e)
              0: door(/e)
              1: no locked(/e,_)
              2: size(/e,3)
              3: 3 > 2
              5: 4 < 9
            door(/e)
            size(/e,3)
        "#]],
    );
}

#[test]
fn proofs_of_recursion_and_groups() {
    check_proof(
        "e(1, 2). e(2, 3).\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), e(Y, Z).",
        "r",
        2,
        expect![[r#"
        r(1,3)
          0: r(1,2)
          1: e(2,3)
        r(1,2)
          0: e(1,2)
        e(2,3)
        e(1,2)
    "#]],
    );
    check_proof(
        "p(1, 2). p(1, 3). q(1).\nn(X, N) :- p(X, Y), q(X) |> do fn:group_by(X), let N = fn:sum(Y).",
        "n",
        2,
        expect![[r#"
            n(1,5)
              0: 2 rows
            row(1,2)
              0: p(1,2)
              1: q(1)
            row(1,3)
              0: p(1,3)
              1: q(1)
            p(1,2)
            q(1)
            p(1,3)
        "#]],
    );
}

#[test]
fn why_not_names_the_first_premise_without_a_solution() {
    let text = format!(
        "{DOORS}guard(/d, /bob). size(/e, 1).\nopen(D) :- door(D), !locked(D, _).\nopen(D) :- guard(D, W), awake(W).\nopen(D) :- size(D, N), N > 2.\nopen(/f) :- door(_).\nawake(/ann)."
    );
    check_why_not(
        &text,
        "open",
        1,
        "/d",
        expect![[r#"
        premise 1: !locked(/d,_); near ["locked(/d,/key)"]
        premise 1: awake(/bob); near ["awake(/ann)"]
        premise 0: size(/d,_); near ["size(/e,1)"]
        argument 0 is /f
    "#]],
    );
    check_why_not(
        &text,
        "open",
        1,
        "/g",
        expect![[r#"
        premise 0: door(/g); near ["door(/d)", "door(/e)"]
        premise 0: guard(/g,_); near ["guard(/d,/bob)"]
        premise 0: size(/g,_); near ["size(/e,1)"]
        argument 0 is /f
    "#]],
    );
}

#[test]
fn temporal_facts_are_asked_for_by_interval() {
    check(
        "Decl on(P) temporal.\non(/a)@[2024-01-01, 2024-02-01].\non(/b)@[2024-02-28, _].\n\
         at(P, S) :- on(P)@[S, _].\nin(P) :- on(P)@[2024-01-05, 2024-01-06].\nlately(P) :- <-[0d, 7d] on(P).\nall(P) :- [-[0d, 1d] on(P).",
        Reading::Go,
        expect![[
            r#"all(/b) at(/a,fn:time:parse_rfc3339("2024-01-01T00:00:00Z")) at(/b,fn:time:parse_rfc3339("2024-02-28T00:00:00Z")) in(/a) lately(/b) on(/a)@[2024-01-01T00:00:00Z, 2024-02-01T00:00:00Z] on(/b)@[2024-02-28T00:00:00Z, _]"#
        ]],
    );
}

const BIGGER: &str = "Decl best(X, V) descr [fundep([X], [V]), merge([V], \"bigger\")].\n\
    Decl bigger(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\n\
    bigger(A, B, A) :- B <= A. bigger(A, B, B) :- A < B.\n";

#[test]
fn of_facts_that_are_merged_one_is_kept() {
    for reading in [Reading::Go, Reading::Written] {
        check(
            &format!(
                "{BIGGER}in(/a, 3). in(/a, 7). in(/b, 2). best(X, V) :- in(X, V). top(X) :- best(X, V), V > 5."
            ),
            reading,
            expect!["best(/a,7) best(/b,2) in(/a,3) in(/a,7) in(/b,2) top(/a)"],
        );
        // Those that are given give way, too; what an aggregation gives is added as it is.
        check(
            &format!(
                "{BIGGER}best(/a, 1). best(/b, 3). in(/a, 7). in(/b, 1). in(/b, 2).\n\
                 best(X, V) :- in(X, V). best(X, N) :- in(X, V) |> do fn:group_by(X), let N = fn:count()."
            ),
            reading,
            expect!["best(/a,1) best(/a,7) best(/b,2) best(/b,3) in(/a,7) in(/b,1) in(/b,2)"],
        );
        check(
            "Decl d(X, Y, N) descr [fundep([X, Y], [N]), merge([N], \"least\")].\n\
             Decl least(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\n\
             least(A, B, A) :- A <= B. least(A, B, B) :- B < A.\n\
             e(/a, /b, 7). e(/b, /c, 1). e(/a, /c, 2). e(/c, /d, 1). e(/b, /d, 5).\n\
             d(X, Y, N) :- e(X, Y, N). d(X, Z, N) :- d(X, Y, A), d(Y, Z, B), N = fn:plus(A, B). far(X) :- d(X, _, N), N > 2.",
            reading,
            expect![
                "d(/a,/b,7) d(/a,/c,2) d(/a,/d,3) d(/b,/c,1) d(/b,/d,2) d(/c,/d,1) e(/a,/b,7) e(/a,/c,2) e(/b,/c,1) e(/b,/d,5) e(/c,/d,1) far(/a)"
            ],
        );
    }
}

#[test]
fn merges_that_the_engine_does_not_carry_out() {
    check(
        "Decl p(A, B) descr [fundep([A], [B])].\nin(1, /x). in(1, /y). p(A, B) :- in(A, B).",
        Reading::Go,
        expect!["in(1,/x) in(1,/y) p(1,/x) p(1,/y)"],
    );
    check(
        "Decl p(A, B, C) descr [fundep([A], [B, C])].\nin(1, /x, /q). p(A, B, C) :- in(A, B, C).",
        Reading::Go,
        expect![[r#"
            in(1,/x,/q)
            stopped at premise Some(4294967295): a `fundep` on 2 columns, where the engine merges one
            error behind the body: a `fundep` on 2 columns, where the engine merges one; premise 0 argument 0: 1; premise 0 argument 1: /x; premise 0 argument 2: /q"#]],
    );
    // It counts the columns that determine the other, and takes as many from the first on.
    let second = "Decl p(A, B, C) descr [fundep([B], [A]), merge([A], \"bigger\")].\n\
        bigger(A, B, A) :- in(A, _, _), in(B, _, _), B <= A. bigger(A, B, B) :- in(A, _, _), in(B, _, _), A < B.\n\
        in(1, /x, /q). in(2, /x, /q). in(1, /y, /q). p(A, B, C) :- in(A, B, C).";
    check(
        second,
        Reading::Go,
        expect![
            "bigger(1,1,1) bigger(1,2,2) bigger(2,1,2) bigger(2,2,2) in(1,/x,/q) in(1,/y,/q) in(2,/x,/q) p(1,/y,/q) p(2,/x,/q)"
        ],
    );
    check(
        second,
        Reading::Written,
        expect![
            "bigger(1,1,1) bigger(1,2,2) bigger(2,1,2) bigger(2,2,2) in(1,/x,/q) in(1,/y,/q) in(2,/x,/q) p(1,/y,/q) p(2,/x,/q)"
        ],
    );
}

#[test]
fn around_a_circle_the_engine_never_ends() {
    let text = format!(
        "{BIGGER}in(/a, 1). in(/b, 2). e(/a, /b). e(/b, /a).\nbest(X, V) :- in(X, V). best(Y, V) :- best(X, V), e(X, Y)."
    );
    check(&text, Reading::Written, expect!["best(/a,2) best(/b,2) e(/a,/b) e(/b,/a) in(/a,1) in(/b,2)"]);
    let program = program(&text);
    let limits = Limits { derived: 1_000, ..Limits::default() };
    let compiled = compile(&program, Reading::Go);
    let model = run(&compiled, limits, CLOCK, &Cancel::new());
    assert_eq!(model.stopped.map(|stop| stop.reason), Some(Reason::Derived(1_000)));
}

#[test]
fn a_value_made_of_two_is_proven_by_both() {
    check_proof(
        "Decl sum(X, V) descr [fundep([X], [V]), merge([V], \"add\")].\n\
         Decl add(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\nadd(A, B, C) :- C = fn:plus(A, B).\n\
         in(1, 4). in(1, 2). sum(X, V) :- in(X, V).",
        "sum",
        2,
        expect![[r#"
            sum(1,6)
              4294967295: sum(1,4)
              4294967295: sum(1,2)
            sum(1,4)
              0: in(1,4)
            sum(1,2)
              0: in(1,2)
            in(1,4)
            in(1,2)
        "#]],
    );
}

const PARTS: &str = "
Decl half(X, Y) descr [mode(\"+\", \"-\"), deferred()] .
half(X, Y) :- Y = fn:div(X, 2).
box([1, 4, 7]). box([2]). small(2).
";

#[test]
fn a_proof_says_what_built_in_and_deferred_predicates_found() {
    let text = format!("{PARTS}good(Y) :- box(L), :list:member(X, L), half(X, Y), small(Y), Y < X.");
    check_proof(
        &text,
        "good",
        1,
        expect![[r#"
        good(2)
          0: box([1, 4, 7])
          1: :list:member(4,[1, 4, 7])
          2: half(4,2)
          3: small(2)
          4: 2 < 4
        box([1, 4, 7])
        small(2)
    "#]],
    );
}

#[test]
fn an_obstacle_behind_a_deferred_predicate_is_found() {
    let text =
        format!("{PARTS}good(N, Y) :- box(L), :list:member(X, L), half(X, Y), Y > 3, N = fn:name:root(/a).");
    check_why_not(
        &text,
        "good",
        2,
        "/a",
        expect![[r#"
        premise 3: 0 > 3; near []
    "#]],
    );
}

#[test]
fn a_head_that_asks_for_two_values_at_once_and_one_that_is_computed() {
    check_why_not(
        "p(1). twice(/x, X) :- p(X). twice(fn:name:root(/a/b), X) :- p(X).",
        "twice",
        2,
        "/b",
        expect![[r#"
            argument 0 is /x
            argument 0 is /a
        "#]],
    );
}

#[test]
fn a_group_without_rows_is_missed_for_its_key() {
    let text = "p(/a, 1). q(1). n(X, N) :- p(X, Y), q(Y) |> do fn:group_by(X), let N = fn:count().";
    check_why_not(
        text,
        "n",
        2,
        "/b",
        expect![[r#"
        premise 0: p(/b,_); near ["p(/a,1)"]
    "#]],
    );
}

/// Further proofs of the first fact of a predicate, one a paragraph: rule by rule, then what its premises found.
fn check_others(text: &str, name: &str, arity: u16, expect: Expect) {
    let (program, compiled, mut model) = model(text, Reading::Go);
    let others = model.other_proofs(&compiled, CLOCK, id(&program, name, arity), 0, 3);
    let shown = |proof: super::Proof| {
        let root = &proof.nodes[0];
        let grounds = root.steps.iter().map(|step| match &step.ground {
            Ground::Fact(fact) => proof.nodes[*fact].fact.clone(),
            other => format!("{other:?}"),
        });
        format!("{} by {}: {}\n", root.fact, root.rule.0, grounds.collect::<Vec<_>>().join(", "))
    };
    expect.assert_eq(&others.into_iter().map(shown).collect::<String>());
}

#[test]
fn other_ways_in_which_a_fact_follows() {
    let text = "door(/d). guard(/d, /ann). guard(/d, /bob). open(/d).\n\
        open(D) :- door(D).\nopen(D) :- guard(D, _).\nopen(D) :- way(D).\nway(D) :- open(D).\nopen(/d) :- door(/e).";
    check_others(
        text,
        "open",
        1,
        expect![[r#"
        open(/d) by 4: door(/d)
        open(/d) by 5: guard(/d,/ann)
        open(/d) by 5: guard(/d,/bob)
    "#]],
    );
    check_others("a(1). a(1). b(1) :- a(1). b(X) :- a(X), b(X).", "b", 1, expect![""]);
    check_others(
        "a(1). a(1).",
        "a",
        1,
        expect![[r#"
        a(1) by 1: 
    "#]],
    );
    check_others(
        &format!("{BIGGER}in(/a, 7). also(/a, 7). best(X, V) :- in(X, V). best(X, V) :- also(X, V)."),
        "best",
        2,
        expect![[r#"
            best(/a,7) by 5: also(/a,7)
        "#]],
    );
}

#[test]
fn a_negation_that_is_dropped_is_part_of_the_proof() {
    check_proof_in(
        Reading::Go,
        "door(/d). open(D) :- !locked(D, Key), door(D).\nlocked(/x, /y).\nall(/yes) :- !locked(_, _).",
        "open",
        1,
        expect![[r#"
            open(/d)
              0: dropped: !locked(D, Key)
              1: door(/d)
            door(/d)
        "#]],
    );
    check_proof_in(
        Reading::Go,
        "door(/d). all(/yes) :- !door(_).",
        "all",
        1,
        expect![[r#"
            all(/yes)
              0: dropped: !door(_)
        "#]],
    );
    check_proof_in(
        Reading::Go,
        "door(/d). size(/d, 3). n(D, N) :- door(D), size(D, S), !lock(D, _) |> do fn:group_by(D), let N = fn:sum(S).\nlock(/x, /y).",
        "n",
        2,
        expect![[r#"
            n(/d,3)
              0: 1 rows
            row(/d,3)
              0: door(/d)
              1: size(/d,3)
              2: dropped: !lock(D, _)
            door(/d)
            size(/d,3)
        "#]],
    );
}
