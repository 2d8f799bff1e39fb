//! Tests of the fixes that are offered as safe.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::FixChecks;
use super::window::Claim;
use crate::testing::{CheckedFixture, program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_syntax::lint::{Applicability, FileEdit, Fix};
use mangle_syntax::text::{FileId, TextRange, TextSize, apply, size};

/// The predicates that the statements use.
const DECLARATIONS: &str = "\
Decl req(A).
Decl list(A).
Decl spare(A).
Decl halted().
Decl health(Id, Status, At).
Decl path(T) bound [/string].
Decl score(A, N) bound [/any, /number].
";

/// The errors of a statement with the results of their fixes.
fn offers(statement: &str) -> Vec<(&'static str, Option<(Applicability, String)>)> {
    let text = format!("{DECLARATIONS}{statement}\n");
    let checked = CheckedFixture::new(&text);
    let found = checked.diagnostics.iter().flat_map(|(_, found)| found);
    let errors = found.filter(|found| found.severity == mangle_syntax::lint::Severity::Error);
    errors
        .map(|found| {
            let fixed = found.fix.as_ref().map(|fix| {
                let edits = fix.edits.iter().map(|edit| (edit.range, edit.text.as_str()));
                let fixed = apply(&text, edits).unwrap();
                (fix.applicability, fixed[DECLARATIONS.len()..].trim_end().to_owned())
            });
            (found.rule.name, fixed)
        })
        .collect()
}

#[track_caller]
fn safe(statement: &str, rule: &str, expected: &str) {
    let offers = offers(statement);
    let of_rule = offers.iter().find(|(name, _)| *name == rule).and_then(|(_, fix)| fix.clone());
    assert_eq!(of_rule, Some((Applicability::Safe, expected.to_owned())), "{statement}: {offers:#?}");
}

/// Asserts that no error has a safe fix, and that the first finding of `rule` has the fix with the
/// result `expected`, if any.
#[track_caller]
fn not_safe(statement: &str, rule: &str, expected: Option<&str>) {
    let offers = offers(statement);
    let is_safe = |(_, fix): &(&str, Option<(Applicability, String)>)| {
        fix.as_ref().is_some_and(|(applicability, _)| *applicability == Applicability::Safe)
    };
    assert!(!offers.iter().any(is_safe), "{statement}: {offers:#?}");
    let of_rule = offers.iter().find(|(name, _)| *name == rule);
    let fixed = of_rule.map(|(_, fix)| fix.as_ref().map(|(_, fixed)| fixed.as_str()));
    assert_eq!(fixed, Some(expected), "{statement}: {offers:#?}");
}

#[test]
fn clear_alternatives_become_rules_safely() {
    safe("ok(A) :- req(A) or list(A).", "disjunction", "ok(A) :- req(A).\nok(A) :- list(A).");
    safe(
        "ok(A) :- req(A), (A = /read ∨ A = /list).",
        "disjunction",
        "ok(A) :- req(A), A = /read .\nok(A) :- req(A), A = /list .",
    );
    safe(
        "ok(A) :- score(A, N), (req(N) ; list(A)).",
        "disjunction",
        "ok(A) :- score(A, N), req(N).\nok(A) :- score(A, N), list(A).",
    );
}

#[test]
fn alternatives_beside_commas_are_a_guess_that_keeps_premises() {
    for or in ["or", ";", "|", "||", "OR", "∨", "\\/"] {
        not_safe(
            &format!("ok(A) :- req(A), !halted(), A = 1 {or} A = 2."),
            "disjunction",
            Some("ok(A) :- req(A), !halted(), A = 1.\nok(A) :- req(A), !halted(), A = 2."),
        );
    }
    not_safe(
        "ok(A) :- req(A), (list(A), !halted() ; spare(A)).",
        "disjunction",
        Some("ok(A) :- req(A), list(A), !halted().\nok(A) :- req(A), list(A), spare(A)."),
    );
}

#[test]
fn both_readings_of_unclear_alternatives_are_offered() {
    let text = format!("{DECLARATIONS}ok(A) :- req(A), A = 1 or A = 2.\n");
    let checked = CheckedFixture::new(&text);
    let fix = checked.diagnostics[0].1.iter().find_map(|found| found.fix.clone()).unwrap();
    let other = fix.alternative.unwrap();
    assert_eq!(other.applicability, Applicability::Unsafe);
    assert_eq!(other.edits[0].text, "ok(A) :- req(A), A = 1.\nok(A) :- A = 2.");
}

#[test]
fn words_of_other_languages_are_not_joined_by_commas() {
    let foreign = [
        ("ok(A) :- req(A), some X, Y in list.", None),
        ("ok(A) :- req(A), if A = 1 then list(A).", None),
        ("ok(A) :- req(A), if A = 1 then list(A) else spare(A).", None),
        ("ok(A) :- req(A), every X in A.", None),
        ("ok(A) :- req(A), else, list(A).", None),
        ("ok(A) :- req(A), path(T), T matches \"a.*\".", None),
        ("ok(A) :- req(A), path(T), T like \"a_b%\".", None),
        (
            "ok(A) :- req(A), path(T), T like \"src/%\".",
            Some("ok(A) :- req(A), path(T), :string:starts_with(T, \"src/\")."),
        ),
        (
            "ok(A) :- req(A), path(T), T contains \"x\".",
            Some("ok(A) :- req(A), path(T), :string:contains(T, \"x\")."),
        ),
        ("ok(A) :- score(A, N), N between 1 and 5.", Some("ok(A) :- score(A, N), N >= 1, N <= 5.")),
        ("ok(A) :- req(A) unless list(A).", Some("ok(A) :- req(A), !list(A).")),
        ("ok(A) :- req(A), A is not 1.", Some("ok(A) :- req(A), A != 1.")),
        ("ok(A) :- req(A), A is not null.", None),
        ("ok(A) :- req(A), foo list(A).", None),
    ];
    for (statement, fixed) in foreign {
        not_safe(statement, "foreign-word", fixed);
    }
}

#[test]
fn negated_quantifiers_leave_no_parenthesis() {
    safe("ok(A) :- req(A), not exists(list(A)).", "not-keyword", "ok(A) :- req(A), !list(A).");
    // The wildcards would be the next error.
    not_safe(
        "ok(A) :- req(A), not exists(health(A, _, _)).",
        "not-keyword",
        Some("ok(A) :- req(A), !health(A, _, _)."),
    );
    not_safe("ok(A) :- req(A), not (list(A) and spare(A)).", "not-keyword", None);
}

#[test]
fn arithmetic_of_prolog_is_read_whole() {
    safe(
        "n(A, M) :- score(A, N), M is plus(N, 5).",
        "wrong-operator",
        "n(A, M) :- score(A, N), M = fn:plus(N, 5).",
    );
    safe(
        "n(A, M) :- score(A, N), M is N + 5.",
        "wrong-operator",
        "n(A, M) :- score(A, N), M = fn:plus(N, 5).",
    );
    safe(
        "n(A, M) :- score(A, N), M = N + 5.",
        "infix-arithmetic",
        "n(A, M) :- score(A, N), M = fn:plus(N, 5).",
    );
}

#[test]
fn commas_between_premises_are_safe_and_between_values_are_not() {
    safe("ok(A) :- req(A) list(A).", "missing-comma", "ok(A) :- req(A), list(A).");
    // The first of several errors; the rest is fixed in the same way.
    safe(
        "ok(A) :- req(A)\n  list(A)\n  spare(A).",
        "missing-comma",
        "ok(A) :- req(A),\n  list(A)\n  spare(A).",
    );
    not_safe("ok(1 2).", "missing-comma", Some("ok(1, 2)."));
}

#[test]
fn words_become_predicates_only_if_they_are_some() {
    safe("ok(A) :- req(A), halted, list(A).", "missing-parens", "ok(A) :- req(A), halted(), list(A).");
    not_safe(
        "ok(A) :- req(A), ready, list(A).",
        "missing-parens",
        Some("ok(A) :- req(A), ready(), list(A)."),
    );
}

#[test]
fn full_stops_that_would_cut_a_rule_are_a_guess() {
    safe("ok(A) :- req(A)", "missing-dot", "ok(A) :- req(A).");
    safe("ok(A) :- req(A), A = /read.", "name-swallows-dot", "ok(A) :- req(A), A = /read .");
    not_safe("ok(/a) :- req(/a)\nlist(/a).", "missing-dot", Some("ok(/a) :- req(/a).\nlist(/a)."));
    not_safe("ok(/a) when { req(/a) };", "missing-dot", Some("ok(/a). when { req(/a) };"));
}

#[test]
fn nothing_stands_for_null() {
    for null in ["null", "nil", "None", "undefined", "none", "NULL"] {
        not_safe(&format!("ok(A) :- req(A), A != {null}."), "foreign-constant", None);
    }
}

#[test]
fn a_helper_for_a_negation_is_safe() {
    safe(
        "ok(A) :- req(A), !health(A, _, _).",
        "negation-wildcard",
        "Decl has_health(A).\nhas_health(A) :- health(A, _, _).\n\nok(A) :- req(A), !has_health(A).",
    );
}

/// True if an artificial fix is accepted that replaces the first `old` in `text` by `new`.
fn holds(text: &str, old: &str, new: &str, declared: bool) -> bool {
    let program = Arc::new(program(text));
    let types = ProgramTypes::new(&program, &mut TypeCache::default());
    let at = text.find(old).unwrap();
    let range = TextRange::at(size(at), size(old.len()));
    let start =
        program.files[0].items.iter().map(|item| item.start).rfind(|start| *start <= size(at)).unwrap();
    let mut fix = Fix::safe("").replace(range - start, new);
    if declared {
        fix = fix.replacing(range - start);
    }
    let edits = [FileEdit { file: FileId(0), range, text: new.to_owned() }];
    let underlined = TextRange::empty(TextSize::new(0));
    let claim = Claim { file: FileId(0), start, range: underlined, replaces: &fix.replaces, edits: &edits };
    FixChecks::default().holds(
        &program,
        &types,
        claim,
        &mut super::Budget::unlimited(),
        &mut super::Dependencies::default(),
    )
}

#[test]
fn whatever_takes_a_premise_away_is_not_safe() {
    let text = "a(1). b(1). c(1).\np(X) :- a(X), !b(X), X > 0, c(X).\n";
    assert!(holds(text, "c(X)", "c( X )", false));
    for gone in [", !b(X)", ", X > 0", ", c(X)", "a(X), "] {
        assert!(!holds(text, gone, "", false), "{gone}");
        assert!(!holds(text, gone, "", true), "{gone}");
    }
    // A rewrite is accepted only if it is declared.
    assert!(!holds(text, "!b(X)", "!c(X)", false));
    assert!(holds(text, "!b(X)", "!c(X)", true));
    assert!(!holds(text, "!b(X)", "c(X)", true), "a negation is not replaced by another premise");
}

#[test]
fn whatever_splits_a_clause_keeps_its_premises() {
    let text = "a(1). b(1). c(1).\np(X) :- a(X), b(X), c(X).\n";
    assert!(!holds(text, ", b(X)", ".\np(X) :- b(X)", false));
    let both = "b(X), c(X), X > 0.\np(X) :- a(X), b(X), c(X), X <= 0";
    assert!(holds(text, "b(X), c(X)", both, false));
}

#[test]
fn whatever_brings_an_error_is_not_safe() {
    let text = "a(1). b(1).\np(X) :- a(X), b(X).\n";
    assert!(holds(text, "a(X)", "a(X), a(X)", false));
    for new in ["a(X), zz(X)", "a(X), Y = Z", "a(X), b(X", "a(X), b(X, X)", "a(X), !b(_)"] {
        assert!(!holds(text, "a(X)", new, false), "{new}");
    }
}

#[test]
fn whatever_adds_to_other_predicates_is_not_safe() {
    let text = "a(1). b(1).\np(X) :- a(X), b(X).\n";
    assert!(!holds(text, "b(X).", "b(X).\nb(2).", false));
    assert!(holds(text, "b(X).", "b(X).\nnew(2).", false));
    assert!(!holds(text, "p(X) :- a(X), b(X).", "q(X) :- a(X), b(X).", false));
}

#[test]
fn verdicts_follow_the_program() {
    let checks = FixChecks::default();
    let verdict = |text: &str| {
        let program = program(text);
        let types = ProgramTypes::new(&program, &mut TypeCache::default());
        let at = size(text.find("b(X)").unwrap());
        let range = TextRange::at(at, size(4));
        let fix = Fix::safe("").replace(range, "");
        let edits = [FileEdit { file: FileId(0), range: TextRange::empty(at), text: "d(X), ".to_owned() }];
        let claim =
            Claim { file: FileId(0), start: TextSize::new(0), range, replaces: &fix.replaces, edits: &edits };
        checks.holds(
            &program,
            &types,
            claim,
            &mut super::Budget::unlimited(),
            &mut super::Dependencies::default(),
        )
    };
    let rule = "p(X) :- a(X), b(X).\na(1). b(1).\n\n\n";
    assert!(!verdict(rule), "`d` does not exist");
    assert!(verdict(&format!("{rule}d(1).\n")));
    assert!(!verdict(rule));
}
