//! Tests of readings of texts with syntax errors.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::Outline;

#[track_caller]
fn check(text: &str, expected: Expect) {
    let outline = Outline::read(text);
    let mut lines = outline.clauses;
    lines.extend(
        outline
            .doubts
            .iter()
            .map(|(doubt, range)| format!("? {doubt:?} {}", crate::text::slice(text, *range))),
    );
    expected.assert_eq(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn notations_of_other_languages_read_alike() {
    check(
        "p(X, N) <- q(X), not r(X), !(X == 2), M is N + 5 * 2, 0 < M <= 9, s(X) and t.\n\
         p(X, N) :- q(X), !r(X), X != 2, M = fn:plus(N, fn:mult(5, 2)), 0 < M, M <= 9, s(X), t().\n",
        expect![[r#"
            p(X,N) :- q(X), !r(X), !=(X,2), =(M,+(N,*(5,2))), <(0,M), <=(M,9), s(X), t()
            p(X,N) :- q(X), !r(X), !=(X,2), =(M,+(N,*(5,2))), <(0,M), <=(M,9), s(X), t()
        "#]],
    );
    check(
        "p($X) if exists Y: q($X, Y), \\+ exists(r($X)), (s($X); t($X)) |> do fn:group_by(X), let N = fn:count().",
        expect![[r#"
            p(X) :- q(X,Y), !r(X), s(X) |> do group_by(X), let =(N,count())
            p(X) :- q(X,Y), !r(X), t(X) |> do group_by(X), let =(N,count())
            ? Variables X
        "#]],
    );
    check(
        "p(H) :- q([H | T]), L = [H | T], not (r(T)).\np([H | T]).\n",
        expect![[r#"
            p(H) :- q(§), match_cons(§,H,T), match_cons(L,H,T), !r(T)
            p(list:cons(H,T))
            ? CutOff p
        "#]],
    );
    check(
        "p(“a”, X)。 q（X） :– p(X， Y)。\n",
        expect![[r#"
        p("a",X)
        q(X) :- p(X,Y)
    "#]],
    );
    check(
        "* p(1).\n1. p(2).\n2) p(3) @[2024-01-15T10:00, _].\n",
        expect![[r#"
        p(1)
        p(2)
        p(3)@[(2024-01-15T10:00,_) 
        ? Marker p
        ? Marker p
        ? Marker *
    "#]],
    );
    check(
        "Package a.b!\nUse c!\nDecl p(X, Y) bound [.List</name>, /number].\np(1, 2)\nq(2)\n",
        expect![[r#"
        Package a.b
        Use c
        Decl p/2
        p(1,2)
        q(2)
    "#]],
    );
}

/// Checks the doubts of each text.
#[track_caller]
fn check_doubts(texts: &[&str], expected: Expect) {
    let mut out = String::new();
    for text in texts {
        let outline = Outline::read(text);
        let show = |(doubt, range): &(super::Doubt, crate::text::TextRange)| {
            format!("{doubt:?} {:?}", crate::text::slice(text, *range))
        };
        let doubts: Vec<_> = outline.doubts.iter().map(show).collect();
        out.push_str(&format!("{text:?}: {}\n", doubts.join(", ")));
    }
    expected.assert_eq(&out);
}

#[test]
fn signs_at_line_starts_and_apart_from_their_atoms_are_doubtful() {
    check_doubts(
        &[
            "p(X) :- q(X),\n  - r(X).\n",
            "p(X) :- q(X),\n  !r(X).\n",
            "p(X) :- q(X),\n  !# s(X),\n  r(X).\n",
            "p(X) :- q(X), !\n  r(X).\n",
            "- p(1).\n",
            "1. p(1).\n",
            "> p(X) :- q(X),\n> r(X).\n",
        ],
        expect![[r#"
            "p(X) :- q(X),\n  - r(X).\n": Marker "-", Marker "-"
            "p(X) :- q(X),\n  !r(X).\n": 
            "p(X) :- q(X),\n  !# s(X),\n  r(X).\n": SignApart "!", Marker "!"
            "p(X) :- q(X), !\n  r(X).\n": SignApart "!"
            "- p(1).\n": Marker "-"
            "1. p(1).\n": Marker "p"
            "> p(X) :- q(X),\n> r(X).\n": Marker ">", Marker ">", Unreadable ">"
        "#]],
    );
}

#[test]
fn missing_elements_are_doubtful() {
    check_doubts(
        &[
            "p(X) :- q(X), Y = fn:plus(, 1).\n",
            "p(X) :- q(X,).\n",
            "p(X) :- q(\n  X,\n).\n",
            "p(X) :- q(X,, Y).\n",
            "p([,]).\n",
            "p(X) :- q(X),, r(X).\n",
            "p(X) :- q(X), , r(X).\n",
            "p(X) :- q(X), X < .\n",
            "p(X) :- q(X) |> .\n",
        ],
        expect![[r#"
            "p(X) :- q(X), Y = fn:plus(, 1).\n": Missing ","
            "p(X) :- q(X,).\n": Missing ")"
            "p(X) :- q(\n  X,\n).\n": 
            "p(X) :- q(X,, Y).\n": Missing ","
            "p([,]).\n": Missing ","
            "p(X) :- q(X),, r(X).\n": 
            "p(X) :- q(X), , r(X).\n": Missing ",", Missing ",", Words "r"
            "p(X) :- q(X), X < .\n": Missing "."
            "p(X) :- q(X) |> .\n": Missing "."
        "#]],
    );
}

#[test]
fn full_stops_that_cut_a_rule_are_doubtful() {
    check_doubts(
        &[
            "p(X) :- q(X, A), A != /deploy.\n  r(X).\n",
            "p(X) :- q(X). r(X), s(X).\n",
            "p(X) :- q(X).\n  !r(X).\n",
            "p(X) :- q(X)\nr(1).\n",
            "p(X) :- q(X)\n  r(X)\n  !s(X).\n",
            "p(1)\nq(2)\n",
        ],
        expect![[r#"
            "p(X) :- q(X, A), A != /deploy.\n  r(X).\n": FullStop ".", CutOff "r"
            "p(X) :- q(X). r(X), s(X).\n": CutOff "r"
            "p(X) :- q(X).\n  !r(X).\n": FullStop ".", CutOff "!"
            "p(X) :- q(X)\nr(1).\n": FullStop "r"
            "p(X) :- q(X)\n  r(X)\n  !s(X).\n": 
            "p(1)\nq(2)\n": 
        "#]],
    );
}

#[test]
fn brackets_with_several_places_are_doubtful() {
    check_doubts(
        &[
            "p(X) :- q(X, r(X).\n",
            "p(X) :- q(X, Y.\n",
            "p(X) :- q(X, Y\n",
            "p(X :- q(X).\n",
            "p(X, Y) :- q(X), Y = fn:plus(X, 1.\n",
            "p(X) :- q(X, fn:plus(X, 1, Y).\n",
            "p([1, 2).\n",
            "p(X)) :- q(X).\n",
        ],
        expect![[r#"
            "p(X) :- q(X, r(X).\n": 
            "p(X) :- q(X, Y.\n": Bracket "("
            "p(X) :- q(X, Y\n": Bracket "("
            "p(X :- q(X).\n": 
            "p(X, Y) :- q(X), Y = fn:plus(X, 1.\n": Bracket "("
            "p(X) :- q(X, fn:plus(X, 1, Y).\n": Bracket "("
            "p([1, 2).\n": Bracket "["
            "p(X)) :- q(X).\n": Unreadable "p"
        "#]],
    );
}

#[test]
fn code_in_foreign_comments_is_doubtful() {
    check_doubts(
        &[
            "p(X) :- q(X), % about the text\n  r(X).\n",
            "p(X) :- q(X),\n  % r(X),\n  s(X).\n",
            "p(X) :- q(X), X % 2 = 0, !r(X).\n",
            "p(X) :- q(X), X < 10%.\n",
            "% p(1).\nq(2).\n",
            "% p(X) holds for all X.\np(2).\n",
            "// p(1).\nq(2).\n",
            "%\n% - ann\n%   (until May)\np(2).\n",
        ],
        expect![[r#"
            "p(X) :- q(X), % about the text\n  r(X).\n": 
            "p(X) :- q(X),\n  % r(X),\n  s(X).\n": CommentedCode "% r(X),"
            "p(X) :- q(X), X % 2 = 0, !r(X).\n": Missing "X", CommentedCode "% 2 = 0, !r(X)."
            "p(X) :- q(X), X < 10%.\n": CommentedCode "%."
            "% p(1).\nq(2).\n": CommentedCode "% p(1)."
            "% p(X) holds for all X.\np(2).\n": 
            "// p(1).\nq(2).\n": 
            "%\n% - ann\n%   (until May)\np(2).\n": 
        "#]],
    );
}

#[test]
fn words_beside_words_are_doubtful() {
    check_doubts(
        &[
            "p(1 2).\n",
            "p(X) -> q(X).\n",
            "p(X) :- if q(X) then r(X).\n",
            "p(X) :- q(X), r(X); s(X).\n",
            "p(X) :- q(X), (r(X); s(X)).\n",
            "p(\"a, X).\nq(\"b\").\n",
        ],
        expect![[r#"
            "p(1 2).\n": Words "2"
            "p(X) -> q(X).\n": Unreadable "->"
            "p(X) :- if q(X) then r(X).\n": Words "then"
            "p(X) :- q(X), r(X); s(X).\n": Alternatives "."
            "p(X) :- q(X), (r(X); s(X)).\n": 
            "p(\"a, X).\nq(\"b\").\n": Unreadable "\"a, X).\nq(\"", Words "b\"", Unreadable "b\""
        "#]],
    );
}

#[test]
fn variables_of_other_languages_that_become_one_are_doubtful() {
    check_doubts(
        &[
            "p($x, $Y) :- q($x, $Y).\n",
            "p($x, X) :- q($x, X).\n",
            "p($x, ?x) :- q($x, ?x).\n",
            "p($x) :- q($x, $_, _).\n",
        ],
        expect![[r#"
            "p($x, $Y) :- q($x, $Y).\n": 
            "p($x, X) :- q($x, X).\n": Variables "X", Variables "X"
            "p($x, ?x) :- q($x, ?x).\n": Variables "?x", Variables "?x"
            "p($x) :- q($x, $_, _).\n": Variables "$_"
        "#]],
    );
}

#[test]
fn more_alternatives_than_are_read_are_doubtful() {
    let group = "(q(X); r(X))";
    let rule = |count: usize| format!("p(X) :- {}.\n", vec![group; count].join(", "));
    let doubts = [6, 7, 4_000].map(|count| Outline::read(&rule(count)).doubts.len());
    assert_eq!(doubts, [0, 1, 1]);
}

#[test]
fn nested_groups_end_at_a_limit() {
    let rule = format!("p(X) :- {}q(X){}.\n", "(".repeat(20_000), ")".repeat(20_000));
    assert!(!Outline::read(&rule).doubts.is_empty());
}

#[test]
fn comments_have_their_statements() {
    let text =
        "# of the file\n\n# of p\n%\n# more\np(X) :- q(X), # in p\n  r(X). # behind p\n\n# at the end\n";
    let places = Outline::read(text).comments;
    let lines: Vec<_> = places
        .iter()
        .map(|place| format!("{} | {} | {}\n", place.body, place.statement, place.is_above))
        .collect();
    expect![[r#"
        of the file |  | false
        of p | p | true
         | p | true
        more | p | true
        in p | p | false
        behind p | p | false
        at the end |  | false
    "#]]
    .assert_eq(&lines.concat());
}
