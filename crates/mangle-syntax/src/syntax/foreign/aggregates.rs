//! Aggregations in the syntax of SQL, Soufflé and Prolog, and functions without `fn:`.

use std::ops::Range;

use super::arithmetic::function;
use super::group_by::{
    Aggregate, USE_IN_ANOTHER_RULE, aggregate_at, fresh, group_by, group_words, head_variables,
    order_or_limit, reducer,
};
use super::region::{Region, without_premise};
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::shorten;
use crate::syntax::rules;

pub(super) fn habits(region: &Region<'_>, hits: &mut Hits) {
    let Some(arrow) = region.arrow() else {
        functions(region, hits);
        return;
    };
    let piped = region.has_word("|>");
    let hit = if piped {
        None
    } else {
        group_by(region, arrow)
            .or_else(|| in_head(region, arrow))
            .or_else(|| order_or_limit(region, arrow))
            .or_else(|| in_body(region, arrow))
            .or_else(|| in_comparison(region, arrow))
    };
    if piped {
        reducer_calls(region, hits);
    }
    match hit {
        Some(hit) => hits.add(hit),
        None => functions(region, hits),
    }
    if piped {
        group_words(region, hits);
        let_words(region, hits);
    }
}

/// The headline about an aggregation keyword, and the note that shows aggregation in Mangle.
fn aggregation(region: &Region<'_>, range: &Range<usize>, call: &str, keys: &str) -> ForeignConstruct {
    let headline = format!("Mangle has no aggregation `{}`", shorten(region.slice(range.clone())));
    let call = shorten(call);
    ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, range.clone(), headline)
        .note(format!("a transform after the body aggregates: `|> do fn:group_by({keys}), let N = {call}`"))
}

/// Matches `p(X, count(Y)) :- q(X, Y).`
fn in_head(region: &Region<'_>, arrow: usize) -> Option<ForeignConstruct> {
    region.token(1).filter(|token| token.is("("))?;
    let close = region.close(1)?;
    let mut keys: Vec<&str> = Vec::new();
    let mut found: Option<(Range<usize>, Aggregate)> = None;
    let mut start = 2;
    while start < close {
        let end = region.part_end(start).min(close);
        let argument = start..end;
        if let Some(aggregate) = aggregate_at(region, argument.clone()) {
            if found.replace((argument, aggregate)).is_some() {
                return None;
            }
        } else if argument.len() == 1 && region.kind(start) == Some(LexemeKind::Variable) {
            keys.push(region.at(start));
        } else if region.at(start + 1) == "("
            && region.close(start + 1) == Some(end - 1)
            && !region.at(start).starts_with("fn:")
        {
            let hit = call_of_reducer(region, argument.clone())?.help(RULE_OF_ITS_OWN);
            return Some(hit.read(region.range(argument), "_"));
        }
        start = end + 1;
    }
    let (place, aggregate) = found?;
    let variable = fresh(region, &aggregate);
    let range = region.range(place);
    let hit = aggregation(region, &range, &aggregate.call(), &keys.join(", "));
    let transform = transform(region, arrow, &keys, &variable, &aggregate);
    let end = region.range(0..region.stop()).end;
    Some(hit.replace(range, variable).replace(end..end, transform).title("aggregate after the body").guess())
}

fn transform(
    region: &Region<'_>,
    arrow: usize,
    keys: &[&str],
    variable: &str,
    aggregate: &Aggregate,
) -> String {
    let text = format!("|> do fn:group_by({}), let {variable} = {}", keys.join(", "), aggregate.call());
    let broken = region.token(arrow + 1).is_some_and(|token| token.first);
    if broken { format!("\n    {text}") } else { format!(" {text}") }
}

