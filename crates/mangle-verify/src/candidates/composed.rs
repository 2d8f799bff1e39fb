//! Candidate values with parts: pairs, lists, maps and structs.

use mangle_engine::kernel::{Datum, ValueId};
use mangle_engine::types::{StructField, Type};

use super::domain::Domains;
use super::flow::Place;
use super::graph::{Comparison, Part};

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
