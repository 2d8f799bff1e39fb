//! The values that the facts of a world can have: constants that an argument can meet, values around those that it is
//! compared with, texts that pass and that miss each test, and some that the program does not mention.
//!
//! Takes the rules that a question depends on and the types of the input predicates; gives [`Input`]s. The values of a
//! column do not depend on each other, and there are few of them, so that a search over all of them comes to its end.

mod domain;
mod flow;
mod fresh;
mod graph;
mod inverse;
mod meetings;

use std::collections::BTreeSet;

use mangle_engine::kernel::plan::{BEGINNING, END};
use mangle_engine::kernel::{Clock, Compiled, Datum, Model, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_engine::types::Type;

use self::flow::{Flow, Place};
use self::fresh::Fresh;
use self::graph::{Graph, relation_of};
use self::meetings::Findings;
use crate::cone::Cone;
use crate::input::Input;

/// An input predicate and what its declaration says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPredicate {
    /// The predicates that hold a fact of it: one, or one in each of two programs that are compared.
    pub predicates: Vec<PredicateId>,
    /// The types of its arguments, one row for each alternative of its declaration.
    pub rows: Vec<Vec<Type>>,
}

/// What the values are computed from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'s> {
    pub(crate) compiled: &'s Compiled,
    pub(crate) base: Option<&'s Model>,
    pub(crate) cone: &'s Cone,
    pub(crate) clock: Clock,
    /// How many facts a world has at most.
    pub(crate) facts: usize,
}

/// The inputs that a cone needs, with their values.
pub(crate) fn inputs(sources: Sources<'_>, values: &mut Values, predicates: &[InputPredicate]) -> Vec<Input> {
    let Sources { compiled, cone, .. } = sources;
    let needed: Vec<&InputPredicate> = predicates
        .iter()
        .filter(|input| input.predicates.iter().any(|id| cone.needs(relation_of(compiled, *id))))
        .collect();
    let graph = Graph::new(compiled, cone);
    let mut flow = Flow::new(&graph);
    let graph = start(sources, values, graph, &mut flow, &needed);
    flow.follow(&graph, values, sources.clock);
    let fresh = Fresh::new(compiled, values, &graph, &flow, sources.clock);
    let findings = Findings::new(&graph, &flow, values, sources.clock, &fresh);
    let mut domains = domain::Domains { flow: &flow, findings: &findings, fresh: &fresh, values };
    let mut inputs = Vec::new();
    for (number, input) in (0u16..).zip(needed) {
        let is_temporal = input.predicates.iter().any(|id| compiled.is_temporal(*id));
        for row in &input.rows {
            let columns: Vec<Vec<ValueId>> = (0u16..)
                .zip(row)
                .map(|(column, ty)| domains.of(&Place { input: number, column, path: Vec::new() }, ty))
                .collect();
            let predicates = input.predicates.clone();
            if !is_temporal {
                inputs.push(Input { predicates, columns });
                continue;
            }
            let width = u16::try_from(row.len()).unwrap_or(u16::MAX);
            for [start, end] in intervals(&mut domains, number, width, sources.clock) {
                let columns = columns.iter().cloned().chain([vec![start], vec![end]]).collect();
                inputs.push(Input { predicates: predicates.clone(), columns });
            }
        }
    }
    inputs
}

/// Puts the facts of the program and the facts of the world where they begin.
fn start(
    sources: Sources<'_>,
    values: &mut Values,
    mut graph: Graph,
    flow: &mut Flow,
    needed: &[&InputPredicate],
) -> Graph {
    let Sources { compiled, base, cone, facts, .. } = sources;
    let nodes = graph.columns();
    for ((relation, column), node) in &nodes {
        match base.filter(|_| !cone.varies(*relation)).and_then(|base| base.relation(PredicateId(*relation)))
        {
            Some(known) => {
                let of_column = known.tuples().filter_map(|tuple| tuple.get(usize::from(*column)));
                of_column.for_each(|value| flow.add_value(*node, *value));
            }
            None => {
                let own = compiled.facts().iter().filter(|fact| compiled.entry(fact.predicate) == *relation);
                let of_column = own.filter_map(|fact| fact.tuple.get(usize::from(*column)));
                of_column.for_each(|value| flow.add_value(*node, *value));
            }
        }
    }
    for (number, input) in (0u16..).zip(needed) {
        for predicate in &input.predicates {
            let relation = relation_of(compiled, *predicate);
            for ((_, column), node) in nodes.iter().filter(|((of, _), _)| *of == relation) {
                let place = flow.place(Place { input: number, column: *column, path: Vec::new() });
                flow.add_origin(*node, place);
            }
        }
    }
    for node in std::mem::take(&mut graph.counts) {
        for count in 1..=i64::try_from(facts).unwrap_or(i64::MAX) {
            let count = values.number(count);
            flow.add_value(node, count);
        }
    }
    graph
}

/// The intervals in which a temporal fact can hold.
fn intervals(domains: &mut domain::Domains<'_>, input: u16, width: u16, clock: Clock) -> Vec<[ValueId; 2]> {
    let place = |column| Place { input, column, path: Vec::new() };
    let mut ends: BTreeSet<i64> = [BEGINNING, END, clock.now_ns].into();
    for column in [width, width.saturating_add(1)] {
        for value in domains.found(&place(column)) {
            if let Datum::Time(instant) = domains.values.get(value) {
                ends.insert(*instant);
            }
        }
    }
    let ends: Vec<i64> = ends.into_iter().take(8).collect();
    let pairs = ends.iter().flat_map(|start| ends.iter().map(move |end| [*start, *end]));
    let pairs = pairs.filter(|[start, end]| start <= end && *start != END && *end != BEGINNING);
    pairs.map(|pair| pair.map(|end| domains.values.time(end))).collect()
}
