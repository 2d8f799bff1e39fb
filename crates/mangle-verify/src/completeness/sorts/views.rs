//! Conversion of conditions on function results to conditions on arguments.
//!
//! Arithmetic functions of one unknown integer become computation steps.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Datum, ValueId, Values};
use mangle_engine::types::Base;

use super::{CIRCLE, Computation, SortId, Sorts, numbers};
use crate::completeness::condition::{Condition, MAX_TEXT};
use crate::completeness::dataflow::{Dataflow, Node, Part};
use crate::completeness::numbers::{Chain, NumberStep};
use crate::completeness::operations::function_words;

struct Resolving<'r> {
    flow: &'r Dataflow,
    computations: &'r [Computation],
    done: BTreeSet<SortId>,
    open: Vec<SortId>,
}

impl Sorts {
    /// Resolves the results of all computations.
    pub(super) fn resolve_all(&mut self, flow: &Dataflow, values: &Values, computations: &[Computation]) {
        let mut resolving = Resolving { flow, computations, done: BTreeSet::new(), open: Vec::new() };
        for computation in computations {
            let sort = self.sort(computation.result);
            self.resolve(values, &mut resolving, sort);
        }
    }

    /// Converts the conditions on the results of functions to conditions on their arguments.
    fn resolve(&mut self, values: &Values, resolving: &mut Resolving<'_>, sort: SortId) {
        let sort = self.root(sort);
        if resolving.open.contains(&sort) {
            return self.gap(CIRCLE, &[sort]);
        }
        if !resolving.done.insert(sort) {
            return;
        }
        resolving.open.push(sort);
        // Functions of the values of this sort are resolved first.
        let computations = resolving.computations;
        for computation in computations {
            let is_argument =
                computation.args.iter().any(|arg| resolving.flow.varies(*arg) && self.sort(*arg) == sort);
            if is_argument {
                let result = self.sort(computation.result);
                self.resolve(values, resolving, result);
            }
        }
        for number in self.get(sort).sources.clone() {
            if let Some(computation) = computations.get(number) {
                self.view(values, resolving, computation);
            }
        }
        resolving.open.pop();
    }

    fn view(&mut self, values: &Values, resolving: &mut Resolving<'_>, computation: &Computation) {
        let name = computation.function.name();
        let varying: Vec<Node> =
            computation.args.iter().copied().filter(|arg| resolving.flow.varies(*arg)).collect();
        let result = self.sort(computation.result);
        let mut sorts: Vec<SortId> = varying.iter().map(|arg| self.sort(*arg)).collect();
        sorts.push(result);
        let words = || function_words(name, computation.args.len());
        let [argument] = varying.as_slice() else { return self.gap(words(), &sorts) };
        let argument = self.sort(*argument);
        match name {
            "list:len" => {}
            "name:list" => self.name_list(values, resolving, argument, result),
            "plus" | "minus" | "mult" | "div" | "mod" => {
                let Some(chains) = self.chains(values, resolving.flow, computation, result) else {
                    return self.gap(words(), &sorts);
                };
                self.at(argument).chains.extend(chains);
            }
            "name:root" | "name:tip" | "name:to_string" | "number:to_string" | "string:concat" => {
                match self.text_conditions(values, resolving.flow, computation, result) {
                    Ok(conditions) => self.at(argument).conditions.extend(conditions),
                    Err(operation) => self.gap(operation, &sorts),
                }
            }
            _ => self.gap(words(), &sorts),
        }
    }

