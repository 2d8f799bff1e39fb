//! Tests of split joins and blind negations.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use expect_test::{Expect, expect};

use crate::Registry;
use crate::testing::{CheckedFixture, program};
use mangle_engine::program::{Program, ProgramEnvironment};
use mangle_settings::{RuleSettings, Vocabulary, parse};

const STORES: &str = r#"
[runtime.stores]
default = "memory"
shared = ["intent", "clock"]
requests = ["asked", "granted", "blocked"]
plans = ["step", "overdue"]
"#;

/// Checks a fixture in a runtime with the stores above. Only findings about stores are shown.
#[track_caller]
fn check(fixture: &str, expect: Expect) {
    let settings = parse(STORES, Vocabulary { rules: &[] }).settings;
    let whole = program(fixture);
    let embedding = ProgramEnvironment { stores: settings.runtime.stores, ..(*whole.embedding).clone() };
    let program = Program::embedded(whole.files.to_vec(), Arc::new(embedding));
    let mut checked =
        CheckedFixture::of_program(fixture, &program, &RuleSettings::default(), Registry::of_programs());
    for (_, found) in &mut checked.diagnostics {
        found.retain(|found| ["split-join", "blind-negation"].contains(&found.rule.name));
    }
    expect.assert_eq(&checked.render());
}

#[test]
fn joins_within_a_store_and_with_shared_facts_are_fine() {
    check(
        r"
Decl asked(A).
Decl blocked(A).
Decl intent(A).
Decl note(A).
allowed(A) :- asked(A), !blocked(A), intent(A).
noted(A) :- note(A), intent(A), !clock(A).
Decl clock(A).
",
        expect![""],
    );
}

#[test]
fn a_join_of_two_stores_never_fires() {
    check(
        r"
Decl asked(A).
Decl approved(A).
Decl step(A).
allowed(A) :- asked(A), approved(A).
due(A) :- asked(A), step(A), approved(A).
",
        expect![[r#"
            5:25-33 warning split-join: rule for `allowed` never fires: no store has all its premises
              label: only in `memory`
              5:15-20 only in `requests`
              note: each store evaluates the rule over its own facts
            6:21-25 warning split-join: rule for `due` never fires: no store has all its premises
              label: only in `plans`
              6:11-16 only in `requests`
              note: each store evaluates the rule over its own facts
        "#]],
    );
}

#[test]
fn derived_facts_are_in_the_stores_in_which_their_rules_fire() {
    check(
        r"
Decl asked(A).
Decl step(A).
Decl red().
wanted(A) :- asked(A).
phase(A) :- step(A).
late(A) :- wanted(A), red().
both(A) :- wanted(A), phase(A).
any(A) :- wanted(A).
any(A) :- phase(A).
fine(A) :- any(A), wanted(A).
fine(A) :- any(A), phase(A).
",
        expect![[r#"
            7:23-26 warning split-join: rule for `late` never fires: no store has all its premises
              label: only in `memory`
              7:12-18 only in `requests`
              note: each store evaluates the rule over its own facts
            8:23-28 warning split-join: rule for `both` never fires: no store has all its premises
              label: only in `plans`
              8:12-18 only in `requests`
              note: each store evaluates the rule over its own facts
        "#]],
    );
}

#[test]
fn only_the_cause_is_reported() {
    check(
        r"
Decl asked(A).
Decl step(A).
first(A) :- asked(A), step(A).
second(A) :- first(A), asked(A).
third(A) :- second(A), !first(A).
circle(A) :- circle(A), step(A).
turn(A) :- circle(A), asked(A).
",
        expect![[r#"
            4:23-27 warning split-join: rule for `first` never fires: no store has all its premises
              label: only in `plans`
              4:13-18 only in `requests`
              note: each store evaluates the rule over its own facts
        "#]],
    );
}

#[test]
fn program_facts_are_in_every_store() {
    check(
        r"
asked(/deploy).
Decl step(A).
due(A) :- asked(A), step(A), !granted(A).
granted(/none).
",
        expect![""],
    );
}

#[test]
fn a_negation_of_a_fact_of_another_store_always_holds() {
    check(
        r"
Decl asked(A).
Decl revoked(A).
Decl overdue().
dangerous(/deploy).
denied(A) :- dangerous(A), !revoked(A).
allowed(A) :- asked(A), !revoked(A).
quiet(A) :- asked(A), !busy(A).
busy(A) :- step(A), overdue().
Decl step(A).
",
        expect![[r#"
            6:29-36 warning blind-negation: negation of `revoked` always holds in 2 of 3 stores
              label: only in `memory`
              note: the stores without facts of `revoked` are `plans` and `requests`
              note: a fact that one store derives is a fact of the program
            7:26-33 warning blind-negation: negation of `revoked` always holds in store `requests`
              label: only in `memory`
              note: each store evaluates the rule over its own facts
              note: a fact that one store derives is a fact of the program
            8:24-28 warning blind-negation: negation of `busy` always holds in store `requests`
              label: only in `plans`
              note: each store evaluates the rule over its own facts
              note: a fact that one store derives is a fact of the program
        "#]],
    );
}

#[test]
fn a_negation_is_blind_in_some_stores_of_a_rule() {
    check(
        r"
Decl intent(A).
Decl step(A).
in_plan(A) :- step(A).
plain(A) :- intent(A), !in_plan(A).
idle(A) :- intent(A), !unknown(A).
unknown(A) :- unknown(A).
",
        expect![[r#"
            5:25-32 warning blind-negation: negation of `in_plan` always holds in 2 of 3 stores
              label: only in `plans`
              note: the stores without facts of `in_plan` are `memory` and `requests`
              note: a fact that one store derives is a fact of the program
        "#]],
    );
}

#[test]
fn a_predicate_with_rules_that_the_settings_name_is_also_stored() {
    check(
        r"
Decl asked(A).
granted(A) :- asked(A), step(A).
Decl step(A).
used(A) :- granted(A), asked(A).
",
        expect![[r#"
            3:25-29 warning split-join: rule for `granted` never fires: no store has all its premises
              label: only in `plans`
              3:15-20 only in `requests`
              note: each store evaluates the rule over its own facts
        "#]],
    );
}
