//! Sorts: classes of columns, variables and parts between which values flow or are compared.
//!
//! A world stays as it is for the rules if the values of a sort are exchanged for others of which every operation on the sort
//! gives the same. So the operations on a sort tell which values of it a search needs.

use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::kernel::{Datum, Function, ValueId, Values};
use mangle_engine::types::Base;

use super::condition::{Condition, MAX_TEXT};
use super::dataflow::{Dataflow, Node, Operation, Part, TextTest, combinations};
use super::numbers::{Chain, NumberStep};
use super::operations::function_words;

/// The number of a sort.
pub(super) type SortId = u32;

/// The operation of texts that are computed from each other.
const CIRCLE: &str = "texts that the rules compute from each other";

/// The longest chain of tails of a list.
const MAX_TAILS: usize = 12;

/// What the rules do with the values of a sort.
#[derive(Debug, Clone, Default)]
pub(super) struct Sort {
    /// The constants that its values are compared with, or that are among them.
    pub(super) constants: BTreeSet<ValueId>,
    /// True if two values of worlds are compared, or values are counted.
    pub(super) is_joined: bool,
    /// The kinds as which its values are ordered.
    pub(super) orders: BTreeSet<Base>,
    /// Conditions on the text of one value of a kind.
    pub(super) conditions: BTreeSet<(Base, Condition)>,
    /// Computations with one of its integers and constants.
    pub(super) chains: BTreeSet<Chain>,
    /// The kinds that operations on it require.
    pub(super) kinds: BTreeSet<Base>,
    pub(super) parts: BTreeMap<Part, SortId>,
    /// The input columns with these values: number of the input, and column.
    pub(super) places: BTreeSet<(usize, u16)>,
    /// The computations with these results.
    sources: BTreeSet<usize>,
    /// True if an operation on it is not described.
    pub(super) is_incomplete: bool,
}

/// An operation that is not described, and the sorts that it touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) operation: String,
    pub(super) sorts: Vec<SortId>,
}

/// The sorts of a program.
#[derive(Default)]
pub(super) struct Sorts {
    of_node: Vec<Option<SortId>>,
    parents: Vec<SortId>,
    all: Vec<Sort>,
    pub(super) gaps: BTreeSet<Gap>,
}

/// A computation that depends on a world.
struct Computation {
    function: Function,
    args: Vec<Node>,
    result: Node,
}

/// True for functions whose value other operations describe as built of their arguments.
fn is_constructor(function: Function) -> bool {
    matches!(function.name(), "pair" | "tuple" | "list" | "list:cons" | "struct")
}

impl Sorts {
    /// The sorts of a program whose constants have been followed.
    pub(super) fn new(flow: &Dataflow, values: &mut Values) -> Self {
        let mut sorts = Self { of_node: vec![None; flow.reach.len()], ..Self::default() };
        for (node, reach) in (0u32..).zip(&flow.reach) {
            if !reach.varies {
                continue;
            }
            let sort = sorts.sort(node);
            sorts.attach(sort, reach.constants.iter().copied());
            if reach.is_open {
                sorts.gap("values that the rules compute", &[sort]);
            }
        }
        for (input, column, node) in &flow.places {
            let sort = sorts.sort(*node);
            sorts.at(sort).places.insert((*input, *column));
        }
        let mut computations = Vec::new();
        for operation in &flow.operations {
            sorts.operation(flow, values, operation, &mut computations);
        }
        for (number, computation) in computations.iter().enumerate() {
            let result = sorts.sort(computation.result);
            sorts.at(result).sources.insert(number);
        }
        for computation in computations.iter().filter(|one| one.function.name() == "list:len") {
            sorts.length(values, computation);
        }
        sorts.close(values);
        let mut resolving =
            Resolving { flow, computations: &computations, done: BTreeSet::new(), open: Vec::new() };
        for computation in &computations {
            let sort = sorts.sort(computation.result);
            sorts.resolve(values, &mut resolving, sort);
        }
        sorts.spread_gaps(&computations);
        sorts
    }

    /// The sort of a node.
    pub(super) fn sort(&mut self, node: Node) -> SortId {
        if let Some(Some(known)) = self.of_node.get(node as usize) {
            return self.root(*known);
        }
        let sort = self.new_sort();
        if let Some(of_node) = self.of_node.get_mut(node as usize) {
            *of_node = Some(sort);
        }
        sort
    }

    fn new_sort(&mut self) -> SortId {
        let sort = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(Sort::default());
        self.parents.push(sort);
        sort
    }

