//! Integers that cover all outcomes of computations with one unknown integer and constants.
//!
//! On a residue class, each step of a computation is an arithmetic progression while signs do not
//! change and nothing overflows. The comparisons of its results therefore change at few places,
//! which are found by bisection.

use std::collections::{BTreeMap, BTreeSet};

/// A step of a computation with 64-bit integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NumberStep {
    /// Adds a constant.
    Plus(i64),
    /// Subtracts the value from a constant.
    From(i64),
    Times(i64),
    Div(i64),
    Mod(i64),
    /// Divides a constant by the value.
    Into(i64),
    /// Computes the remainder of a constant divided by the value.
    ModInto(i64),
}

/// A computation with one unknown integer, and the constants that its result is compared with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Chain {
    pub(super) steps: Vec<NumberStep>,
    pub(super) constants: BTreeSet<i64>,
}

/// The maximum common period of all computations.
const MAX_PERIOD: i64 = 240;

/// The maximum factor, and the maximum constant that is divided by the unknown.
const MAX_FACTOR: i64 = 64;

/// The maximum summand after a division.
const MAX_SUMMAND: i64 = 1 << 60;

/// The maximum number of intervals without a change.
const MAX_STRETCHES: usize = 40_000;

impl NumberStep {
    /// Applies the step. `None` if the engine stops.
    fn apply(self, value: i64) -> Option<i64> {
        Some(match self {
            Self::Plus(summand) => value.wrapping_add(summand),
            Self::From(minuend) => minuend.wrapping_sub(value),
            Self::Times(factor) => value.wrapping_mul(factor),
            Self::Div(divisor) if divisor != 0 => value.wrapping_div(divisor),
            Self::Mod(divisor) if divisor != 0 => value.wrapping_rem(divisor),
            Self::Into(dividend) if value != 0 => dividend.wrapping_div(value),
            Self::ModInto(dividend) if value != 0 => dividend.wrapping_rem(value),
            Self::Div(_) | Self::Mod(_) | Self::Into(_) | Self::ModInto(_) => return None,
        })
    }
}

impl Chain {
    /// Returns the value after the first `count` steps.
    fn value(&self, start: i64, count: usize) -> Option<i64> {
        self.steps.iter().take(count).try_fold(start, |value, step| step.apply(value))
    }

    /// Appends the comparison of the result with each constant.
    fn pattern(&self, start: i64, pattern: &mut Vec<i8>) {
        let result = self.value(start, self.steps.len());
        let compared = |constant: &i64| result.map_or(2, |result| result.cmp(constant) as i8);
        pattern.push(if result.is_none() { 2 } else { 0 });
        pattern.extend(self.constants.iter().map(compared));
    }

    /// Collects the integers where an overflow begins or the unknown is small. Returns the period
    /// of the residue classes.
    ///
    /// Returns `None` if the computation is not supported.
    fn anchors(&self, anchors: &mut BTreeSet<i64>) -> Option<i64> {
        let mut period = 1i64;
        // The exact linear value before the first division: factor and summand.
        let mut line = Some((1i128, 0i128));
        // The maximum absolute value after the first division.
        let mut size = i64::MAX;
        for step in &self.steps {
            match (*step, line) {
                (NumberStep::Plus(summand), Some((factor, base))) => {
                    line = Some((factor, base + i128::from(summand)))
                }
                (NumberStep::From(minuend), Some((factor, base))) => {
                    line = Some((-factor, i128::from(minuend) - base))
                }
                (NumberStep::Times(by), Some((factor, base))) => {
                    line = Some((factor * i128::from(by), base * i128::from(by)));
                    if by == 0 || factor.abs() * i128::from(by).abs() > i128::from(MAX_FACTOR) {
                        return None;
                    }
                }
                (NumberStep::Plus(by) | NumberStep::From(by), None) => {
                    let by = by.checked_abs().filter(|by| *by <= MAX_SUMMAND)?;
                    size = size.checked_add(by)?;
                }
                (NumberStep::Times(by), None) => size = size.checked_mul(by.checked_abs()?)?,
                (NumberStep::Div(by) | NumberStep::Mod(by), _) => {
                    let by = by.checked_abs().filter(|by| *by >= 2)?;
                    if let Some((factor, base)) = line.take() {
                        overflows(factor, base, anchors)?;
                    }
                    period = period.checked_mul(by).filter(|period| *period <= MAX_PERIOD)?;
                    size = if matches!(step, NumberStep::Mod(_)) { size.min(by) } else { size / by + 1 };
                }
                (NumberStep::Into(dividend) | NumberStep::ModInto(dividend), Some((factor, base)))
                    if factor.abs() == 1 =>
                {
                    size = dividend.checked_abs().filter(|size| *size <= MAX_FACTOR)?;
                    small_divisors(size, factor, base, anchors);
                    overflows(factor, base, anchors)?;
                    line = None;
                }
                (NumberStep::Into(_) | NumberStep::ModInto(_), _) => return None,
            }
        }
        if let Some((factor, base)) = line {
            overflows(factor, base, anchors)?;
        }
        Some(period)
    }
}

