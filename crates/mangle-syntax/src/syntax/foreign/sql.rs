//! SQL keywords between premises: `JOIN … ON`, `UNION`, `DISTINCT`, `AS`.

use std::ops::Range;

use super::NO_DISJUNCTION;
use super::hit::ForeignConstruct;
use super::region::{Region, without_premise};
use crate::syntax::rules;

/// The Mangle equivalent of an SQL keyword between premises.
pub(super) fn sql_note(word: &str) -> Option<&'static str> {
    Some(match word {
        "join" | "inner" | "cross" | "natural" | "on" | "using" => {
            "a join is two premises with a common variable: `p(Id, X), q(Id, Y)`"
        }
        "left" | "right" | "full" | "outer" => {
            "a premise drops the rows without a match; a second rule with a negated premise derives them"
        }
        "union" => NO_DISJUNCTION,
        "except" | "minus" => "a negated premise `!p(X)` excludes facts",
        "intersect" => "premises with a common variable intersect: `p(X), q(X)`",
        "distinct" => "facts are unique without it",
        "having" => "a second rule compares the result of an aggregation",
        "as" => "a variable names a value; a premise has no alias",
        "from" => "each table is a premise, with a variable for each column",
        _ => return None,
    })
}

/// Matches `a(X) JOIN b(X) ON …`.
pub(super) fn joined_tables(region: &Region<'_>, part: &Range<usize>, at: usize) -> Option<ForeignConstruct> {
    let is_join = |at: usize| region.at(at).eq_ignore_ascii_case("join");
    let is_kind = |at: usize| {
        let kinds = ["left", "right", "full", "outer", "inner", "cross", "natural"];
        kinds.iter().any(|kind| region.at(at).eq_ignore_ascii_case(kind))
    };
    let mut first = at;
    while is_join(at) && first > part.start && is_kind(first - 1) {
        first -= 1;
    }
    let last = (at..at + 3).find(|&at| is_join(at)).unwrap_or(at);
    let word = region.at(first).to_ascii_lowercase();
    let word = word.as_str();
    let words = region.range(first..last + 1);
    let headline = format!("`{}` is a word of SQL", region.slice(words.clone()));
    let hit =
        ForeignConstruct::new(&rules::FOREIGN_WORD, words.clone(), headline).note(sql_note(word)?).guess();
    if word == "distinct" && at == part.start && region.is_atom(at + 1) {
        let next = region.token(at + 1)?.start;
        return Some(hit.delete(words.start..next).title("delete it"));
    }
    let is_plain_join = matches!(word, "join" | "inner" | "cross" | "natural")
        && !part.clone().any(|at| region.at(at).eq_ignore_ascii_case("on"));
    let ends = region.atom_end(last + 1).is_some_and(|end| end + 1 == part.end);
    let before = region.token(first.checked_sub(1)?)?;
    if is_plain_join && ends && region.is_atom(last + 1) && before.is(")") {
        let next = region.token(last + 1)?.start;
        return Some(hit.replace(before.end..next, ", ").title("write two premises"));
    }
    let help = match word {
        "union" => "write one rule for each alternative",
        "as" => "use the same variable in all premises",
        "left" | "right" | "full" | "outer" => {
            "write one rule for the rows with a match, and one for the others"
        }
        _ => "write one premise for each table, with the same variables for joined columns",
    };
    Some(hit.help(help).read_as(without_premise(region, part)?))
}
