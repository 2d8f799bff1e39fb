//! A certificate that the values of worlds are complete for a question: every world over all values has an equivalent one over
//! these. Where it fails, the reasons.
//!
//! The analysis reads the plans that a question depends on, independently of the lists of [`crate::candidates`], and collects every
//! operation on the values of each input column. Columns between which values flow or are compared form a *sort*. If all
//! operations on a sort are among the following, exchanging its values for others keeps the outcome of every operation:
//!
//! - Comparisons for equality, grouping and counting: any exchange of values that are not constants. A world of `N` facts holds
//!   at most `N` times the columns of the sort, so as many values suffice.
//! - Comparisons by order: any exchange that keeps the order. As many values as a world holds suffice in each gap between constants.
//! - Conditions that a finite automaton decides on the text of one value: values are exchanged only for values with the same
//!   outcomes.
//! - Taking pairs, lists, structs and maps apart to a bounded depth: exchanges of the parts.
//!
//! Every other operation is a [`Reason`] for an incomplete answer.

mod condition;
mod conform;
mod dataflow;
mod generate;
mod numbers;
mod operations;
mod reason;
mod rules;
mod sorts;
mod words;

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, Compiled, Model, ValueId, Values};
use mangle_engine::types::Type;

pub(crate) use self::conform::conforms;
use self::generate::{Generator, WordMemo};
pub use self::reason::Reason;
use self::rules::Reader;
use self::sorts::{Gap, SortId, Sorts};
use crate::budget::Budget;
use crate::candidates::InputPredicate;
use crate::cone::Cone;
use crate::input::Input;

/// The program and the facts that the analysis reads.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'s> {
    pub(crate) compiled: &'s Compiled,
    /// The facts that follow from the program alone, if its evaluation ended.
    pub(crate) base: Option<&'s Model>,
    pub(crate) cone: &'s Cone,
    pub(crate) clock: Clock,
}

/// An input that the question depends on.
struct NeededInput {
    predicate: InputPredicate,
    /// The name and the number of arguments.
    name: String,
    /// The sort of each column.
    columns: Vec<SortId>,
    is_temporal: bool,
}

/// The operations on the values of the inputs of a question.
pub(crate) struct Analysis {
    sorts: Sorts,
    inputs: Vec<NeededInput>,
    clock: Clock,
    is_unfinished: bool,
    words: WordMemo,
}

/// The values of the inputs for worlds of one size.
#[derive(Debug, Clone, Default)]
pub(crate) struct Certificate {
    pub(crate) inputs: Vec<Input>,
    /// Values of each group are exchangeable; a world uses them in this order.
    pub(crate) groups: Vec<Vec<ValueId>>,
    /// Why the values are not complete. Empty if every world of the size has an equivalent one over them.
    pub(crate) reasons: BTreeSet<Reason>,
}