/// Adds the integers that make `factor * x + base` at most `size + 1` in absolute value. `factor`
/// is 1 or -1.
fn small_divisors(size: i64, factor: i128, base: i128, anchors: &mut BTreeSet<i64>) {
    for divisor in -size - 1..=size + 1 {
        anchors.extend(i64::try_from((i128::from(divisor) - base) * factor));
    }
}

/// Adds the integers where the number of overflows of `factor * x + base` increases.
fn overflows(factor: i128, base: i128, anchors: &mut BTreeSet<i64>) -> Option<()> {
    if factor == 0 {
        return None;
    }
    let turns = factor.abs() + 2 + base.abs() / (1i128 << 64);
    if turns > 4 * i128::from(MAX_FACTOR) {
        return None;
    }
    for turn in -turns..=turns {
        let bound = (1i128 << 63) + turn * (1i128 << 64);
        let place = (bound - base).div_euclid(factor);
        for near in -1..=1 {
            anchors.extend(i64::try_from(place + near));
        }
    }
    Some(())
}

/// Intervals of residue classes without a changing comparison: first and last integer, and the
/// period.
struct Stretches {
    all: Vec<(i64, i64)>,
    period: i64,
    /// The first integers of all intervals.
    starts: BTreeSet<i64>,
}

/// Splits the integers at the places where a comparison of a chain changes.
fn stretches(chains: &[Chain]) -> Option<Stretches> {
    let mut anchors = BTreeSet::from([i64::MIN, -1, 0, 1, i64::MAX]);
    let mut period = 1i64;
    for chain in chains {
        let own = chain.anchors(&mut anchors)?;
        let common = greatest_divisor(period, own);
        period = (period / common).checked_mul(own).filter(|period| *period <= MAX_PERIOD)?;
    }
    let anchors: Vec<i64> = anchors.into_iter().collect();
    let mut found = Stretches { all: Vec::new(), period, starts: BTreeSet::new() };
    for anchor in &anchors {
        found.all.push((*anchor, *anchor));
        found.starts.insert(*anchor);
    }
    for pair in anchors.windows(2) {
        let [below, above] = pair else { continue };
        let (Some(first), Some(last)) = (below.checked_add(1), above.checked_sub(1)) else { continue };
        for residue in 0..period {
            let start = i128::from(first) + i128::from(residue);
            if start > i128::from(last) {
                break;
            }
            let start = i64::try_from(start).ok()?;
            let count = (i128::from(last) - i128::from(start)) / i128::from(period);
            let class = Class { start, period };
            let mut cuts: BTreeSet<i128> = BTreeSet::from([0]);
            for chain in chains {
                class.split(chain, 0, 0, count, &mut cuts);
            }
            let cuts: Vec<i128> = cuts.into_iter().collect();
            for (at, cut) in cuts.iter().enumerate() {
                let end = cuts.get(at + 1).map_or(count, |next| next - 1);
                found.all.push((class.at(*cut), class.at(end)));
                found.starts.insert(class.at(*cut));
                if found.all.len() > MAX_STRETCHES {
                    return None;
                }
            }
        }
    }
    Some(found)
}

fn greatest_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_divisor(other, one % other) }
}

/// The integers of one residue class in an interval.
struct Class {
    start: i64,
    period: i64,
}

impl Class {
    fn at(&self, index: i128) -> i64 {
        let value = i128::from(self.start) + index * i128::from(self.period);
        i64::try_from(value).unwrap_or(i64::MAX)
    }

    /// Finds the indices where the sign after a step, or a comparison of the result, changes.
    fn split(&self, chain: &Chain, step: usize, low: i128, high: i128, cuts: &mut BTreeSet<i128>) {
        let value = |index: i128| chain.value(self.at(index), step);
        let is_last = step == chain.steps.len();
        let kind = |index: i128| {
            let value = value(index);
            let sign = value.map_or(2, i64::signum);
            let place = value
                .filter(|_| is_last)
                .map(|value| (chain.constants.range(..value).count(), chain.constants.contains(&value)));
            (sign, place)
        };
        let mut from = low;
        while from <= high {
            let first = kind(from);
            // Binary search for the last index of this kind. Each kind is a contiguous range.
            let (mut same, mut other) = (from, high + 1);
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                if kind(middle) == first { same = middle } else { other = middle }
            }
            cuts.insert(from);
            if !is_last && first.0 != 2 {
                self.split(chain, step + 1, from, same, cuts);
            }
            from = same + 1;
        }
    }
}

