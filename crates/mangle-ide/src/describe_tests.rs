//! Tests of predicate descriptions at a cursor.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::mention::Entity;
use super::testing::Fixture;
use mangle_check::describe::{Callable, comment_above};
use mangle_engine::program::builtins;

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let place = fixture.place();
    let Some(Entity::Predicate(key)) = place.mention().map(|mention| mention.entity) else {
        panic!("no predicate at the cursor")
    };
    let found = Callable::predicate(&fixture, place.predicate(key).unwrap());
    let mut out = found.label().0;
    let of_parameters = found.parameters.iter().filter_map(|parameter| parameter.documentation.as_deref());
    for said in found.documentation.as_deref().into_iter().chain(of_parameters) {
        let _ = write!(out, "\n{said}");
    }
    expect.assert_eq(&out);
}

#[test]
fn declared_with_everything() {
    check(
        "Decl p$0(X, Y) descr [doc(\"Who.\", \"And what.\"), arg(X, \"the \\\"who\\\"\"), mode(\"+\", \"-\")] bound [/name, /string].",
        expect![[r#"
            p(+X: /name, -Y: /string)
            Who.

            And what.
            the "who""#]],
    );
}

#[test]
fn the_comment_above_counts_where_there_is_no_doc() {
    check(
        "# =====\n# p(A) - what\n#   p is.\n# mangle-ls: ignore x\nDecl p(A).\n\nq(X) :- p$0(X).",
        expect![[r#"
        p(A)
        p(A) - what
        p is."#]],
    );
    check(
        "# not mine\n\nDecl p(A).\nq(X) :- p$0(X).",
        expect![[r#"
        p(A)"#]],
    );
}

#[test]
fn banners_and_directives_are_no_documentation() {
    let of = |comment: &str| {
        let fixture = Fixture::new(&format!("q(1).\n{comment}\np$0(1).\n"));
        let place = fixture.place();
        comment_above(place.file, place.item().unwrap())
    };
    for banner in [
        "# --- derived ---",
        "# ===== Derived =====",
        "# ------\n# Derived\n# ------",
        "# ── Rules ──",
        "# --- derived",
        "## ### Derived",
        "# mangle-ls: ignore x",
        "# @test name: one",
        "# @expect p(1)",
        "# @preview name: one",
    ] {
        assert_eq!(of(banner), None, "{banner}");
        let with_words = format!("{banner}\n# What it is.");
        assert_eq!(of(&with_words).as_deref(), Some("What it is."), "{banner}");
    }
    assert_eq!(of("# -1 is none, @team").as_deref(), Some("-1 is none, @team"));
}

#[test]
fn undeclared_takes_names_and_types_from_clauses() {
    check(
        "# Pairs.\r\np(Who, 1) :- q(Who).\r\nq(\"x\"). r() :- p$0(_, _).",
        expect![[r#"
        p(Who: /string, /number)
        Pairs."#]],
    );
}

#[test]
fn of_built_ins() {
    let label = |name| Callable::function(builtins::function(name).unwrap()).label().0;
    assert_eq!(label("fn:list:get"), "fn:list:get(.List<X>, /number) → X");
    assert_eq!(label("fn:plus"), "fn:plus(/number, …) → /number");
    let lt = Callable::builtin(builtins::predicate(":lt").unwrap());
    assert_eq!(lt.label().0, ":lt(+/number, +/number)");
}