    /// Returns the computations of an arithmetic function, extended by the computations of its
    /// result. `None` if they are unsupported.
    fn chains(
        &self,
        values: &Values,
        flow: &Dataflow,
        computation: &Computation,
        result: SortId,
    ) -> Option<Vec<Chain>> {
        let steps = number_steps(flow, values, computation)?;
        let known = self.get(result);
        let is_free = known.is_only_computed()
            && known.conditions.is_empty()
            && known.orders.iter().all(|base| *base == Base::Number);
        if !is_free {
            return None;
        }
        let own = Chain { steps: Vec::new(), constants: numbers(values, &known.constants) };
        let behind: Vec<&Chain> = known.chains.iter().chain([&own]).collect();
        let with = |steps: &[_], chain: &Chain| Chain {
            steps: steps.iter().chain(&chain.steps).copied().collect(),
            constants: chain.constants.clone(),
        };
        Some(steps.iter().flat_map(|steps| behind.iter().map(|chain| with(steps, chain))).collect())
    }

    /// Returns the conditions on the text of the only world-dependent argument of a function, or
    /// the unsupported operation.
    fn text_conditions(
        &self,
        values: &Values,
        flow: &Dataflow,
        computation: &Computation,
        result: SortId,
    ) -> Result<Vec<(Base, Condition)>, String> {
        let name = computation.function.name();
        let Some(conditions) = self.conditions(values, result) else {
            return Err(match name {
                "string:concat" => "comparisons of concatenations with other values".to_owned(),
                _ => format!("comparisons of `fn:{name}` with other values"),
            });
        };
        if name == "string:concat" {
            return concatenations(flow, values, computation, &conditions)
                .ok_or_else(|| "concatenations with many constants".to_owned());
        }
        let of_argument = |condition: Condition| match name {
            "name:root" => (Base::Name, Condition::Root(Box::new(condition))),
            "name:tip" => (Base::Name, Condition::Tip(Box::new(condition))),
            "number:to_string" => (Base::Number, condition),
            _ => (Base::Name, condition),
        };
        Ok(conditions.into_iter().map(|(_, condition)| of_argument(condition)).collect())
    }

    /// Returns all conditions on the text of a computed value. `None` if values of the sort are
    /// also compared with each other.
    fn conditions(&self, values: &Values, sort: SortId) -> Option<Vec<(Base, Condition)>> {
        let known = self.get(sort);
        if !known.is_only_computed() || !known.orders.is_empty() || !known.chains.is_empty() {
            return None;
        }
        let mut all: Vec<(Base, Condition)> = known.conditions.iter().cloned().collect();
        for constant in &known.constants {
            match values.get(*constant) {
                Datum::String(text) if text.len() <= MAX_TEXT => {
                    all.push((Base::String, Condition::Equals(text.as_ref().into())));
                }
                Datum::Name(text) if text.len() <= MAX_TEXT => {
                    all.push((Base::Name, Condition::Equals(text.as_ref().into())));
                }
                Datum::String(_) | Datum::Name(_) => return None,
                _ => {}
            }
        }
        Some(all)
    }

    /// Converts conditions on the elements and length of a name's list of parts to conditions on
    /// the name.
    fn name_list(&mut self, values: &Values, resolving: &mut Resolving<'_>, argument: SortId, list: SortId) {
        let known = self.get(list);
        let is_free = known.places.is_empty() && !known.is_joined && known.constants.is_empty();
        let (Some(depth), true) = (self.tails(list), is_free) else {
            return self.gap("lists of the parts of names", &[argument, list]);
        };
        let mut tails = vec![self.root(list)];
        while let Some(tail) = tails.last().and_then(|last| self.get(*last).parts.get(&Part::Tail).copied()) {
            tails.push(self.root(tail));
        }
        let are_free = tails.iter().skip(1).all(|tail| {
            let known = self.get(*tail);
            known.places.is_empty() && !known.is_joined
        });
        let element = self.get(list).parts.get(&Part::Element).copied();
        if let Some(element) = element {
            self.resolve(values, resolving, element);
        }
        let conditions = match element {
            Some(element) => self.conditions(values, element),
            None => Some(Vec::new()),
        };
        let Some(conditions) = conditions.filter(|_| are_free) else {
            return self.gap("parts of names", &[argument, list]);
        };
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        let argument = self.at(argument);
        for at in 0..=depth {
            argument.conditions.insert((Base::Name, Condition::Parts(at + 1)));
            for (_, condition) in &conditions {
                let part = Condition::Part(at, Box::new(condition.clone()));
                argument.conditions.insert((Base::Name, part));
            }
        }
    }
}

