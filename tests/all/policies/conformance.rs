//! Agreement with the reference: what it rejects has an error here, what it accepts has none.
//!
//! `tests/conformance/README.md` says how the verdicts were observed. Where ours differs on
//! purpose, the case is listed below with the reason.

use crate::support;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use mangle_syntax::lint::{Diagnostic, Group, Severity};
use serde_json::Value;

/// Programs that the reference accepts and that have an error here all the same, with the rule
/// that says so. Each does something other than what is written.
pub(super) const ON_PURPOSE: &[(&str, &str, &str)] = &[
    (
        "decl_inclusion_undeclared_ok.mg",
        "inclusion-undefined",
        "whoever checks the constraint refuses every fact",
    ),
    ("decl_builtin_name_ok.mg", "decl-builtin", "the declared predicate can never be used"),
    ("rule_head_builtin_bad.mg", "decl-builtin", "the defined predicate can never be used"),
    ("rule_eq_struct_destructure_bad.mg", "expr-in-premise-unbound", "evaluation stops"),
    ("rule_ineq_before_bind_derives_nothing_ok.mg", "inequality-before-binding", "false for every row"),
    ("rule_mode_decl_input_ok.mg", "mode-input-bottom-up", "evaluation stops"),
    ("rule_neg_after_temporal_dropped_ok.mg", "negation-after-temporal", "the negation is dropped"),
    ("rule_neg_only_dropped_ok.mg", "negated-var-unbound", "the negation is dropped"),
    ("rule_neg_only_in_temporal_dropped_ok.mg", "negation-after-temporal", "the negation is dropped"),
    ("rule_neg_two_delayed_bug_ok.mg", "negation-reorder-hazard", "the negation is lost"),
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

/// Programs that the reference's bounds check rejects because of a defect of its own, and that are
/// right about types, each with the reason.
pub(super) static DEFECTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let disputed = verdicts(&support::root().join("tests/conformance/suite/disputed.jsonl"));
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let defects = disputed.iter().filter(|row| row["part"] == "ill_typed" && row.get("version").is_none());
    defects.map(|row| (format!("{}.mg", text(row, "id")), text(row, "reason"))).collect()
});

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
        Some("bounds") if !DEFECTS.iter().any(|(file, _)| *file == name) => {
            (!found.iter().any(is_about_types)).then(|| {
                let message = verdict["message"].as_str().unwrap_or("");
                format!("{name}: rejected at bounds ({message}), but no finding about types here")
            })
        }
        None | Some("bounds") => {
            let surplus: Vec<_> = errors
                .iter()
                .filter(|found| !is_on_purpose(name, found))
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

/// Whether a finding is one that the reference's bounds check could have made.
pub(crate) fn is_about_types(found: &Diagnostic) -> bool {
    let grave = matches!(found.severity, Severity::Error | Severity::Warning);
    grave && (found.rule.group == Group::Types || matches!(found.rule.name, "interval-type" | "reducer-type"))
}

#[test]
fn defects_are_still_rejected_by_the_reference() {
    let folder = support::root().join("tests/conformance");
    let verdicts = verdicts(&folder.join("cases.jsonl"));
    for (file, reason) in DEFECTS.iter() {
        let verdict = verdicts.iter().find(|verdict| verdict["file"] == *file).unwrap();
        assert_eq!(verdict["stage"], "bounds", "{file}: {reason}");
        let text = fs::read_to_string(folder.join("cases").join(file)).unwrap();
        let found = support::check(&[text]).concat();
        assert!(!found.iter().any(is_about_types), "{file} has a finding now: no exception is needed");
    }
}

/// The engine takes a column that is declared without a bound as `/any`, and rejects each rule that hands it to a column with
/// one, right or wrong (`checkClauses` in `analysis/boundscheck.go`, revision 248db3e; read, not observed). Here nothing is
/// derived from such a column; of predicates without a declaration the facts tell. `docs/evaluation.md` says so.
#[test]
fn column_declared_without_a_bound_has_no_type() {
    let found = |program: &str| {
        let all = support::check(&[program.to_owned()]).concat();
        all.iter().filter(|found| is_about_types(found)).map(|found| found.rule.code).collect::<Vec<_>>()
    };
    assert_eq!(found("Decl q(X).\nDecl r(X) bound [/string].\nq(3).\nr(X) :- q(X).\n"), [""; 0]);
    assert_eq!(found("Decl r(X) bound [/string].\nq(3).\nr(X) :- q(X).\n"), ["MG605"]);
}

fn is_on_purpose(name: &str, found: &Diagnostic) -> bool {
    ON_PURPOSE.iter().any(|(file, rule, _)| *file == name && *rule == found.rule.name)
}