impl Analysis {
    /// Reads the rules that a question depends on.
    pub(crate) fn new(
        subject: Subject<'_>,
        values: &mut Values,
        inputs: &[InputPredicate],
        budget: &Budget,
    ) -> Self {
        let Subject { compiled, base, cone, clock } = subject;
        let mut reader = Reader { compiled, base, cone, clock, values, flow: dataflow::Dataflow::default() };
        reader.read();
        let mut flow = reader.flow;
        let needed =
            inputs.iter().filter(|input| input.predicates.iter().any(|id| cone.needs(compiled.entry(*id))));
        let needed: Vec<&InputPredicate> = needed.collect();
        let mut nodes: Vec<Vec<dataflow::Node>> = Vec::new();
        for (number, input) in needed.iter().enumerate() {
            let width = input.rows.first().map_or(0, Vec::len);
            let mut columns = Vec::new();
            for column in 0..u16::try_from(width).unwrap_or(u16::MAX) {
                for predicate in &input.predicates {
                    let node = flow.column(compiled.entry(*predicate), column).0;
                    flow.add_place(number, column, node);
                    // Two programs that are compared hold the same fact.
                    if let Some(first) = columns.get(usize::from(column)) {
                        flow.operations.push(dataflow::Operation::Flow(*first, node));
                    } else {
                        columns.push(node);
                    }
                }
            }
            let is_temporal = input.predicates.iter().any(|id| compiled.is_temporal(*id));
            if is_temporal {
                for predicate in &input.predicates {
                    let width = u16::try_from(width).unwrap_or(u16::MAX);
                    for column in [width, width.saturating_add(1)] {
                        let node = flow.column(compiled.entry(*predicate), column).0;
                        flow.add_place(number, column, node);
                    }
                }
            }
            nodes.push(columns);
        }
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

    /// The values for worlds of `size` facts. `tried` holds further values, which are used where the analysis is incomplete.
    pub(crate) fn certificate(
        &self,
        compiled: &Compiled,
        values: &mut Values,
        size: usize,
        tried: &[Input],
        budget: &Budget,
    ) -> Certificate {
        let mut generator =
            Generator::new(&self.sorts, compiled, values, self.clock, size, &self.words, budget);
        for input in &self.inputs {
            for row in &input.predicate.rows {
                let row: Vec<(SortId, &Type)> = input.columns.iter().copied().zip(row).collect();
                generator.add_row(&row);
            }
        }
        let mut columns: Vec<Vec<Vec<Vec<ValueId>>>> = Vec::new();
        for input in &self.inputs {
            let mut rows = Vec::new();
            for row in &input.predicate.rows {
                rows.push(
                    input
                        .columns
                        .iter()
                        .zip(row)
                        .map(|(sort, ty)| generator.column(*sort, ty))
                        .collect::<Vec<_>>(),
                );
            }
            columns.push(rows);
        }
        let exchangeable: Vec<(SortId, Vec<ValueId>)> =
            generator.exchangeable().map(|group| (group.sort, group.values.clone())).collect();
        let gaps: BTreeSet<Gap> = self.sorts.gaps.union(&generator.gaps).cloned().collect();
        let mut certificate = Certificate::default();
        let incomplete: BTreeSet<SortId> =
            gaps.iter().flat_map(|gap| &gap.sorts).map(|sort| self.sorts.root(*sort)).collect();
        for (input, rows) in self.inputs.iter().zip(columns) {
            let of_predicate = tried.iter().filter(|one| one.predicates == input.predicate.predicates);
            let mut of_predicate = of_predicate.cloned();
            if input.is_temporal {
                certificate.inputs.extend(of_predicate);
                continue;
            }
            for row in rows {
                let others = of_predicate.next();
                let mut made = Input {
                    predicates: input.predicate.predicates.clone(),
                    columns: Vec::new(),
                    groups: Vec::new(),
                };
                for (at, (mut column, sort)) in row.into_iter().zip(&input.columns).enumerate() {
                    let sort = self.sorts.root(*sort);
                    let mut groups = Vec::new();
                    if self.reaches(sort, &incomplete) {
                        let more = others.as_ref().and_then(|others| others.columns.get(at));
                        column = merged(more, column);
                    } else {
                        for (of, group) in &exchangeable {
                            if *of == sort && group.iter().all(|value| column.contains(value)) {
                                let known = certificate.groups.iter().position(|known| known == group);
                                groups.push(known.unwrap_or_else(|| {
                                    certificate.groups.push(group.clone());
                                    certificate.groups.len() - 1
                                }));
                            }
                        }
                    }
                    made.columns.push(column);
                    made.groups.push(groups);
                }
                certificate.inputs.push(made);
            }
        }
        certificate.reasons = self.reasons(&gaps, &certificate.inputs);
        certificate
    }

    /// True if the analysis alone shows that values are missing.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_unfinished || !self.sorts.gaps.is_empty() || self.inputs.iter().any(|input| input.is_temporal)
    }

    /// True if a sort or a part of it is among some others.
    fn reaches(&self, sort: SortId, others: &BTreeSet<SortId>) -> bool {
        let mut seen = BTreeSet::new();
        let mut pending = vec![self.sorts.root(sort)];
        while let Some(sort) = pending.pop() {
            if !seen.insert(sort) {
                continue;
            }
            if others.contains(&sort) || self.sorts.get(sort).is_incomplete {
                return true;
            }
            pending.extend(self.sorts.get(sort).parts.values().map(|part| self.sorts.root(*part)));
        }
        false
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
                    let is_touched = {
                        let mut seen = BTreeSet::new();
                        let mut pending = vec![self.sorts.root(*sort)];
                        let mut found = false;
                        while let Some(sort) = pending.pop() {
                            found |= sorts.contains(&sort);
                            if seen.insert(sort) {
                                pending.extend(
                                    self.sorts.get(sort).parts.values().map(|part| self.sorts.root(*part)),
                                );
                            }
                        }
                        found
                    };
                    if is_touched {
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

/// The most values that the analysis adds to the values of a column that it cannot complete.
const MAX_MORE: usize = 80;

/// The values of both lists.
fn merged(tried: Option<&Vec<ValueId>>, analyzed: Vec<ValueId>) -> Vec<ValueId> {
    let Some(tried) = tried else { return analyzed };
    let mut all = tried.clone();
    let more: Vec<ValueId> =
        analyzed.into_iter().filter(|value| !tried.contains(value)).take(MAX_MORE).collect();
    all.extend(more);
    all
}
