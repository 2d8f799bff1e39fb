//! Collections in the syntax of other languages:
//!
//! - quantifiers and loops: `some X in L`, `every x in xs { … }`, `for x in L:`, and declarations with
//!   `some`
//! - membership tests: `X in L`, `X not in L`, `!(X in L)`, with lists, sets and tuples
//! - list patterns `[H | T]` of Prolog

use std::ops::Range;

use super::premises::{NOT, wrong_operator};
use super::region::{NEUTRAL, Region, without_premise};
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::rules;

/// The Mangle equivalent of iterating over a collection.
const RANGES_OVER: &str = "a premise `p(X)` ranges over facts, `:list:member(X, L)` over a list";

/// The Mangle equivalent of a test for all elements.
const COUNTEREXAMPLE: &str = "a negated helper rule finds a counterexample, as in `!has_counterexample(L)`";

pub(super) fn quantifiers(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else { return };
    let end = region.top_level(arrow + 1, |token| token.is("|>")).unwrap_or_else(|| region.stop());
    for at in arrow + 1..end {
        let starts = matches!(region.before(at), ":-" | "⟸" | ",");
        let is_top = region.token(at).is_some_and(|token| token.depth == 0);
        if !(starts && is_top && matches!(region.at(at), "some" | "every" | "any" | "each" | "for")) {
            continue;
        }
        if let Some(hit) = (Quantifier { region, at, end }).hit() {
            hits.add(hit);
        }
    }
}

/// A quantifier at the start of a premise.
struct Quantifier<'r, 't> {
    region: &'r Region<'t>,
    at: usize,
    /// The end of the body.
    end: usize,
}

impl Quantifier<'_, '_> {
    fn hit(&self) -> Option<ForeignConstruct> {
        let region = self.region;
        let variables = self.variables();
        let last = *variables.last()?;
        if region.at(last + 1) == "in" {
            return self.over(&variables, last + 1);
        }
        let ends = last + 1 >= self.end || matches!(region.at(last + 1), "," | ";");
        if region.at(self.at) != "some" || !ends {
            return None;
        }
        let hit = ForeignConstruct::new(
            &rules::FOREIGN_WORD,
            region.token(self.at)?.range(),
            "`some` is a keyword of Rego",
        )
        .note("a variable needs no declaration");
        let hit = hit.change(without_premise(region, &(self.at..last + 1))?).title("delete the declaration");
        Some(self.renamed(hit, &variables, &(self.at..last + 1)).guess())
    }

    /// The indices of the variables after the keyword.
    fn variables(&self) -> Vec<usize> {
        let region = self.region;
        let is_variable = |at: usize| match region.kind(at) {
            Some(LexemeKind::Variable) => true,
            Some(LexemeKind::Word) => !region.is_atom(at) && !region.at(at).contains([':', '.']),
            _ => false,
        };
        let mut all = Vec::new();
        let mut at = self.at + 1;
        while is_variable(at) {
            all.push(at);
            let goes_on = region.at(at + 1) == "," && is_variable(at + 2) && !self.compares(at + 3);
            if !goes_on {
                break;
            }
            at += 2;
        }
        all
    }

    /// True if the token at `at` shows that the previous word belongs to another premise.
    fn compares(&self, at: usize) -> bool {
        !matches!(self.region.at(at), "," | "in" | "." | ";" | "")
    }

    /// Matches `some X in L`.
    fn over(&self, variables: &[usize], word: usize) -> Option<ForeignConstruct> {
        let region = self.region;
        let last = region.top_level(word, |token| token.is(",")).unwrap_or(self.end).min(self.end);
        let quantifier = region.at(self.at);
        let headline = match quantifier {
            "some" | "every" => format!("`{quantifier} … in` is a quantifier of Rego"),
            _ => format!("Mangle has no loop `{quantifier} … in`"),
        };
        let note =
            if matches!(quantifier, "some" | "any" | "for" | "each") { RANGES_OVER } else { COUNTEREXAMPLE };
        let hit =
            ForeignConstruct::new(&rules::FOREIGN_WORD, region.token(self.at)?.range(), headline).note(note);
        let phrase = self.at..last;
        let list =
            region.token(word + 1).filter(|list| list.kind == LexemeKind::Variable && word + 2 == last);
        let hit = match (quantifier, variables, list) {
            ("some", [variable], Some(list)) => {
                let call = format!(":list:member({}, {})", camel(region, *variable), list.text);
                let title = format!("write `{}`", shorten(&call));
                hit.replace(region.range(phrase.clone()), call).title(title)
            }
            ("some", ..) => hit
                .help("bind the collection to a variable, or use a premise with one fact for each element")
                .read_as(without_premise(region, &phrase)?),
            ("every", ..) => hit
                .help("write a helper rule for an element that fails, and negate its head")
                .read_as(without_premise(region, &phrase)?),
            _ => hit
                .help("write a premise with the variable; a rule applies to all its solutions")
                .read_as(without_premise(region, &phrase)?),
        };
        Some(self.renamed(hit, variables, &phrase).guess())
    }

