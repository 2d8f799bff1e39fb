//! Linked editing of the occurrences of a variable.

use super::Place;
use super::subject::Subject;
use mangle_syntax::text::TextRange;

/// Regular expression of a variable, in the syntax of the editor protocol.
pub const PATTERN: &str = "[A-Z][A-Za-z0-9]*";

/// Returns all occurrences of the variable at a place in its statement. Empty for other subjects,
/// single occurrences, and statements with syntax errors.
#[must_use]
pub fn linked(place: Place<'_>) -> Vec<TextRange> {
    let Some((subject @ Subject::Variable(_), _)) = Subject::at(place) else { return Vec::new() };
    if place.item().is_none_or(|item| item.statement.damaged) {
        return Vec::new();
    }
    let found = subject.occurrences_in(place.program(), place.file);
    let ranges: Vec<_> = found.iter().map(|occurrence| occurrence.range).collect();
    if ranges.len() > 1 { ranges } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::Fixture;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let place = fixture.place();
        let ranges: Vec<_> = linked(place).into_iter().map(|range| (place.file.id, range)).collect();
        expect.assert_eq(&fixture.mark(&ranges));
    }

    #[test]
    fn a_variable_in_its_clause() {
        check(
            "p(X$0) :- q(fn:f(X), Y) |> let Z = fn:plus(X, Y).\nq(X, X).",
            expect![[r#"
            p(<X>) :- q(fn:f(<X>), Y) |> let Z = fn:plus(<X>, Y).
            q(X, X)."#]],
        );
        check(
            "Decl p(X, Y) descr [arg(X$0, \"x\"), arg(Y, \"y\")] bound [X, X].",
            expect![[r#"Decl p(<X>, Y) descr [arg(<X>, "x"), arg(Y, "y")] bound [X, X]."#]],
        );
    }

    #[test]
    fn nothing_else() {
        for text in ["p(X$0) :- q(Y).", "p$0(X) :- p(X).", "p(_$0) :- q(_).", "p(X$0) :- q(X", "p(/a$0, /a)."]
        {
            check(text, expect![""]);
        }
    }
}
