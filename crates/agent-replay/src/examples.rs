//! The examples of the rules are tried: `bad` has its finding and no other error, `good` has neither it nor anything
//! grave.
#![allow(clippy::unwrap_used)]

use super::testing::Case;
use super::*;
use mangle_syntax::lint::{Rule, Severity};

fn severity(found: &(u64, mangle_syntax::lint::Finding)) -> Option<Severity> {
    found.1.severity.or(found.1.rule.severity)
}

/// What is found in an example, for a message.
fn told(found: &[(u64, mangle_syntax::lint::Finding)]) -> String {
    let lines = found.iter().map(|(turn, found)| {
        format!("  turn {turn}: {} {}: {}\n", found.rule.code, found.rule.name, found.message)
    });
    lines.collect()
}

fn is_found(rule: &Rule, found: &[(u64, mangle_syntax::lint::Finding)]) -> bool {
    found.iter().any(|(_, found)| found.rule == rule)
}

#[test]
fn bad_examples_have_their_finding() {
    let mut wrong = String::new();
    for rule in rules() {
        let found = Case::new(rule.bad).found();
        // A denial is behind much that is found.
        let is_other = |one: &(u64, mangle_syntax::lint::Finding)| {
            one.1.rule != rule && one.1.rule.code != "PB502" && severity(one) == Some(Severity::Error)
        };
        if !is_found(rule, &found) || found.iter().any(is_other) {
            wrong += &format!("{} {}:\n{}", rule.code, rule.name, told(&found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn texts_of_findings_have_their_form() {
    let found = rules().flat_map(|rule| Case::new(rule.bad).found());
    let faults: Vec<_> = found.flat_map(|(_, found)| mangle_syntax::lint::wording::faults(&found)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn good_examples_have_nothing_grave() {
    let mut wrong = String::new();
    for rule in rules() {
        let found = Case::new(rule.good).found();
        let is_grave = |one: &(u64, mangle_syntax::lint::Finding)| severity(one) >= Some(Severity::Warning);
        if is_found(rule, &found) || found.iter().any(is_grave) {
            wrong += &format!("{} {}:\n{}", rule.code, rule.name, told(&found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn codes_and_names_are_unique() {
    let mut names: Vec<_> = rules().flat_map(|rule| [rule.code, rule.name]).collect();
    names.sort_unstable();
    let before = names.len();
    names.dedup();
    assert_eq!(names.len(), before);
}
