use expect_test::{Expect, expect};

use super::hover;
use crate::testing::Fixture;
use mangle_syntax::text::{FileId, size, slice};

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let place = fixture.place();
    let shown = hover(place).map_or("nothing".to_owned(), |found| {
        format!("<{}>\n{}", slice(place.text(), found.range), found.markup.to_plain())
    });
    expect.assert_eq(&shown);
}

#[test]
fn of_a_declared_predicate() {
    check(
        "#- schemas.mg\nDecl permitted(Action, Target) descr [doc(\"May be done.\"), arg(Action, \"what\"), arg(Target, \"to what\"), mode(\"+\", \"-\")] bound [/name, /string] bound [/name, /number] inclusion [known(Action)].\nDecl known(A).\n#- rules.mg\npermitted(A, T) :- known(A), asked(T), !denied(A).\ndenied(A) :- known(A), !allowed(A).\nasked(1).\nallowed(/x).\nuse(A) :- per$0mitted(A, _).\nno(A) :- known(A), !permitted(A, 1).\n",
        expect![[r#"
            <permitted>
            permitted(+Action: /name, -Target: .Union</number, /string>)
              bound [/name, /string]
              bound [/name, /number]
              inclusion [known(Action)]

            May be done.

            Action: what
            Target: to what

            1 rule · used in 2 premises, 1 of them negated · in 2 files."#]],
    );
}

#[test]
fn of_an_undeclared_recursive_predicate() {
    check(
        "# Who reaches whom.\nreach(X, Y) :- edge(X, Y).\nreach(X, Z) :- rea$0ch(X, Y), edge(Y, Z).\nedge(/a, /b).",
        expect![[r#"
            <reach>
            reach(X: /a, Y)

            Who reaches whom.

            Not declared · 2 rules · used in 1 premise.

            Recursive."#]],
    );
}

#[test]
fn of_traits_and_packages() {
    check(
        "Package a.b!\nDecl p(X) temporal descr [external(), private(), mode(\"-\")].\nq(X) :- p$0(X)@[_, now].",
        expect![[r#"
            <p>
            a.b.p(-X)

            No clause · used in 1 premise.

            Temporal: its facts hold during intervals · external: the host supplies its tuples when a rule queries them · private to its package."#]],
    );
    check(
        "Package a.b!\nUse a.$0c!\nDecl p(X).",
        expect![[r#"
        <a.c>
        Package a.c!

        No file of this program is in this package."#]],
    );
    check(
        "Package a$0.b!\nDecl p(X) descr [private()].\nq(X) :- p(X).",
        expect![[r#"
        <a.b>
        Package a.b!

        1 file, 2 predicates, 1 of them public."#]],
    );
}

#[test]
fn of_variables() {
    check(
        "Decl q(A) bound [/string].\np(X$0) :- q(X).",
        expect![[r#"
        <X>
        X: /string

        Bound by q(X)."#]],
    );
    check(
        "p(N) :- q(X), N = fn:plus(X, 1), N$0 > 2.",
        expect![[r#"
        <N>
        N: /number

        Bound by N = fn:plus(X, 1)."#]],
    );
    check(
        "p(N) :- q(X) |> do fn:group_by(), let N$0 = fn:count().",
        expect![[r#"
        <N>
        N: /number

        Bound by let N = fn:count()."#]],
    );
    check(
        "p(Y$0) :- q(X), !r(Y).",
        expect![[r#"
        <Y>
        Y

        It is unbound."#]],
    );
    check(
        "Decl p(X$0) descr [arg(X, \"who\")] bound [/name].",
        expect![[r#"
        <X>
        X: /name

        who"#]],
    );
    check(
        "p(X$0.",
        expect![[r#"
        <X>
        X"#]],
    );
}

#[test]
fn of_names_types_and_words() {
    check(
        "p(/a, 1). p(/a, 2). q(X) :- p(/a$0, X), r([/a]).",
        expect![[r#"
        </a>
        /a

        3 uses as an argument. Argument 1 of p/2: 3."#]],
    );
    check(
        "Decl p(X) bound [/role$0]. q(/role/x).",
        expect![[r#"
        </role>
        bound [/role]

        The names under /role. The program uses such names as an argument 1 times."#]],
    );
    check(
        "Decl p(X) bound [.Li$0st</any>].",
        expect![[r#"
        <.List>
        .List</string>

        A list whose elements have one type."#]],
    );
    check(
        "Decl p(X) bou$0nd [/any].",
        expect![[r#"
            <bound>
            bound [/name, .List</string>]

            The types of the parameters, one per parameter. Several bound parts are alternatives: a tuple matches at least one."#]],
    );
    check(
        "Decl p(X) descr [extens$0ional()].",
        expect![[r#"
        <extensional>
        extensional()

        The facts come from outside of the program. The engine does not enforce this."#]],
    );
    check(
        "p(X) :- q(X), !$0r(X).",
        expect![[r#"
            <r>
            r(_)

            Not declared · no clause · used in 1 premise, which is negated."#]],
    );
    check(
        "p(X) :- q(X), X <$0= 3.",
        expect![[r#"
        <<=>
        X <= Y

        :le: compares integers. Other values abort the evaluation."#]],
    );
    check(
        "p(X) :- q(X), :string:contai$0ns(X, \"a\").",
        expect![[r#"
        <:string:contains>
        :string:contains(+/string, +/string)

        The second string occurs in the first.

        Built in since 2023-10-24."#]],
    );
    check(
        "p(Y) :- q(X) |> let Y = fn:pl$0us(X, 1).",
        expect![[r#"
        <fn:plus>
        fn:plus(/number, …) → /number

        Sum; of nothing, 0. Overflow wraps around.

        Built in since 2022-11-25."#]],
    );
    check("p(\"Decl$0\"). # Decl", expect!["nothing"]);
}

#[test]
fn foreign_words_stay_words() {
    let fixture = Fixture::new("# <img src=x> [a](b)\nDecl p(X).\nq(X) :- p$0(X).");
    let markdown = hover(fixture.place()).map(|found| found.markup.to_markdown());
    assert!(markdown.is_some_and(|text| text.contains("\\<img src=x\\> \\[a\\](b)")));
}

#[test]
fn any_offset_of_damaged_text() {
    let text = "Decl p(X descr [doc(\"a), ] bound [.List<, ].\r\np(🦀X, :- !q(/a.), fn: <-[ |> do let X = .";
    let fixture = Fixture::new(text);
    for offset in 0..=text.len() + 1 {
        let _ = hover(fixture.place_at(FileId(0), size(offset)));
    }
}

const CASES: &str = "#- a.mg\nDecl open(Door, Hour) descr [doc(\"May be opened.\")] bound [/name, /number].\n\
    open(/front, 8).\n#- a_test.mg\n# @test name: one\n# @expect open(/front, N)\n# @exact open/2\n";

#[test]
fn of_the_words_of_an_expectation() {
    let shown = |from: &str, to: &str| {
        let fixture = Fixture::new(&CASES.replacen(from, to, 1));
        let place = fixture.place();
        let found = hover(place)?;
        Some(format!("<{}> {}", slice(place.text(), found.range), found.markup.to_plain()))
    };
    let of_open = shown("@expect open", "@expect o$0pen").unwrap_or_default();
    assert!(of_open.starts_with("<open> open(Door: /name, Hour: /number)"), "{of_open}");
    assert!(of_open.contains("May be opened."), "{of_open}");
    assert_eq!(shown("@exact open", "@exact o$0pen"), Some(of_open));
    let of_name = shown("@expect open(/front", "@expect open(/fr$0ont").unwrap_or_default();
    assert!(of_name.starts_with("<{/front}>".replace(['{', '}'], "").as_str()), "{of_name}");
    let of_variable = shown("/front, N)", "/front, N$0)").unwrap_or_default();
    assert!(of_variable.starts_with("<N> N: /number"), "{of_variable}");
    let of_key = shown("@exact", "@ex$0act").unwrap_or_default();
    assert!(of_key.starts_with("<exact> # @exact permitted/3"), "{of_key}");
    assert_eq!(shown("name: one", "name: o$0ne"), None);
}

#[test]
fn of_the_settings_of_a_preview() {
    check(
        "#- x.kernel.mg\n# @preview use: a.mg\n# @preview mo$0de: jit\np(1).\n",
        expect![[r#"
            <mode>
            # @preview mode: jit(atoms=../atoms)

            The mode of prompt assembly: legacy, section or jit. legacy and jit accept a folder of prompt atoms: jit(atoms=FOLDER)."#]],
    );
}
