//! The completeness analysis of input values for a question.
//!
//! A certificate proves that every world over all values has an equivalent world over the generated
//! values. If the proof fails, it contains the reasons.
//!
//! The analysis reads the plans that a question depends on, independently of [`crate::candidates`].
//! The result contains every operation on the values of each input column. Columns form a *sort* if
//! values flow between them or are compared.
//!
//! An exchange of values keeps the outcome of every operation if all operations on the sort are
//! among the following:
//!
//! - Equality comparisons, grouping and counting: any exchange of values that are not constants. A
//!   world of `N` facts holds at most `N` times the columns of the sort, so as many values suffice.
//! - Order comparisons: any exchange that keeps the order. As many values as a world holds suffice
//!   in each gap between constants.
//! - Conditions on the text of one value that a finite automaton decides: exchanges of values with
//!   the same outcomes.
//! - Extraction of parts of pairs, lists, structs and maps up to a bounded depth: exchanges of the
//!   parts.
//!
//! Every other operation is a [`Reason`] for an incomplete answer.

mod condition;
mod dataflow;
mod generate;
mod numbers;
mod observed;
mod operations;
mod rules;
mod sorts;
mod words;

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, CompiledProgram, Model, ValueId, Values};
use mangle_engine::types::Type;

use crate::cone::Cone;
use crate::inputs::{Input, InputPredicate};
use crate::obstacle::Budget;
use dataflow::{Dataflow, Node, Operation};
use generate::{Generator, Group, WordMemo};
use observed::Observation;
use rules::Reader;
use sorts::{Gap, SortId, Sorts};

pub use crate::obstacle::Reason;

/// The program and facts that the analysis reads.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'s> {
    pub(crate) compiled: &'s CompiledProgram,
    /// The facts of the program alone, if its evaluation ended.
    pub(crate) base: Option<&'s Model>,
    pub(crate) cone: &'s Cone,
    pub(crate) clock: Clock,
}

/// An input that the question depends on.
struct NeededInput {
    predicate: InputPredicate,
    /// The name and arity.
    name: String,
    /// The sort of each column.
    columns: Vec<SortId>,
    is_temporal: bool,
}

/// The operations on the input values of a question.
pub(crate) struct Analysis {
    sorts: Sorts,
    inputs: Vec<NeededInput>,
    clock: Clock,
    is_unfinished: bool,
    words: WordMemo,
}

/// The input values for worlds of one size.
#[derive(Debug, Clone, Default)]
pub(crate) struct Certificate {
    pub(crate) inputs: Vec<Input>,
    /// Groups of exchangeable values, in the order of their use in a world.
    pub(crate) groups: Vec<Vec<ValueId>>,
    /// The reasons for incomplete values. Empty if every world of the size has an equivalent world
    /// over them.
    pub(crate) reasons: BTreeSet<Reason>,
}

impl Certificate {
    /// Returns the numbers of the groups of exchangeable values in a column. New groups are added.
    fn groups_of(&mut self, sort: SortId, column: &[ValueId], exchangeable: &[Group]) -> Vec<usize> {
        let of_column = exchangeable
            .iter()
            .filter(|group| group.sort == sort && group.values.iter().all(|value| column.contains(value)));
        let mut numbers = Vec::new();
        for group in of_column {
            let known = self.groups.iter().position(|known| *known == group.values);
            numbers.push(known.unwrap_or_else(|| {
                self.groups.push(group.values.clone());
                self.groups.len() - 1
            }));
        }
        numbers
    }
}

