//! Aggregation as SQL, Soufflé and Prolog write it, and functions without `fn:`.

use std::ops::Range;

use super::functions::function;
use super::group_by::{group_by, group_words, order_or_limit};
use super::hit::{Hit, Hits};
use super::region::{Region, without_premise};
use super::token::LexemeKind;
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::rules;

/// Words of other languages for the reducers.
const REDUCERS: &[(&str, &str)] = &[
    ("count", "fn:count"),
    ("sum", "fn:sum"),
    ("min", "fn:min"),
    ("max", "fn:max"),
    ("avg", "fn:avg"),
    ("mean", "fn:avg"),
    ("average", "fn:avg"),
    ("collect", "fn:collect"),
    ("collect_distinct", "fn:collect_distinct"),
    ("list", "fn:collect"),
];

/// An aggregation: what is reduced, by what, and the variable that takes the result.
pub(super) struct Aggregate {
    pub(super) reducer: &'static str,
    pub(super) argument: String,
}

fn reducer(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let word = word.strip_prefix("fn:").unwrap_or(&word);
    REDUCERS.iter().find(|(known, _)| *known == word).map(|(_, reducer)| *reducer)
}

impl Aggregate {
    fn new(region: &Region<'_>, word: &str, argument: Range<usize>) -> Option<Self> {
        let reducer = reducer(word)?;
        let written = region.slice(region.range(argument.clone())).trim();
        let variable = argument.len() == 1 && region.kind(argument.start) == Some(LexemeKind::Variable);
        let argument = match reducer {
            "fn:count" if argument.len() <= 1 => "",
            _ if variable => written,
            _ => return None,
        };
        Some(Self { reducer, argument: argument.to_owned() })
    }

    pub(super) fn call(&self) -> String {
        format!("{}({})", self.reducer, self.argument)
    }
}

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

/// The headline about a word for an aggregation, and the note that shows how Mangle aggregates.
fn aggregation(region: &Region<'_>, range: &Range<usize>, call: &str, keys: &str) -> Hit {
    let headline = format!("Mangle has no aggregation `{}`", shorten(region.slice(range.clone())));
    let call = shorten(call);
    Hit::new(&rules::FOREIGN_AGGREGATION, range.clone(), headline)
        .note(format!("a transform after the body aggregates: `|> do fn:group_by({keys}), let N = {call}`"))
}

