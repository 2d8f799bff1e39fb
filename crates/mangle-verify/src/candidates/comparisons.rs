//! The values and tests that each place of the inputs is compared with.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Datum, ValueId, Values};

use super::demands::{Demands, Provenance};
use super::flow::Flow;
use super::graph::Comparison;
use super::needs::{Groups, Need};
use super::world_values::{WorldValues, moved};

/// The maximum distance from a bound in the search for an unused value.
const FARTHEST: i64 = 64;

/// The comparisons of a place of the inputs.
#[derive(Debug, Clone, Default)]
pub(super) struct PlaceComparisons {
    /// Compared constants, and values next to order bounds.
    pub(super) values: BTreeSet<ValueId>,
    /// Constants in order comparisons.
    pub(super) bounds: BTreeSet<ValueId>,
    /// Tests with texts.
    pub(super) tests: Vec<(Comparison, ValueId)>,
    pub(super) need: Need,
}

/// The comparisons of all places.
pub(super) struct AllComparisons {
    of_group: Vec<PlaceComparisons>,
    of_place: Vec<u32>,
}

impl AllComparisons {
    /// Collects the comparisons of the places of each group.
    pub(super) fn new(
        demands: &Demands<'_>,
        groups: &Groups,
        world: &WorldValues,
        fresh: &[Vec<ValueId>],
        values: &mut Values,
    ) -> Self {
        let mut of_group: Vec<PlaceComparisons> = groups
            .needs
            .iter()
            .map(|need| PlaceComparisons { need: need.clone(), ..PlaceComparisons::default() })
            .collect();
        for (node, tests) in (0u32..).zip(&demands.tests) {
            for group in demands.flow.origins_at(node).iter().filter_map(|place| groups.group(*place)) {
                let Some(finding) = of_group.get_mut(group) else { continue };
                for test in tests {
                    if !finding.tests.contains(test) {
                        finding.tests.push(*test);
                    }
                }
            }
        }
        for (number, finding) in of_group.iter_mut().enumerate() {
            finding.tests.sort_unstable();
            if let Some(known) = world.of_group.get(number) {
                let known: Vec<(ValueId, Provenance)> =
                    known.iter().map(|(value, tag)| (*value, *tag)).collect();
                finding.take(&known, values);
            }
            if groups.is_shared.get(number) == Some(&true) {
                finding.values.extend(fresh.get(number).into_iter().flatten());
            }
        }
        Self { of_group, of_place: groups.of_place.clone() }
    }

    /// Returns the comparisons of a place.
    pub(super) fn comparisons(
        &self,
        flow: &Flow<'_>,
        place: &super::flow::Place,
    ) -> Option<&PlaceComparisons> {
        let place = flow.find(place)?;
        self.of_group.get(*self.of_place.get(place as usize)? as usize)
    }
}

impl PlaceComparisons {
    /// Adds the demanded values of the places of a group.
    fn take(&mut self, known: &[(ValueId, Provenance)], values: &mut Values) {
        let met: BTreeSet<ValueId> =
            known.iter().filter(|(_, tag)| tag.is_met).map(|(value, _)| *value).collect();
        let bounds = known.iter().filter(|(_, tag)| tag.is_bound).map(|(value, _)| *value);
        self.bounds = bounds.collect();
        self.values.extend(known.iter().map(|(value, _)| *value));
        self.take_remainders(values);
        self.take_middles(values);
        for (bound, tag) in known.iter().filter(|(_, tag)| tag.is_bound) {
            let width = if tag.crossings == 0 { self.need.width.max(1) } else { 1 };
            for direction in [-1, 1] {
                self.values.extend(neighbors(values, *bound, direction, &met, width));
            }
        }
    }

    /// Adds a float between each two consecutive bounds.
    fn take_middles(&mut self, values: &mut Values) {
        let float = |bound: &ValueId| match values.get(*bound) {
            Datum::Float(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        };
        let mut bounds: Vec<f64> = self.bounds.iter().filter_map(float).collect();
        bounds.sort_by(f64::total_cmp);
        for (below, above) in bounds.iter().zip(bounds.iter().skip(1)) {
            let middle = f64::midpoint(*below, *above);
            if middle.is_finite() && *below < middle && middle < *above {
                self.values.insert(values.float(middle));
            }
        }
    }

    /// Adds numbers near each bound that have the remainders in the rules.
    fn take_remainders(&mut self, values: &mut Values) {
        let number = |values: &Values, value: ValueId| match values.get(value) {
            Datum::Number(number) => Some(*number),
            _ => None,
        };
        for (_, test) in self.tests.iter().filter(|(meeting, _)| *meeting == Comparison::Remainder) {
            let Datum::Pair(divisor, remainder) = *values.get(*test) else { continue };
            let (Some(divisor), Some(remainder)) = (number(values, divisor), number(values, remainder))
            else {
                continue;
            };
            let bounds: Vec<i64> = self.bounds.iter().filter_map(|bound| number(values, *bound)).collect();
            for bound in bounds {
                let near = with_remainder(bound, divisor, remainder);
                self.values.extend(near.into_iter().flatten().map(|number| values.number(number)));
            }
        }
    }
}

/// Returns the numbers on each side of `bound`, or the bound itself, with a given remainder.
fn with_remainder(bound: i64, divisor: i64, remainder: i64) -> Option<[i64; 3]> {
    let excess = bound.checked_sub(remainder)?.checked_rem_euclid(divisor)?;
    let below = bound.checked_sub(excess)?;
    let size = divisor.checked_abs()?;
    Some([below.checked_sub(size)?, below, below.checked_add(size)?])
}

/// Adds the neighbors of a value on one side, until `count` of them are not otherwise used.
fn neighbors(
    values: &mut Values,
    value: ValueId,
    direction: i64,
    met: &BTreeSet<ValueId>,
    count: usize,
) -> Vec<ValueId> {
    let (mut found, mut unmet) = (Vec::new(), 0);
    for distance in 1..=FARTHEST {
        let far = direction * distance;
        let next = moved(values, value, far);
        let Some(next) = next else { break };
        found.push(next);
        unmet += usize::from(!met.contains(&next));
        if unmet >= count {
            break;
        }
    }
    found
}
