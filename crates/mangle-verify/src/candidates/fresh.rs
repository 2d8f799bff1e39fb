//! Fresh values of each kind: values that do not occur in the program.
//!
//! Each fresh value that a place can supply to other places is a seed of these places, by type.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, CompiledProgram, Datum, ValueId, Values};
use mangle_engine::types::{Base, Type};

use super::demands::Demands;
use super::flow::{Flow, Place};
use super::graph::{Comparison, Part};
use super::needs::{FRESH, Groups};
use crate::inputs::InputPredicate;

/// Fresh values by kind.
pub(super) struct Fresh {
    strings: Vec<ValueId>,
    names: Vec<ValueId>,
    numbers: Vec<ValueId>,
    floats: Vec<ValueId>,
    times: Vec<ValueId>,
    durations: Vec<ValueId>,
    bytes: Vec<ValueId>,
}

impl Fresh {
    /// Creates fresh values that occur in no rule and no fact. The strings pass no text test of the
    /// rules.
    #[allow(clippy::cast_precision_loss)] // there are few
    pub(super) fn new(
        compiled: &CompiledProgram,
        values: &mut Values,
        demands: &Demands<'_>,
        clock: Clock,
        count: usize,
    ) -> Self {
        let patterns = patterns(demands, values);
        let is_new = |datum: &Datum| compiled.values.find(datum).is_none();
        let misses = |text: &&String| {
            let passes = |(meeting, pattern): &(Comparison, String)| match meeting {
                Comparison::Prefix => text.starts_with(pattern),
                Comparison::Suffix => text.ends_with(pattern),
                _ => text.contains(pattern),
            };
            !patterns.iter().any(passes)
        };
        let words: Vec<String> =
            ('a'..='z').map(String::from).chain((1..200).map(|at| format!("x{at}"))).collect();
        let strings = words.iter().filter(misses).filter(|text| is_new(&Datum::String(text.as_str().into())));
        let strings: Vec<&String> = strings.take(count).collect();
        let names = words.iter().map(|text| format!("/{text}"));
        let names: Vec<String> =
            names.filter(|name| is_new(&Datum::Name(name.as_str().into()))).take(count).collect();
        let numbers = (1..).filter(|number| is_new(&Datum::Number(*number))).take(count);
        let numbers: Vec<i64> = numbers.collect();
        let upto = 0..i64::try_from(count).unwrap_or(i64::MAX);
        let seconds: Vec<i64> = upto.map(|second| second.saturating_mul(1_000_000_000)).collect();
        let bytes: Vec<&String> =
            words.iter().filter(|word| is_new(&Datum::Bytes(word.as_bytes().into()))).take(count).collect();
        let bytes =
            bytes.into_iter().filter_map(|word| values.intern(Datum::Bytes(word.as_bytes().into())).ok());
        Self {
            bytes: bytes.collect(),
            strings: strings.into_iter().map(|text| values.string(text)).collect(),
            names: names.iter().map(|name| values.name(name)).collect(),
            numbers: numbers.into_iter().map(|number| values.number(number)).collect(),
            floats: (0..count).map(|number| values.float(number as f64 + 0.5)).collect(),
            times: seconds.iter().map(|second| values.time(clock.now_ns.saturating_add(*second))).collect(),
            durations: seconds.iter().map(|second| values.duration(second + 1_000_000_000)).collect(),
        }
    }

    /// Returns at most `count` fresh values of a kind.
    pub(super) fn values(&self, base: Base, count: usize) -> Vec<ValueId> {
        let all = match base {
            Base::String => &self.strings,
            Base::Name => &self.names,
            Base::Number => &self.numbers,
            Base::Float => &self.floats,
            Base::Time => &self.times,
            Base::Duration => &self.durations,
            Base::Bytes => &self.bytes,
        };
        all.iter().copied().take(count).collect()
    }
}

