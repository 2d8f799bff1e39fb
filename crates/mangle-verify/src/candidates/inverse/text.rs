//! Inverses of functions of strings and names.

use mangle_engine::kernel::{Datum, ValueId, Values};

use super::super::graph::Comparison;
use super::{Call, text};

/// The maximum number of ways to split a text.
const MAX_DERIVATIONS: usize = 32;

/// A part of a concatenation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Piece {
    Text(String),
    /// The unknown argument.
    Wanted,
    /// Another argument that comes from a world.
    Open,
}

/// Inverts functions other than concatenation.
pub(super) fn inverse(values: &mut Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
    match (call.function, values.get(call.result).clone()) {
        ("string:replace", Datum::String(result)) if call.is_first() => {
            let known: Vec<ValueId> = call.known().collect();
            let [old, new, _] = known.as_slice() else { return None };
            let (old, new) = (text(values, *old)?, text(values, *new)?);
            let found = before_replacement(&result, &old, &new);
            Some(found.iter().map(|text| values.string(text)).collect())
        }
        ("number:to_string", Datum::String(result)) => Some(vec![values.number(result.parse().ok()?)]),
        ("float64:to_string", Datum::String(result)) => Some(vec![values.float(result.parse().ok()?)]),
        ("name:to_string", Datum::String(result)) => {
            result.starts_with('/').then(|| vec![values.name(&result)])
        }
        ("name:root", Datum::Name(result)) => {
            Some([result.to_string(), format!("{result}/a")].map(|name| values.name(&name)).into())
        }
        ("name:tip", Datum::Name(result)) => {
            Some([result.to_string(), format!("/a{result}")].map(|name| values.name(&name)).into())
        }
        _ => None,
    }
}

/// Returns the texts that become `result` when `old` is replaced by `new`.
fn before_replacement(result: &str, old: &str, new: &str) -> Vec<String> {
    let mut found = Vec::new();
    if old.is_empty() || !result.contains(old) {
        found.push(result.to_owned());
    }
    if new.is_empty() {
        let middle = result.char_indices().nth(1).map_or(result.len(), |(at, _)| at);
        let (start, end) = result.split_at(middle);
        found.extend([format!("{old}{result}"), format!("{start}{old}{end}")]);
    } else if result.contains(new) {
        found.push(result.replacen(new, old, 1));
        found.push(result.replace(new, old));
    }
    found
}

/// Returns the possible values of the wanted argument if the whole concatenation is `result`.
pub(in super::super) fn pieces_of(result: &str, pieces: &[Piece]) -> Vec<String> {
    let mut found = Vec::new();
    take(result, pieces, None, &mut found);
    found.dedup();
    found
}

fn take(rest: &str, pieces: &[Piece], wanted: Option<&str>, found: &mut Vec<String>) {
    if found.len() >= MAX_DERIVATIONS {
        return;
    }
    let Some((first, after)) = pieces.split_first() else {
        if rest.is_empty() {
            found.extend(wanted.map(str::to_owned).filter(|text| !found.contains(text)));
        }
        return;
    };
    if let Piece::Text(text) = first {
        return rest
            .strip_prefix(text.as_str())
            .into_iter()
            .for_each(|rest| take(rest, after, wanted, found));
    }
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    for end in ends.collect::<Vec<_>>() {
        let (taken, rest) = rest.split_at(end);
        match (first, wanted) {
            (Piece::Open, _) => take(rest, after, wanted, found),
            (_, Some(known)) if known != taken => {}
            _ => take(rest, after, Some(taken), found),
        }
    }
}

/// Returns the tests of the wanted argument if the whole concatenation passes a test.
/// [`Comparison::Equal`] means equality with the text.
pub(in super::super) fn part_of_test(
    meeting: Comparison,
    test: &str,
    pieces: &[Piece],
) -> Vec<(Comparison, String)> {
    match meeting {
        Comparison::Prefix => at_end(meeting, test, &pieces.iter().collect::<Vec<_>>()),
        Comparison::Suffix => at_end(meeting, test, &pieces.iter().rev().collect::<Vec<_>>()),
        Comparison::Contains => inside(test, pieces),
        _ => Vec::new(),
    }
}

/// Returns the rest of a test after the texts before the wanted argument.
fn at_end(meeting: Comparison, test: &str, pieces: &[&Piece]) -> Vec<(Comparison, String)> {
    let is_prefix = meeting == Comparison::Prefix;
    let (mut rest, mut is_behind_open) = (test, false);
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(text) => {
                let ends = if is_prefix { text.starts_with(rest) } else { text.ends_with(rest) };
                let without = if is_prefix {
                    rest.strip_prefix(text.as_str())
                } else {
                    rest.strip_suffix(text.as_str())
                };
                match (without, is_behind_open) {
                    _ if ends => return Vec::new(),
                    (Some(shorter), false) => rest = shorter,
                    (_, true) => match split(is_prefix, rest, text) {
                        Some((_, after)) => rest = after,
                        None => return Vec::new(),
                    },
                    (None, false) => return Vec::new(),
                }
                is_behind_open = false;
            }
            Piece::Open => is_behind_open = true,
            Piece::Wanted => {
                let next = match pieces.get(at + 1) {
                    Some(Piece::Text(text)) => split(is_prefix, rest, text),
                    _ => None,
                };
                let whole = next.map(|(before, _)| (Comparison::Equal, before.to_owned()));
                return [(meeting, rest.to_owned())].into_iter().chain(whole).collect();
            }
        }
    }
    Vec::new()
}

/// Splits a text at the first occurrence of `text`, counted from the tested end.
fn split<'t>(is_prefix: bool, whole: &'t str, text: &str) -> Option<(&'t str, &'t str)> {
    if is_prefix {
        whole.split_once(text)
    } else {
        whole.rsplit_once(text).map(|(before, after)| (after, before))
    }
}

/// The wanted argument contains the text, or the rest of it that the adjacent text does not
/// contain.
fn inside(test: &str, pieces: &[Piece]) -> Vec<(Comparison, String)> {
    let mut found = Vec::new();
    for (at, _) in pieces.iter().enumerate().filter(|(_, piece)| **piece == Piece::Wanted) {
        found.push((Comparison::Contains, test.to_owned()));
        let beside = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
            Some(Piece::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let (before, after) = (beside(at.checked_sub(1)), beside(at.checked_add(1)));
        for (split, _) in test.char_indices().skip(1).take(MAX_DERIVATIONS) {
            let (start, end) = test.split_at(split);
            if before.is_some_and(|text| text.ends_with(start)) {
                found.push((Comparison::Prefix, end.to_owned()));
            }
            if after.is_some_and(|text| text.starts_with(end)) {
                found.push((Comparison::Suffix, start.to_owned()));
            }
        }
    }
    found
}