    /// The sort that stands for all that were united with it.
    pub(super) fn root(&self, mut sort: SortId) -> SortId {
        while let Some(parent) = self.parents.get(sort as usize).filter(|parent| **parent != sort) {
            sort = *parent;
        }
        sort
    }

    pub(super) fn get(&self, sort: SortId) -> &Sort {
        static NONE: std::sync::LazyLock<Sort> = std::sync::LazyLock::new(Sort::default);
        self.all.get(self.root(sort) as usize).unwrap_or(&NONE)
    }

    fn at(&mut self, sort: SortId) -> &mut Sort {
        let root = self.root(sort) as usize;
        &mut self.all[root]
    }

    fn attach(&mut self, sort: SortId, constants: impl IntoIterator<Item = ValueId>) {
        self.at(sort).constants.extend(constants);
    }

    fn gap(&mut self, operation: impl Into<String>, sorts: &[SortId]) {
        let mut sorts: Vec<SortId> = sorts.iter().map(|sort| self.root(*sort)).collect();
        sorts.sort_unstable();
        sorts.dedup();
        self.gaps.insert(Gap { operation: operation.into(), sorts });
    }

    /// Makes two sorts one, with all their parts.
    fn unite(&mut self, one: SortId, other: SortId) {
        let mut pending = vec![(one, other)];
        while let Some((one, other)) = pending.pop() {
            let (one, other) = (self.root(one), self.root(other));
            if one == other {
                continue;
            }
            let (kept, gone) = (one.min(other), one.max(other));
            let gone_sort = std::mem::take(self.at(gone));
            if let Some(parent) = self.parents.get_mut(gone as usize) {
                *parent = kept;
            }
            let kept = self.at(kept);
            kept.constants.extend(gone_sort.constants);
            kept.is_joined |= gone_sort.is_joined;
            kept.is_incomplete |= gone_sort.is_incomplete;
            kept.orders.extend(gone_sort.orders);
            kept.conditions.extend(gone_sort.conditions);
            kept.chains.extend(gone_sort.chains);
            kept.kinds.extend(gone_sort.kinds);
            kept.places.extend(gone_sort.places);
            kept.sources.extend(gone_sort.sources);
            for (part, sort) in gone_sort.parts {
                match kept.parts.get(&part) {
                    Some(known) => pending.push((*known, sort)),
                    None => _ = kept.parts.insert(part, sort),
                }
            }
        }
    }

    /// The sort of a part.
    fn part(&mut self, sort: SortId, part: Part) -> SortId {
        if let Some(known) = self.at(sort).parts.get(&part) {
            return *known;
        }
        let new = self.new_sort();
        self.at(sort).parts.insert(part, new);
        new
    }

    /// Constants of a node meet a sort.
    fn meet(&mut self, flow: &Dataflow, sort: SortId, node: Node) {
        let Some(reach) = flow.at(node) else { return };
        self.attach(sort, reach.constants.iter().copied());
        if reach.is_open {
            self.gap("comparisons with counts or computed values", &[sort]);
        }
    }

    fn operation(
        &mut self,
        flow: &Dataflow,
        values: &mut Values,
        operation: &Operation,
        computations: &mut Vec<Computation>,
    ) {
        match operation {
            Operation::Flow(from, to) => {
                // Constants have been followed.
                if flow.varies(*from) {
                    let (from, to) = (self.sort(*from), self.sort(*to));
                    self.unite(from, to);
                }
            }
            Operation::Equal(one, other) => match (flow.varies(*one), flow.varies(*other)) {
                (true, true) => {
                    let (one, other) = (self.sort(*one), self.sort(*other));
                    self.unite(one, other);
                    self.at(one).is_joined = true;
                }
                (true, false) => {
                    let sort = self.sort(*one);
                    self.meet(flow, sort, *other);
                }
                (false, true) => {
                    let sort = self.sort(*other);
                    self.meet(flow, sort, *one);
                }
                (false, false) => {}
            },
            Operation::Order(base, one, other) => {
                let nodes = [(*one, *other), (*other, *one)];
                for (node, other) in nodes.into_iter().filter(|(node, _)| flow.varies(*node)) {
                    let sort = self.sort(node);
                    self.at(sort).orders.insert(*base);
                    self.at(sort).kinds.insert(*base);
                    if flow.varies(other) {
                        let other = self.sort(other);
                        self.unite(sort, other);
                        self.at(sort).is_joined = true;
                    } else {
                        self.meet(flow, sort, other);
                    }
                }
            }
            Operation::Text(test, text, part) => self.text(flow, values, *test, *text, *part),
            Operation::Take(whole, part, node) | Operation::Make(whole, part, node) => {
                if flow.varies(*whole) {
                    let whole = self.sort(*whole);
                    let part = self.part(whole, *part);
                    if flow.varies(*node) {
                        let node = self.sort(*node);
                        self.unite(part, node);
                    } else {
                        self.meet(flow, part, *node);
                    }
                }
            }
            Operation::Compute { function, args, result } => {
                if args.iter().any(|arg| flow.varies(*arg)) && !is_constructor(*function) {
                    let computation =
                        Computation { function: *function, args: args.clone(), result: *result };
                    computations.push(computation);
                }
            }
            Operation::Distinguish(node) => {
                if flow.varies(*node) {
                    let sort = self.sort(*node);
                    self.at(sort).is_joined = true;
                }
            }
            Operation::Kind(node, base) => {
                if flow.varies(*node) {
                    let sort = self.sort(*node);
                    self.at(sort).kinds.insert(*base);
                }
            }
            Operation::Unknown { operation, nodes, results } => {
                let touched = nodes.iter().chain(results).filter(|node| flow.varies(**node));
                let sorts: Vec<SortId> = touched.map(|node| self.sort(*node)).collect();
                if !sorts.is_empty() {
                    self.gap(operation.clone(), &sorts);
                }
            }
        }
    }