impl Analysis {
    /// Analyzes the rules that a question depends on.
    pub(crate) fn new(
        subject: Subject<'_>,
        values: &mut Values,
        inputs: &[InputPredicate],
        budget: &Budget,
    ) -> Self {
        let Subject { compiled, base, cone, clock } = subject;
        let is_open = |relation| cone.needs(relation) && (base.is_none() || cone.varies(relation));
        let observation = Observation::new(compiled, is_open);
        let flow = Dataflow::default();
        let mut reader = Reader { compiled, base, cone, clock, values, flow, observation };
        reader.read();
        let mut flow = reader.flow;
        let needed =
            inputs.iter().filter(|input| input.predicates.iter().any(|id| cone.needs(compiled.entry(*id))));
        let needed: Vec<&InputPredicate> = needed.collect();
        let nodes: Vec<Vec<Node>> = needed
            .iter()
            .enumerate()
            .map(|(number, input)| add_columns(&mut flow, compiled, number, input))
            .collect();
        let is_done = flow.follow(values, clock, budget);
        let mut sorts = Sorts::new(&flow, values);
        let inputs = needed
            .into_iter()
            .zip(nodes)
            .map(|(input, nodes)| {
                let predicate = input.predicates.first();
                let name = predicate.map(|id| compiled.name(*id).to_string()).unwrap_or_default();
                let name = crate::program_pair::with_own_names(&format!("{name}/{}", nodes.len()));
                NeededInput {
                    predicate: input.clone(),
                    name,
                    columns: nodes.into_iter().map(|node| sorts.sort(node)).collect(),
                    is_temporal: input.predicates.iter().any(|id| compiled.is_temporal(*id)),
                }
            })
            .collect();
        Self { sorts, inputs, clock, is_unfinished: !is_done, words: WordMemo::default() }
    }

    /// Generates the values for worlds of `size` facts. `tried` contains additional values for
    /// incomplete columns.
    pub(crate) fn certificate(
        &self,
        compiled: &CompiledProgram,
        values: &mut Values,
        size: usize,
        tried: &[Input],
        budget: &Budget,
    ) -> Certificate {
        let mut generator =
            Generator::new(&self.sorts, compiled, values, self.clock, size, &self.words, budget);
        let columns = self.columns(&mut generator);
        let exchangeable: Vec<Group> = generator.exchangeable().cloned().collect();
        let gaps: BTreeSet<Gap> = self.sorts.gaps.union(&generator.gaps).cloned().collect();
        let incomplete: BTreeSet<SortId> =
            gaps.iter().flat_map(|gap| &gap.sorts).map(|sort| self.sorts.root(*sort)).collect();
        let mut certificate = Certificate::default();
        for (input, rows) in self.inputs.iter().zip(columns) {
            let mut of_predicate = tried.iter().filter(|one| one.predicates == input.predicate.predicates);
            if input.is_temporal {
                certificate.inputs.extend(of_predicate.cloned());
                continue;
            }
            for row in rows {
                let others = of_predicate.next();
                let mut groups_of =
                    |sort: SortId, column: &[ValueId]| certificate.groups_of(sort, column, &exchangeable);
                let made = self.certified_input(input, row, others, &incomplete, &mut groups_of);
                certificate.inputs.push(made);
            }
        }
        certificate.reasons = self.reasons(&gaps, &certificate.inputs);
        certificate
    }

    /// Returns an input with the values of its columns. Incomplete columns also have the values of
    /// `tried`.
    fn certified_input(
        &self,
        input: &NeededInput,
        row: Vec<Vec<ValueId>>,
        tried: Option<&Input>,
        incomplete: &BTreeSet<SortId>,
        groups_of: &mut dyn FnMut(SortId, &[ValueId]) -> Vec<usize>,
    ) -> Input {
        let predicates = input.predicate.predicates.clone();
        let mut made = Input { predicates, columns: Vec::new(), groups: Vec::new() };
        for (at, (column, sort)) in row.into_iter().zip(&input.columns).enumerate() {
            if self.reaches(*sort, incomplete) {
                let more = tried.and_then(|tried| tried.columns.get(at));
                made.columns.push(merged(more, column));
                made.groups.push(Vec::new());
            } else {
                made.groups.push(groups_of(self.sorts.root(*sort), &column));
                made.columns.push(column);
            }
        }
        made
    }