    /// Renames lower-case variables at all other occurrences to start with a capital letter.
    fn renamed(&self, hit: ForeignConstruct, variables: &[usize], phrase: &Range<usize>) -> ForeignConstruct {
        let region = self.region;
        let is_declared = |at: usize| variables.iter().any(|variable| region.at(*variable) == region.at(at));
        let is_use = |at: &usize| {
            !phrase.contains(at)
                && region.kind(*at) == Some(LexemeKind::Word)
                && !region.is_atom(*at)
                && is_declared(*at)
        };
        let is_fix = hit.fix().is_some();
        (0..region.tokens.len()).filter(is_use).filter_map(|at| region.token(at)).fold(hit, |hit, token| {
            let variable = camel_case(token.text);
            if is_fix { hit.replace(token.range(), variable) } else { hit.read(token.range(), variable) }
        })
    }
}

fn camel(region: &Region<'_>, at: usize) -> String {
    match region.kind(at) {
        Some(LexemeKind::Word) => camel_case(region.at(at)),
        _ => region.at(at).to_owned(),
    }
}

/// Matches `X in L`, `X not in L`, `not X in L` and `!(X in L)`.
pub(super) fn membership_tests(region: &Region<'_>, hits: &mut Hits) {
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

/// The headline about `[H | T]`.
pub(in crate::syntax) const NO_LIST_PATTERN: &str = "Mangle has no list pattern `[H | T]`";

/// The help text for splitting a list.
pub(in crate::syntax) const MATCH_CONS: &str = "the premise `:match_cons(List, H, T)` splits a list";

pub(super) fn list_patterns(region: &Region<'_>, hits: &mut Hits) {
    for open in 1..region.tokens.len() {
        if region.at(open) == "["
            && let Some(hit) = list_pattern(region, open)
        {
            hits.add(hit);
        }
    }
}

/// Matches a pattern with one element before its bar.
fn list_pattern(region: &Region<'_>, open: usize) -> Option<ForeignConstruct> {
    let close = region.close(open)?;
    let parts = [open + 1, open + 3].map(|at| region.token(at).filter(|token| token.is_operand()));
    let ([Some(head), Some(tail)], "|", true) = (parts, region.at(open + 2), close == open + 4) else {
        return None;
    };
    let bar = region.token(open + 2)?.range();
    let hit = ForeignConstruct::new(&rules::CONS_BAR, bar, NO_LIST_PATTERN).note(MATCH_CONS);
    let range = region.range(open..close + 1);
    let arrow = region.arrow()?;
    if open < arrow {
        let built = format!("fn:list:cons({}, {})", head.text, tail.text);
        return Some(hit.replace(range, built.as_str()).title(format!("write `{built}`")));
    }
    let taken = |list: &str| format!(":match_cons({list}, {}, {})", head.text, tail.text);
    // `L = [H | T]` and `[H | T] = L`.
    let depth = region.token(open)?.depth;
    let sides = [(open.checked_sub(2)?, region.before(open)), (close + 2, region.at(close + 1))];
    for (other, sign) in sides {
        if sign == "=" && depth == 0 && region.kind(other) == Some(LexemeKind::Variable) {
            let premise = region.range(open.min(other)..(close + 1).max(other + 1));
            let call = taken(region.at(other));
            return Some(hit.replace(premise, call.as_str()).title(format!("write `{call}`")));
        }
    }
    // `q([H | T])`.
    let premise_end =
        (close + 1..region.tokens.len()).find(|&at| region.token(at).is_some_and(|t| t.depth == 0))?;
    let end = region.token(premise_end).filter(|token| token.is(")"))?.end;
    let mut list = "List".to_owned();
    while region.has_word(&list) {
        list.push('2');
    }
    let call = taken(&list);
    let hit = hit.replace(range, list.as_str()).replace(end..end, format!(", {call}"));
    Some(hit.title(format!("add `{call}`")))
}
