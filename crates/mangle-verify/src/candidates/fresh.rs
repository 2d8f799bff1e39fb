//! Fresh values of each kind: values that do not occur in the program.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, CompiledProgram, Datum, ValueId, Values};
use mangle_engine::types::Base;

use super::demands::Demands;
use super::graph::Comparison;

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
