//! Tests of diagnostics as text and as JSON.

#![allow(clippy::unwrap_used)]

use annotate_snippets::Renderer;
use expect_test::{Expect, expect};

use super::{CheckSummary, ReportEntry, Sources, count, json_line, json_summary, sort, text};
use mangle_syntax::lint::{
    Applicability, Diagnostic, FileEdit, FixKind, Group, RelatedPlace, ResolvedFix, Rule, Severity,
};
use mangle_syntax::text::{FileId, TextRange, TextSize};

static RULE: Rule = Rule {
    code: "MG202",
    name: "negation-wildcard",
    group: Group::Safety,
    severity: Some(Severity::Error),
    summary: "",
    rationale: "",
    fix_text: "",
    bad: "",
    finding: "",
    good: "",
    fix: FixKind::Unsafe,
    engine: None,
};

const POLICY: FileId = FileId(0);
const SCHEMAS: FileId = FileId(1);

/// The two files, and an entry about `marked` in the first file.
fn fixture(policy: &str, marked: &str) -> (Sources, ReportEntry) {
    let mut sources = Sources::default();
    sources.insert(POLICY, "policy/deny.mg".into(), policy.into());
    sources.insert(SCHEMAS, "schemas.gl".into(), "Decl has_danger(X).\n".into());
    let start = TextSize::try_from(policy.find(marked).unwrap()).unwrap();
    let range = TextRange::at(start, TextSize::of(marked));
    let diagnostic = Diagnostic {
        label: Some("never bound".into()),
        notes: vec!["`clear(A)` is derived whether or not such a fact exists".into()],
        ..Diagnostic::new(&RULE, Severity::Error, range, "engine ignores this negation".into())
    };
    (sources, ReportEntry { file: POLICY, diagnostic, fails: true })
}

fn check_text(policy: &str, marked: &str, change: impl Fn(&mut Diagnostic), expected: Expect) {
    let (sources, mut entry) = fixture(policy, marked);
    change(&mut entry.diagnostic);
    expected.assert_eq(&text(&entry, &sources, &Renderer::plain()));
}

fn with_company(diagnostic: &mut Diagnostic) {
    let name = TextRange::new(5.into(), 15.into());
    diagnostic.related.push(RelatedPlace { file: SCHEMAS, range: name, message: "declared here".into() });
    let edits = vec![FileEdit { file: POLICY, range: diagnostic.range, text: "!in_danger(A)".into() }];
    let title = "Negate a helper".into();
    let applicability = Applicability::Unsafe;
    diagnostic.fix = Some(ResolvedFix { title, applicability, evidence: false, edits, alternative: None });
}

const DENY: &str = "# deny\nclear(A) :-\n  action(A),\n  !has_danger(_).\n";

#[test]
fn text_with_everything() {
    check_text(
        DENY,
        "!has_danger(_)",
        with_company,
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:4:3
              |
            4 |   !has_danger(_).
              |   ^^^^^^^^^^^^^^ never bound
              |
             ::: schemas.gl:1:6
              |
            1 | Decl has_danger(X).
              |      ---------- declared here
              |
              = note: `clear(A)` is derived whether or not such a fact exists
              = help: Negate a helper (a guess, look before you apply it)

        "#]],
    );
}

