//! Agreement with the reference: what it rejects has an error here, what it accepts has none.
//!
//! `tests/conformance/README.md` says how the verdicts were observed. Where ours differs on
//! purpose, the case is listed below with the reason.

#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::fs;
use std::path::Path;

use mangle_ls::lint::{Diagnostic, Group, Severity};
use serde_json::Value;

/// Programs that the reference accepts and that have an error here all the same, with the rule
/// that says so. Each does something other than what is written.
const ON_PURPOSE: &[(&str, &str, &str)] = &[
    ("decl_builtin_name_ok.mg", "decl-builtin", "the declared predicate can never be used"),
    ("rule_head_builtin_bad.mg", "decl-builtin", "the defined predicate can never be used"),
    ("rule_eq_struct_destructure_bad.mg", "expr-in-premise-unbound", "evaluation stops"),
    ("rule_ineq_before_bind_derives_nothing_ok.mg", "inequality-before-binding", "false for every row"),
    ("rule_neg_after_temporal_dropped_ok.mg", "negation-after-temporal", "the negation is dropped"),
    ("rule_neg_only_dropped_ok.mg", "negated-var-unbound", "the negation is dropped"),
    ("rule_neg_only_in_temporal_dropped_ok.mg", "negation-after-temporal", "the negation is dropped"),
    ("rule_neg_unbound_dropped_ok.mg", "negated-var-unbound", "the negation is dropped"),
    ("rule_neg_wildcard_all_dropped_ok.mg", "negation-wildcard", "the negation is dropped"),
    ("tr_do_not_groupby_ok.mg", "do-without-group-by", "the rule yields no rows"),
    ("tr_let_order_ref_ok.mg", "let-order", "evaluation stops"),
    ("tr_let_self_ref_ok.mg", "let-order", "evaluation stops"),
    ("tr_let_reducer_first_ok.mg", "reducer-in-let", "evaluation stops"),
    ("tr_let_reducer_vararg_second_ok.mg", "reducer-in-let", "evaluation stops"),
    ("tm_annot_on_cmp_bad.mg", "annotation-on-comparison", "the interval is dropped"),
    ("tm_decl_transform_head_ok.mg", "temporal-group", "the derived facts have lost their interval"),
];

#[test]
fn single_files_agree() {
    let folder = support::root().join("tests/conformance");
    let wrong: Vec<_> = verdicts(&folder.join("cases.jsonl"))
        .iter()
        .filter_map(|verdict| {
            let name = verdict["file"].as_str().unwrap();
            let text = fs::read(folder.join("cases").join(name)).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            disagreement(name, verdict, &support::check(&[text]).concat())
        })
        .collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn programs_of_several_files_agree() {
    let folder = support::root().join("tests/conformance");
    let wrong: Vec<_> = verdicts(&folder.join("programs.jsonl"))
        .iter()
        .filter_map(|verdict| {
            let name = verdict["program"].as_str().unwrap();
            let mut paths: Vec<_> = fs::read_dir(folder.join("programs").join(name))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            paths.sort();
            let texts: Vec<_> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
            disagreement(name, verdict, &support::check(&texts).concat())
        })
        .collect();
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn exceptions_are_still_needed() {
    let folder = support::root().join("tests/conformance/cases");
    let idle: Vec<_> = ON_PURPOSE
        .iter()
        .filter(|(file, rule, _)| {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            !support::check(&[text]).concat().iter().any(|found| found.rule.name == *rule)
        })
        .collect();
    assert!(idle.is_empty(), "no longer found: {idle:?}");
}

fn verdicts(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is wrong with our findings, given the reference's verdict.
fn disagreement(name: &str, verdict: &Value, found: &[Diagnostic]) -> Option<String> {
    let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
    match verdict["stage"].as_str() {
        // Types come with the type checker; the rest of such a program must be clean.
        None | Some("bounds") => {
            let surplus: Vec<_> = errors
                .iter()
                .filter(|found| found.rule.group != Group::Types && !is_on_purpose(name, found))
                .map(|found| format!("{} ({})", found.rule.name, found.message))
                .collect();
            (!surplus.is_empty())
                .then(|| format!("{name}: accepted by the reference, but {}", surplus.join(", ")))
        }
        Some(stage) => errors.is_empty().then(|| {
            let message = verdict["message"].as_str().unwrap_or("");
            format!("{name}: rejected at {stage} ({message}), but no error here")
        }),
    }
}

fn is_on_purpose(name: &str, found: &Diagnostic) -> bool {
    ON_PURPOSE.iter().any(|(file, rule, _)| *file == name && *rule == found.rule.name)
}
