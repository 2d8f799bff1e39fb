//! Tests of the formatter, following the rows of its rules (`docs/formatting.md`).

use expect_test::{Expect, expect};

use super::{Style, format};
use crate::syntax::SourceFile;
use crate::text::{TextRange, size};

fn formatted(text: &str, style: Style, scope: Option<TextRange>) -> String {
    let formatting = format(&SourceFile::parse(text.into()), style, scope);
    assert_eq!(formatting.distrusted, [], "{text}");
    formatting.apply(text)
}

#[track_caller]
fn check_with(style: Style, text: &str, expected: Expect) {
    let once = formatted(text, style, None);
    expected.assert_eq(&once);
    assert_eq!(formatted(&once, style, None), once, "not the same again");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    if text.contains('\n') && !text.contains('\r') {
        assert_eq!(formatted(&crlf(text), style, None), crlf(&once), "CRLF");
    }
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_with(Style::default(), text, expected);
}

/// Checks that formatting leaves a text unchanged.
#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(formatted(text, Style::default(), None), text);
}

#[test]
fn premises_stand_on_lines_of_their_own() {
    check(
        "cheap(L):-fare(L,C),\n  C<=250 , L!=/line/9 .\nx(L)\n  :- y(L), !z(L)\n  .\n\tw(L) ⟸\n\ty(L).\n",
        expect![[r#"
            cheap(L) :-
                fare(L, C),
                C <= 250,
                L != /line/9 .
            x(L) :-
                y(L),
                !z(L).
            w(L) ⟸
                y(L).
        "#]],
    );
    check_with(
        Style { indent: 2, ..Style::default() },
        "cheap(L) :-\n    fare(L, C),\n    C < -1\n    |> let D = fn:f(C),\n  let E = fn:f(D).\n",
        expect![[r#"
            cheap(L) :-
              fare(L, C),
              C < -1
              |> let D = fn:f(C),
                 let E = fn:f(D).
        "#]],
    );
}

#[test]
fn short_rules_stay_on_one_line_and_long_ones_do_not() {
    unchanged("idle(L) :- line(L), !served(L).\ntotal(S) :- n(N) |> do fn:group_by(), let S = fn:sum(N).\n");
    check_with(
        Style { width: 40, ..Style::default() },
        "idle(Line) :- line(Line), !served(Line).\nidle(Lines) :- line(Lines), !served(Lines).\n",
        expect![[r#"
            idle(Line) :- line(Line), !served(Line).
            idle(Lines) :-
                line(Lines),
                !served(Lines).
        "#]],
    );
}

#[test]
fn commas_and_full_stops() {
    check(
        "p( /a ,\"b\" ) .\nq(X) :- p(X , _), X = /a .\nq(X) :- p(X, Y), Y = 5 .\nq(X) :- p(X, _), .\nr([1, 2,]).\n\
         s([\n  1,\n  2,\n]).\n",
        expect![[r#"
            p(/a, "b").
            q(X) :- p(X, _), X = /a .
            q(X) :- p(X, Y), Y = 5.
            q(X) :- p(X, _).
            r([1, 2,]).
            s([
                1,
                2,
            ]).
        "#]],
    );
}

#[test]
fn transforms_lead_their_line() {
    check(
        "n(S, N) :-\n    f(S) |>\n    do fn:group_by(S),\n    let N = fn:count().\nn(S, N) :-\n  f(S)\n  |> do fn:group_by(S), let N \
         = fn:count().\nn(S, N) :- f(S) |>\n let N = fn:f(S).\n",
        expect![[r#"
            n(S, N) :-
                f(S)
                |> do fn:group_by(S),
                   let N = fn:count().
            n(S, N) :-
                f(S)
                |> do fn:group_by(S), let N = fn:count().
            n(S, N) :-
                f(S)
                |> let N = fn:f(S).
        "#]],
    );
    check_with(
        Style { width: 50, ..Style::default() },
        "n(S, N) :-\n    f(S)\n    |> do fn:group_by(S), let N = fn:count(), let M = fn:sum(S).\n",
        expect![[r#"
            n(S, N) :-
                f(S)
                |> do fn:group_by(S),
                   let N = fn:count(),
                   let M = fn:sum(S).
        "#]],
    );
}

#[test]
fn blanks_that_the_lexer_needs_stay() {
    check(
        "a([ -1,-2],{ }, [ ]).\na([-3]).\nb(X) :- c(X), X< -1.\nd({/a:1, X :2, \"k\":3, [1]:4}).\ne(X) :- f(X), X = /a .\n\
         g(P) :- <-[ 0d , 30d ]shift( P ).\nh(P, S) :- shift(P) @[ S,_].\nb(b\"x\").\n",
        expect![[r#"
            a([ -1, -2], {}, []).
            a([-3]).
            b(X) :- c(X), X < -1.
            d({/a: 1, X : 2, "k": 3, [1]: 4}).
            e(X) :- f(X), X = /a .
            g(P) :- <-[0d, 30d] shift(P).
            h(P, S) :- shift(P)@[S, _].
            b(b"x").
        "#]],
    );
}

#[test]
fn declarations() {
    unchanged(
        "Decl a_predicate_with_a_long_name(First, Second, Third, Fourth, Fifth, Sixth) bound [/string, /string, \
         /number, /number].\n",
    );
    check(
        "Decl  stop( Line,Name )descr[doc(\"Stops.\")]  bound[/line,/string] .\nDecl shift(P) temporal bound [/name]\n\
         inclusion [p(P)].\nDecl fare(A)\n    descr [doc(\"What it costs.\"),\n  arg(A, \"an amount\")]\n  bound [/number].\n\
         Decl o(O)\n  bound[\n    .Struct</a: /string,opt /b :.List</number>>\n  ].\n",
        expect![[r#"
            Decl stop(Line, Name) descr [doc("Stops.")] bound [/line, /string].
            Decl shift(P) temporal
              bound [/name]
              inclusion [p(P)].
            Decl fare(A)
              descr [doc("What it costs."),
                     arg(A, "an amount")]
              bound [/number].
            Decl o(O)
              bound [
                .Struct</a : /string, opt /b : .List</number>>
              ].
        "#]],
    );
    check_with(
        Style { width: 40, ..Style::default() },
        "Decl fare(A)\n  descr [doc(\"What it costs.\"), arg(A, \"an amount\")]\n  bound [/number].\n",
        expect![[r#"
            Decl fare(A)
              descr [
                doc("What it costs."),
                arg(A, "an amount")
              ]
              bound [/number].
        "#]],
    );
}

#[test]
fn long_atoms_are_wrapped_but_rows_of_tables_are_not() {
    let narrow = Style { width: 40, ..Style::default() };
    check_with(
        narrow,
        "row(\"a long text in a table\", /and_more, 1).\nrow(\"b\", /c, 2).\n\nalone(\"a long text in an atom\", /and_more, \
         [1, 2]).\n\np(X) :-\n    quite_long(X, \"a text as long as that\", [X, X]),\n    q(X).\n",
        expect![[r#"
            row("a long text in a table", /and_more, 1).
            row("b", /c, 2).

            alone(
                "a long text in an atom",
                /and_more,
                [1, 2]
            ).

            p(X) :-
                quite_long(
                    X,
                    "a text as long as that",
                    [X, X]
                ),
                q(X).
        "#]],
    );
    check_with(
        narrow,
        "alone(\"one argument that is too long for the line\").\np(X) :-\n    X = fn:f(1, 2) , Y = fn:some_function(X, X, X, X, X).\n",
        expect![[r#"
            alone("one argument that is too long for the line").
            p(X) :-
                X = fn:f(1, 2),
                Y = fn:some_function(X, X, X, X, X).
        "#]],
    );
}

#[test]
fn lists_keep_the_breaks_that_they_have() {
    check(
        "p([1,\n   2,\n   3]).\np([\n 1, 2,\n   3]).\np(1,\n  [2,\n   3],\n  4).\n\np(\n\n  1,\n\n\n  2\n\n).\n",
        expect![[r#"
            p([1,
               2,
               3]).
            p([
                1, 2,
                3]).
            p(1,
              [2,
               3],
              4).

            p(
                1,

                2
            ).
        "#]],
    );
}

#[test]
fn facts_on_one_line() {
    unchanged("edge(/a, /b). edge(/b, /c).\n");
    check(
        "edge(/a, /b).edge(/b, /c).p(X) :-\n  q(X). r(1).\n",
        expect![[r#"
        edge(/a, /b). edge(/b, /c).
        p(X) :-
            q(X).
        r(1).
    "#]],
    );
}

#[test]
fn empty_lines() {
    check(
        "\n\n# Head\n\n\n\n\np(1).\n\np(2).\n\n\np(3).\n\n\n\np(4).\n   \nq(X) :-\n\n    p(X),\n\n\n    p(X).\n\n\n",
        expect![[r#"
            # Head


            p(1).

            p(2).


            p(3).


            p(4).

            q(X) :-
                p(X),

                p(X).
        "#]],
    );
    check("", expect![""]);
    check(" \n\n", expect![""]);
    check(
        "p(1).",
        expect![[r#"
        p(1).
    "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "#one\n##two\n#!three\n#---- four\n#==\n#é\n#p(X) :- q(X).\n#Decl p(X).\n#(five)\np(X) # head\n  :- # arrow\n# own\n  q(X), \
         # inline\n        # goes on\n  r([ # in a list\n  1 # one\n  # own\n  ])\n  # before the stop\n.\np(X) :- q(X), # comma\n.\n",
        expect![[r#"
            # one
            ##two
            #!three
            #---- four
            #==
            # é
            #p(X) :- q(X).
            #Decl p(X).
            # (five)
            p(X)    # head
                :-  # arrow
                # own
                q(X),  # inline
                       # goes on
                r([  # in a list
                    1  # one
                    # own
                ])
                # before the stop
            .
            p(X) :-
                q(X)  # comma
            .
        "#]],
    );
    check(
        "p(X) :-\n  q(X) # a\n  , r(X) # b\n  # c\n  , s([1 # d\n, 2])\n  |> # e\n  let Y = # f\n  fn:f(X), # g\n  let Z = fn:f(X).\nDecl d(X) # a\n  \
         # b\n  descr [ # c\n  doc(\"\") # d\n  ] # e\n  bound # f\n  [/any].\n",
        expect![[r#"
            p(X) :-
                q(X)  # a
                , r(X)  # b
                # c
                , s([1  # d
                    , 2])
                |>  # e
                   let Y =  # f
                   fn:f(X),  # g
                   let Z = fn:f(X).
            Decl d(X)  # a
              # b
              descr [    # c
                doc("")  # d
              ]  # e
              bound  # f
              [/any].
        "#]],
    );
}

#[test]
fn comments_behind_code_stay_lined_up() {
    check(
        "a(1).# one\nb(22).   # two\n\nphase(/a, 10).     # x\nphase(/bcd, 20).   # y\n                   # z\nq(X) :-\n    a(X),     # \
         x\n    bc(X),    # y\n    d(X).  # z\n",
        expect![[r#"
            a(1).  # one
            b(22).  # two

            phase(/a, 10).    # x
            phase(/bcd, 20).  # y
                              # z
            q(X) :-
                a(X),   # x
                bc(X),  # y
                d(X).  # z
        "#]],
    );
}

#[test]
fn banners_are_left_alone() {
    unchanged("# =====\n# 1. Title\n# =====\n#=====\n#  two blanks\n#\n#\ttab\n#-- x\np(1).\n");
}

#[test]
fn what_cannot_be_read_stays() {
    check(
        "p( 1 ).\nq( X :- p( X ).\nr( 1 ).\n\n\n\n\nready .\ns( 1 ) :- p( 1 ) ; q( 2 ).\n  t( 1 ).\nu( 1 ) <- t( 1 ).\nv( 1 ). // no \
         comment\nw( 1 ).\n",
        expect![[r#"
            p(1).
            q( X :- p( X ).
            r(1).




            ready .
            s( 1 ) :- p( 1 ) ; q( 2 ).
              t( 1 ).
            u( 1 ) <- t( 1 ).
            v(1). // no comment
            w(1).
        "#]],
    );
    check(
        "p( 1 ).\nq( \"open )\n",
        expect![[r#"
        p(1).
        q( "open )
    "#]],
    );
    check(
        "p( 1 ).\nINTENT: \"x\"  ->  /y\nq( 1 ).\n",
        expect![[r#"
        p(1).
        INTENT: "x"  ->  /y
        q(1).
    "#]],
    );
}

#[test]
fn protected_text() {
    check(
        "a( 1 ).\n# mangle-ls: format off -- a table\nb( 1,  2 ).\n\n\n\n\n  #x\nb( 10, 2 ).\n# mangle-ls: format on\nc( 1 ).\n\
         # mangle-ls: format skip\nd( 1 ).\ne( 1 ).\nf( 1 ).  # mangle-ls: format skip\ng( 1 ).\nh(X) :-\n  g( X ), # mangle-ls: format skip\n  \
         g( X ).\n",
        expect![[r#"
            a(1).
            # mangle-ls: format off -- a table
            b( 1,  2 ).




              #x
            b( 10, 2 ).
            # mangle-ls: format on
            c(1).
            # mangle-ls: format skip
            d( 1 ).
            e(1).
            f( 1 ).  # mangle-ls: format skip
            g(1).
            h(X) :-
              g( X ), # mangle-ls: format skip
              g( X ).
        "#]],
    );
}

/// A suppression comment can apply to a line.
#[test]
fn lines_with_silencing_comments_keep_their_ends() {
    check_with(
        Style { width: 40, ..Style::default() },
        "p( X ) :- quite_a_long_premise(X, Y), other(X). # mangle-ls: ignore MG215\nq(X) :- r( X ),\n # mangle-ls: ignore MG215\n s(X,Y), \
         t(X).\n",
        expect![[r#"
            p(X) :- quite_a_long_premise(X, Y), other(X).  # mangle-ls: ignore MG215
            q(X) :- r(X),
                # mangle-ls: ignore MG215
                s(X, Y), t(X).
        "#]],
    );
}

#[test]
fn bytes_at_the_edges() {
    check(
        "\u{feff}\n\n p( 1 ).",
        expect![[r#"
        ﻿p(1).
    "#]],
    );
    // Most lines end with CRLF; strings stay unchanged.
    check(
        "p( 1 ).\r\nq( 1 ).\r\nr(\"a\nb\").\n",
        expect![[r#"
        p(1).
        q(1).
        r("a
        b").
    "#]],
    );
    check(
        "# é 🦀  \np(\"é🦀\",  \"ß\").   # ü\n",
        expect![[r##"
        # é 🦀
        p("é🦀", "ß").  # ü
    "##]],
    );
    check(
        "p(1).\rq(2).\r",
        expect![[r#"
        p(1).
        q(2).
    "#]],
    );
    check(
        "p(\"a\n   b\" ,  1).  q( 1 ).\n",
        expect![[r#"
        p("a
           b", 1). q(1).
    "#]],
    );
}

#[test]
fn packages() {
    check(
        "Package   depot.rail[ owner( \"x\" ) ] !\nUse depot.crew !\n",
        expect![[r#"
        Package depot.rail [owner("x")]!
        Use depot.crew!
    "#]],
    );
}

/// The text between `«` and `»` is the range.
#[track_caller]
fn check_range(marked: &str, expected: Expect) {
    let (start, end) = (marked.find('«').unwrap_or(0), marked.find('»').unwrap_or(0) - '«'.len_utf8());
    let text = marked.replace(['«', '»'], "");
    let range = TextRange::new(size(start), size(end));
    expected.assert_eq(&formatted(&text, Style::default(), Some(range)));
}

#[test]
fn only_what_a_range_touches() {
    check_range(
        "a( 1 ).\n\n\n\n\n   b( 1 ).\n\n\n\n\n  c( «1 ).\n\n\n\n\n  d( »1 ).\n\n\n\n\n  e( 1 ).\n\n\n",
        expect![[r#"
            a( 1 ).




               b( 1 ).




            c(1).


            d(1).




              e( 1 ).


        "#]],
    );
    check_range(
        "a( 1 ).\n«\n»b( 1 ).\n",
        expect![[r#"
            a( 1 ).

            b( 1 ).
        "#]],
    );
}