    fn text(&mut self, flow: &Dataflow, values: &Values, test: TextTest, text: Node, part: Node) {
        let base = if test == TextTest::NamePrefix { Base::Name } else { Base::String };
        for node in [text, part] {
            if flow.varies(node) {
                let sort = self.sort(node);
                self.at(sort).kinds.insert(base);
            }
        }
        if flow.varies(part) {
            let mut sorts = vec![self.sort(part)];
            if flow.varies(text) {
                sorts.push(self.sort(text));
            }
            return self.gap("tests of one text with another one", &sorts);
        }
        if !flow.varies(text) {
            return;
        }
        let sort = self.sort(text);
        let Some(reach) = flow.at(part) else { return };
        if reach.is_open {
            self.gap("tests with computed texts", &[sort]);
        }
        for constant in &reach.constants {
            let (Datum::String(pattern) | Datum::Name(pattern)) = values.get(*constant) else { continue };
            if pattern.len() > MAX_TEXT {
                self.gap("tests with long texts", &[sort]);
                continue;
            }
            let pattern = pattern.as_ref().into();
            let condition = match test {
                TextTest::Prefix => Condition::Prefix(pattern),
                TextTest::Suffix => Condition::Suffix(pattern),
                TextTest::Contains => Condition::Contains(pattern),
                TextTest::NamePrefix => Condition::Longer(pattern),
            };
            self.at(sort).conditions.insert((base, condition));
        }
    }

    /// Lists of different lengths are told apart up to the length that the rules compare.
    fn length(&mut self, values: &Values, computation: &Computation) {
        let Some(list) = computation.args.first().map(|arg| self.sort(*arg)) else { return };
        let result = self.sort(computation.result);
        let known = self.get(result);
        let is_free = known.places.is_empty() && !known.is_joined && known.parts.is_empty();
        let numbers = known.constants.iter().filter_map(|value| match values.get(*value) {
            Datum::Number(number) => Some((*number).max(0)),
            _ => None,
        });
        let longest = numbers.max().unwrap_or(0);
        let Some(longest) = usize::try_from(longest).ok().filter(|longest| is_free && *longest < MAX_TAILS)
        else {
            return self.gap("lengths of lists", &[list, result]);
        };
        let mut sort = list;
        for _ in 0..=longest {
            sort = self.part(sort, Part::Tail);
        }
    }

    /// Elements of a list are those of its tails; what holds for a value holds for its parts.
    fn close(&mut self, values: &mut Values) {
        loop {
            let mut is_new = false;
            for sort in 0..u32::try_from(self.all.len()).unwrap_or(u32::MAX) {
                if self.root(sort) != sort {
                    continue;
                }
                if let Some(tail) = self.get(sort).parts.get(&Part::Tail).copied() {
                    let (one, other) = (self.part(sort, Part::Element), self.part(tail, Part::Element));
                    is_new |= self.root(one) != self.root(other);
                    self.unite(one, other);
                }
                let known = self.get(sort);
                let (is_joined, is_incomplete) = (known.is_joined, known.is_incomplete);
                let constants: Vec<ValueId> = known.constants.iter().copied().collect();
                for (part, part_sort) in known.parts.clone() {
                    let found: Vec<ValueId> =
                        constants.iter().filter_map(|value| part.of(values, *value)).collect();
                    let inner = self.at(part_sort);
                    let before = (inner.constants.len(), inner.is_joined, inner.is_incomplete);
                    inner.constants.extend(found);
                    inner.is_joined |= is_joined;
                    inner.is_incomplete |= is_incomplete;
                    is_new |= before != (inner.constants.len(), inner.is_joined, inner.is_incomplete);
                }
            }
            if !is_new {
                return;
            }
        }
    }