    /// Returns the values of each column, for each input and each alternative of its declaration.
    fn columns(&self, generator: &mut Generator<'_>) -> Vec<Vec<Vec<Vec<ValueId>>>> {
        let typed = |input: &NeededInput| -> Vec<Vec<(SortId, Type)>> {
            let rows = input.predicate.rows.iter();
            rows.map(|row| input.columns.iter().copied().zip(row.iter().cloned()).collect()).collect()
        };
        let inputs: Vec<Vec<Vec<(SortId, Type)>>> = self.inputs.iter().map(typed).collect();
        inputs.iter().flatten().for_each(|row| generator.add_row(row));
        let mut column = |(sort, ty): &(SortId, Type)| generator.column(*sort, ty);
        inputs
            .iter()
            .map(|rows| rows.iter().map(|row| row.iter().map(&mut column).collect()).collect())
            .collect()
    }

    /// True if the analysis alone shows that values are missing.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_unfinished || !self.sorts.gaps.is_empty() || self.inputs.iter().any(|input| input.is_temporal)
    }

    /// True if a sort or one of its parts is in `others`, or has an operation that is not
    /// described.
    fn reaches(&self, sort: SortId, others: &BTreeSet<SortId>) -> bool {
        let all = self.sorts.with_parts(sort);
        all.iter().any(|sort| others.contains(sort) || self.sorts.get(*sort).is_incomplete)
    }

    fn reasons(&self, gaps: &BTreeSet<Gap>, made: &[Input]) -> BTreeSet<Reason> {
        let tried = |input: &NeededInput, column: usize| {
            let of_input = made.iter().filter(|one| one.predicates == input.predicate.predicates);
            of_input.filter_map(|one| one.columns.get(column)).map(Vec::len).max().unwrap_or(0)
        };
        let mut reasons = BTreeSet::new();
        for gap in gaps {
            let sorts: BTreeSet<SortId> = gap.sorts.iter().map(|sort| self.sorts.root(*sort)).collect();
            let mut reason = Reason { operation: gap.operation.clone(), inputs: Vec::new(), tried: 0 };
            for input in &self.inputs {
                for (column, sort) in input.columns.iter().enumerate() {
                    if !self.sorts.with_parts(*sort).is_disjoint(&sorts) {
                        if !reason.inputs.contains(&input.name) {
                            reason.inputs.push(input.name.clone());
                        }
                        reason.tried = reason.tried.max(tried(input, column));
                    }
                }
            }
            reasons.insert(reason);
        }
        for input in self.inputs.iter().filter(|input| input.is_temporal) {
            reasons.insert(Reason {
                operation: "intervals".to_owned(),
                inputs: vec![input.name.clone()],
                tried: made.iter().filter(|one| one.predicates == input.predicate.predicates).count(),
            });
        }
        if self.is_unfinished {
            reasons.insert(Reason {
                operation: "the time ended while the rules were analyzed".to_owned(),
                inputs: Vec::new(),
                tried: 0,
            });
        }
        reasons
    }
}

/// Adds the columns of an input. Returns the node of each argument.
fn add_columns(
    flow: &mut Dataflow,
    compiled: &CompiledProgram,
    number: usize,
    input: &InputPredicate,
) -> Vec<Node> {
    let width = u16::try_from(input.rows.first().map_or(0, Vec::len)).unwrap_or(u16::MAX);
    let is_temporal = input.predicates.iter().any(|id| compiled.is_temporal(*id));
    let ends = if is_temporal { 2 } else { 0 };
    let mut columns = Vec::new();
    for column in 0..width.saturating_add(ends) {
        for predicate in &input.predicates {
            let node = flow.column(compiled.entry(*predicate), column).0;
            flow.add_place(number, column, node);
            if column >= width {
                continue;
            }
            // Two compared programs share the fact.
            if let Some(first) = columns.get(usize::from(column)) {
                flow.operations.push(Operation::Flow(*first, node));
            } else {
                columns.push(node);
            }
        }
    }
    columns
}

/// The maximum number of values that the analysis adds to an incomplete column.
const MAX_MORE: usize = 80;

/// Returns the union of both lists.
fn merged(tried: Option<&Vec<ValueId>>, analyzed: Vec<ValueId>) -> Vec<ValueId> {
    let Some(tried) = tried else { return analyzed };
    let mut all = tried.clone();
    let more: Vec<ValueId> =
        analyzed.into_iter().filter(|value| !tried.contains(value)).take(MAX_MORE).collect();
    all.extend(more);
    all
}
