//! Tests that evaluate programs.

mod builtins;
mod derivations;
mod engine;
mod limits;
mod merging;
mod proofs;
mod reducers;
mod stores;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use expect_test::{Expect, expect};

use super::{
    AFTER_BODY, Clock, CompiledProgram, Ground, Limits, Model, Obstacle, Reading, StopReason, compile,
    compile_sharing, run,
};
use crate::program::{FileSummary, PredicateId, PredicateKey, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId, Symbol};

const CLOCK: Clock = Clock { now_ns: 1_709_251_200_000_000_000 };

fn program(text: &str) -> Program {
    Program::new(vec![FileSummary::new(FileId(0), &SourceFile::parse(text.into())).into()])
}

fn model(text: &str, reading: Reading) -> (Program, Arc<CompiledProgram>, Model) {
    let program = program(text);
    // Sharing parts with the other reading must not change the result.
    let compiled = match reading {
        Reading::Engine => compile(&program, reading),
        Reading::Intended => compile_sharing(&program, reading, &compile(&program, Reading::Engine)),
    };
    let model = run(&compiled, Limits::default(), CLOCK, &Cancel::new());
    (program, compiled, model)
}

fn id(program: &Program, name: &str, arity: u16) -> PredicateId {
    program.id(PredicateKey { name: Symbol::new(name), arity }).unwrap_or_else(|| panic!("{name}"))
}

/// Checks the derived facts and the errors of a program.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(text: &str, reading: Reading, expect: Expect) {
    let (_, compiled, model) = model(text, reading);
    let mut out = model.dump(&compiled).join(" ");
    if let Some(stop) = &model.stopped {
        let _ = write!(out, "\nstopped at premise {:?}: {}", stop.premise, stop.reason);
    }
    for error in &model.errors {
        let place = match error.premise {
            AFTER_BODY => "behind the body".to_owned(),
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

/// Checks the proof of the last fact of a predicate.
fn check_proof(text: &str, name: &str, arity: u16, expect: Expect) {
    check_proof_in(Reading::Intended, text, name, arity, expect);
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
                Ground::Rows { count, .. } => format!("{count} rows"),
            };
            let _ = writeln!(out, "  {}: {ground}", step.premise);
        }
    }
    expect.assert_eq(&out);
}

/// Checks the explanation for a predicate without facts with this first argument.
#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_why_not(text: &str, name: &str, arity: u16, first: &str, expect: Expect) {
    let (program, compiled, mut model) = model(text, Reading::Intended);
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

const BIGGER: &str = "Decl best(X, V) descr [fundep([X], [V]), merge([V], \"bigger\")].\n\
    Decl bigger(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\n\
    bigger(A, B, A) :- B <= A. bigger(A, B, B) :- A < B.\n";
