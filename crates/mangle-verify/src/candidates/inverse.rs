//! Inverse functions: arguments that give a function a certain value.

use mangle_engine::kernel::{Clock, Datum, Function, ValueId, Values};

use super::graph::Comparison;

/// A function call with a known value and at least one unknown argument.
pub(super) struct Call<'c> {
    pub(super) function: &'static str,
    /// The arguments. `None` for unknown arguments.
    pub(super) args: &'c [Option<ValueId>],
    pub(super) result: ValueId,
}

impl Call<'_> {
    /// Returns the known arguments.
    fn known(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.args.iter().flatten().copied()
    }

    /// Returns the number of unknown arguments.
    fn count(&self) -> usize {
        self.args.iter().filter(|arg| arg.is_none()).count()
    }

    /// True if the first argument is unknown.
    fn is_first(&self) -> bool {
        matches!(self.args.first(), Some(None))
    }
}

/// Returns values of the unknown arguments of a call.
///
/// If many values give the result or a similar result, only the smallest and largest values are
/// returned.
pub(super) fn inverse(values: &mut Values, clock: Clock, call: &Call<'_>) -> Vec<ValueId> {
    let found = match call.function {
        "plus" | "minus" | "mult" | "div" | "mod" => integers(values, call),
        "float:plus" | "float:mult" | "float:div" | "sqrt" => floats(values, call),
        "string:replace" | "number:to_string" | "float64:to_string" | "name:to_string" | "name:root"
        | "name:tip" => text_inverse(values, call),
        "pair" | "list" | "list:cons" => parts(values, call),
        _ => time_inverse(values, clock, call),
    };
    found.unwrap_or_default()
}

/// Returns the unknown parts of a constructed value.
fn parts(values: &Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
    let parts = match (call.function, values.get(call.result)) {
        ("pair", Datum::Pair(first, second)) => vec![*first, *second],
        ("list", Datum::List(elements)) => elements.to_vec(),
        ("list:cons", Datum::List(elements)) => vec![*elements.first()?],
        _ => return None,
    };
    let unknown = call.args.iter().zip(parts).filter(|(arg, _)| arg.is_none());
    Some(unknown.map(|(_, part)| part).collect())
}

fn number(values: &Values, value: ValueId) -> Option<i64> {
    match values.get(value) {
        Datum::Number(number) => Some(*number),
        _ => None,
    }
}

