//! The candidate intervals of temporal facts.

use std::collections::BTreeSet;

use mangle_engine::kernel::plan::{BEGINNING, END};
use mangle_engine::kernel::{Clock, Datum, ValueId};

use super::domain::Domains;
use super::flow::Place;

/// The maximum number of instants that are combined. If there are more, the instants in the rules
/// and their neighbors are used.
const MAX_ENDS: usize = 10;

/// Returns the intervals between the instants that the interval ends of an input are compared with.
pub(super) fn intervals(
    domains: &mut Domains<'_>,
    input: u16,
    width: u16,
    clock: Clock,
) -> Vec<[ValueId; 2]> {
    let mut ends: BTreeSet<i64> = [BEGINNING, END, clock.now_ns].into();
    let mut bounds = ends.clone();
    for column in [width, width.saturating_add(1)] {
        let finding = domains.finding(&Place { input, column, path: Vec::new() });
        let instants = |all: &BTreeSet<ValueId>| -> Vec<i64> {
            let instants = all.iter().filter_map(|value| match domains.values.get(*value) {
                Datum::Time(instant) => Some(*instant),
                _ => None,
            });
            instants.collect()
        };
        ends.extend(instants(&finding.values));
        bounds.extend(instants(&finding.bounds));
    }
    let is_short = ends.len() <= MAX_ENDS;
    let ends: Vec<i64> = ends.into_iter().collect();
    let mut pairs: Vec<[i64; 2]> = Vec::new();
    for (at, start) in ends.iter().enumerate() {
        for (distance, end) in ends.iter().skip(at).enumerate() {
            if is_short || distance <= 1 || (bounds.contains(start) && bounds.contains(end)) {
                pairs.push([*start, *end]);
            }
        }
    }
    pairs.retain(|[start, end]| *start != END && *end != BEGINNING);
    if !is_short {
        domains.flow.cuts.add("the interval of an input has too many ends");
    }
    pairs.into_iter().map(|pair| pair.map(|end| domains.values.time(end))).collect()
}