/// Matches premises `N = count(X)`, `N = count : { q(X) }`, `N = sum Y : { q(Y) }`.
fn in_body(region: &Region<'_>, arrow: usize) -> Option<ForeignConstruct> {
    let equal = (arrow + 2..region.tokens.len()).find(|&at| {
        matches!(region.at(at), "=" | ":=" | "is")
            && region.token(at).is_some_and(|t| t.depth == 0)
            && reducer(region.at(at + 1)).is_some()
    })?;
    if region.kind(equal - 1) != Some(LexemeKind::Variable) || region.at(equal + 1).starts_with("fn:") {
        return None;
    }
    let variable = region.at(equal - 1);
    let word = equal + 1;
    let premise = equal - 1..region.part_end(equal - 1).min(region.stop());
    let brace = (word + 1..premise.end).find(|&at| region.at(at) == "{" && region.at(word + 1) != "(");
    let braced = match brace {
        Some(open) => Some(braced(region, word, open)?),
        None => None,
    };
    let (aggregate, inner) = match braced {
        Some((aggregate, inner)) => (aggregate, Some(inner)),
        None => match aggregate_at(region, word..premise.end) {
            Some(aggregate) => (aggregate, None),
            None => return unclear(region, word, &premise),
        },
    };
    let keys = head_variables(region, arrow, variable);
    let hit = aggregation(region, &region.token(word)?.range(), &aggregate.call(), &keys.join(", "));
    let place = region.range(premise.clone());
    let is_elsewhere = |at: usize| !premise.contains(&at) && region.at(at) == variable;
    let is_used = (arrow + 1..region.stop()).any(is_elsewhere);
    if is_used || (inner.is_none() && !is_countable(region, word + 2)) {
        let hit = hit.help(if is_used { USE_IN_ANOTHER_RULE } else { RULE_OF_ITS_OWN });
        return Some(hit.read_as(without_premise(region, &premise)?));
    }
    let hit = match inner {
        Some(inner) => hit.replace(place, inner),
        None => hit.change(without_premise(region, &premise)?),
    };
    let end = region.range(0..region.stop()).end;
    let transform = transform(region, arrow, &keys, variable, &aggregate);
    Some(hit.replace(end..end, transform).title("aggregate after the body").guess())
}

/// Matches `count : { q(X) }`, `sum Y : { q(Y) }` and `count { X : q(X) }`. Returns the aggregation
/// and its body.
fn braced<'t>(region: &Region<'t>, word: usize, open: usize) -> Option<(Aggregate, &'t str)> {
    let close = region.close(open)?;
    let variable = (word + 1..open).find(|&at| region.kind(at) == Some(LexemeKind::Variable));
    let argument = variable.map(|at| at..at + 1);
    let colon = (region.at(open + 2) == ":").then_some(open + 1..open + 2);
    let body = if colon.is_some() { open + 3..close } else { open + 1..close };
    let argument = argument.or(colon).unwrap_or(open..open);
    let aggregate = Aggregate::new(region, region.at(word), argument)?;
    Some((aggregate, region.slice(region.range(body)).trim()))
}

/// Matches `N = count(distinct X)`, `S = sum(input.prices)`: a call of a reducer that cannot become
/// a transform.
fn unclear(region: &Region<'_>, word: usize, premise: &Range<usize>) -> Option<ForeignConstruct> {
    let close = region.close(word + 1).filter(|_| region.at(word + 1) == "(" && region.glued(word + 1))?;
    if close + 1 != premise.end {
        return None;
    }
    let hit = call_of_reducer(region, word..close + 1)?.help(RULE_OF_ITS_OWN);
    Some(hit.read_as(without_premise(region, premise)?))
}

/// The finding about a call of a reducer.
fn call_of_reducer(region: &Region<'_>, call: Range<usize>) -> Option<ForeignConstruct> {
    let reducer = reducer(region.at(call.start))?;
    let argument = if reducer == "fn:count" { "" } else { "X" };
    let range = region.range(call);
    let headline = format!("Mangle has no aggregation `{}`", shorten(region.slice(range.clone())));
    Some(ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, range, headline).note(format!(
        "a transform after the body aggregates: `|> do fn:group_by(), let N = {reducer}({argument})`"
    )))
}

/// True if a call of a reducer can become a transform: its argument is a variable or `*`, so that
/// nothing is lost.
fn is_countable(region: &Region<'_>, argument: usize) -> bool {
    region.kind(argument) == Some(LexemeKind::Variable) || matches!(region.at(argument), "*" | ")")
}

/// Advice for aggregating values that are not variables.
const RULE_OF_ITS_OWN: &str = "write a rule with a premise for each element, and aggregate its solutions";

/// Matches premises `count(violations) > 3`, `COUNT(*) > 2`, `3 < sum(X)`.
fn in_comparison(region: &Region<'_>, arrow: usize) -> Option<ForeignConstruct> {
    let is_call = |at: &usize| {
        let is_reducer = reducer(region.at(*at)).is_some() && !region.at(*at).starts_with("fn:");
        is_reducer && region.at(at + 1) == "(" && region.glued(at + 1)
    };
    let word = (arrow + 1..region.stop()).filter(is_call).find(|&at| {
        region.token(at).is_some_and(|token| token.depth == 0)
            && (is_sign_of_order(region.before(at))
                || region.close(at + 1).is_some_and(|close| is_sign_of_order(region.at(close + 1))))
    })?;
    let close = region.close(word + 1)?;
    let start = (arrow + 1..=word).rev().find(|&at| matches!(region.before(at), ":-" | "⟸" | ","))?;
    let premise = start..region.part_end(start).min(region.stop());
    let hit = call_of_reducer(region, word..close + 1)?.help(USE_IN_ANOTHER_RULE);
    Some(hit.read_as(without_premise(region, &premise)?))
}