fn text(values: &Values, value: ValueId) -> Option<String> {
    match values.get(value) {
        Datum::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Inverts functions of integers.
fn integers(values: &mut Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
    let result = number(values, call.result)?;
    let known: Vec<i64> = call.known().map(|value| number(values, value)).collect::<Option<_>>()?;
    let count = i64::try_from(call.count()).ok()?;
    let found = match call.function {
        "plus" => quotients(result.checked_sub(sum(&known)?)?, count),
        "minus" => vec![minuend_or_subtrahend(call, &known, result, count)?],
        "mult" => factors(result, &known, count)?,
        "div" if count == 1 => dividends(call, &known, result)?,
        "mod" if count == 1 => match known.as_slice() {
            [divisor] if call.is_first() => vec![result, result.checked_add(*divisor)?],
            [dividend] => vec![dividend.checked_sub(result)?, result.checked_add(1)?],
            _ => return None,
        },
        _ => return None,
    };
    Some(found.into_iter().map(|number| values.number(number)).collect())
}

fn sum(all: &[i64]) -> Option<i64> {
    all.iter().try_fold(0i64, |sum, number| sum.checked_add(*number))
}

/// Returns the quotient, rounded down and up.
fn quotients(dividend: i64, divisor: i64) -> Vec<i64> {
    let Some(quotient) = dividend.checked_div_euclid(divisor) else { return Vec::new() };
    match dividend.checked_rem_euclid(divisor) {
        Some(0) => vec![quotient],
        _ => vec![quotient, quotient.saturating_add(1)],
    }
}

fn minuend_or_subtrahend(call: &Call<'_>, known: &[i64], result: i64, count: i64) -> Option<i64> {
    if call.is_first() {
        return match (call.args.len(), count) {
            (1, _) => result.checked_neg(),
            (_, 1) => result.checked_add(sum(known)?),
            _ => None,
        };
    }
    let (first, rest) = known.split_first()?;
    first.checked_sub(sum(rest)?)?.checked_sub(result)?.checked_div(count)
}

fn factors(result: i64, known: &[i64], count: i64) -> Option<Vec<i64>> {
    let product = known.iter().try_fold(1i64, |product, number| product.checked_mul(*number))?;
    let all = quotients(result, product);
    match count {
        1 => Some(all),
        2 => {
            let roots = all.into_iter().filter(|square| *square >= 0).map(i64::isqrt);
            Some(roots.flat_map(|root| [root, root + 1, -root]).collect())
        }
        _ => None,
    }
}

/// Returns the dividends or divisors of divisions that give `result`.
fn dividends(call: &Call<'_>, known: &[i64], result: i64) -> Option<Vec<i64>> {
    if call.is_first() {
        let divisor = known.iter().try_fold(1i64, |product, number| product.checked_mul(*number))?;
        let (exact, rest) = (result.checked_mul(divisor)?, divisor.checked_abs()?.checked_sub(1)?);
        let (above, below) = (exact.checked_add(rest)?, exact.checked_sub(rest)?);
        return Some(match exact.signum() {
            1 => vec![exact, above],
            -1 => vec![exact, below],
            _ => vec![below, exact, above],
        });
    }
    let [dividend] = known else { return None };
    let bound = |quotient: i64| dividend.checked_div(quotient);
    let found = [bound(result), bound(result.checked_add(1)?).map(|below| below.saturating_add(1))];
    Some(found.into_iter().flatten().collect())
}

/// Inverts functions of floats.
#[allow(clippy::cast_precision_loss)] // as in the engine
fn floats(values: &mut Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
    let float = |value: ValueId| match values.get(value) {
        Datum::Float(bits) => Some(f64::from_bits(*bits)),
        Datum::Number(number) => Some(*number as f64),
        _ => None,
    };
    let result = float(call.result)?;
    let known: Vec<f64> = call.known().map(float).collect::<Option<_>>()?;
    let (total, product) = (known.iter().sum::<f64>(), known.iter().product::<f64>());
    let found = match (call.function, call.count()) {
        ("float:plus", 1) => result - total,
        ("float:plus", 2) => (result - total) / 2.0,
        ("float:mult", 1) => result / product,
        ("float:div", 1) if call.is_first() => result * product,
        ("float:div", 1) => product / result,
        ("sqrt", 1) => result * result,
        _ => return None,
    };
    Some(if found.is_finite() { vec![values.float(found)] } else { Vec::new() })
}

/// Returns values with `whole` as their average, sum, minimum or maximum, alone or together with a
/// second value.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // whole numbers below the limit are exact
pub(super) fn part_of_fold(values: &mut Values, whole: ValueId) -> Vec<ValueId> {
    const LIMIT: f64 = 1e15;
    match *values.get(whole) {
        Datum::Float(bits) => {
            let mean = f64::from_bits(bits);
            if mean.abs() > LIMIT {
                return vec![whole];
            }
            let (below, above) = (mean.floor() as i64, mean.ceil() as i64);
            let around = [below.saturating_sub(1), below, above, above.saturating_add(1)];
            let mut found: Vec<ValueId> = around.map(|number| values.number(number)).into();
            found.extend([values.float(mean - 0.5), whole]);
            found
        }
        Datum::Number(sum) => {
            let half = sum.div_euclid(2);
            let parts = [sum, sum.saturating_sub(1), half, sum.saturating_sub(half)];
            parts.map(|number| values.number(number)).into()
        }
        _ => vec![whole],
    }
}

/// The maximum number of ways to split a text.
const MAX_DERIVATIONS: usize = 32;

/// A part of a concatenation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// The unknown argument.
    Wanted,
    /// Another argument that comes from a world.
    Open,
}

/// Inverts functions other than concatenation.
fn text_inverse(values: &mut Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
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
pub(super) fn pieces_of(result: &str, pieces: &[Piece]) -> Vec<String> {
    let mut found = Vec::new();
    take_pieces(result, pieces, None, &mut found);
    found.dedup();
    found
}

fn take_pieces(rest: &str, pieces: &[Piece], wanted: Option<&str>, found: &mut Vec<String>) {
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
            .for_each(|rest| take_pieces(rest, after, wanted, found));
    }
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    for end in ends.collect::<Vec<_>>() {
        let (taken, rest) = rest.split_at(end);
        match (first, wanted) {
            (Piece::Open, _) => take_pieces(rest, after, wanted, found),
            (_, Some(known)) if known != taken => {}
            _ => take_pieces(rest, after, Some(taken), found),
        }
    }
}

/// Returns the tests of the wanted argument if the whole concatenation passes a test.
/// [`Comparison::Equal`] means equality with the text.
pub(super) fn part_of_test(meeting: Comparison, test: &str, pieces: &[Piece]) -> Vec<(Comparison, String)> {
    match meeting {
        Comparison::Prefix => test_at_end(meeting, test, &pieces.iter().collect::<Vec<_>>()),
        Comparison::Suffix => test_at_end(meeting, test, &pieces.iter().rev().collect::<Vec<_>>()),
        Comparison::Contains => tests_inside(test, pieces),
        _ => Vec::new(),
    }
}

/// Returns the rest of a test after the texts before the wanted argument.
fn test_at_end(meeting: Comparison, test: &str, pieces: &[&Piece]) -> Vec<(Comparison, String)> {
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
                    (_, true) => match split_tested(is_prefix, rest, text) {
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
                    Some(Piece::Text(text)) => split_tested(is_prefix, rest, text),
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
fn split_tested<'t>(is_prefix: bool, whole: &'t str, text: &str) -> Option<(&'t str, &'t str)> {
    if is_prefix {
        whole.split_once(text)
    } else {
        whole.rsplit_once(text).map(|(before, after)| (after, before))
    }
}

/// The wanted argument contains the text, or the rest of it that the adjacent text does not
/// contain.
fn tests_inside(test: &str, pieces: &[Piece]) -> Vec<(Comparison, String)> {
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

const SECOND: i64 = 1_000_000_000;

/// Inverts functions of instants and durations.
fn time_inverse(values: &mut Values, clock: Clock, call: &Call<'_>) -> Option<Vec<ValueId>> {
    if call.count() != 1 {
        return None;
    }
    let result = amount(values, call.result)?;
    let other = call.known().next().and_then(|value| amount(values, value));
    let value = match call.function {
        "time:add" if call.is_first() => values.time(result.checked_sub(other?)?),
        "time:add" => values.duration(result.checked_sub(other?)?),
        "time:sub" if call.is_first() => values.time(result.checked_add(other?)?),
        "time:sub" => values.time(other?.checked_sub(result)?),
        "time:from_unix_nanos" | "duration:from_nanos" => values.number(result),
        "time:to_unix_nanos" => values.time(result),
        "duration:nanos" => values.duration(result),
        "duration:add" => values.duration(result.checked_sub(other?)?),
        "duration:mult" if call.is_first() => values.duration(result.checked_div(other?)?),
        "duration:mult" => values.number(result.checked_div(other?)?),
        "duration:seconds" => values.duration(result.checked_mul(SECOND)?),
        "duration:minutes" => values.duration(result.checked_mul(SECOND * 60)?),
        "duration:hours" => values.duration(result.checked_mul(SECOND * 3600)?),
        "duration:from_seconds" => values.number(result.checked_div(SECOND)?),
        "duration:from_minutes" => values.number(result.checked_div(SECOND * 60)?),
        "duration:from_hours" => values.number(result.checked_div(SECOND * 3600)?),
        "time:trunc" | "time:trunc_civil" if call.is_first() => {
            return Some(vec![call.result, values.time(result.checked_add(1)?)]);
        }
        _ => return instant_with(values, clock, call).map(|instant| vec![instant]),
    };
    Some(vec![value])
}

/// Returns the nanoseconds of an instant or duration, or a number.
#[allow(clippy::cast_possible_truncation)] // only whole numbers are taken
fn amount(values: &Values, value: ValueId) -> Option<i64> {
    match values.get(value) {
        Datum::Number(amount) | Datum::Time(amount) | Datum::Duration(amount) => Some(*amount),
        Datum::Float(bits) => {
            let float = f64::from_bits(*bits);
            (float.abs() < 1e15).then_some(float as i64)
        }
        _ => None,
    }
}

/// Returns an instant with a given year, month, day, hour, minute or second.
fn instant_with(values: &mut Values, clock: Clock, call: &Call<'_>) -> Option<ValueId> {
    let part = number(values, call.result)?;
    let text = match call.function {
        "time:year" => format!("{part:04}-01-01T00:00:00Z"),
        "time:month" => format!("2024-{part:02}-01T00:00:00Z"),
        "time:day" => format!("2024-01-{part:02}T00:00:00Z"),
        "time:hour" => format!("2024-01-01T{part:02}:00:00Z"),
        "time:minute" => format!("2024-01-01T00:{part:02}:00Z"),
        "time:second" => format!("2024-01-01T00:00:{part:02}Z"),
        _ => return None,
    };
    let text = values.string(&text);
    Function::from_name("fn:time:parse_rfc3339")?.apply(values, &[text], &clock).ok()
}