/// `p(X, count(Y)) :- q(X, Y).`
fn in_head(region: &Region<'_>, arrow: usize) -> Option<Hit> {
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

/// `count(Y)`, `count<Y>`, `COUNT(*)` as an argument.
pub(super) fn aggregate_at(region: &Region<'_>, tokens: Range<usize>) -> Option<Aggregate> {
    let open = region.at(tokens.start + 1);
    let last = tokens.end.checked_sub(1)?;
    let closed = matches!((open, region.at(last)), ("(", ")") | ("<", ">"));
    if !closed || tokens.len() < 3 {
        return None;
    }
    Aggregate::new(region, region.at(tokens.start), tokens.start + 2..last)
}

/// A variable for the result that the clause does not use.
pub(super) fn fresh(region: &Region<'_>, aggregate: &Aggregate) -> String {
    let mut name = camel_case(aggregate.reducer.trim_start_matches("fn:"));
    while region.has_word(&name) {
        name.push('2');
    }
    name
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

/// `N = count(X)`, `N = count : { q(X) }`, `N = sum Y : { q(Y) }` as a premise.
fn in_body(region: &Region<'_>, arrow: usize) -> Option<Hit> {
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
    let (aggregate, inner) = match brace {
        None => match aggregate_at(region, word..premise.end) {
            Some(aggregate) => (aggregate, None),
            None => return unclear(region, word, &premise),
        },
        Some(open) => {
            let close = region.close(open)?;
            let argument = (word + 1..open)
                .filter(|&at| region.kind(at) == Some(LexemeKind::Variable))
                .map(|at| at..at + 1)
                .next();
            // `count { X : q(X) }`
            let colon = (region.at(open + 2) == ":").then_some(open + 1..open + 2);
            let body = if colon.is_some() { open + 3..close } else { open + 1..close };
            let argument = argument.or(colon).unwrap_or(open..open);
            (
                Aggregate::new(region, region.at(word), argument)?,
                Some(region.slice(region.range(body)).trim()),
            )
        }
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

/// `N = count(distinct X)`, `S = sum(input.prices)`: a call of a reducer that no transform can be made of.
fn unclear(region: &Region<'_>, word: usize, premise: &Range<usize>) -> Option<Hit> {
    let close = region.close(word + 1).filter(|_| region.at(word + 1) == "(" && region.glued(word + 1))?;
    if close + 1 != premise.end {
        return None;
    }
    let hit = call_of_reducer(region, word..close + 1)?.help(RULE_OF_ITS_OWN);
    Some(hit.read_as(without_premise(region, premise)?))
}

/// The finding about a call of a reducer.
fn call_of_reducer(region: &Region<'_>, call: Range<usize>) -> Option<Hit> {
    let reducer = reducer(region.at(call.start))?;
    let argument = if reducer == "fn:count" { "" } else { "X" };
    let range = region.range(call);
    let headline = format!("Mangle has no aggregation `{}`", shorten(region.slice(range.clone())));
    Some(Hit::new(&rules::FOREIGN_AGGREGATION, range, headline).note(format!(
        "a transform after the body aggregates: `|> do fn:group_by(), let N = {reducer}({argument})`"
    )))
}

/// True if a call of a reducer can become a transform: its argument is a variable or `*`, so that nothing is lost.
fn is_countable(region: &Region<'_>, argument: usize) -> bool {
    region.kind(argument) == Some(LexemeKind::Variable) || matches!(region.at(argument), "*" | ")")
}

/// Where the result of an aggregation is used.
pub(super) const USE_IN_ANOTHER_RULE: &str =
    "aggregate in a rule of its own, and compare its result in another rule";

/// How something is aggregated that is not a variable.
const RULE_OF_ITS_OWN: &str = "write a rule with a premise for each element, and aggregate its solutions";

/// `count(violations) > 3`, `COUNT(*) > 2`, `3 < sum(X)` as a premise.
fn in_comparison(region: &Region<'_>, arrow: usize) -> Option<Hit> {
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

/// The variables of the head but one.
pub(super) fn head_variables<'t>(region: &Region<'t>, arrow: usize, but: &str) -> Vec<&'t str> {
    let mut all: Vec<&str> = Vec::new();
    for at in 0..arrow {
        let word = region.at(at);
        if region.kind(at) == Some(LexemeKind::Variable) && word != but && word != "_" && !all.contains(&word)
        {
            all.push(word);
        }
    }
    all
}

/// `let N = COUNT(*)` in a transform.
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

/// `|> do fn:group_by(X), N = fn:sum(Y)`: a `let` is missing.
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
        let hit = Hit::new(&rules::NOT_A_TRANSFORM, variable.range(), headline)
            .note("the engine accepts only `do` and `let` after `|>`");
        hits.add(hit.replace(variable.start..variable.start, "let ").title("insert `let`"));
    }
}

/// Whether the call that starts here is the left side of a comparison: `len(L) > 2`.
fn is_compared(region: &Region<'_>, index: usize) -> bool {
    let close = region.close(index + 1).filter(|_| region.is_atom(index));
    close.is_some_and(|close| matches!(region.at(close + 1), "=" | "==" | "!=" | "<" | ">" | "<=" | ">="))
}

/// `Y = plus(X, 1)`, `let N = count()`, `do group_by(X)`: the `fn:` is missing.
fn functions(region: &Region<'_>, hits: &mut Hits) {
    for index in 2..region.tokens.len() {
        let is_inside = region.token(index).is_some_and(|token| token.depth > 0);
        let is_value = match region.before(index) {
            "=" | "==" | ":=" | "=:=" | "do" | "!=" | "<" | ">" | "<=" | ">=" => true,
            "(" | "," | "[" | ":" => is_inside,
            _ => false,
        } || is_compared(region, index);
        let Some(token) = region.token(index).filter(|_| is_value && region.is_atom(index)) else { continue };
        // `fn:list` is a function, however much it looks like the reducer of another language.
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

/// A function without its `fn:`, or with another prefix.
fn missing_fn(word: &str, range: Range<usize>) -> Hit {
    let headline = format!("function `{}` does not start with `fn:`", shorten(word));
    Hit::new(&rules::MISSING_FN, range, headline)
        .note("a word without `fn:` is a predicate, which returns no value")
}
