//! Tests of on-type formatting. The printer has its own tests for ranges and files.

use expect_test::{Expect, expect};

use super::{TRIGGERS, on_type};
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{apply, size};

/// Returns the text after typing the character before `$0`.
fn typed(marked: &str) -> String {
    let at = marked.find("$0").unwrap_or(marked.len());
    let text = marked.replace("$0", "");
    let key = text.get(..at).and_then(|before| before.trim_end_matches(' ').chars().next_back());
    let key = key.map(String::from).unwrap_or_default();
    let source = SourceFile::parse(text.as_str().into());
    let edits = on_type(&source, FormatSettings::default(), size(at), &key);
    apply(&text, edits.iter().map(|(range, text)| (*range, text.as_str()))).unwrap_or_default()
}

#[track_caller]
fn check(marked: &str, expected: Expect) {
    expected.assert_eq(&typed(marked).replace(' ', "·"));
    assert_eq!(typed(&marked.replace('\n', "\r\n")), typed(marked).replace('\n', "\r\n"));
}

#[test]
fn a_new_line_is_indented() {
    check(
        "p(X) :-\n$0",
        expect![[r#"
        p(X)·:-
        ····"#]],
    );
    check(
        "p(X) :-\n    q(X),\n    $0",
        expect![[r#"
        p(X)·:-
        ····q(X),
        ····"#]],
    );
    check(
        "p(X) :-\n    q(X),\n$0\nr(1).\n",
        expect![[r#"
        p(X)·:-
        ····q(X),
        ····
        r(1).
    "#]],
    );
    check(
        "p(X) :-\n    q(X).\n    $0\n",
        expect![[r#"
        p(X)·:-
        ····q(X).

    "#]],
    );
    check(
        "p(X) :-\n    q(X),\n    \n    $0",
        expect![[r#"
        p(X)·:-
        ····q(X),

        ····"#]],
    );
    check(
        "p(X, N) :-\n    q(X)\n    |> do fn:group_by(X),\n    $0",
        expect![[r#"
        p(X,·N)·:-
        ····q(X)
        ····|>·do·fn:group_by(X),
        ·······"#]],
    );
    check(
        "p(X) :-\n    q(X),\n$0    r(X).\n",
        expect![[r#"
        p(X)·:-
        ····q(X),
        ····r(X).
    "#]],
    );
    check(
        "p(X) :- # why ( \"\n$0",
        expect![[r#"
        p(X)·:-·#·why·(·"
        ····"#]],
    );
}

#[test]
fn lists_and_declarations() {
    check(
        "Decl p(X)\n$0",
        expect![[r#"
        Decl·p(X)
        ··"#]],
    );
    check(
        "Decl p(X)\n  descr [\n$0\n  ].\n",
        expect![[r#"
        Decl·p(X)
        ··descr·[
        ····
        ··].
    "#]],
    );
    check(
        "Decl p(X)\n  descr [\n    doc(\"\"),\n  $0",
        expect![[r#"
        Decl·p(X)
        ··descr·[
        ····doc(""),
        ····"#]],
    );
    check(
        "p([1,\n$0",
        expect![[r#"
        p([1,
        ···"#]],
    );
    check(
        "p(\n$0)",
        expect![[r#"
        p(
        )"#]],
    );
    check(
        "p(X) :-\n    q([\n        1\n        ]$0",
        expect![[r#"
        p(X)·:-
        ····q([
        ········1
        ····]"#]],
    );
    check(
        "p([\n    /a,\n    ]$0).\n",
        expect![[r#"
        p([
        ····/a,
        ]).
    "#]],
    );
    check(
        "p([1]$0).\n",
        expect![[r#"
        p([1]).
    "#]],
    );
}

#[test]
fn nothing_where_nobody_knows() {
    check(
        "p(X)\n  $0",
        expect![[r#"
        p(X)
        ··"#]],
    );
    check(
        "p(\"a\n  $0 b\").\n",
        expect![[r#"
        p("a
        ···b").
    "#]],
    );
    check(
        "# why\n$0",
        expect![[r#"
        #·why
    "#]],
    );
    check(
        "q( 1 ).\n$0",
        expect![[r#"
        q(·1·).
    "#]],
    );
}

#[test]
fn a_full_stop_formats_its_statement() {
    check(
        "q( 1 ).\np(X):-q( X ),r(X).$0\nq( 2 ).\n",
        expect![[r#"
        q(·1·).
        p(X)·:-·q(X),·r(X).
        q(·2·).
    "#]],
    );
    check(
        "p(X) :-\n  q( X ), X < 5.$0",
        expect![[r#"
        p(X)·:-
        ····q(X),
        ····X·<·5."#]],
    );
    check("p( /a.$0", expect!["p(·/a."]);
    check(
        "p( 1, .$0\nq( 1 ).\n",
        expect![[r#"
        p(·1,·.
        q(·1·).
    "#]],
    );
}

/// On-type formatting at any position only changes white space, except for a comma at the end of a
/// body.
#[test]
fn every_place_has_an_answer() {
    let text =
        "Decl p(X)\n  bound [/a].\np([1,\n 2]) :- q(\"é\n\"), # ( \n  !r({/a : 1}).\r\n|> let X = fn:f(1\n";
    for (at, _) in text.char_indices() {
        for key in TRIGGERS {
            let typed = format!("{}{key}{}", &text[..at], &text[at..]);
            let source = SourceFile::parse(typed.as_str().into());
            let edits = on_type(&source, FormatSettings::default(), size(at + key.len()), key);
            let new = apply(&typed, edits.iter().map(|(range, text)| (*range, text.as_str())));
            let bare = |text: &str| text.replace(',', "").split_whitespace().collect::<String>();
            assert_eq!(new.map(|new| bare(&new)), Some(bare(&typed)));
        }
    }
}

#[test]
fn expectations_of_a_test_are_laid_out() {
    let formatted = |text: &str, is_test| {
        let source = SourceFile::parse(text.into());
        super::whole(&source, FormatSettings::default(), is_test).apply(text)
    };
    let text = "# @test name: one\np( 1,2 ).\n#@expect   q( 1,[2,3 ] )\n##  @forbid q(_,X ) .\n# @exact  q/2\n\
                # mangle-ls: format off\n#@expect q( 1 )\n# mangle-ls: format on\n# @expect q(\n";
    let expected = "# @test name: one\np(1, 2).\n# @expect q(1, [2, 3])\n## @forbid q(_, X ) .\n# @exact q/2\n\
                    # mangle-ls: format off\n#@expect q( 1 )\n# mangle-ls: format on\n# @expect q(\n";
    assert_eq!(formatted(text, true), expected.replace("X ) .", "X) ."));
    assert_eq!(formatted(&formatted(text, true), true), formatted(text, true));
    assert_eq!(formatted(text, false), text.replace("p( 1,2 )", "p(1, 2)"));
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(formatted(&crlf, true), formatted(text, true).replace('\n', "\r\n"));
}

#[test]
fn settings_of_previews_are_formatted() {
    let formatted = |text: &str| {
        let source = SourceFile::parse(text.into());
        let formatting = super::whole(&source, FormatSettings::default(), false);
        let edits: Vec<_> = formatting.edits.iter().map(|edit| (edit.range, edit.text())).collect();
        apply(text, edits.iter().map(|(range, text)| (*range, text.as_ref()))).unwrap_or_default()
    };
    let written = "#@preview   use:a.mg ,  b.mg\n# @preview shard :  coder-1 coder\n# @preview intent: i /a /b x  y\np(1).\n";
    expect![[r#"
        # @preview use: a.mg, b.mg
        # @preview shard: coder-1 coder
        # @preview intent: i /a /b x  y
        p(1).
    "#]]
    .assert_eq(&formatted(written));
    assert_eq!(formatted(&formatted(written)), formatted(written));
    let off = "# mangle-ls: format off\n#@preview   use:a.mg ,  b.mg\n# mangle-ls: format on\n";
    assert_eq!(formatted(off), off);
}