/// Returns `count` integers for each combination of outcomes, or all if there are fewer. Integers
/// of `known` are excluded.
///
/// Returns `None` if the computations are not supported.
pub(super) fn classes(chains: &[Chain], known: &BTreeSet<i64>, count: usize) -> Option<Vec<Vec<i64>>> {
    let found = stretches(chains)?;
    let mut classes: BTreeMap<Vec<i8>, BTreeSet<(u64, i64)>> = BTreeMap::new();
    for (first, last) in found.all {
        let mut pattern = Vec::new();
        chains.iter().for_each(|chain| chain.pattern(first, &mut pattern));
        let class = classes.entry(pattern).or_default();
        // Prefer integers near zero as examples.
        let step = i128::from(found.period);
        let (first, last) = (i128::from(first), i128::from(last));
        let (mut at, by) = if last <= 0 { (last, -step) } else { (first, step) };
        let mut added = 0;
        while added < count && (first..=last).contains(&at) {
            if let Some(value) = i64::try_from(at).ok().filter(|value| !known.contains(value)) {
                class.insert((value.unsigned_abs(), value));
                added += 1;
            }
            at += by;
        }
    }
    let shortened = |class: BTreeSet<(u64, i64)>| -> Vec<i64> {
        class.into_iter().take(count).map(|(_, value)| value).collect()
    };
    Some(classes.into_values().map(shortened).filter(|class| !class.is_empty()).collect())
}

/// Returns the integers where an outcome changes, if the computations are piecewise monotone.
pub(super) fn bounds(chains: &[Chain]) -> Option<BTreeSet<i64>> {
    stretches(chains).filter(|found| found.period == 1).map(|found| found.starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(chains: &[Chain], value: i64) -> Vec<i8> {
        let mut pattern = Vec::new();
        chains.iter().for_each(|chain| chain.pattern(value, &mut pattern));
        pattern
    }

    /// Checks that a value is found for every combination of outcomes of these integers.
    #[track_caller]
    fn check(chains: &[Chain], integers: impl IntoIterator<Item = i64>) {
        let classes = classes(chains, &BTreeSet::new(), 2).unwrap();
        let found: BTreeSet<Vec<i8>> =
            classes.iter().flatten().map(|value| pattern(chains, *value)).collect();
        for value in integers {
            assert!(found.contains(&pattern(chains, value)), "{value} of {chains:?}");
        }
    }

    fn chain(steps: &[NumberStep], constants: &[i64]) -> Chain {
        Chain { steps: steps.to_vec(), constants: constants.iter().copied().collect() }
    }

    #[test]
    fn every_outcome_of_integers_is_found() {
        use NumberStep::*;
        let ends = (i64::MIN..i64::MIN + 2_000).chain(-2_000..2_000).chain(i64::MAX - 2_000..=i64::MAX);
        let integers: Vec<i64> = ends.chain((-199..200).map(|turn| turn * (i64::MAX / 199))).collect();
        let sets = [
            vec![chain(&[Div(8), Mod(2)], &[1]), chain(&[Mod(2)], &[0]), chain(&[], &[100])],
            vec![chain(&[Plus(5)], &[-3, 7]), chain(&[], &[i64::MAX - 2])],
            vec![chain(&[Times(3), Plus(-7)], &[0, 100]), chain(&[Mod(7)], &[-1, 5])],
            vec![chain(&[Plus(-1), Into(10)], &[0, 3, 11]), chain(&[From(5), ModInto(7)], &[0, 3])],
            vec![chain(&[Into(10)], &[0, 3, 11]), chain(&[ModInto(10), Times(2)], &[2])],
            vec![
                chain(&[From(50), Div(3), Plus(1), Mod(4)], &[0, 1, -2]),
                chain(&[Times(-2)], &[i64::MIN, 6]),
            ],
        ];
        for chains in sets {
            check(&chains, integers.iter().copied());
        }
    }

    #[test]
    fn large_periods_are_not_described() {
        assert_eq!(classes(&[chain(&[NumberStep::Mod(1009)], &[0])], &BTreeSet::new(), 1), None);
        assert_eq!(bounds(&[chain(&[NumberStep::Mod(2)], &[0])]), None);
    }

    #[test]
    fn known_integers_are_left_out() {
        let known = BTreeSet::from([0, 1, -1]);
        let classes = classes(&[chain(&[], &[10])], &known, 2).unwrap();
        assert!(classes.iter().flatten().all(|value| !known.contains(value)), "{classes:?}");
    }
}