    /// The number of tails of a list that the rules reach; `None` if there is no end.
    pub(super) fn tails(&self, sort: SortId) -> Option<usize> {
        let (mut sort, mut count) = (self.root(sort), 0);
        let mut seen = BTreeSet::from([sort]);
        while let Some(tail) = self.get(sort).parts.get(&Part::Tail) {
            sort = self.root(*tail);
            count += 1;
            if !seen.insert(sort) || count > MAX_TAILS + 1 {
                return None;
            }
        }
        Some(count)
    }

    /// Turns the conditions on the results of functions into conditions on their arguments.
    fn resolve(&mut self, values: &mut Values, resolving: &mut Resolving<'_>, sort: SortId) {
        let sort = self.root(sort);
        if resolving.open.contains(&sort) {
            return self.gap(CIRCLE, &[sort]);
        }
        if !resolving.done.insert(sort) {
            return;
        }
        resolving.open.push(sort);
        // Functions of the values of this sort come first.
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

    fn view(&mut self, values: &mut Values, resolving: &mut Resolving<'_>, computation: &Computation) {
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
            "list:len" => return,
            "name:list" => return self.name_list(values, resolving, argument, result),
            "plus" | "minus" | "mult" | "div" | "mod" => {
                let steps = number_steps(resolving.flow, values, computation);
                let known = self.get(result);
                let is_free = known.places.is_empty()
                    && !known.is_joined
                    && known.parts.is_empty()
                    && known.conditions.is_empty()
                    && known.orders.iter().all(|base| *base == Base::Number);
                let Some(steps) = steps.filter(|_| is_free) else { return self.gap(words(), &sorts) };
                let constants = numbers(values, &known.constants);
                let own = Chain { steps: Vec::new(), constants };
                let chains: Vec<Chain> = known.chains.iter().cloned().chain([own]).collect();
                for steps in steps {
                    for chain in &chains {
                        let all = steps.iter().chain(&chain.steps).copied().collect();
                        let chain = Chain { steps: all, constants: chain.constants.clone() };
                        self.at(argument).chains.insert(chain);
                    }
                }
                return;
            }
            "name:root" | "name:tip" | "name:to_string" | "number:to_string" | "string:concat" => {}
            _ => return self.gap(words(), &sorts),
        }
        let Some(conditions) = self.conditions(values, result) else {
            let words = match name {
                "string:concat" => "comparisons of concatenations with other values".to_owned(),
                _ => format!("comparisons of `fn:{name}` with other values"),
            };
            return self.gap(words, &sorts);
        };
        let views: Vec<(Base, Condition)> = match name {
            "name:root" => {
                conditions.into_iter().map(|(_, one)| (Base::Name, Condition::Root(Box::new(one)))).collect()
            }
            "name:tip" => {
                conditions.into_iter().map(|(_, one)| (Base::Name, Condition::Tip(Box::new(one)))).collect()
            }
            "name:to_string" => conditions.into_iter().map(|(_, one)| (Base::Name, one)).collect(),
            "number:to_string" => conditions.into_iter().map(|(_, one)| (Base::Number, one)).collect(),
            _ => match concatenations(resolving.flow, values, computation, &conditions) {
                Some(views) => views,
                None => return self.gap("concatenations with many constants", &sorts),
            },
        };
        self.at(argument).conditions.extend(views);
    }

