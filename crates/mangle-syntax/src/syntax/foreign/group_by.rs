//! `GROUP BY`, `ORDER BY` and `LIMIT` of SQL after a body, and reducer calls in the syntax of other
//! languages with the equivalent Mangle functions.

use std::ops::Range;

use super::region::{Region, without_premise};
use super::token::LexemeKind;
use super::{ForeignConstruct, Hits};
use crate::syntax::lower::{camel_case, shorten};
use crate::syntax::rules;

/// The example for a transform that cannot be generated or is too long.
const EXAMPLE: &str = "|> do fn:group_by(X), let N = fn:count()";

/// Maximum length of a generated transform.
const MAX_LEN: usize = 100;

/// A clause with `GROUP BY` after its body.
struct GroupByClause<'r, 't> {
    region: &'r Region<'t>,
    arrow: usize,
    /// The index of the word `GROUP`.
    group: usize,
    /// The edits of head and body.
    changes: Vec<(Range<usize>, String)>,
    /// The variables of the results, each with its aggregate.
    results: Vec<(String, Aggregate)>,
}

/// Matches three forms:
///
/// * `size(T, N) :- works(W, T) GROUP BY T, N = count(W).`
/// * `size(T, COUNT(*)) :- … GROUP BY T.`
/// * `size(T, N) :- works(W, T), N = COUNT(*) GROUP BY T.`
pub(super) fn group_by(region: &Region<'_>, arrow: usize) -> Option<ForeignConstruct> {
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
            let shown = if shown.len() > MAX_LEN { EXAMPLE } else { &shown };
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

/// Reports the words `GROUP BY`. `shown` is the equivalent in Mangle.
fn no_group_by(region: &Region<'_>, words: Range<usize>, shown: &str) -> ForeignConstruct {
    let headline = format!("Mangle has no `{}`", region.slice(words.clone()));
    ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, words, headline)
        .note(format!("a transform after the body groups: `{shown}`"))
}

impl GroupByClause<'_, '_> {
    /// The range from the end of the body to the end of the clause.
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

    /// Collects aggregates from the arguments of the head.
    fn of_head(&mut self) -> Option<()> {
        let region = self.region;
        let close = region.token(1).filter(|token| token.is("(")).and_then(|_| region.close(1)).unwrap_or(0);
        let mut start = 2;
        while start < close {
            let end = region.part_end(start).min(close);
            if let Some(aggregate) = aggregate_at(region, start..end) {
                let variable = fresh(region, &aggregate);
                // Two results of the same reducer would need two names.
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

    /// Collects premises `N = COUNT(*)`.
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

    /// Collects `, N = count(Y)` after the keys.
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

    /// Uses the only unbound head variable for the number of rows. `None` if there are several.
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

/// Matches `… order by X` and `… limit 10` after a body.
pub(super) fn order_or_limit(region: &Region<'_>, arrow: usize) -> Option<ForeignConstruct> {
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
    let hit = ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, words, headline).note(note);
    Some(hit.help("sort and limit the results of a query in the program that asks").read(rest, ""))
}

/// The last of the variables after `group by`.
fn last_key(region: &Region<'_>, first: usize) -> Option<usize> {
    let is_key = |at: usize| region.kind(at) == Some(LexemeKind::Variable) && region.at(at + 1) != "=";
    let mut last = is_key(first).then_some(first)?;
    while region.at(last + 1) == "," && is_key(last + 2) {
        last += 2;
    }
    Some(last)
}

/// Matches `|> do group by X, …` and `|> group by X, …`.
pub(super) fn group_words(region: &Region<'_>, hits: &mut Hits) {
    let group = (1..region.tokens.len()).find(|&at| region.at(at).eq_ignore_ascii_case("group"));
    let Some(group) = group.filter(|&at| region.at(at + 1).eq_ignore_ascii_case("by")) else { return };
    let Some(last) = last_key(region, group + 2) else { return };
    let keys = region.slice(region.range(group + 2..last + 1));
    let lead = if region.before(group) == "do" { "" } else { "do " };
    let text = format!("{lead}fn:group_by({keys})");
    let range = region.range(group..last + 1);
    let words = region.range(group..group + 2);
    let headline = format!("Mangle has no `{}`", region.slice(words.clone()));
    let hit = ForeignConstruct::new(&rules::FOREIGN_AGGREGATION, words, headline)
        .note("the function `fn:group_by(…)` makes groups");
    hits.add(hit.replace(range, text.as_str()).title(format!("write `{}`", shorten(&text))));
}

/// Reducer names of other languages.
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

/// An aggregation: the argument, the reducer, and the result variable.
pub(super) struct Aggregate {
    pub(super) reducer: &'static str,
    pub(super) argument: String,
}

pub(super) fn reducer(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let word = word.strip_prefix("fn:").unwrap_or(&word);
    REDUCERS.iter().find(|(known, _)| *known == word).map(|(_, reducer)| *reducer)
}

impl Aggregate {
    pub(super) fn new(region: &Region<'_>, word: &str, argument: Range<usize>) -> Option<Self> {
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

/// Matches `count(Y)`, `count<Y>`, `COUNT(*)` as an argument.
pub(super) fn aggregate_at(region: &Region<'_>, tokens: Range<usize>) -> Option<Aggregate> {
    let open = region.at(tokens.start + 1);
    let last = tokens.end.checked_sub(1)?;
    let closed = matches!((open, region.at(last)), ("(", ")") | ("<", ">"));
    if !closed || tokens.len() < 3 {
        return None;
    }
    Aggregate::new(region, region.at(tokens.start), tokens.start + 2..last)
}

/// An unused variable for the result.
pub(super) fn fresh(region: &Region<'_>, aggregate: &Aggregate) -> String {
    let mut name = camel_case(aggregate.reducer.trim_start_matches("fn:"));
    while region.has_word(&name) {
        name.push('2');
    }
    name
}

/// The note about the use of an aggregation's result.
pub(super) const USE_IN_ANOTHER_RULE: &str =
    "aggregate in a rule of its own, and compare its result in another rule";

/// The variables of the head, except one.
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
