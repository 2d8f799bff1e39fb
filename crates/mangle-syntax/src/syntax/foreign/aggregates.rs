//! Aggregation as SQL, Soufflé and Prolog write it, and functions without `fn:`.

use std::ops::Range;

use super::functions::function;
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
struct Aggregate {
    reducer: &'static str,
    argument: String,
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
            "fn:count" => "",
            _ if variable => written,
            _ => return None,
        };
        Some(Self { reducer, argument: argument.to_owned() })
    }

    fn call(&self) -> String {
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
fn aggregate_at(region: &Region<'_>, tokens: Range<usize>) -> Option<Aggregate> {
    let open = region.at(tokens.start + 1);
    let last = tokens.end.checked_sub(1)?;
    let closed = matches!((open, region.at(last)), ("(", ")") | ("<", ">"));
    if !closed || tokens.len() < 3 {
        return None;
    }
    Aggregate::new(region, region.at(tokens.start), tokens.start + 2..last)
}

/// A variable for the result that the clause does not use.
fn fresh(region: &Region<'_>, aggregate: &Aggregate) -> String {
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
    let brace = (word + 1..premise.end).find(|&at| region.at(at) == "{");
    let (aggregate, inner) = match brace {
        None => (aggregate_at(region, word..premise.end)?, None),
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

/// True if a call of a reducer can become a transform: its argument is a variable or `*`, so that nothing is lost.
fn is_countable(region: &Region<'_>, argument: usize) -> bool {
    region.kind(argument) == Some(LexemeKind::Variable) || matches!(region.at(argument), "*" | ")")
}

/// Where the result of an aggregation is used.
const USE_IN_ANOTHER_RULE: &str = "aggregate in a rule of its own, and compare its result in another rule";

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
    let range = region.range(word..close + 1);
    let headline = format!("Mangle has no aggregation `{}`", shorten(region.slice(range.clone())));
    let call = reducer(region.at(word))?;
    let argument = if call == "fn:count" { "" } else { "X" };
    let hit = Hit::new(&rules::FOREIGN_AGGREGATION, range, headline)
        .note(format!("a transform after the body aggregates: `|> do fn:group_by(), let N = {call}({argument})`"))
        .help(USE_IN_ANOTHER_RULE);
    Some(hit.read_as(without_premise(region, &premise)?))
}

fn is_sign_of_order(sign: &str) -> bool {
    matches!(sign, "=" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "=<" | "<>")
}

/// The variables of the head but one.
fn head_variables<'t>(region: &Region<'t>, arrow: usize, but: &str) -> Vec<&'t str> {
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

/// What stands for a transform that cannot be made of the clause, or is too long to be shown.
const EXAMPLE: &str = "|> do fn:group_by(X), let N = fn:count()";

/// Transforms longer than this are not shown.
const LONGEST: usize = 100;

/// A clause with `GROUP BY` after its body.
struct GroupByClause<'r, 't> {
    region: &'r Region<'t>,
    arrow: usize,
    /// The word `GROUP`.
    group: usize,
    /// The edits of head and body.
    changes: Vec<(Range<usize>, String)>,
    /// The variables of the results, and what each is.
    results: Vec<(String, Aggregate)>,
}

/// `size(T, N) :- works(W, T) GROUP BY T, N = count(W).`, `size(T, COUNT(*)) :- … GROUP BY T.`, and
/// `size(T, N) :- works(W, T), N = COUNT(*) GROUP BY T.`
fn group_by(region: &Region<'_>, arrow: usize) -> Option<Hit> {
    let is_word = |at: usize, word: &str| region.at(at).eq_ignore_ascii_case(word);
    let group = region.top_level(arrow + 2, |token| token.text.eq_ignore_ascii_case("group"))?;
    if !is_word(group + 1, "by") {
        return None;
    }
    let mut grouped = GroupByClause { region, arrow, group, changes: Vec::new(), results: Vec::new() };
    let words = region.range(group..group + 2);
    let rest = grouped.rest()?;
    match grouped.transform() {
        Some((keys, lets)) => {
            let text = format!("|> do fn:group_by({keys}){lets}");
            let shown = if lets.is_empty() { format!("{text}, let N = fn:count()") } else { text.clone() };
            let shown = if shown.len() > LONGEST { EXAMPLE } else { &shown };
            let mut hit = no_group_by(region, words, shown);
            for (range, text) in grouped.changes {
                hit = hit.replace(range, text).guess();
            }
            let lead = if region.slice(0..rest.start).ends_with(char::is_whitespace) { "" } else { " " };
            hit = hit.replace(rest, format!("{lead}{text}")).title("group after the body");
            Some(if lets.is_empty() { hit } else { hit.guess() })
        }
        None => {
            let hit = no_group_by(region, words, EXAMPLE).help(USE_IN_ANOTHER_RULE).read(rest, "");
            Some(grouped.changes.into_iter().fold(hit, |hit, (range, text)| hit.read(range, text)))
        }
    }
}

/// The words `GROUP BY`; `shown` is how Mangle groups.
fn no_group_by(region: &Region<'_>, words: Range<usize>, shown: &str) -> Hit {
    let headline = format!("Mangle has no `{}`", region.slice(words.clone()));
    Hit::new(&rules::FOREIGN_AGGREGATION, words, headline)
        .note(format!("a transform after the body groups: `{shown}`"))
}

impl GroupByClause<'_, '_> {
    /// The bytes from the end of the body to the end of the clause.
    fn rest(&self) -> Option<Range<usize>> {
        let before = self.region.token(self.group - 1)?;
        let start = if before.is(",") { before.start } else { before.end };
        Some(start..self.region.range(0..self.region.stop()).end)
    }

    /// The keys, and the statements of the transform after them.
    fn transform(&mut self) -> Option<(String, String)> {
        let last = last_key(self.region, self.group + 2)?;
        let keys = self.region.slice(self.region.range(self.group + 2..last + 1)).to_owned();
        self.of_head()?;
        self.of_body()?;
        self.of_tail(last + 1)?;
        if self.results.is_empty() {
            self.of_unbound_variable()?;
        }
        let lets =
            self.results.iter().map(|(variable, result)| format!(", let {variable} = {}", result.call()));
        Some((keys, lets.collect()))
    }

    /// Aggregates among the arguments of the head.
    fn of_head(&mut self) -> Option<()> {
        let region = self.region;
        let close = region.token(1).filter(|token| token.is("(")).and_then(|_| region.close(1)).unwrap_or(0);
        let mut start = 2;
        while start < close {
            let end = region.part_end(start).min(close);
            if let Some(aggregate) = aggregate_at(region, start..end) {
                let variable = fresh(region, &aggregate);
                // Two of the same reducer would need two names.
                if self.results.iter().any(|(other, _)| *other == variable) {
                    return None;
                }
                self.changes.push((region.range(start..end), variable.clone()));
                self.results.push((variable, aggregate));
            }
            start = end + 1;
        }
        Some(())
    }

    /// Premises `N = COUNT(*)`.
    fn of_body(&mut self) -> Option<()> {
        let region = self.region;
        for equal in self.arrow + 2..self.group {
            let is_equal = matches!(region.at(equal), "=" | ":=" | "is");
            if !is_equal || region.kind(equal - 1) != Some(LexemeKind::Variable) {
                continue;
            }
            let end = region.part_end(equal - 1).min(self.group);
            let Some(aggregate) = aggregate_at(region, equal + 1..end) else { continue };
            let without = without_premise(region, &(equal - 1..end))?;
            self.changes.push((without.range, without.text));
            self.results.push((region.at(equal - 1).to_owned(), aggregate));
        }
        Some(())
    }

    /// `, N = count(Y)` after the keys.
    fn of_tail(&mut self, keys_end: usize) -> Option<()> {
        let region = self.region;
        let mut start = keys_end;
        while start < region.stop() {
            let end = region.part_end(start + 1).min(region.stop());
            let is_named = region.at(start) == "," && region.kind(start + 1) == Some(LexemeKind::Variable);
            if !is_named || region.at(start + 2) != "=" {
                return None;
            }
            let aggregate = aggregate_at(region, start + 3..end)?;
            self.results.push((region.at(start + 1).to_owned(), aggregate));
            start = end;
        }
        Some(())
    }

    /// A head variable that the body does not bind is a number of rows; `None` where several are left.
    fn of_unbound_variable(&mut self) -> Option<()> {
        let region = self.region;
        let is_bound = |variable: &str| (self.arrow..self.group).any(|at| region.at(at) == variable);
        let unbound: Vec<&str> = head_variables(region, self.arrow, "")
            .into_iter()
            .filter(|variable| !is_bound(variable))
            .collect();
        match unbound.as_slice() {
            [] => Some(()),
            [variable] => {
                let count = Aggregate { reducer: "fn:count", argument: String::new() };
                self.results.push(((*variable).to_owned(), count));
                Some(())
            }
            _ => None,
        }
    }
}

/// `… order by X` and `… limit 10` behind a body.
fn order_or_limit(region: &Region<'_>, arrow: usize) -> Option<Hit> {
    let at =
        region.top_level(arrow + 2, |token| matches!(token.text, "order" | "ORDER" | "limit" | "LIMIT"))?;
    let word = region.token(at)?;
    let before = region.token(at - 1)?;
    let start = if before.is(",") { before.start } else { before.end };
    let rest = start..region.range(0..region.stop()).end;
    let by = region.at(at + 1).eq_ignore_ascii_case("by");
    let note = match word.text {
        "order" | "ORDER" if by => "facts have no order",
        "limit" | "LIMIT" if region.kind(at + 1) == Some(LexemeKind::Number) => {
            "a rule derives all facts that follow from its body"
        }
        _ => return None,
    };
    let words = region.range(at..at + 1 + usize::from(by));
    let headline = format!("Mangle has no `{}`", region.slice(words.clone()));
    Some(Hit::new(&rules::FOREIGN_AGGREGATION, words, headline).note(note).read(rest, ""))
}

/// The last of the variables behind `group by`.
fn last_key(region: &Region<'_>, first: usize) -> Option<usize> {
    let is_key = |at: usize| region.kind(at) == Some(LexemeKind::Variable) && region.at(at + 1) != "=";
    let mut last = is_key(first).then_some(first)?;
    while region.at(last + 1) == "," && is_key(last + 2) {
        last += 2;
    }
    Some(last)
}

/// `|> do group by X, …` and `|> group by X, …`.
fn group_words(region: &Region<'_>, hits: &mut Hits) {
    let group = (1..region.tokens.len()).find(|&at| region.at(at).eq_ignore_ascii_case("group"));
    let Some(group) = group.filter(|&at| region.at(at + 1).eq_ignore_ascii_case("by")) else { return };
    let Some(last) = last_key(region, group + 2) else { return };
    let keys = region.slice(region.range(group + 2..last + 1));
    let lead = if region.before(group) == "do" { "" } else { "do " };
    let text = format!("{lead}fn:group_by({keys})");
    let range = region.range(group..last + 1);
    let words = region.range(group..group + 2);
    let headline = format!("Mangle has no `{}`", region.slice(words.clone()));
    let hit = Hit::new(&rules::FOREIGN_AGGREGATION, words, headline)
        .note("the function `fn:group_by(…)` makes groups");
    hits.add(hit.replace(range, text.as_str()).title(format!("write `{}`", shorten(&text))));
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
