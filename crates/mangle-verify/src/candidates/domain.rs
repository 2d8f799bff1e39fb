//! The values of a place: of those that it meets the ones of its type, and some more of that type.

use mangle_engine::kernel::{Datum, ValueId, Values};
use mangle_engine::types::{Base, Type};

use super::flow::{Flow, Place};
use super::fresh::Fresh;
use super::graph::{Meeting, Part};
use super::meetings::{Finding, Findings};

/// How many values a column has at most.
const MOST_VALUES: usize = 600;

/// How many texts are made of the tests of a column.
const MOST_TEXTS: usize = 300;

/// How many values a value of several parts has at most.
const MOST_COMPOSED: usize = 24;

/// Makes the values of places.
pub(super) struct Domains<'d> {
    pub(super) flow: &'d Flow,
    pub(super) findings: &'d Findings,
    pub(super) fresh: &'d Fresh,
    pub(super) values: &'d mut Values,
}

impl Domains<'_> {
    fn finding(&self, place: &Place) -> Finding {
        let number = self.flow.find(place);
        number.and_then(|number| self.findings.all.get(number as usize)).cloned().unwrap_or_default()
    }

    /// The values that a place meets.
    pub(super) fn found(&self, place: &Place) -> Vec<ValueId> {
        self.finding(place).values.into_iter().collect()
    }

    /// The values of a place, of this type.
    pub(super) fn of(&mut self, place: &Place, ty: &Type) -> Vec<ValueId> {
        let mut all = self.typed(place, ty);
        let mut seen = rustc_hash::FxHashSet::default();
        all.retain(|value| seen.insert(*value));
        all.truncate(MOST_VALUES);
        all
    }

    fn typed(&mut self, place: &Place, ty: &Type) -> Vec<ValueId> {
        match ty {
            Type::Any | Type::Variable(_) => self.any(place),
            Type::Base(base) => self.base(place, *base),
            Type::Prefix(prefix) => self.below(place, prefix.as_str()),
            Type::Singleton(name) | Type::Literal(name) => vec![self.values.name(name.as_str())],
            Type::Union(members) => members.iter().flat_map(|member| self.of(place, member)).collect(),
            Type::List(element) => self.lists(place, element),
            Type::Option(inner) => self.of(place, inner),
            Type::Pair(parts) => {
                let (first, second) =
                    (self.part(place, Part::First, &parts.0), self.part(place, Part::Second, &parts.1));
                let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (*one, *other)));
                let pairs: Vec<_> = pairs.take(MOST_COMPOSED).collect();
                pairs.into_iter().filter_map(|(one, other)| self.values.pair(one, other).ok()).collect()
            }
            Type::Map(parts) => self.maps(place, &parts.0, &parts.1),
            Type::Struct(fields) => self.structs(place, fields),
        }
    }

    fn part(&mut self, place: &Place, part: Part, ty: &Type) -> Vec<ValueId> {
        let mut inner = place.clone();
        inner.path.push(part);
        self.of(&inner, ty)
    }

    /// Of a place without a type: values of the kinds that it meets.
    fn any(&mut self, place: &Place) -> Vec<ValueId> {
        let finding = self.finding(place);
        let kinds: Vec<Base> = Base::ALL
            .into_iter()
            .filter(|base| finding.values.iter().any(|value| kind(self.values.get(*value)) == Some(*base)))
            .collect();
        let composed = finding.values.iter().copied().filter(|value| kind(self.values.get(*value)).is_none());
        let mut all: Vec<ValueId> = composed.collect();
        let is_text = |(meeting, _): &(Meeting, ValueId)| *meeting != Meeting::NamePrefix;
        let kinds = match kinds.as_slice() {
            [] if finding.tests.iter().any(is_text) => vec![Base::String],
            [] if finding.is_ordered => vec![Base::Number],
            [] => vec![Base::Name],
            _ => kinds,
        };
        kinds.into_iter().for_each(|base| all.extend(self.base(place, base)));
        all
    }

    fn base(&mut self, place: &Place, base: Base) -> Vec<ValueId> {
        let finding = self.finding(place);
        let is_kind = |value: &ValueId| kind(self.values.get(*value)) == Some(base);
        let mut all: Vec<ValueId> = finding.values.iter().copied().filter(is_kind).collect();
        all.sort_by(|one, other| in_order(self.values.get(*one), self.values.get(*other)));
        let fresh: &[ValueId] = match base {
            Base::String => &self.fresh.strings,
            Base::Name => &self.fresh.names,
            Base::Number => &self.fresh.numbers,
            Base::Float => &self.fresh.floats,
            Base::Time => &self.fresh.times,
            Base::Duration => &self.fresh.durations,
            Base::Bytes => &[],
        };
        let fresh: Vec<ValueId> = fresh
            .iter()
            .copied()
            .take(if finding.is_joined || finding.is_ordered { fresh.len() } else { 1 })
            .collect();
        match base {
            Base::String => {
                let texts = self.texts(&finding.tests);
                fresh.into_iter().chain(all).chain(texts).collect()
            }
            Base::Name => {
                let below = self.below_tests(&finding.tests);
                all.into_iter().chain(below).chain(fresh).collect()
            }
            Base::Bytes => {
                all.extend(self.values.intern(Datum::Bytes(Box::from(*b"a"))));
                all
            }
            _ => fresh.into_iter().chain(all).collect(),
        }
    }

    /// Texts that pass the tests of a place: each, and several together.
    fn texts(&mut self, tests: &[(Meeting, ValueId)]) -> Vec<ValueId> {
        let of = |values: &Values, wanted: Meeting| -> Vec<String> {
            let of_kind = tests.iter().filter(|(meeting, _)| *meeting == wanted);
            let texts = of_kind.filter_map(|(_, value)| match values.get(*value) {
                Datum::String(text) => Some(text.to_string()),
                _ => None,
            });
            texts.collect()
        };
        let with_none = |mut texts: Vec<String>| {
            texts.insert(0, String::new());
            texts
        };
        let prefixes = with_none(of(self.values, Meeting::Prefix));
        let parts = of(self.values, Meeting::Contains);
        let suffixes = with_none(of(self.values, Meeting::Suffix));
        let mut middles = vec![String::new()];
        middles.extend(parts.iter().cloned());
        if parts.len() <= 8 {
            for (at, one) in parts.iter().enumerate() {
                middles.extend(parts.iter().skip(at + 1).map(|other| format!("{one}{other}")));
            }
        }
        let mut texts = Vec::new();
        for suffix in &suffixes {
            for middle in &middles {
                texts.extend(prefixes.iter().map(|prefix| format!("{prefix}{middle}{suffix}")));
            }
        }
        texts.retain(|text| !text.is_empty());
        texts.truncate(MOST_TEXTS);
        texts.iter().map(|text| self.values.string(text)).collect()
    }

    /// Names below those that a place is tested with.
    fn below_tests(&mut self, tests: &[(Meeting, ValueId)]) -> Vec<ValueId> {
        let prefixes = tests.iter().filter(|(meeting, _)| *meeting == Meeting::NamePrefix);
        let prefixes: Vec<String> = prefixes
            .filter_map(|(_, value)| match self.values.get(*value) {
                Datum::Name(name) => Some(name.to_string()),
                _ => None,
            })
            .collect();
        prefixes.iter().map(|prefix| self.values.name(&format!("{prefix}/a"))).collect()
    }

    /// Names below a name.
    fn below(&mut self, place: &Place, prefix: &str) -> Vec<ValueId> {
        let below = format!("{prefix}/");
        let finding = self.finding(place);
        let is_below = |value: &ValueId| matches!(self.values.get(*value), Datum::Name(name) if name.starts_with(&below));
        let mut all: Vec<ValueId> = finding.values.iter().copied().filter(is_below).collect();
        all.sort_by(|one, other| in_order(self.values.get(*one), self.values.get(*other)));
        let count = if finding.is_joined { super::fresh::FRESH } else { 1 };
        let fresh = ["a", "b", "c"].iter().take(count);
        all.extend(fresh.map(|word| self.values.name(&format!("{below}{word}"))).collect::<Vec<_>>());
        all
    }

    fn lists(&mut self, place: &Place, element: &Type) -> Vec<ValueId> {
        let mut all = self.composed(place, |datum| matches!(datum, Datum::List(_)));
        let elements = self.part(place, Part::Element, element);
        let mut lists: Vec<Vec<ValueId>> = vec![Vec::new()];
        lists.extend(elements.iter().take(MOST_COMPOSED).map(|element| vec![*element]));
        if let [first, second, ..] = elements.as_slice() {
            lists.push(vec![*first, *second]);
        }
        all.extend(lists.iter().filter_map(|list| self.values.list(list).ok()));
        all
    }

    fn maps(&mut self, place: &Place, key: &Type, value: &Type) -> Vec<ValueId> {
        let mut all = self.composed(place, |datum| matches!(datum, Datum::Map(_)));
        all.extend(self.values.intern(Datum::Map(Box::new([]))));
        let labels: Vec<ValueId> = self.labels(place);
        let keys = if labels.is_empty() {
            self.of(&Place { path: Vec::new(), ..place.clone() }, key)
        } else {
            labels
        };
        for key in keys.into_iter().take(MOST_COMPOSED) {
            for value in self.part(place, Part::Under(key), value).into_iter().take(MOST_COMPOSED) {
                all.extend(self.values.intern(Datum::Map(Box::new([(key, value)]))));
            }
        }
        all
    }

    /// The labels under which the rules look into a place.
    fn labels(&self, place: &Place) -> Vec<ValueId> {
        let inner = self.flow.places.iter().filter(|other| {
            other.input == place.input
                && other.column == place.column
                && other.path.len() == place.path.len() + 1
                && other.path.starts_with(&place.path)
        });
        let labels = inner.filter_map(|other| match other.path.last() {
            Some(Part::Under(label)) => Some(*label),
            _ => None,
        });
        let mut labels: Vec<ValueId> = labels.collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    fn structs(&mut self, place: &Place, fields: &[mangle_engine::types::StructField]) -> Vec<ValueId> {
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
            longer.truncate(MOST_COMPOSED * 4);
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

/// The kind of a value without parts.
fn kind(datum: &Datum) -> Option<Base> {
    Some(match datum {
        Datum::Name(_) => Base::Name,
        Datum::Number(_) => Base::Number,
        Datum::Float(_) => Base::Float,
        Datum::String(_) => Base::String,
        Datum::Bytes(_) => Base::Bytes,
        Datum::Time(_) => Base::Time,
        Datum::Duration(_) => Base::Duration,
        Datum::Pair(..) | Datum::List(_) | Datum::Map(_) | Datum::Struct(_) => return None,
    })
}

/// An order of values that does not depend on when they were interned.
fn in_order(one: &Datum, other: &Datum) -> std::cmp::Ordering {
    match (one, other) {
        (Datum::Name(one), Datum::Name(other)) | (Datum::String(one), Datum::String(other)) => one.cmp(other),
        (Datum::Number(one), Datum::Number(other))
        | (Datum::Time(one), Datum::Time(other))
        | (Datum::Duration(one), Datum::Duration(other)) => one.cmp(other),
        _ => std::cmp::Ordering::Equal,
    }
}