    /// All conditions on the text of a value of a sort whose values the rules only compute; `None` if they are also
    /// compared with others.
    fn conditions(&self, values: &Values, sort: SortId) -> Option<Vec<(Base, Condition)>> {
        let known = self.get(sort);
        let is_free = known.places.is_empty()
            && !known.is_joined
            && known.parts.is_empty()
            && known.orders.is_empty()
            && known.chains.is_empty();
        if !is_free {
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

    /// The parts of a name as a list: conditions on the elements and on the length become conditions on the name.
    fn name_list(
        &mut self,
        values: &mut Values,
        resolving: &mut Resolving<'_>,
        argument: SortId,
        list: SortId,
    ) {
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

    /// Marks the sorts of operations that are not described, and those whose values they are computed from.
    fn spread_gaps(&mut self, computations: &[Computation]) {
        let mut gaps = std::mem::take(&mut self.gaps);
        // The functions of a circle are better reasons than the circle.
        let named: BTreeSet<SortId> = gaps
            .iter()
            .filter(|gap| gap.operation != CIRCLE)
            .flat_map(|gap| &gap.sorts)
            .map(|sort| self.root(*sort))
            .collect();
        gaps.retain(|gap| {
            gap.operation != CIRCLE || !gap.sorts.iter().all(|sort| named.contains(&self.root(*sort)))
        });
        let touched: BTreeSet<SortId> =
            gaps.iter().flat_map(|gap| &gap.sorts).map(|sort| self.root(*sort)).collect();
        for sort in touched {
            let sources = self.sources(sort, computations);
            for sort in sources {
                self.at(sort).is_incomplete = true;
            }
        }
        gaps = gaps
            .into_iter()
            .map(|gap| {
                let sorts: BTreeSet<SortId> =
                    gap.sorts.iter().flat_map(|sort| self.sources(*sort, computations)).collect();
                Gap { sorts: sorts.into_iter().collect(), ..gap }
            })
            .collect();
        self.gaps = gaps;
    }

    /// A sort, and the sorts that its values are computed from.
    fn sources(&mut self, sort: SortId, computations: &[Computation]) -> BTreeSet<SortId> {
        let mut found = BTreeSet::new();
        let mut pending = vec![self.root(sort)];
        while let Some(sort) = pending.pop() {
            if !found.insert(sort) {
                continue;
            }
            for number in self.get(sort).sources.clone() {
                let Some(computation) = computations.get(number) else { continue };
                for arg in &computation.args {
                    if self.of_node.get(*arg as usize).is_some_and(Option::is_some) {
                        pending.push(self.sort(*arg));
                    }
                }
            }
            let parts: Vec<SortId> = self.get(sort).parts.values().map(|part| self.root(*part)).collect();
            pending.extend(parts);
        }
        found
    }
}

struct Resolving<'r> {
    flow: &'r Dataflow,
    computations: &'r [Computation],
    done: BTreeSet<SortId>,
    open: Vec<SortId>,
}

/// The integers among some values.
pub(super) fn numbers<'v>(values: &Values, all: impl IntoIterator<Item = &'v ValueId>) -> BTreeSet<i64> {
    let number = |value: &ValueId| match values.get(*value) {
        Datum::Number(number) => Some(*number),
        _ => None,
    };
    all.into_iter().filter_map(number).collect()
}

/// The most combinations of constants of one arithmetic function.
const MAX_OPERANDS: usize = 24;

/// The steps of an arithmetic function of one unknown integer, for each combination of its constants; `None` if they are not
/// described.
fn number_steps(flow: &Dataflow, values: &Values, computation: &Computation) -> Option<Vec<Vec<NumberStep>>> {
    let mut options: Vec<Vec<ValueId>> = Vec::new();
    let mut at = 0;
    for (number, arg) in computation.args.iter().enumerate() {
        if flow.varies(*arg) {
            at = number;
            continue;
        }
        let reach = flow.at(*arg).filter(|reach| !reach.is_open)?;
        options.push(reach.constants.iter().copied().collect());
    }
    let all = combinations(&options)?;
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
        // Other kinds stop the evaluation.
        let Some(operands) = operands else { continue };
        found.push(steps_of(computation.function.name(), at, &operands)?);
    }
    Some(found)
}

/// The steps of a function whose unknown argument is at `at` among these operands.
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

/// The conditions on the only argument of a concatenation that depends on a world.
fn concatenations(
    flow: &Dataflow,
    values: &Values,
    computation: &Computation,
    conditions: &[(Base, Condition)],
) -> Option<Vec<(Base, Condition)>> {
    let mut options: Vec<Vec<ValueId>> = Vec::new();
    let mut at = 0;
    for (number, arg) in computation.args.iter().enumerate() {
        if flow.varies(*arg) {
            at = number;
            continue;
        }
        let reach = flow.at(*arg)?;
        if reach.is_open {
            return None;
        }
        options.push(reach.constants.iter().copied().collect());
    }
    let text = |value: &ValueId| match values.get(*value) {
        Datum::String(text) | Datum::Name(text) => Some(text.to_string()),
        Datum::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let mut all = Vec::new();
    for constants in combinations(&options)? {
        // Other kinds stop the evaluation.
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
