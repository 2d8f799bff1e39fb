#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::registry;
use crate::testing::program;
use mangle_check::diagnostics::FindingCache;
use mangle_syntax::text::{TextRange, TextSize, apply};

/// Creates a workspace with one program whose files are all reported.
fn bench(fixture: &str) -> FixWorkspace {
    let program = program(fixture);
    let files: Vec<_> = program.files.iter().map(|file| file.id).collect();
    let unit = Unit {
        reported: files.clone(),
        files,
        rules: Arc::default(),
        embedding: Arc::default(),
        cache: Arc::new(FindingCache::new(registry::all())),
    };
    FixWorkspace {
        units: vec![unit],
        files: program.files.iter().map(|file| (file.id, Arc::clone(file))).collect(),
    }
}

fn run(fixture: &str, guesses: bool) -> (FixWorkspace, FixResult) {
    let mut bench = bench(fixture);
    let fixed = fix(
        &mut bench,
        FixRequest {
            include_unsafe: guesses,
            evidence: false,
            wanted: &|_, _| true,
            editable: &|_| true,
            passes: MAX_PASSES,
        },
    );
    (bench, fixed)
}

/// Fixes a fixture and checks the changed files, the number of fixes, and the failures.
#[track_caller]
fn check(fixture: &str, guesses: bool, expect: Expect) {
    let (_, fixed) = run(fixture, guesses);
    let mut out = String::new();
    for file in &fixed.changed {
        if file.id.0 > 0 {
            writeln!(out, "#- {}", file.id.0).unwrap();
        }
        out.push_str(&file.text.replace('\r', "<CR>"));
    }
    writeln!(out, "-- {} fixed", fixed.done.count).unwrap();
    for (_, diagnostic) in &fixed.done.failed {
        writeln!(out, "-- failed: {} {}", diagnostic.rule.name, diagnostic.fix.as_ref().unwrap().title)
            .unwrap();
    }
    expect.assert_eq(&out);
}

#[test]
fn nothing_to_do() {
    check(
        "q(1).\n",
        true,
        expect![[r#"
        -- 0 fixed
    "#]],
    );
}

#[test]
fn several_in_a_line_and_behind_each_other() {
    check(
        "q(1)\ns(1, 2).\np(X) :- q(X), X == 1\nr(X) :- not q(X), s(X, Y)\n",
        false,
        expect![[r#"
        q(1).
        s(1, 2).
        p(X) :- q(X), X = 1.
        r(X) :- !q(X), s(X, _).
        -- 6 fixed
    "#]],
    );
}

#[test]
fn two_that_need_one_helper_get_one() {
    check(
        "q(1). r(1, 2).\np(X) :- q(X), !r(X, _).\ns(X) :- q(X), !r(X, _).\n",
        true,
        expect![[r#"
            q(1). r(1, 2).
            has_r(X) :- r(X, _).

            p(X) :- q(X), !has_r(X).
            s(X) :- q(X), !has_r(X).
            -- 2 fixed
        "#]],
    );
}

#[test]
fn line_ends_stay() {
    check(
        "q(1)\r\np(X) :- q(X), X == 1.\r\nr(2)",
        false,
        expect![[r#"
        q(1).<CR>
        p(X) :- q(X), X = 1.<CR>
        r(2).-- 3 fixed
    "#]],
    );
}

#[test]
fn guesses_are_made_on_demand() {
    let fixture = "#- a.mg\nDecl crew(P).\n#- b.mg\nsafe(P) :- craw(P).\n";
    check(
        fixture,
        false,
        expect![[r#"
        -- 0 fixed
    "#]],
    );
    check(
        fixture,
        true,
        expect![[r#"
        #- 1
        safe(P) :- crew(P).
        -- 1 fixed
    "#]],
    );
}

#[test]
fn only_what_is_wanted() {
    let mut bench = bench("q(1)\np(X) :- q(X), X == 1.\n");
    let wanted = |_: FileId, diagnostic: &Diagnostic| diagnostic.rule.name == "missing-dot";
    let fixed = fix(
        &mut bench,
        FixRequest {
            include_unsafe: false,
            evidence: false,
            wanted: &wanted,
            editable: &|_| true,
            passes: MAX_PASSES,
        },
    );
    expect![[r#"
        q(1).
        p(X) :- q(X), X == 1.
    "#]]
    .assert_eq(&fixed.changed[0].text);
}

#[test]
fn files_that_are_not_text_are_left_alone() {
    let bad = mangle_syntax::lint::Finding::new(&mangle_settings::INVALID_UTF8, TextRange::default(), "");
    let source = mangle_syntax::syntax::SourceFile::parse("q(1)\nr(2).\n".into());
    let mut file = FileSummary::new(FileId(0), &source);
    file.findings = file.findings.iter().cloned().chain([bad]).collect();
    let mut bench = bench("");
    bench.units[0].files = vec![FileId(0)];
    bench.files.insert(FileId(0), Arc::new(file));
    let fixed = fix(
        &mut bench,
        FixRequest {
            include_unsafe: true,
            evidence: false,
            wanted: &|_, _| true,
            editable: &|_| true,
            passes: MAX_PASSES,
        },
    );
    assert!(fixed.changed.is_empty() && fixed.done.count == 0 && fixed.done.failed.is_empty());
}

#[test]
fn places_follow_edits() {
    let range = |from: u32, to: u32| TextRange::new(from.into(), to.into());
    let check = |place: TextRange, edit: (TextRange, &str), expected: [TextRange; 2]| {
        assert_eq!(mangle_syntax::text::moved(place, &[edit]), expected, "{place:?} {edit:?}");
    };
    check(range(5, 8), (range(1, 2), "abc"), [range(7, 10); 2]);
    check(range(5, 8), (range(9, 9), "abc"), [range(5, 8); 2]);
    check(range(5, 8), (range(6, 7), ""), [range(5, 7); 2]);
    check(range(5, 8), (range(5, 8), "a"), [range(5, 6); 2]);
    check(range(5, 8), (range(5, 5), "a"), [range(6, 9), range(5, 9)]);
    check(range(5, 8), (range(8, 8), "a"), [range(5, 8), range(5, 9)]);
    check(range(5, 5), (range(5, 5), "a"), [range(5, 5), range(6, 6)]);
}

#[test]
fn differences_are_small() {
    let check = |old: &str, new: &str, expected: &[(u32, u32, &str)]| {
        let found = difference(old, new);
        let shown: Vec<_> = found
            .iter()
            .map(|(range, text)| (range.start().into(), range.end().into(), text.as_str()))
            .collect();
        assert_eq!(shown, expected, "{old:?} {new:?}");
        let edits = found.iter().map(|(range, text)| (*range, text.as_str()));
        assert_eq!(apply(old, edits).as_deref(), Some(new));
    };
    check("a\nb\n", "a\nb\n", &[]);
    check("p(1)\nq(2).\n", "p(1).\nq(2).\n", &[(4, 4, ".")]);
    check("a\r\nb", "a\nb", &[(1, 3, "\n")]);
    check("é\n", "è\n", &[(0, 2, "è")]);
    check("a\nb\nc\n", "a\nc\n", &[(2, 4, "")]);
    check("a", "", &[(0, 1, "")]);
    assert_eq!(apply("ab", [(TextRange::new(TextSize::new(1), TextSize::new(9)), "")]), None);
}
