//! Tests of the conversion of worlds to policy test cases.

use std::sync::Arc;

use mangle_check::policy_test::property::{Properties, Restrictions};
use mangle_engine::kernel::{Limits, Reading};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

use super::NOW;
use crate::{AbortMemo, Answer, Scope, Setup, test_case, verify};

const DOORS: &str = "Decl door(D) descr [extensional()] bound [/name].\n\
    Decl locked(D, Key) descr [extensional()] bound [/name, /name].\n\
    is_locked(D) :- locked(D, _).\nopen(D) :- door(D), !locked(D, _).\nshut(D) :- door(D), D = /x .\n";

/// Returns the answer of a property in the engine's reading, and the test case of its world.
fn answered(property: &str) -> (Answer, String) {
    let program = Program::new(vec![Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(DOORS.into())))]);
    let property = Properties::of_text(property).unwrap();
    let setup = Setup {
        program: &program,
        file: None,
        restrictions: &Restrictions::default(),
        reading: Reading::Engine,
        limits: Limits::default(),
        clock: NOW,
        inputs: &[],
        consumer: &|_, name| Err(format!("unknown consumer `{name}`")),
        aborts: &AbortMemo::default(),
        name: &|_| "doors.mg".to_owned(),
        solvers: &crate::Solvers::default(),
        other: &|path| Err(format!("there is nothing at {path}")),
    };
    let answer = verify(setup, &property, Scope::default(), &Cancel::new());
    let case = test_case(&property, &answer, "open").unwrap_or_default();
    (answer, case)
}

#[track_caller]
fn check(property: &str, expected: &str) {
    assert_eq!(answered(property).1, expected);
}

#[test]
fn what_must_not_follow_is_forbidden_and_the_permission_first() {
    let world = "door(/a).\nlocked(/a,/a).\n";
    check(
        "never is_locked(D), open(D)",
        &format!("# @test name: is_locked(D), open(D)\n{world}# @forbid open(/a)"),
    );
    check("never door(D), !shut(D)", "# @test name: door(D), !shut(D)\ndoor(/a).\n# @expect shut(/a)");
}

#[test]
fn what_should_follow_is_expected() {
    check(
        "always locked(D, Key), door(D) then shut(D)",
        "# @test name: locked(D, Key), door(D) then shut(D)\ndoor(/a).\nlocked(/a,/a).\n# @expect shut(/a)",
    );
    check(
        "possible open(D), !shut(D)",
        "# @test name: open(D), !shut(D)\ndoor(/a).\n# @expect open(/a)\n# @forbid shut(/a)",
    );
}

#[test]
fn without_a_world_or_with_inputs_alone_there_is_no_case() {
    check("never shut(D), !door(D)", "");
    check("never door(D)", "");
}

#[test]
fn readings_differ_in_what_follows_from_the_ignored_negation() {
    let differences = answered("never is_locked(D), open(D)").0.differences;
    let told: Vec<_> = differences.iter().map(|one| (one.fact.as_str(), one.reading)).collect();
    assert_eq!(told, [("open(/a)", Reading::Engine)]);
    assert!(answered("never shut(D)").0.differences.is_empty());
}
