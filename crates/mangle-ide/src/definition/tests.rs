use expect_test::{Expect, expect};

use super::*;
use crate::testing::Fixture;

type Feature = fn(Place<'_>) -> Option<Definition>;

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(feature: Feature, fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let found = feature(fixture.place());
    let targets = found.as_ref().map_or(&[][..], |found| &found.targets);
    let ranges: Vec<_> = targets.iter().map(|target| (target.file, target.name)).collect();
    expect.assert_eq(fixture.mark(&ranges).replace('\r', "").trim_end());
}

#[test]
fn of_a_predicate_its_decl() {
    let files = "#- a.mg\np(1, 2).\nDecl p(X).\np(1).\n#- b.mg\n# 🦀\r\nq(\"🦀\", X) :- p$0(X).\n";
    check(
        definition,
        files,
        expect![[r#"
        #- a.mg
        p(1, 2).
        Decl <p>(X).
        p(1)."#]],
    );
    check(
        declaration,
        files,
        expect![[r#"
        #- a.mg
        p(1, 2).
        Decl <p>(X).
        p(1)."#]],
    );
}

#[test]
fn of_an_undeclared_predicate_the_first_of_its_clauses() {
    let files = "#- a.mg\np(1).\np(2).\nr(3).\np(X) :- r(X).\np(4).\n#- b.mg\nq(X) :- !p$0(X).\np(5).\n";
    check(
        definition,
        files,
        expect![[r#"
        #- a.mg
        <p>(1).
        p(2).
        r(3).
        <p>(X) :- r(X).
        <p>(4).
        #- b.mg
        q(X) :- !p(X).
        <p>(5)."#]],
    );
    check(declaration, files, expect![[r#""#]]);
}

#[test]
fn at_a_decl_its_clauses() {
    check(
        definition,
        "Decl p$0(X).\np(1).\np(2).\np(X) :- q(X).\np(X) :- r(X).\n",
        expect![[r#"
        Decl p(X).
        <p>(1).
        p(2).
        <p>(X) :- q(X).
        <p>(X) :- r(X)."#]],
    );
    check(
        definition,
        "Decl p$0(X).\nq(X) :- p(X).\n",
        expect![[r#"
        Decl <p>(X).
        q(X) :- p(X)."#]],
    );
}

#[test]
fn rules_are_what_implements() {
    check(
        implementation,
        "Decl p(X).\np(1).\np(X) :- q(X).\np(X) :- r(X).\ns(X) :- p$0(X).\n",
        expect![[r#"
            Decl p(X).
            p(1).
            <p>(X) :- q(X).
            <p>(X) :- r(X).
            s(X) :- p(X)."#]],
    );
    check(
        implementation,
        "Decl p(X).\np(1).\np(2).\ns(X) :- p$0(X).\n",
        expect![[r#"
        Decl p(X).
        <p>(1).
        p(2).
        s(X) :- p(X)."#]],
    );
    check(implementation, "s(X) :- p(X$0).\n", expect![[r#""#]]);
}

#[test]
fn of_a_variable_what_gives_it_a_value() {
    let texts = [
        "p(X$0) :- X < 3, !r(X), q(fn:f(X), X), X = 4.",
        "p(X) :- !r(X$0), X = fn:plus(1, 2), q(X).",
        "p(X$0) :- X = Y, q(Y).",
        "p(S$0) :- q(S2)@[S, _], S = S2.",
        "p(X, N$0) :- q(X) |> do fn:group_by(X), let N = fn:count(), let M = fn:plus(N, 1).",
        "p(H) :- q(L), :match_cons(L, H, T), r(H$0).",
        "p(X$0) :- !q(X).",
        "Decl m(K, V) descr [mode(\"+\", \"-\")].\nm(K, V) :- V = fn:plus(K$0, 1).",
        "p(X) :- <-[0d, 1d] q(X), X$0 < ",
        "p(_$0) :- q(_).",
    ];
    let shown: Vec<_> = texts
        .iter()
        .map(|text| {
            let fixture = Fixture::new(text);
            let found = definition(fixture.place());
            let ranges =
                found.iter().flat_map(|found| &found.targets).map(|target| (target.file, target.name));
            fixture.mark(&ranges.collect::<Vec<_>>())
        })
        .collect();
    expect![[r#"
        p(X) :- X < 3, !r(X), q(fn:f(X), <X>), X = 4.
        p(X) :- !r(X), <X> = fn:plus(1, 2), q(X).
        p(<X>) :- X = Y, q(Y).
        p(S) :- q(S2)@[<S>, _], S = S2.
        p(X, N) :- q(X) |> do fn:group_by(X), let <N> = fn:count(), let M = fn:plus(N, 1).
        p(H) :- q(L), :match_cons(L, <H>, T), r(H).
        p(<X>) :- !q(X).
        Decl m(K, V) descr [mode("+", "-")].
        m(<K>, V) :- V = fn:plus(K, 1).

    "#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn in_a_declaration() {
    check(
        definition,
        "Decl p(X, Y) descr [arg(X$0, \"x\"), arg(Y, \"y\")] bound [X, X].",
        expect![[r#"Decl p(<X>, Y) descr [arg(X, "x"), arg(Y, "y")] bound [X, X]."#]],
    );
    check(
        definition,
        "Decl p(X, Y) bound [/name, .List<X>] bound [X, X$0].",
        expect!["Decl p(X, Y) bound [/name, .List<<X>>] bound [X, X]."],
    );
    check(
        definition,
        "Decl p(X, Y) descr [fundep([X], [Y]), merge([Y], \"be$0st\")].\nDecl best(A, B, C) descr [deferred()].",
        expect![[r#"
            Decl p(X, Y) descr [fundep([X], [Y]), merge([Y], "best")].
            Decl <best>(A, B, C) descr [deferred()]."#]],
    );
}

#[test]
fn of_a_package_and_of_what_is_in_it() {
    let files =
        "#- a.mg\nPackage a.b!\nDecl p(X).\np(1).\n#- c.mg\nPackage a.b!\nq(X) :- p(X).\n#- d.mg\nUse a.b!\n";
    check(
        definition,
        &files.replace("Use a.b", "Use a$0.b"),
        expect![[r#"
        #- a.mg
        Package <a.b>!
        Decl p(X).
        p(1).
        #- c.mg
        Package <a.b>!
        q(X) :- p(X)."#]],
    );
    check(
        definition,
        &format!("{files}r(X) :- a.b.p$0(X).\n"),
        expect![[r#"
        #- a.mg
        Package a.b!
        Decl <p>(X).
        p(1)."#]],
    );
    check(
        definition,
        &files.replace(":- p", ":- p$0"),
        expect![[r#"
        #- a.mg
        Package a.b!
        Decl <p>(X).
        p(1)."#]],
    );
    check(definition, &format!("{files}r(X) :- p$0(X).\n"), expect![[r#""#]]);
}

#[test]
fn nothing_comes_from_nowhere() {
    for text in [
        "p(X) :- :lt$0(X, 1).",
        "p(X) :- X = fn:plus$0(1).",
        "p(\"a$0\").",
        "# p$0(1)\n",
        "$0",
        "p(X) :- no$0ne(X).",
    ] {
        check(definition, text, expect![""]);
    }
}

#[test]
fn types_of_variables_and_arguments() {
    let decl = "Decl p(X, Y) bound [/name, .List</string>] bound [/role, /number].\n";
    let check = |clause: &str, expect| check(type_definition, &format!("{decl}{clause}"), expect);
    check(
        "q(X) :- p(X$0, _).",
        expect![[r#"
        Decl p(X, Y) bound [</name>, .List</string>] bound [</role>, /number].
        q(X) :- p(X, _)."#]],
    );
    check(
        "q(X$0) :- X < 3, p(_, X).",
        expect![[r#"
        Decl p(X, Y) bound [/name, <.List</string>>] bound [/role, </number>].
        q(X) :- X < 3, p(_, X)."#]],
    );
    check(
        "p(/role/x$0, 2).",
        expect![[r#"
        Decl p(X, Y) bound [/name, .List</string>] bound [</role>, /number].
        p(/role/x, 2)."#]],
    );
    check("q(Z$0) :- p(X, _), Z = fn:plus(X, 1).", expect![[r#""#]]);
    check(
        "p(\"a$0\", \"b\").",
        expect![[r#"
        Decl p(X, Y) bound [</name>, .List</string>] bound [</role>, /number].
        p("a", "b")."#]],
    );
    check("p([/a$0], \"b\").", expect![[r#""#]]);
    check("q(X) :- p$0(X, _).", expect![[r#""#]]);
}

#[test]
fn types_of_parameters() {
    check(
        type_definition,
        "Decl p(X, Y) descr [arg(Y$0, \"y\")] bound [/name, /string].",
        expect![[r#"Decl p(X, Y) descr [arg(Y, "y")] bound [/name, </string>]."#]],
    );
    check(
        type_definition,
        "Decl p(X, Y$0) bound [/name, /string].",
        expect!["Decl p(X, Y) bound [/name, </string>]."],
    );
}

#[test]
fn names_are_listed_in_comments_and_types() {
    check(
        type_definition,
        "# state(X, S) - /open or not\n# S: /open_door, /open, /done.\nDecl state(X, S) bound [/name, /name].\nq(X) :- state(X, /open$0).\n",
        expect![[r#"
            # state(X, S) - /open or not
            # S: /open_door, </open>, /done.
            Decl state(X, S) bound [/name, /name].
            q(X) :- state(X, /open)."#]],
    );
    check(
        type_definition,
        "# S: /open, /done.\nDecl state(S).\nstate(/done$0).\n",
        expect![[r#"
        # S: /open, </done>.
        Decl state(S).
        state(/done)."#]],
    );
    check(
        type_definition,
        "Decl state(S) bound [.Union<.Singleton</open>, .Singleton</done>>].\nstate(/done$0).\n",
        expect![[r#"
            Decl state(S) bound [.Union<.Singleton</open>, .Singleton<</done>>>].
            state(/done)."#]],
    );
    check(type_definition, "# S: /openly\nDecl state(S) bound [/name].\nstate(/open$0).\n", expect![[r#""#]]);
}
