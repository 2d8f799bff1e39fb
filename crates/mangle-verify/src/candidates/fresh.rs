//! Values that a program does not mention, three of each kind.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, Compiled, Datum, ValueId, Values};

use super::flow::Flow;
use super::graph::{Graph, Meeting};

/// How many fresh values of a kind there are.
pub(crate) const FRESH: usize = 3;

/// Fresh values by their kind.
pub(super) struct Fresh {
    pub(super) strings: Vec<ValueId>,
    pub(super) names: Vec<ValueId>,
    pub(super) numbers: Vec<ValueId>,
    pub(super) floats: Vec<ValueId>,
    pub(super) times: Vec<ValueId>,
    pub(super) durations: Vec<ValueId>,
}

impl Fresh {
    /// Values that are in no rule and in no fact, and strings that pass none of the tests of the rules.
    pub(super) fn new(
        compiled: &Compiled,
        values: &mut Values,
        graph: &Graph,
        flow: &Flow,
        clock: Clock,
    ) -> Self {
        let patterns = patterns(graph, flow, values);
        let is_new = |datum: &Datum| compiled.values.find(datum).is_none();
        let misses = |text: &&String| {
            let passes = |(meeting, pattern): &(Meeting, String)| match meeting {
                Meeting::Prefix => text.starts_with(pattern),
                Meeting::Suffix => text.ends_with(pattern),
                _ => text.contains(pattern),
            };
            !patterns.iter().any(passes)
        };
        let words: Vec<String> =
            ('a'..='z').map(String::from).chain((1..200).map(|at| format!("x{at}"))).collect();
        let strings = words.iter().filter(misses).filter(|text| is_new(&Datum::String(text.as_str().into())));
        let strings: Vec<&String> = strings.take(FRESH).collect();
        let names = words.iter().map(|text| format!("/{text}"));
        let names: Vec<String> =
            names.filter(|name| is_new(&Datum::Name(name.as_str().into()))).take(FRESH).collect();
        let numbers = (1..).filter(|number| is_new(&Datum::Number(*number))).take(FRESH);
        let numbers: Vec<i64> = numbers.collect();
        let later = (0..3).map(|second: i64| clock.now_ns.saturating_add(second * 1_000_000_000));
        Self {
            strings: strings.into_iter().map(|text| values.string(text)).collect(),
            names: names.iter().map(|name| values.name(name)).collect(),
            numbers: numbers.into_iter().map(|number| values.number(number)).collect(),
            floats: [0.5, 1.5, 2.5].map(|number| values.float(number)).into(),
            times: later.map(|instant| values.time(instant)).collect(),
            durations: [1, 2, 3].map(|second: i64| values.duration(second * 1_000_000_000)).into(),
        }
    }
}

/// The texts that strings are tested with.
fn patterns(graph: &Graph, flow: &Flow, values: &Values) -> Vec<(Meeting, String)> {
    let mut found = BTreeSet::new();
    let mut all = Vec::new();
    for (_, meeting, pattern) in &graph.meetings {
        if !matches!(meeting, Meeting::Prefix | Meeting::Suffix | Meeting::Contains) {
            continue;
        }
        for value in flow.values_at(*pattern) {
            if let Datum::String(text) = values.get(value)
                && found.insert((format!("{meeting:?}"), text.clone()))
            {
                all.push((*meeting, text.to_string()));
            }
        }
    }
    all
}