/// Returns the conditions on the only world-dependent argument of a concatenation.
fn concatenations(
    flow: &Dataflow,
    values: &Values,
    computation: &Computation,
    conditions: &[(Base, Condition)],
) -> Option<Vec<(Base, Condition)>> {
    let (at, combinations) = computation.constants(flow)?;
    let text = |value: &ValueId| match values.get(*value) {
        Datum::String(text) | Datum::Name(text) => Some(text.to_string()),
        Datum::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let mut all = Vec::new();
    for constants in combinations {
        // Values of other kinds stop the evaluation.
        let Some(texts) = constants.iter().map(text).collect::<Option<Vec<String>>>() else { continue };
        let (before, after) = texts.split_at(at.min(texts.len()));
        let (before, after) = (before.concat(), after.concat());
        if before.len().max(after.len()) > MAX_TEXT || all.len() > 400 {
            return None;
        }
        for (_, condition) in conditions {
            let between = Condition::Between(
                before.as_str().into(),
                Box::new(condition.clone()),
                after.as_str().into(),
            );
            all.extend(
                [Base::String, Base::Name, Base::Number, Base::Float].map(|base| (base, between.clone())),
            );
        }
    }
    Some(all)
}

/// The maximum number of constant combinations of an arithmetic function.
const MAX_OPERANDS: usize = 24;

/// Returns the steps of an arithmetic function of one unknown integer, for each combination of its
/// constants. `None` if it is not supported.
fn number_steps(flow: &Dataflow, values: &Values, computation: &Computation) -> Option<Vec<Vec<NumberStep>>> {
    let (at, all) = computation.constants(flow)?;
    if all.len() > MAX_OPERANDS {
        return None;
    }
    let mut found = Vec::new();
    for constants in all {
        let operands: Option<Vec<i64>> = constants
            .iter()
            .map(|value| match values.get(*value) {
                Datum::Number(number) => Some(*number),
                _ => None,
            })
            .collect();
        // Values of other kinds stop the evaluation.
        let Some(operands) = operands else { continue };
        found.push(steps_of(computation.function.name(), at, &operands)?);
    }
    Some(found)
}

/// Returns the steps of a function whose unknown argument is at index `at`.
fn steps_of(name: &str, at: usize, operands: &[i64]) -> Option<Vec<NumberStep>> {
    let sum = |all: &[i64]| all.iter().try_fold(0i64, |sum, one| sum.checked_add(*one));
    Some(match (name, at, operands) {
        ("plus", _, all) => vec![NumberStep::Plus(sum(all)?)],
        ("minus", 0, []) => vec![NumberStep::From(0)],
        ("minus", 0, all) => vec![NumberStep::Plus(sum(all)?.checked_neg()?)],
        ("minus", _, [first, rest @ ..]) => vec![NumberStep::From(first.checked_sub(sum(rest)?)?)],
        ("mult", _, all) => {
            vec![NumberStep::Times(all.iter().try_fold(1i64, |product, one| product.checked_mul(*one))?)]
        }
        ("div", 0, [_, ..]) => operands.iter().map(|divisor| NumberStep::Div(*divisor)).collect(),
        ("div", 1, [dividend, rest @ ..]) => {
            let rest = rest.iter().map(|divisor| NumberStep::Div(*divisor));
            std::iter::once(NumberStep::Into(*dividend)).chain(rest).collect()
        }
        ("mod", 0, [divisor]) => vec![NumberStep::Mod(*divisor)],
        ("mod", 1, [dividend]) => vec![NumberStep::ModInto(*dividend)],
        _ => return None,
    })
}
