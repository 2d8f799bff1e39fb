//! Tests of recursive explanations of missing facts.

use std::fmt::Write as _;

use expect_test::expect;

use super::*;
use crate::kernel::{Gap, GapEnd};

fn show(out: &mut String, gaps: &[Gap], level: usize) {
    for gap in gaps {
        let what = match &gap.miss.obstacle {
            Obstacle::Head { argument, has } => format!("argument {argument} is {has}"),
            Obstacle::Premise { premise, asked, .. } => format!("premise {premise}: {asked}"),
            other => format!("{other:?}"),
        };
        let end = match &gap.end {
            None => String::new(),
            Some(GapEnd::NoRule(name, arity)) => format!(" (no rule for {name}/{arity})"),
            Some(end) => format!(" ({end:?})"),
        };
        let _ = writeln!(out, "{:indent$}{what}{end}", "", indent = level * 2);
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