#[test]
fn near_places_of_the_same_file_share_the_excerpt() {
    let near = |diagnostic: &mut Diagnostic| {
        let range = TextRange::new(7.into(), 15.into());
        diagnostic.related.push(RelatedPlace { file: POLICY, range, message: "the head".into() });
    };
    check_text(
        DENY,
        "!has_danger(_)",
        near,
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:4:3
              |
            2 | clear(A) :-
              | -------- the head
            3 |   action(A),
            4 |   !has_danger(_).
              |   ^^^^^^^^^^^^^^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn severities_have_their_words() {
    let set = |severity| move |diagnostic: &mut Diagnostic| diagnostic.severity = severity;
    check_text(
        "p().",
        "p",
        set(Severity::Information),
        expect![[r#"
            information[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:1
              |
            1 | p().
              | ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
    check_text(
        "p().",
        "p",
        set(Severity::Hint),
        expect![[r#"
            hint[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:1
              |
            1 | p().
              | ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn ranges_of_many_lines() {
    check_text(
        DENY,
        "clear(A) :-\n  action(A)",
        |_| (),
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:2:1
              |
            2 | / clear(A) :-
            3 | |   action(A),
              | |___________^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
    let long = format!("p() :-\n{}  q().\n", "  q(),\n".repeat(20));
    check_text(
        &long,
        &long,
        |_| (),
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:1
              |
            1 | p() :-
              | ^^^^^^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn ends_of_files_and_of_lines() {
    let at_end = |diagnostic: &mut Diagnostic| diagnostic.range = TextRange::empty(diagnostic.range.end());
    check_text(
        "p()",
        "p()",
        at_end,
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:4
              |
            1 | p()
              |    ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
    check_text(
        "p()\nq().",
        "p()",
        at_end,
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:4
              |
            1 | p()
              |    ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
    check_text(
        "a().\rb().\r\nc().",
        "b",
        |_| (),
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:2:1
              |
            2 | b().
              | ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
    check_text(
        "",
        "",
        |_| (),
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
            --> policy/deny.mg
             = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn control_characters_are_visible() {
    let evil = |diagnostic: &mut Diagnostic| diagnostic.message = "what \u{1b}[31mred\u{202e} says".into();
    check_text(
        "p(\"\u{1b}[2J\u{7}\u{202e}é\u{0}\").\tq",
        "q",
        evil,
        expect![[r#"
            error[MG202 negation-wildcard]: what ␛[31mred� says
             --> policy/deny.mg:1:16
              |
            1 | p("␛[2J␇�é␀").    q
              |                   ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn wide_characters_keep_the_carets_in_place() {
    check_text(
        "p(\"🦀é漢\", X).",
        "X",
        |_| (),
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:10
              |
            1 | p("🦀é漢", X).
              |            ^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn long_lines_are_cut() {
    let long = format!("p({}HERE, {}).", "é, ".repeat(400), "b, ".repeat(90_000));
    check_text(
        &long,
        "HERE",
        |_| (),
        expect![[r#"
            error[MG202 negation-wildcard]: engine ignores this negation
             --> policy/deny.mg:1:1203
              |
            1 | ...é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, é, HERE, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b...
              |                                                             ^^^^ never bound
              |
              = note: `clear(A)` is derived whether or not such a fact exists

        "#]],
    );
}

#[test]
fn json_has_all_members_in_order() {
    let (sources, mut entry) = fixture(DENY, "!has_danger(_)");
    expect![[r#"{"file":"policy/deny.mg","code":"MG202","rule":"negation-wildcard","severity":"error","message":"engine ignores this negation","line":4,"column":3,"end_line":4,"end_column":17,"start":34,"end":48,"path":[],"label":"never bound","related":[],"notes":["`clear(A)` is derived whether or not such a fact exists"],"help":null,"fix":null}"#]].assert_eq(&json_line(&entry, &sources));
    with_company(&mut entry.diagnostic);
    expect![[r#"{"file":"policy/deny.mg","code":"MG202","rule":"negation-wildcard","severity":"error","message":"engine ignores this negation","line":4,"column":3,"end_line":4,"end_column":17,"start":34,"end":48,"path":[],"label":"never bound","related":[{"file":"schemas.gl","line":1,"column":6,"message":"declared here"}],"notes":["`clear(A)` is derived whether or not such a fact exists"],"help":null,"fix":{"title":"Negate a helper","applicability":"unsafe","edits":[{"file":"policy/deny.mg","start":34,"end":48,"text":"!in_danger(A)"}]}}"#]].assert_eq(&json_line(&entry, &sources));
}

#[test]
fn json_counts_characters_and_bytes() {
    let (sources, entry) = fixture("p(\"🦀\",\r\nX\u{301}).", "X\u{301}");
    expect![[r#"{"file":"policy/deny.mg","code":"MG202","rule":"negation-wildcard","severity":"error","message":"engine ignores this negation","line":2,"column":1,"end_line":2,"end_column":3,"start":11,"end":14,"path":[],"label":"never bound","related":[],"notes":["`clear(A)` is derived whether or not such a fact exists"],"help":null,"fix":null}"#]].assert_eq(&json_line(&entry, &sources));
}

#[test]
fn summaries() {
    let (_, entry) = fixture("p().", "p");
    let mut hint = entry.clone();
    hint.diagnostic.severity = Severity::Hint;
    let summary =
        CheckSummary { files: 3, clauses: 1, elapsed_ms: 12, ..count(&[entry.clone(), entry, hint]) };
    expect!["2 errors, 1 hint in 3 files (1 clause)"].assert_eq(&summary.to_string());
    expect![[r#"{"summary":{"files":3,"clauses":1,"envelopes":0,"errors":2,"warnings":0,"information":0,"hints":1,"elapsed_ms":12}}"#]].assert_eq(&json_summary(&summary, None));
    expect!["No findings in 1 file (0 clauses)"]
        .assert_eq(&CheckSummary { files: 1, ..CheckSummary::default() }.to_string());
}

#[test]
fn order_is_by_name_and_place_without_repetitions() {
    let (mut sources, first) = fixture("p(). q().", "p");
    sources.insert(FileId(2), "a.mg".into(), "p().".into());
    let at = |file, start: u32| {
        let mut entry = ReportEntry { file, ..first.clone() };
        entry.diagnostic.range = TextRange::at(start.into(), 1.into());
        entry
    };
    let mut entries = vec![at(POLICY, 5), at(POLICY, 0), at(FileId(2), 0), at(POLICY, 5)];
    sort(&mut entries, &sources);
    assert_eq!(entries, [at(FileId(2), 0), at(POLICY, 0), at(POLICY, 5)]);
}
