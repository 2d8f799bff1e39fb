//! Candidate values of the facts of a world.
//!
//! The candidates are constants from comparisons, values next to bounds, texts that pass or fail
//! each test, and fresh values. The inputs are the rules that a question depends on and the types
//! of the input predicates; the results are [`Input`]s. The values of each column are independent
//! and few, so that a search over all of them terminates.

mod comparisons;
mod demands;
mod domain;
mod flow;
mod fresh;
mod graph;
mod inverse;
mod needs;
mod rules;
mod texts;
mod world_values;

use mangle_engine::kernel::plan::{BEGINNING, Bound, END};
use mangle_engine::kernel::{Clock, CompiledProgram, Model, ValueId, Values};
use mangle_engine::program::PredicateId;

use crate::cone::Cone;
use crate::inputs::{Input, InputPredicate};
use crate::obstacle::Budget;
use comparisons::AllComparisons;
use demands::Demands;
use domain::{Domains, intervals};
use flow::{Edges, Flow, Place, Truncations};
use fresh::Fresh;
use graph::{Comparison, Graph, relation_of};
use needs::Groups;
use world_values::WorldValues;

/// The data for computing the values.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'s> {
    pub(crate) compiled: &'s CompiledProgram,
    pub(crate) base: Option<&'s Model>,
    pub(crate) cone: &'s Cone,
    pub(crate) clock: Clock,
    /// The maximum number of facts of a world.
    pub(crate) facts: usize,
    pub(crate) budget: &'s Budget,
}

/// The candidate values of the inputs.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) inputs: Vec<Input>,
    /// The reason for the first truncated list of values, if any.
    pub(crate) truncation: Option<&'static str>,
}

/// The number of rounds that propagate values between places.
const ROUNDS: usize = 4;

/// Returns the inputs that a cone needs, with their values.
pub(crate) fn inputs(sources: Sources<'_>, values: &mut Values, predicates: &[InputPredicate]) -> Candidates {
    let Sources { compiled, cone, clock, facts, .. } = sources;
    let needed: Vec<&InputPredicate> = predicates
        .iter()
        .filter(|input| input.predicates.iter().any(|id| cone.needs(relation_of(compiled, *id))))
        .collect();
    let cuts = Truncations::new(sources.budget);
    let mut graph = rules::graph(compiled, cone);
    bounds(&mut graph, values, clock);
    let mut flow = Flow::new(&graph, &cuts);
    let graph = start(sources, values, graph, &mut flow, &needed);
    flow.follow(&graph, values, clock);
    let edges = Edges::new(&graph, &flow);
    let groups = Groups::new(&graph, &flow, &needs::needs(&graph, &edges, facts), facts);
    let mut demands = Demands::new(&graph, &flow, &edges, values, clock);
    let most = groups.needs.iter().map(|need| need.distinct).max().unwrap_or(0).max(needs::FRESH);
    let fresh = Fresh::new(compiled, values, &demands, clock, most);
    let seeds = fresh::seeds(&needed, &flow, &groups, &fresh, values);
    let mut world = WorldValues::new(&groups, seeds.clone(), graph.constants.len());
    for round in 0..ROUNDS {
        demands.follow(values, &world);
        if cuts.is_over(values) || (!world.update(&demands, values, clock) && round > 0) {
            break;
        }
        world.cross(&mut demands, values);
    }
    let findings = AllComparisons::new(&demands, &groups, &world, &seeds, values);
    let mut domains = Domains { flow: &flow, findings: &findings, fresh: &fresh, values };
    let inputs = columns(&mut domains, compiled, &needed, clock);
    Candidates { inputs, truncation: cuts.first() }
}

/// Returns the values of the columns of each input.
fn columns(
    domains: &mut Domains<'_>,
    compiled: &CompiledProgram,
    needed: &[&InputPredicate],
    clock: Clock,
) -> Vec<Input> {
    let mut inputs = Vec::new();
    for (number, input) in (0u16..).zip(needed) {
        let is_temporal = input.predicates.iter().any(|id| compiled.is_temporal(*id));
        for row in &input.rows {
            let columns: Vec<Vec<ValueId>> = (0u16..)
                .zip(row)
                .map(|(column, ty)| domains.values(&Place { input: number, column, path: Vec::new() }, ty))
                .collect();
            let predicates = input.predicates.clone();
            if !is_temporal {
                let groups = vec![Vec::new(); columns.len()];
                inputs.push(Input { predicates, columns, groups });
                continue;
            }
            let width = u16::try_from(row.len()).unwrap_or(u16::MAX);
            for [start, end] in intervals(domains, number, width, clock) {
                let columns: Vec<Vec<ValueId>> =
                    columns.iter().cloned().chain([vec![start], vec![end]]).collect();
                let groups = vec![Vec::new(); columns.len()];
                inputs.push(Input { predicates: predicates.clone(), columns, groups });
            }
        }
    }
    inputs
}

/// Adds comparisons of interval ends with the instants in the program.
fn bounds(graph: &mut Graph, values: &mut Values, clock: Clock) {
    for (ends, bound) in std::mem::take(&mut graph.instants) {
        let instant = match bound {
            Bound::Instant(BEGINNING | END) | Bound::Value(_) | Bound::Stored(_) => continue,
            Bound::Instant(instant) => instant,
            Bound::Ago(length) => clock.now_ns.saturating_sub(length),
        };
        let instant = values.time(instant);
        let instant = graph.constant(instant);
        graph.comparisons.extend(ends.map(|end| (end, Comparison::Order, instant)));
    }
}

/// Adds the facts of the program and of the world at their columns.
fn start(
    sources: Sources<'_>,
    values: &mut Values,
    mut graph: Graph,
    flow: &mut Flow<'_>,
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