fn is_sign_of_order(sign: &str) -> bool {
    matches!(sign, "=" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "=<" | "<>")
}

/// Matches `let N = COUNT(*)` in a transform.
fn reducer_calls(region: &Region<'_>, hits: &mut Hits) {
    for equal in 1..region.tokens.len() {
        let start = equal + 1;
        let is_call = region.at(equal) == "=" && region.at(start + 1) == "(" && region.glued(start + 1);
        let is_sql = region.kind(start) == Some(LexemeKind::Variable) || region.at(start + 2) == "*";
        let Some(close) = region.close(start + 1).filter(|_| is_call && is_sql) else { continue };
        let Some(aggregate) = aggregate_at(region, start..close + 1) else { continue };
        let call = aggregate.call();
        let range = region.range(start..close + 1);
        let hit = missing_fn(region.at(start), range.clone());
        hits.add(hit.replace(range, call.as_str()).title(format!("write `{}`", shorten(&call))));
    }
}

/// Matches `|> do fn:group_by(X), N = fn:sum(Y)`, where a `let` is missing.
fn let_words(region: &Region<'_>, hits: &mut Hits) {
    let Some(pipe) = region.top_level(1, |token| token.is("|>")) else { return };
    for index in pipe + 1..region.tokens.len() {
        let named = region.kind(index) == Some(LexemeKind::Variable)
            && region.at(index + 1) == "="
            && region.before(index) == ",";
        let Some(variable) = region.token(index).filter(|token| named && token.depth == 0) else { continue };
        if !region.at(index + 2).starts_with("fn:") && reducer(region.at(index + 2)).is_none() {
            continue;
        }
        let headline = format!("missing `let` before `{}`", shorten(variable.text));
        let hit = ForeignConstruct::new(&rules::NOT_A_TRANSFORM, variable.range(), headline)
            .note("the engine accepts only `do` and `let` after `|>`");
        hits.add(hit.replace(variable.start..variable.start, "let ").title("insert `let`"));
    }
}

/// True if the call that starts at `index` is the left side of a comparison: `len(L) > 2`.
fn is_compared(region: &Region<'_>, index: usize) -> bool {
    let close = region.close(index + 1).filter(|_| region.is_atom(index));
    close.is_some_and(|close| matches!(region.at(close + 1), "=" | "==" | "!=" | "<" | ">" | "<=" | ">="))
}

/// Matches `Y = plus(X, 1)`, `let N = count()`, `do group_by(X)`, where `fn:` is missing.
fn functions(region: &Region<'_>, hits: &mut Hits) {
    for index in 2..region.tokens.len() {
        let is_inside = region.token(index).is_some_and(|token| token.depth > 0);
        let is_value = match region.before(index) {
            "=" | "==" | ":=" | "=:=" | "do" | "!=" | "<" | ">" | "<=" | ">=" => true,
            "(" | "," | "[" | ":" => is_inside,
            _ => false,
        } || is_compared(region, index);
        let Some(token) = region.token(index).filter(|_| is_value && region.is_atom(index)) else { continue };
        // `fn:list` is a function, although it resembles a reducer of another language.
        if token.text.starts_with("fn:") && !token.text.starts_with("fn::") {
            continue;
        }
        let plain = token.text.trim_start_matches("fn.").trim_start_matches("fn::").trim_start_matches("fn_");
        let reducer = matches!(region.before(index), "=").then(|| reducer(plain)).flatten();
        let Some(function) = function(plain).or(reducer).filter(|function| *function != token.text) else {
            continue;
        };
        let hit = missing_fn(token.text, token.range());
        hits.add(hit.replace(token.range(), function).title(format!("write `{function}`")));
    }
}

/// A function without `fn:`, or with another prefix.
fn missing_fn(word: &str, range: Range<usize>) -> ForeignConstruct {
    let headline = format!("function `{}` does not start with `fn:`", shorten(word));
    ForeignConstruct::new(&rules::MISSING_FN, range, headline)
        .note("a word without `fn:` is a predicate, which returns no value")
}
