//! Tests of proofs, alternative derivations, and explanations of missing facts.

use std::fmt::Write as _;

use expect_test::expect;

use super::*;
use crate::kernel::{Gap, GapEnd, Proof};

const PARTS: &str = "
Decl half(X, Y) descr [mode(\"+\", \"-\"), deferred()] .
half(X, Y) :- Y = fn:div(X, 2).
box([1, 4, 7]). box([2]). small(2).
";

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

/// Prints alternative proofs of the first fact of a predicate, one per paragraph: rule by rule,
/// with the matches of the premises.
fn check_others(text: &str, name: &str, arity: u16, expect: Expect) {
    let (program, compiled, mut model) = model(text, Reading::Engine);
    let others = model.other_proofs(&compiled, CLOCK, id(&program, name, arity), 0, 3);
    let shown = |proof: Proof| {
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
        Reading::Engine,
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
        Reading::Engine,
        "door(/d). all(/yes) :- !door(_).",
        "all",
        1,
        expect![[r#"
            all(/yes)
              0: dropped: !door(_)
        "#]],
    );
    check_proof_in(
        Reading::Engine,
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

fn show(out: &mut String, gaps: &[Gap], level: usize) {
    for gap in gaps {
        let obstacle = match &gap.miss.obstacle {
            Obstacle::Head { argument, has } => format!("argument {argument} is {has}"),
            Obstacle::Premise { premise, asked, .. } => format!("premise {premise}: {asked}"),
            other => format!("{other:?}"),
        };
        let end = match &gap.end {
            None => String::new(),
            Some(GapEnd::NoRule(name, arity)) => format!(" (no rule for {name}/{arity})"),
            Some(end) => format!(" ({end:?})"),
        };
        let _ = writeln!(out, "{:indent$}{obstacle}{end}", "", indent = level * 2);
        show(out, &gap.below, level + 1);
    }
}

/// Prints the gaps of the rules of a predicate down to a depth.
fn gaps(text: &str, name: &str, arity: u16, depth: usize) -> String {
    let (program, compiled, mut model) = model(text, Reading::Intended);
    let wanted = vec![None; usize::from(arity)];
    let found = model.gaps(&compiled, CLOCK, id(&program, name, arity), &wanted, depth);
    let mut out = String::new();
    show(&mut out, &found, 0);
    out
}

const CHAIN: &str = "Decl fuel(T).\nfree(X) :- checked(X), !bad(X).\nchecked(X) :- ready(X), door(X).\nready(X) :- fuel(X).\n\
    ready(/x) :- door(/nowhere).\ndoor(/d).\nbad(/e).\n";

#[test]
fn premises_are_explained_down_to_the_missing_fact() {
    expect![[r#"
        premise 0: checked(_)
          premise 0: ready(_)
            premise 0: fuel(_) (no rule for fuel/1)
            premise 0: door(/nowhere) (no rule for door/1)
    "#]]
    .assert_eq(&gaps(CHAIN, "free", 1, 9));
}

#[test]
fn explanation_ends_at_its_depth() {
    expect![[r#"
        premise 0: checked(_)
          premise 0: ready(_) (Deeper)
    "#]]
    .assert_eq(&gaps(CHAIN, "free", 1, 1));
}

#[test]
fn rules_that_need_each_other_end() {
    let text = "Decl start(X).\neven(X) :- odd(X).\nodd(X) :- even(X).\nodd(X) :- start(X).\n";
    expect![[r#"
        premise 0: odd(_)
          premise 0: even(_) (Again)
          premise 0: start(_) (no rule for start/1)
    "#]]
    .assert_eq(&gaps(text, "even", 1, 9));
}

#[test]
fn deep_explanations_are_bounded() {
    let mut text = String::from("Decl none(X).\n");
    for level in 0..12 {
        for _ in 0..3 {
            let _ = writeln!(text, "p{level}(X) :- p{}(X).", level + 1);
        }
    }
    text.push_str("p12(X) :- none(X).\n");
    let shown = gaps(&text, "p0", 1, 40);
    assert!(
        shown.lines().count() < 2_000 && shown.contains("TooLong") && !shown.contains("Deeper"),
        "{}",
        shown.lines().count()
    );
}
