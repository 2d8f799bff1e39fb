//! Explanations for empty query results: values that never occur, and the values that do occur.

use rustc_hash::FxHashSet;

use super::EvaluatedProgram;
use mangle_engine::kernel::{Query, ValueId};
use mangle_syntax::text::nearest;

/// Maximum number of facts examined.
const MAX_FACTS: usize = 50_000;

/// Maximum number of listed values per argument.
const LISTED: usize = 5;

/// Maximum number of values compared with a missing value.
const COMPARED: usize = 1_000;

/// Returns the explanations as sentences without full stops.
pub(super) fn hints(asked: &EvaluatedProgram<'_>, query: &Query) -> Vec<String> {
    let predicate = asked.program.get(query.predicate);
    let key = predicate.key;
    let count = asked.model.relation(query.predicate).map_or(0, |relation| relation.len());
    if count == 0 {
        return vec![match predicate.signature.has_rules {
            true => format!("`{key}` has no facts: no rule for it has a solution"),
            false => {
                format!("`{key}` has neither facts nor rules: its facts come from outside of the program")
            }
        }];
    }
    let absent: Vec<_> = query
        .wanted
        .iter()
        .enumerate()
        .filter_map(|(at, value)| explain_missing_value(asked, query, at, (*value)?))
        .collect();
    if !absent.is_empty() {
        return absent;
    }
    if query.wanted.iter().flatten().count() < 2 {
        return vec![format!(
            "`{key}` has {count} {}, none of them with equal values in these arguments",
            facts(count)
        )];
    }
    let near = asked.model.near(asked.compiled, query.predicate, &query.wanted);
    let near = near.iter().map(|fact| format!("nearest fact: `{fact}`"));
    std::iter::once("each of these values occurs, but never together".to_owned()).chain(near).collect()
}

fn facts(count: usize) -> &'static str {
    if count == 1 { "fact" } else { "facts" }
}

/// Explains that no fact has `value` as this argument, and lists the existing values.
fn explain_missing_value(
    asked: &EvaluatedProgram<'_>,
    query: &Query,
    at: usize,
    value: ValueId,
) -> Option<String> {
    let relation = asked.model.relation(query.predicate)?;
    let (mut seen, mut values) = (FxHashSet::default(), Vec::new());
    for tuple in relation.tuples().take(MAX_FACTS) {
        let other = *tuple.get(at)?;
        if other == value {
            return None;
        }
        if values.len() < COMPARED && seen.insert(other) {
            values.push(asked.model.values.display(other).to_string());
        }
    }
    let wanted = asked.model.values.display(value).to_string();
    let never = format!("argument {} is never `{wanted}`", at + 1);
    if let Some(meant) = similar_value(&wanted, &values) {
        return Some(format!("{never}; did you mean `{meant}`?"));
    }
    let listed: Vec<_> = values.iter().take(LISTED).map(|value| format!("`{value}`")).collect();
    let more = if values.len() > LISTED { ", …" } else { "" };
    Some(format!("{never}; its values are {}{more}", listed.join(", ")))
}

/// Minimum length of a value for typo detection, in characters.
const MIN_LEN: usize = 4;

/// Returns the value that differs from the wanted one only in quotes, slash or case, or by a typo.
fn similar_value<'v>(wanted: &str, values: &'v [String]) -> Option<&'v str> {
    let bare = |text: &str| text.trim_matches(['"', '/']).to_lowercase();
    let same = values.iter().find(|value| bare(value) == bare(wanted)).map(String::as_str);
    let is_long = bare(wanted).chars().count() >= MIN_LEN;
    let near = || nearest(wanted, values.iter().map(String::as_str)).filter(|_| is_long);
    same.or_else(near)
}
