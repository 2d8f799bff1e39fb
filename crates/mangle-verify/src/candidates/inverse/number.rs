//! Inverses of arithmetic functions.

use mangle_engine::kernel::{Datum, ValueId, Values};

use super::{Call, number};

/// Inverts functions of integers.
pub(super) fn integers(values: &mut Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
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
pub(super) fn floats(values: &mut Values, call: &Call<'_>) -> Option<Vec<ValueId>> {
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
pub(in super::super) fn part_of_fold(values: &mut Values, whole: ValueId) -> Vec<ValueId> {
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
