//! Reducer calls in the syntax of other languages, and the equivalent Mangle functions.

use std::ops::Range;

use super::region::Region;
use super::token::LexemeKind;
use crate::syntax::lower::camel_case;

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
