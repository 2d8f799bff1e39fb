//! Occurrences of the word at the cursor: references, and document highlights classified as read or
//! write.

use super::Place;
use super::definition::origin_of_variable;
use super::mention::StatementPart;
use super::subject::{Occurrence, Subject};
use mangle_syntax::syntax::{Token, TokenKind};
use mangle_syntax::text::TextRange;

/// Returns all mentions of the subject at a place, in file and source order. Includes declarations
/// ([`is_declaration`]) if `declarations` is set.
#[must_use]
pub fn references(place: Place<'_>, declarations: bool) -> Vec<Occurrence> {
    let Some((subject, _)) = Subject::at(place) else { return Vec::new() };
    let mut found = subject.occurrences(place.program());
    found.retain(|occurrence| declarations || !is_declaration(subject, occurrence.part));
    found
}

/// True if a mention in this part is a declaration: the `Decl` of a predicate, the parameter of a
/// declaration, or the `Package` statement.
#[must_use]
pub fn is_declaration(subject: Subject, part: StatementPart) -> bool {
    match subject {
        Subject::Predicate(_) | Subject::Variable(_) => part == StatementPart::Declared,
        Subject::Package(_) => part == StatementPart::Package,
        _ => false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HighlightKind {
    /// A use.
    Read,
    /// A head, a `Decl`, or the place that binds a variable.
    Write,
    /// A keyword.
    Text,
}

/// Returns the occurrences of the subject at a place. At a keyword, returns the keywords of the
/// statement. Empty for `_`.
#[must_use]
pub fn highlights(place: Place<'_>) -> Vec<(TextRange, HighlightKind)> {
    let Some((subject, _)) = Subject::at(place) else { return keywords(place) };
    let value = match subject {
        Subject::Variable(variable) => origin_of_variable(place.program(), variable),
        _ => None,
    };
    let found = subject.occurrences_in(place.program(), place.file);
    found.into_iter().map(|occurrence| (occurrence.range, kind(subject, occurrence, value))).collect()
}

fn kind(subject: Subject, occurrence: Occurrence, value: Option<TextRange>) -> HighlightKind {
    let part = occurrence.part;
    let writes = match subject {
        Subject::Predicate(_) => part.is_head() || part == StatementPart::Declared,
        Subject::Variable(_) => value == Some(occurrence.range),
        Subject::Package(_) => part == StatementPart::Package,
        _ => false,
    };
    if writes { HighlightKind::Write } else { HighlightKind::Read }
}

/// Returns the keywords of a statement if the cursor is on one of them.
fn keywords(place: Place<'_>) -> Vec<(TextRange, HighlightKind)> {
    let Some(item) = place.item() else { return Vec::new() };
    let tokens = place.source.tokens(item.statement.range() + item.start);
    let is_word =
        |token: &&Token| matches!(token.kind, TokenKind::Keyword | TokenKind::Pipe | TokenKind::Arrow);
    let is_here = |token: Token| token.range.contains_inclusive(place.offset);
    if !tokens.iter().filter(is_word).any(|token| is_here(*token)) {
        return Vec::new();
    }
    tokens.iter().filter(is_word).map(|token| (token.range, HighlightKind::Text)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::Fixture;
    use expect_test::{Expect, expect};
    use mangle_syntax::text::slice;
    use std::fmt::Write as _;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(fixture: &str, expect: Expect) {
        let fixture = Fixture::new(fixture);
        let found = references(fixture.place(), true);
        let ranges: Vec<_> = found.iter().map(|found| (found.file, found.range)).collect();
        let mut out = fixture.mark(&ranges).replace('\r', "");
        if !out.ends_with('\n') {
            out.push('\n');
        }
        let _ = write!(out, "{:?}", found.iter().map(|found| found.part).collect::<Vec<_>>());
        expect.assert_eq(&out);
    }

    #[test]
    fn of_a_predicate_by_name_and_arity_over_files() {
        check(
            "#- a.mg\nDecl p(X) inclusion [q(X)].\nDecl q(X).\np(1).\np(1, 2).\r\n# 🦀 p\nr(\"🦀\", X) :- p$0(X), !p(X), p(X, _).\n#- b.mg\np(X) :- <-[0d, 1d] p(X), s(X).\n#- c.mg\ns(1).\n",
            expect![[r##"
                #- a.mg
                Decl <p>(X) inclusion [q(X)].
                Decl q(X).
                <p>(1).
                p(1, 2).
                # 🦀 p
                r("🦀", X) :- <p>(X), !<p>(X), p(X, _).
                #- b.mg
                <p>(X) :- <-[0d, 1d] <p>(X), s(X).
                [Declared, Fact, Body, Negated, Head, Body]"##]],
        );
        check(
            "Decl p(X) inclusion [q(X)].\nDecl q(X$0).\nDecl r(X) inclusion [q(X), s(X, X)].\nq(1).",
            expect![[r#"
                Decl p(X) inclusion [q(X)].
                Decl q(<X>).
                Decl r(X) inclusion [q(X), s(X, X)].
                q(1).
                [Declared]"#]],
        );
        check(
            "Decl q(X).\nDecl r(X) inclusion [q$0(X), s(X, X)].\nq(1).",
            expect![[r#"
            Decl <q>(X).
            Decl r(X) inclusion [<q>(X), s(X, X)].
            <q>(1).
            [Declared, Inclusion, Fact]"#]],
        );
    }

    #[test]
    fn of_a_predicate_that_merges() {
        check(
            "Decl p(X, Y) descr [fundep([X], [Y]), merge([Y], 'best')].\nDecl best(A, B, C) descr [deferred()].\nbest$0(A, B, C) :- A < B, C = A.\nbest(1).\n",
            expect![[r#"
                Decl p(X, Y) descr [fundep([X], [Y]), merge([Y], '<best>')].
                Decl <best>(A, B, C) descr [deferred()].
                <best>(A, B, C) :- A < B, C = A.
                best(1).
                [Descriptor, Declared, Head]"#]],
        );
    }

    #[test]
    fn of_a_predicate_in_a_package() {
        check(
            "#- a.mg\nPackage a!\nDecl p(X).\nq(X) :- p(X), a.p(X), r(X).\n#- b.mg\nUse a!\np(1).\nq(X) :- a.p$0(X), p(X).\n",
            expect![[r#"
                #- a.mg
                Package a!
                Decl <p>(X).
                q(X) :- <p>(X), <a.p>(X), r(X).
                #- b.mg
                Use a!
                p(1).
                q(X) :- <a.p>(X), p(X).
                [Declared, Body, Body, Body]"#]],
        );
        check(
            "#- a.mg\nPackage a!\nq(X) :- p(X).\n#- b.mg\nUse a!\np(1).\nq(X) :- a.p(X), p$0(X).\n",
            expect![[r#"
                #- a.mg
                Package a!
                q(X) :- <p>(X).
                #- b.mg
                Use a!
                <p>(1).
                q(X) :- a.p(X), <p>(X).
                [Body, Fact, Body]"#]],
        );
    }

    #[test]
    fn of_a_variable_everywhere_in_its_clause() {
        check(
            "p(X$0, Y) :- q(fn:f([X], {/k : X}))@[X, _], <-[X, 7d] r(Y), X != Y |> do fn:group_by(X), let Y = fn:plus(X, 1).\nq(X).",
            expect![[r#"
                p(<X>, Y) :- q(fn:f([<X>], {/k : <X>}))@[<X>, _], <-[<X>, 7d] r(Y), <X> != Y |> do fn:group_by(<X>), let Y = fn:plus(<X>, 1).
                q(X).
                [Head, Body, Body, Body, Body, Body, Transform, Transform]"#]],
        );
        check(
            "Decl p(X$0, Y) descr [arg(X, \"X\"), fundep([X], [Y])] bound [X, Y] inclusion [q(X)].",
            expect![[r#"
                Decl p(<X>, Y) descr [arg(<X>, "X"), fundep([<X>], [Y])] bound [X, Y] inclusion [q(<X>)].
                [Declared, Descriptor, Descriptor, Inclusion]"#]],
        );
        check(
            "Decl p(X, Y) descr [arg(X, \"X\")] bound [X$0, X].",
            expect![[r#"
            Decl p(X, Y) descr [arg(X, "X")] bound [<X>, <X>].
            [Bound, Bound]"#]],
        );
    }

    #[test]
    fn of_names_functions_built_ins_and_packages() {
        check(
            "#- a.mg\nDecl p(X) bound [/role].\np(/role). p(/role/x).\n#- b.mg\nq(X) :- p(X), X != /role$0 .\n",
            expect![[r#"
                #- a.mg
                Decl p(X) bound [</role>].
                p(</role>). p(/role/x).
                #- b.mg
                q(X) :- p(X), X != </role> .
                [Bound, Fact, Body]"#]],
        );
        check(
            "p(X) :- q(X), :lt$0(X, 1), 1 < 2, :lt(X).",
            expect![[r#"
            p(X) :- q(X), <:lt>(X, 1), 1 < 2, <:lt>(X).
            [Body, Body]"#]],
        );
        check(
            "p(X) :- X = fn:plus$0(fn:plus(1), 2).",
            expect![[r#"
            p(X) :- X = <fn:plus>(<fn:plus>(1), 2).
            [Body, Body]"#]],
        );
        check(
            "#- a.mg\nPackage a.b!\np(1).\n#- b.mg\nUse a.b$0!\nUse a!\nq(X) :- a.b.p(X), a.p(X), x.a.b.p(X).\n",
            expect![[r#"
                #- a.mg
                Package <a.b>!
                p(1).
                #- b.mg
                Use <a.b>!
                Use a!
                q(X) :- <a.b>.p(X), a.p(X), x.a.b.p(X).
                [Package, Use, Body]"#]],
        );
    }

    #[test]
    fn without_what_declares() {
        let fixture = Fixture::new("Decl p(X).\np(1).\nq(X) :- p$0(X).\n");
        let parts: Vec<_> = references(fixture.place(), false).iter().map(|found| found.part).collect();
        assert_eq!(parts, [StatementPart::Fact, StatementPart::Body]);
    }

    #[test]
    fn in_damage_and_of_nothing() {
        check(
            "p(X, ) :- q(X$0\nr(1).",
            expect![[r#"
            p(<X>, ) :- q(<X>
            r(1).
            [Head, Body]"#]],
        );
        check(
            "p(_$0, _).",
            expect![[r#"

            []"#]],
        );
        check(
            "p(\"X$0\").",
            expect![[r#"

            []"#]],
        );
    }

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check_highlights(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let place = fixture.place();
        let mut out = String::new();
        for (range, kind) in highlights(place) {
            let at = u32::from(range.start());
            write!(out, "{kind:?} {}@{at}; ", slice(place.text(), range)).unwrap();
        }
        expect.assert_eq(out.trim_end());
    }

    #[test]
    fn heads_write_and_bodies_read() {
        check_highlights(
            "Decl p(X).\np(1).\np(X) :- q(X).\nr(X) :- p$0(X), !p(X), p(X, 1).\n",
            expect!["Write p@5; Write p@11; Write p@17; Read p@39; Read p@46;"],
        );
    }

    #[test]
    fn a_variable_is_written_where_it_gets_its_value() {
        check_highlights(
            "p(X$0) :- X < 3, q(X), r(X).",
            expect!["Read X@2; Read X@8; Write X@17; Read X@23;"],
        );
        check_highlights(
            "p(N) :- q(_) |> do fn:group_by(), let N$0 = fn:count().",
            expect!["Read N@2; Write N@38;"],
        );
        check_highlights(
            "Decl p(X) descr [arg(X$0, \"x\")] bound [/name].",
            expect!["Write X@7; Read X@21;"],
        );
    }

    #[test]
    fn wildcards_differ_and_words_go_together() {
        check_highlights("p(X) :- q(_$0, X, _).", expect![[r#""#]]);
        check_highlights(
            "De$0cl p(X) descr [doc(\"x\")] bound [/name].\nDecl q(X).",
            expect!["Text Decl@0; Text descr@10; Text bound@27;"],
        );
        check_highlights(
            "p(N) :- q(X) $0|> do fn:group_by(X), let N = fn:count().",
            expect!["Text :-@5; Text |>@13; Text do@16; Text let@35;"],
        );
        check_highlights("p(N)$0 .", expect![[r#""#]]);
    }
}