/// Returns the patterns of all text tests.
fn patterns(demands: &Demands<'_>, values: &Values) -> Vec<(Comparison, String)> {
    let mut found = BTreeSet::new();
    for (_, meeting, pattern) in &demands.graph.comparisons {
        if matches!(meeting, Comparison::Prefix | Comparison::Suffix | Comparison::Contains) {
            found.extend(demands.flow.values_at(*pattern).iter().map(|pattern| (*meeting, *pattern)));
        }
    }
    found.extend(demands.tests.iter().flatten().copied());
    let text = |(meeting, value): (Comparison, ValueId)| match values.get(value) {
        Datum::String(text) => Some((meeting, text.to_string())),
        _ => None,
    };
    found.into_iter().filter_map(text).collect()
}

/// Returns the seed values of each group of places.
pub(super) fn seeds(
    needed: &[&InputPredicate],
    flow: &Flow<'_>,
    groups: &Groups,
    fresh: &Fresh,
    values: &mut Values,
) -> Vec<Vec<ValueId>> {
    let mut all: Vec<Vec<ValueId>> = vec![Vec::new(); groups.needs.len()];
    for (number, place) in (0u32..).zip(&flow.places) {
        let Some(group) = groups.group(number) else { continue };
        let kinds = groups.needs.get(group).map(|need| need.kinds.clone()).unwrap_or_default();
        for ty in types(needed, place, values) {
            let found = of_type(&ty, fresh, values, &kinds.iter().copied().collect::<Vec<_>>());
            let Some(known) = all.get_mut(group) else { continue };
            known.extend(found.into_iter().filter(|value| !known.contains(value)).collect::<Vec<_>>());
        }
    }
    all
}

fn types(needed: &[&InputPredicate], place: &Place, values: &Values) -> Vec<Type> {
    let rows = needed.get(usize::from(place.input)).map_or(&[][..], |input| &input.rows);
    let mut types: Vec<Type> =
        rows.iter().filter_map(|row| row.get(usize::from(place.column))).cloned().collect();
    if types.is_empty() {
        // An end of an interval.
        types.push(Type::Base(Base::Time));
    }
    for part in &place.path {
        types = types.iter().flat_map(|ty| part_of(ty, *part, values)).collect();
    }
    types
}

fn part_of(ty: &Type, part: Part, values: &Values) -> Vec<Type> {
    match (ty, part) {
        (Type::Pair(parts), Part::First) => vec![parts.0.clone()],
        (Type::Pair(parts), Part::Second) => vec![parts.1.clone()],
        (Type::List(element), Part::Element) => vec![element.as_ref().clone()],
        (Type::Map(parts), Part::Under(_)) => vec![parts.1.clone()],
        (Type::Struct(fields), Part::Under(label)) => {
            let label = match values.get(label) {
                Datum::Name(label) => label.to_string(),
                _ => return Vec::new(),
            };
            let found = fields.iter().filter(|field| field.label.as_str() == label);
            found.map(|field| field.ty.clone()).collect()
        }
        (Type::Union(members), part) => {
            members.iter().flat_map(|member| part_of(member, part, values)).collect()
        }
        (Type::Any | Type::Variable(_), _) => vec![Type::Any],
        _ => Vec::new(),
    }
}

fn of_type(ty: &Type, fresh: &Fresh, values: &mut Values, kinds: &[Base]) -> Vec<ValueId> {
    match ty {
        Type::Base(base) => fresh.values(*base, FRESH),
        Type::Any | Type::Variable(_) => kinds.iter().flat_map(|base| fresh.values(*base, FRESH)).collect(),
        Type::Prefix(prefix) => {
            ["a", "b", "c"].map(|word| values.name(&format!("{}/{word}", prefix.as_str()))).into()
        }
        Type::Singleton(name) | Type::Literal(name) => vec![values.name(name.as_str())],
        Type::Union(members) => {
            members.iter().flat_map(|member| of_type(member, fresh, values, kinds)).collect()
        }
        // No value conforms to an option. The parts of the other types are separate places.
        Type::Option(_) | Type::List(_) | Type::Pair(_) | Type::Map(_) | Type::Struct(_) => Vec::new(),
    }
}
