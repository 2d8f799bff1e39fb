//! Membership tests: `X in L`, `X not in L`, `!(X in L)`, with lists, sets and tuples.

use std::ops::Range;

use super::hit::{ForeignConstruct, Hits};
use super::premises::{NOT, wrong_operator};
use super::region::{NEUTRAL, Region};
use super::token::LexemeKind;
use crate::syntax::lower::shorten;

/// Matches `X in L`, `X not in L`, `not X in L` and `!(X in L)`.
pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    for index in arrow + 2..region.tokens.len() {
        let is_not_in =
            matches!(region.at(index), "not" | "NOT") && matches!(region.at(index + 1), "in" | "IN");
        let is_in = matches!(region.at(index), "in" | "IN") && !matches!(region.before(index), "not" | "NOT");
        let operand_before = region.kind_before(index).is_some_and(|kind| kind != LexemeKind::Sign)
            || matches!(region.before(index), ")" | "]");
        if !(is_in || is_not_in) || !operand_before || region.is_atom(index) {
            continue;
        }
        let Some(hit) = member(region, arrow, index, is_not_in) else { continue };
        if !hits.takes(&hit.range) {
            hits.add(hit);
        }
    }
}

/// A membership test if the element is already bound, otherwise an enumeration. `index` is the
/// first word after the element.
fn member(region: &Region<'_>, arrow: usize, index: usize, is_not_in: bool) -> Option<ForeignConstruct> {
    let element = region.token(index - 1)?;
    let first = index + 1 + usize::from(is_not_in);
    // `!(X in L)`.
    let open = (0..index).rev().find(|&at| region.at(at) == "(" && region.close(at) > Some(index));
    let group = open.filter(|&open| NOT.contains(&region.before(open)) && element.depth == 1);
    if element.depth > 0 && group.is_none() {
        return None;
    }
    let premise = region.premise_at(group.map_or(index, |open| open - 1));
    let end = group.and_then(|open| region.close(open)).unwrap_or(premise.end);
    let sign = (NOT.contains(&region.at(premise.start))).then_some(premise.start);
    let negated = is_not_in != sign.is_some();
    let written = region.range(index..first);
    let hit = wrong_operator(region.slice(written.clone()), written).guess();
    let is_whole = index - 1 == group.or(sign).map_or(premise.start, |before| before + 1);
    let is_value = element.is_operand() && element.kind != LexemeKind::Word;
    let Some(list) = list_text(region, &(first..end)).filter(|_| is_whole && is_value) else {
        let hit =
            hit.note("`:list:member(X, L)` goes through the elements of a list").help(ELEMENTS_ARE_FACTS);
        return Some(hit.read(region.range(premise), NEUTRAL));
    };
    let is_bound = element.kind != LexemeKind::Variable
        || (arrow..premise.start).any(|at| region.at(at) == element.text);
    let text = match (negated, is_bound) {
        (true, _) => format!("!:list:member({}, {list})", element.text),
        (false, true) => format!(":filter(fn:list:contains({list}, {}))", element.text),
        (false, false) => format!(":list:member({}, {list})", element.text),
    };
    let title = format!("write `{}`", shorten(&text));
    let hit = hit.note("`:list:member` and `fn:list:contains` test the elements of a list");
    Some(hit.replace(region.range(premise), text).title(title))
}

/// Advice for tests of a collection that is not a list.
const ELEMENTS_ARE_FACTS: &str = "write a predicate with one fact for each element, and use it as a premise";

/// Converts a list, set or tuple of values to a Mangle list.
fn list_text(region: &Region<'_>, tokens: &Range<usize>) -> Option<String> {
    let (first, last) = (region.token(tokens.start)?, tokens.end.checked_sub(1)?);
    if tokens.len() == 1 {
        return (first.kind == LexemeKind::Variable).then(|| first.text.to_owned());
    }
    let is_bracketed = matches!(first.text, "[" | "{" | "(") && region.close(tokens.start) == Some(last);
    let is_value = |at: usize| {
        let is_value =
            matches!(region.kind(at), Some(LexemeKind::Text | LexemeKind::Number | LexemeKind::Name));
        is_value
            || region.at(at) == ","
            || region.kind(at) == Some(LexemeKind::Variable) && region.at(at + 1) != "::"
    };
    let is_list = is_bracketed && (tokens.start + 1..last).all(is_value);
    is_list.then(|| format!("[{}]", region.slice(region.range(tokens.start + 1..last))))
}
