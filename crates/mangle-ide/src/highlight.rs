//! Document highlights: occurrences of the word at the cursor, classified as read or write.

use super::Place;
use super::definition::origin_of_variable;
use super::mention::StatementPart;
use super::subject::{Occurrence, Subject};
use mangle_syntax::syntax::{Token, TokenKind};
use mangle_syntax::text::TextRange;

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
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::Fixture;
    use mangle_syntax::text::slice;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
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
        check(
            "Decl p(X).\np(1).\np(X) :- q(X).\nr(X) :- p$0(X), !p(X), p(X, 1).\n",
            expect!["Write p@5; Write p@11; Write p@17; Read p@39; Read p@46;"],
        );
    }

    #[test]
    fn a_variable_is_written_where_it_gets_its_value() {
        check("p(X$0) :- X < 3, q(X), r(X).", expect!["Read X@2; Read X@8; Write X@17; Read X@23;"]);
        check("p(N) :- q(_) |> do fn:group_by(), let N$0 = fn:count().", expect!["Read N@2; Write N@38;"]);
        check("Decl p(X) descr [arg(X$0, \"x\")] bound [/name].", expect!["Write X@7; Read X@21;"]);
    }

    #[test]
    fn wildcards_differ_and_words_go_together() {
        check("p(X) :- q(_$0, X, _).", expect![[r#""#]]);
        check(
            "De$0cl p(X) descr [doc(\"x\")] bound [/name].\nDecl q(X).",
            expect!["Text Decl@0; Text descr@10; Text bound@27;"],
        );
        check(
            "p(N) :- q(X) $0|> do fn:group_by(X), let N = fn:count().",
            expect!["Text :-@5; Text |>@13; Text do@16; Text let@35;"],
        );
        check("p(N)$0 .", expect![[r#""#]]);
    }
}
