//! The candidate values of a place: compared values of its type, and additional values.

use mangle_engine::kernel::{Datum, ValueId, Values};
use mangle_engine::types::{Base, Type};

use super::comparisons::{AllComparisons, PlaceComparisons};
use super::flow::{Flow, Place};
use super::fresh::Fresh;
use super::graph::{Comparison, Part};
use crate::value_kind::{in_order, kind};

/// The maximum number of values of a column.
const MAX_VALUES: usize = 1_500;

/// A generator of the values of places.
pub(super) struct Domains<'d> {
    pub(super) flow: &'d Flow<'d>,
    pub(super) findings: &'d AllComparisons,
    pub(super) fresh: &'d Fresh,
    pub(super) values: &'d mut Values,
}

impl Domains<'_> {
    pub(super) fn finding(&self, place: &Place) -> PlaceComparisons {
        self.findings.comparisons(self.flow, place).cloned().unwrap_or_default()
    }

    /// Returns the values that a place is compared with.
    pub(super) fn found(&self, place: &Place) -> Vec<ValueId> {
        self.finding(place).values.into_iter().collect()
    }

    /// Returns the values of a place for a type.
    pub(super) fn values(&mut self, place: &Place, ty: &Type) -> Vec<ValueId> {
        let mut all = self.typed(place, ty);
        let mut seen = rustc_hash::FxHashSet::default();
        all.retain(|value| seen.insert(*value) && crate::completeness::conforms(self.values, *value, ty));
        self.flow.cuts.shorten(&mut all, MAX_VALUES, "an argument has too many values");
        all
    }

    fn typed(&mut self, place: &Place, ty: &Type) -> Vec<ValueId> {
        match ty {
            Type::Any | Type::Variable(_) => self.any(place),
            Type::Base(base) => self.base(place, *base),
            Type::Prefix(prefix) => self.below(place, prefix.as_str()),
            Type::Singleton(name) | Type::Literal(name) => vec![self.values.name(name.as_str())],
            Type::Union(members) => members.iter().flat_map(|member| self.values(place, member)).collect(),
            Type::List(element) => self.lists(place, element),
            // No value conforms to this type.
            Type::Option(_) => Vec::new(),
            Type::Pair(parts) => self.pairs(place, &parts.0, &parts.1),
            Type::Map(parts) => self.maps(place, &parts.0, &parts.1),
            Type::Struct(fields) => self.structs(place, fields),
        }
    }

    pub(super) fn part(&mut self, place: &Place, part: Part, ty: &Type) -> Vec<ValueId> {
        let mut inner = place.clone();
        inner.path.push(part);
        self.values(&inner, ty)
    }

    /// For a place without a type: returns values of the compared kinds and of the extracted kinds.
    fn any(&mut self, place: &Place) -> Vec<ValueId> {
        let finding = self.finding(place);
        let meets = |base: &Base| {
            finding.need.kinds.contains(base)
                || finding.values.iter().any(|value| kind(self.values.get(*value)) == Some(*base))
        };
        let mut kinds: Vec<Base> = Base::ALL.into_iter().filter(meets).collect();
        let composed = finding.values.iter().copied().filter(|value| kind(self.values.get(*value)).is_none());
        let mut all: Vec<ValueId> = composed.collect();
        all.extend(self.any_composed(place));
        if kinds.is_empty() && all.is_empty() {
            let is_ordered = finding.need.width > 1 || !finding.bounds.is_empty();
            kinds.push(if is_ordered { Base::Number } else { Base::Name });
        }
        kinds.into_iter().for_each(|base| all.extend(self.base(place, base)));
        all
    }

    /// Returns the number of values of a place that do not occur in the program.
    fn fresh_count(finding: &PlaceComparisons) -> usize {
        match finding.need.is_joined || !finding.bounds.is_empty() {
            true => finding.need.distinct.max(super::needs::FRESH),
            false => finding.need.distinct.max(1),
        }
    }

    fn base(&mut self, place: &Place, base: Base) -> Vec<ValueId> {
        let finding = self.finding(place);
        let is_kind = |value: &ValueId| kind(self.values.get(*value)) == Some(base);
        let mut all: Vec<ValueId> = finding.values.iter().copied().filter(is_kind).collect();
        all.sort_by(|one, other| in_order(self.values.get(*one), self.values.get(*other)));
        let fresh = self.fresh.values(base, Self::fresh_count(&finding));
        match base {
            Base::String => {
                let distinct = finding.need.distinct;
                let texts = super::texts::texts(&finding.tests, distinct, self.values, self.flow.cuts);
                fresh.into_iter().chain(all).chain(texts).collect()
            }
            Base::Name => {
                let below = self.below_tests(&finding, finding.need.distinct.max(1));
                // Names of the program are preferred.
                all.retain(|value| !fresh.contains(value));
                all.into_iter().chain(below).chain(fresh).collect()
            }
            _ => fresh.into_iter().chain(all).collect(),
        }
    }

    /// Returns names below the prefixes of the tests of a place.
    fn below_tests(&mut self, finding: &PlaceComparisons, count: usize) -> Vec<ValueId> {
        let prefixes = finding.tests.iter().filter(|(meeting, _)| *meeting == Comparison::NamePrefix);
        let prefixes: Vec<String> = prefixes
            .filter_map(|(_, value)| match self.values.get(*value) {
                Datum::Name(name) => Some(name.trim_end_matches('/').to_string()),
                _ => None,
            })
            .collect();
        let names = prefixes.iter().flat_map(|prefix| self.unknown_below(prefix, count, finding));
        let names: Vec<String> = names.collect();
        names.iter().map(|name| self.values.name(name)).collect()
    }

    /// Returns `count` names below a prefix that a place is not compared with.
    fn unknown_below(&self, prefix: &str, count: usize, finding: &PlaceComparisons) -> Vec<String> {
        let is_met = |name: &String| {
            let is_it =
                |value: &ValueId| matches!(self.values.get(*value), Datum::Name(met) if **met == **name);
            finding.values.iter().any(is_it)
        };
        words().map(|word| format!("{prefix}/{word}")).filter(|name| !is_met(name)).take(count).collect()
    }

    /// Returns names below a name.
    fn below(&mut self, place: &Place, prefix: &str) -> Vec<ValueId> {
        let below = format!("{prefix}/");
        let finding = self.finding(place);
        let tested = self.below_tests(&finding, finding.need.distinct.max(1));
        let is_below = |value: &ValueId| matches!(self.values.get(*value), Datum::Name(name) if name.starts_with(&below));
        let mut all: Vec<ValueId> = finding.values.iter().copied().chain(tested).filter(is_below).collect();
        all.sort_by(|one, other| in_order(self.values.get(*one), self.values.get(*other)));
        let count = Self::fresh_count(&finding);
        let unknown = self.unknown_below(prefix, count, &finding);
        all.extend(unknown.iter().map(|name| self.values.name(name)));
        all
    }
}

/// Yields `a`, `b`, `c` and so on.
fn words() -> impl Iterator<Item = String> {
    ('a'..='z').map(String::from)
}
