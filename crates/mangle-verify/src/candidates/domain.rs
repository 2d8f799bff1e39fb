//! The candidate values of a place: compared values of its type, and additional values.
//!
//! Values with parts (pairs, lists, maps and structs) are composed of the values of their parts. Temporal
//! facts get candidate intervals.

use std::collections::BTreeSet;

use mangle_engine::kernel::plan::{BEGINNING, END};
use mangle_engine::kernel::{Clock, Datum, ValueId, Values};
use mangle_engine::types::{Base, StructField, Type};

use super::comparisons::{AllComparisons, PlaceComparisons};
use super::flow::{Flow, Place};
use super::fresh::Fresh;
use super::graph::{Comparison, Part};
use crate::values::{conforms, in_order, kind};

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
    fn finding(&self, place: &Place) -> PlaceComparisons {
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
        all.retain(|value| seen.insert(*value) && conforms(self.values, *value, ty));
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

    fn part(&mut self, place: &Place, part: Part, ty: &Type) -> Vec<ValueId> {
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

/// The maximum number of values with parts per place.
const MAX_COMPOSED: usize = 64;

/// The maximum number of lists with at most two elements.
const MAX_LISTS: usize = 600;

/// The maximum number of elements that are combined in all orders.
const MAX_ORDERED: usize = 4;

/// The maximum length of a list that is created for a length test.
const MAX_LEN: i64 = 12;

const CUT: &str = "an argument of several parts has too many values";

impl Domains<'_> {
    /// Returns pairs of the values of both parts.
    pub(super) fn pairs(&mut self, place: &Place, first: &Type, second: &Type) -> Vec<ValueId> {
        let mut all = self.composed(place, |datum| matches!(datum, Datum::Pair(..)));
        let (first, second) = (self.part(place, Part::First, first), self.part(place, Part::Second, second));
        let mut pairs: Vec<_> =
            first.iter().flat_map(|one| second.iter().map(move |other| (*one, *other))).collect();
        self.flow.cuts.shorten(&mut pairs, MAX_COMPOSED * 8, CUT);
        all.extend(pairs.into_iter().filter_map(|(one, other)| self.values.pair(one, other).ok()));
        all
    }

    /// For a place without a type: returns values with the parts that the rules extract.
    pub(super) fn any_composed(&mut self, place: &Place) -> Vec<ValueId> {
        let parts = self.parts(place);
        let any = Type::Any;
        let mut all = Vec::new();
        if parts.iter().any(|part| matches!(part, Part::First | Part::Second)) {
            all.extend(self.pairs(place, &any, &any));
        }
        if parts.contains(&Part::Element) {
            all.extend(self.lists(place, &any));
        }
        let labels = self.labels(place);
        if !labels.is_empty() {
            all.extend(self.maps(place, &any, &any));
            let of_names = labels.iter().filter_map(|label| match self.values.get(*label) {
                Datum::Name(label) => Some(mangle_syntax::text::Symbol::new(label)),
                _ => None,
            });
            let field = |label| StructField { label, ty: Type::Any, optional: true };
            let fields: Vec<StructField> = of_names.map(field).collect();
            all.extend(self.structs(place, &fields));
        }
        all
    }

    /// Returns lists: empty, with each element, with some elements in all orders, and with each
    /// tested length.
    pub(super) fn lists(&mut self, place: &Place, element: &Type) -> Vec<ValueId> {
        let mut all = self.composed(place, |datum| matches!(datum, Datum::List(_)));
        let mut elements = self.part(place, Part::Element, element);
        let mut inner = place.clone();
        inner.path.push(Part::Element);
        let found = self.finding(&inner).values;
        elements.sort_by_key(|element| !found.contains(element));
        self.flow.cuts.shorten(&mut elements, MAX_COMPOSED, CUT);
        let mut lists: Vec<Vec<ValueId>> = vec![Vec::new()];
        lists.extend(elements.iter().map(|element| vec![*element]));
        let some: Vec<ValueId> = elements.iter().copied().take(MAX_ORDERED).collect();
        for one in &some {
            lists.extend(some.iter().filter(|other| *other != one).map(|other| vec![*one, *other]));
        }
        for (at, one) in elements.iter().enumerate() {
            lists.extend(elements.iter().skip(at + 1).map(|other| vec![*one, *other]));
        }
        self.flow.cuts.shorten(&mut lists, MAX_LISTS, CUT);
        lists.extend((some.len() > 2).then(|| some.iter().copied().take(3).collect()));
        lists.extend((some.len() > 3).then_some(some));
        for length in self.lengths(place) {
            lists.push(elements.iter().copied().cycle().take(length).collect());
        }
        all.extend(lists.iter().filter_map(|list| self.values.list(list).ok()));
        all
    }

    /// Returns the required lengths of the lists at a place.
    fn lengths(&self, place: &Place) -> Vec<usize> {
        let finding = self.finding(place);
        let tests = finding.tests.iter().filter(|(meeting, _)| *meeting == Comparison::Length);
        let mut lengths: Vec<usize> = Vec::new();
        for (_, value) in tests {
            if let Datum::Number(number) = self.values.get(*value) {
                let around = [number.saturating_sub(1), *number, number.saturating_add(1)];
                let fitting = around.into_iter().filter(|length| (0..=MAX_LEN).contains(length));
                lengths.extend(fitting.filter_map(|length| usize::try_from(length).ok()));
                if *number > MAX_LEN {
                    self.flow.cuts.add("a list must be too long");
                }
            }
        }
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Returns maps: empty, with each entry, and with an entry for each label that the rules look
    /// up.
    pub(super) fn maps(&mut self, place: &Place, key: &Type, value: &Type) -> Vec<ValueId> {
        let mut all = self.composed(place, |datum| matches!(datum, Datum::Map(_)));
        let labels: Vec<ValueId> = self.labels(place);
        let keys = if labels.is_empty() {
            self.values(&Place { path: Vec::new(), ..place.clone() }, key)
        } else {
            labels
        };
        let mut made: Vec<Vec<(ValueId, ValueId)>> = vec![Vec::new()];
        for key in keys.into_iter().take(MAX_COMPOSED) {
            let mut options = self.part(place, Part::Under(key), value);
            self.flow.cuts.shorten(&mut options, MAX_COMPOSED, CUT);
            let mut longer: Vec<Vec<(ValueId, ValueId)>> = Vec::new();
            for entries in &made {
                let with = |value: &ValueId| entries.iter().copied().chain([(key, *value)]).collect();
                longer.extend(options.iter().map(with));
            }
            made.extend(longer);
            self.flow.cuts.shorten(&mut made, MAX_COMPOSED * 4, CUT);
        }
        for mut entries in made {
            entries.sort_unstable();
            all.extend(self.values.intern(Datum::Map(entries.into())));
        }
        all
    }

    /// Returns the parts that the rules extract from the values of a place.
    fn parts(&self, place: &Place) -> Vec<Part> {
        let inner = self.flow.places.iter().filter(|other| {
            other.input == place.input
                && other.column == place.column
                && other.path.len() == place.path.len() + 1
                && other.path.starts_with(&place.path)
        });
        let mut parts: Vec<Part> = inner.filter_map(|other| other.path.last()).copied().collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// Returns the labels that the rules look up at a place.
    fn labels(&self, place: &Place) -> Vec<ValueId> {
        let label = |part: Part| match part {
            Part::Under(label) => Some(label),
            _ => None,
        };
        self.parts(place).into_iter().filter_map(label).collect()
    }

    /// Returns structs of the values of their fields.
    pub(super) fn structs(&mut self, place: &Place, fields: &[StructField]) -> Vec<ValueId> {
        let mut all = self.composed(place, |datum| matches!(datum, Datum::Struct(_)));
        let mut made: Vec<Vec<(ValueId, ValueId)>> = vec![Vec::new()];
        for field in fields {
            let label = self.values.name(field.label.as_str());
            let options = self.part(place, Part::Under(label), &field.ty);
            let mut longer = Vec::new();
            for entries in &made {
                longer.extend(field.optional.then(|| entries.clone()));
                longer.extend(
                    options.iter().map(|value| entries.iter().copied().chain([(label, *value)]).collect()),
                );
            }
            self.flow.cuts.shorten(&mut longer, MAX_COMPOSED * 8, CUT);
            made = longer;
        }
        all.extend(
            made.into_iter().filter_map(|entries| self.values.intern(Datum::Struct(entries.into())).ok()),
        );
        all
    }

    fn composed(&self, place: &Place, is_kind: impl Fn(&Datum) -> bool) -> Vec<ValueId> {
        self.found(place).into_iter().filter(|value| is_kind(self.values.get(*value))).collect()
    }
}

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
