//! The operations of each built-in predicate, function and reducer.
//!
//! An unlisted name is an unknown operation, so a new built-in makes answers incomplete until it is
//! listed here.
//!
//! Text tests against the patterns of a table are one operation. In
//! `danger(Id) :- action(Id, Text), blocked(P), :string:contains(Text, P).` all patterns have the same
//! effect: the text contains any of them, or none. One condition per pattern would make the automaton of
//! the text exponentially large.

use std::collections::BTreeMap;

use mangle_engine::kernel::plan::{Lookup, Plan, Slot, Step, StepKind, ValueSource};
use mangle_engine::kernel::{Datum, Function, Model, Reducer, ValueId};
use mangle_engine::program::PredicateId;
use mangle_engine::types::Base;

use super::dataflow::{Node, Operation, Part, PatternTests, TextTest, TextTests};
use super::rules::Reader;
use crate::obstacle::MATCHES;

/// The maximum list index that is followed.
const MAX_INDEX: i64 = 12;

/// Returns the kind of values of a minimum or maximum reducer.
pub(super) fn extreme(reducer: Reducer) -> Option<Base> {
    let kinds = [
        ("fn:max", Base::Number),
        ("fn:min", Base::Number),
        ("fn:duration:max", Base::Duration),
        ("fn:duration:min", Base::Duration),
        ("fn:time:max", Base::Time),
        ("fn:time:min", Base::Time),
    ];
    kinds.into_iter().find(|(name, _)| Reducer::from_name(name) == Some(reducer)).map(|(_, base)| base)
}

/// Describes a function of `count` arguments that the analysis does not support.
pub(super) fn function_words(name: &str, count: usize) -> String {
    match name {
        "list:contains" => "members of lists".to_owned(),
        "list:get" => "elements of lists at a computed index".to_owned(),
        "list:append" => "lists with an element more".to_owned(),
        "struct:get" | "map:get" => "parts with computed labels".to_owned(),
        "plus" => format!("sums of {count} numbers"),
        "minus" => format!("differences of {count} numbers"),
        "mult" => format!("products of {count} numbers"),
        "div" => "quotients".to_owned(),
        "mod" => "remainders".to_owned(),
        "string:concat" => "concatenations of several texts".to_owned(),
        "string:replace" => "replacements in texts".to_owned(),
        "sqrt" => "arithmetic of floats".to_owned(),
        _ if name.starts_with("float:") => "arithmetic of floats".to_owned(),
        _ => format!("`fn:{name}`"),
    }
}

/// Describes the operation of a reducer.
pub(super) fn reducer_name(reducer: Reducer) -> String {
    let words = [
        ("fn:sum", "sums over the rows of a group"),
        ("fn:float:sum", "sums over the rows of a group"),
        ("fn:duration:sum", "sums over the rows of a group"),
        ("fn:avg", "averages over the rows of a group"),
        ("fn:collect", "lists of the rows of a group"),
        ("fn:collect_distinct", "lists of the rows of a group"),
        ("fn:collect_to_map", "maps of the rows of a group"),
    ];
    let found = words.iter().find(|(name, _)| Reducer::from_name(name) == Some(reducer));
    found.map_or("a reducer", |(_, words)| words).to_owned()
}

/// Returns the kind of values that a built-in predicate compares by order.
fn ordered_kind(name: &str) -> Option<Base> {
    Some(match name {
        "lt" | "le" | "gt" | "ge" => Base::Number,
        "time:lt" | "time:le" | "time:gt" | "time:ge" => Base::Time,
        "duration:lt" | "duration:le" | "duration:gt" | "duration:ge" => Base::Duration,
        _ => return None,
    })
}

impl Reader<'_> {
    /// Adds a built-in predicate with its arguments. The flag of an argument is false if the
    /// predicate assigns its value.
    pub(super) fn built_in(&mut self, name: &str, args: &[(Node, bool)]) {
        let nodes: Vec<Node> = args.iter().map(|(node, _)| *node).collect();
        let name = name.trim_start_matches(':');
        if let [(one, _), (other, _)] = args {
            if let Some(base) = ordered_kind(name) {
                return self.push(Operation::Order(base, *one, *other));
            }
            if let Some(test) = TextTest::of_builtin(name) {
                return self.push(Operation::Text(test, *one, *other));
            }
        }
        let operation = match (name, args) {
            ("filter", [(value, _)]) => {
                let is_true = self.values.name("/true");
                Operation::Equal(*value, self.flow.constant(is_true))
            }
            ("match_pair", [(whole, _), (first, has_first), (second, has_second)]) => {
                self.take(*whole, Part::First, *first, *has_first);
                return self.take(*whole, Part::Second, *second, *has_second);
            }
            ("match_cons", [(whole, _), (first, has_first), (rest, has_rest)]) => {
                self.take(*whole, Part::Element, *first, *has_first);
                return self.take(*whole, Part::Tail, *rest, *has_rest);
            }
            ("match_nil", [(whole, _)]) => {
                // The empty list is distinguished from lists with an element.
                let rest = self.flow.node();
                Operation::Take(*whole, Part::Tail, rest)
            }
            ("match_entry", [(whole, _), (label, _), (found, is_known)]) => {
                return self.labeled(*whole, *label, *found, *is_known, Part::Entry);
            }
            ("match_field", [(whole, _), (label, _), (found, is_known)]) => {
                return self.labeled(*whole, *label, *found, *is_known, Part::Field);
            }
            ("list:member", _) => return self.opaque("members of lists", nodes, args),
            ("within_distance", _) => return self.opaque("distances of numbers", nodes, args),
            (name, _) if name.starts_with("float:") => return self.opaque("order of floats", nodes, args),
            ("string:matches", _) => return self.opaque(MATCHES, nodes, args),
            (name, _) => return self.opaque(format!("`:{name}`"), nodes, args),
        };
        self.push(operation);
    }

    /// Adds an unsupported operation, which assigns the arguments without a value.
    fn opaque(&mut self, operation: impl Into<String>, nodes: Vec<Node>, args: &[(Node, bool)]) {
        let results = args.iter().filter(|(_, is_known)| !is_known).map(|(node, _)| *node).collect();
        self.push(Operation::Unknown { operation: operation.into(), nodes, results });
    }

    /// Adds the extraction of a part. If the argument already has a value, the part is compared
    /// with it.
    fn take(&mut self, whole: Node, part: Part, node: Node, is_known: bool) {
        if !is_known {
            return self.push(Operation::Take(whole, part, node));
        }
        let own = self.flow.node();
        self.push(Operation::Take(whole, part, own));
        self.push(Operation::Equal(own, node));
    }

    fn labeled(
        &mut self,
        whole: Node,
        label: Node,
        found: Node,
        is_known: bool,
        part: fn(mangle_engine::kernel::ValueId) -> Part,
    ) {
        match self.constant_at(label) {
            Some(label) => self.take(whole, part(label), found, is_known),
            None => {
                self.opaque("parts with computed labels", vec![whole, label, found], &[(found, is_known)])
            }
        }
    }

    /// Adds a function.
    pub(super) fn function(&mut self, function: Function, args: Vec<Node>, result: Node) {
        match (function.name(), args.as_slice()) {
            // Conditions on the results cover the values.
            ("name:root" | "name:tip" | "name:list" | "name:to_string", [name]) => {
                self.push(Operation::Kind(*name, Base::Name));
            }
            ("number:to_string", [number]) => self.push(Operation::Kind(*number, Base::Number)),
            ("plus" | "minus" | "mult" | "div" | "mod", numbers) => {
                for number in numbers {
                    self.push(Operation::Kind(*number, Base::Number));
                }
            }
            ("pair" | "tuple", [first, rest @ ..]) if !rest.is_empty() => {
                return self.tuple(function, &args, *first, result);
            }
            ("list", elements) => self.list(function, elements, result),
            ("list:cons", [first, rest]) => {
                self.push(Operation::Make(result, Part::Element, *first));
                self.push(Operation::Make(result, Part::Tail, *rest));
            }
            ("struct", entries) => self.fields(entries, result),
            (name @ ("list:get" | "struct:get" | "map:get"), [whole, place])
                if self.part_at(name, *whole, *place, result) =>
            {
                return;
            }
            _ => {}
        }
        // The analysis of the results determines the supported functions.
        self.compute(function, args, result);
    }

    fn list(&mut self, function: Function, elements: &[Node], result: Node) {
        let mut whole = result;
        for (at, element) in elements.iter().enumerate() {
            self.push(Operation::Make(whole, Part::Element, *element));
            let rest = self.flow.node();
            self.push(Operation::Make(whole, Part::Tail, rest));
            self.compute(function, elements.get(at + 1..).unwrap_or_default().to_vec(), rest);
            whole = rest;
        }
    }

    /// Adds the fields of a struct from alternating labels and values.
    fn fields(&mut self, entries: &[Node], result: Node) {
        for entry in entries.chunks(2) {
            let [label, value] = entry else { continue };
            match self.constant_at(*label) {
                Some(label) => self.push(Operation::Make(result, Part::Field(label), *value)),
                None => self.unknown("structs with computed labels", vec![*label, *value, result]),
            }
        }
    }

    /// Adds the part of a value at a constant index or label. Returns false if the index or label
    /// is not constant.
    fn part_at(&mut self, name: &str, whole: Node, place: Node, result: Node) -> bool {
        let Some(place) = self.constant_at(place) else { return false };
        match name {
            "struct:get" => self.push(Operation::Take(whole, Part::Field(place), result)),
            "map:get" => self.push(Operation::Take(whole, Part::Entry(place), result)),
            _ => match *self.values.get(place) {
                // No such element exists.
                Datum::Number(index) if index < 0 => {}
                Datum::Number(index) if index <= MAX_INDEX => {
                    let mut list = whole;
                    for _ in 0..index {
                        list = self.tail(list);
                    }
                    self.tail(list);
                    self.push(Operation::Take(list, Part::Element, result));
                }
                _ => return false,
            },
        }
        true
    }

    fn tail(&mut self, list: Node) -> Node {
        let rest = self.flow.node();
        self.push(Operation::Take(list, Part::Tail, rest));
        rest
    }

    fn compute(&mut self, function: Function, args: Vec<Node>, result: Node) {
        self.push(Operation::Compute { function, args, result });
    }

    /// `fn:tuple(A, B, C)` is the pair of `A` and the pair of `B` and `C`.
    fn tuple(&mut self, function: Function, args: &[Node], first: Node, result: Node) {
        let mut whole = result;
        let mut part = first;
        for (at, next) in args.iter().enumerate().skip(1) {
            self.push(Operation::Make(whole, Part::First, part));
            if at + 1 == args.len() {
                self.push(Operation::Make(whole, Part::Second, *next));
            } else {
                let rest = self.flow.node();
                self.push(Operation::Make(whole, Part::Second, rest));
                self.compute(function, args.get(at..).unwrap_or_default().to_vec(), rest);
                whole = rest;
                part = *next;
            }
        }
        self.compute(function, args.to_vec(), result);
    }
}

/// A pattern that a rule computes from a value of a table.
struct ComputedPattern<'p> {
    /// The number of the step.
    step: usize,
    function: Function,
    args: &'p [ValueSource],
    /// The only argument that is not a constant.
    slot: Slot,
}

impl Reader<'_> {
    /// Returns the text tests of a rule whose patterns are in a table with known facts.
    pub(super) fn pattern_tests(&mut self, plan: &Plan) -> PatternTests {
        let mut found = PatternTests::default();
        for (number, step) in plan.steps.iter().enumerate() {
            let StepKind::Solve { name, args, negated: false, .. } = &step.kind else { continue };
            let (Some(test), [Some(_), Some(ValueSource::Slot(pattern))]) =
                (TextTest::of_builtin(name.as_str()), &**args)
            else {
                continue;
            };
            if let Some(patterns) = self.sets_of(plan, number, *pattern) {
                found.insert(number, TextTests { test, patterns });
            }
        }
        found
    }

    /// Returns sets of the values of a variable at a step.
    ///
    /// Two values are in the same set if exchanging their facts in the table affects only this
    /// step.
    fn sets_of(&mut self, plan: &Plan, number: usize, pattern: Slot) -> Option<Vec<Vec<ValueId>>> {
        let base = self.base?;
        let before = plan.steps.get(..number)?;
        let computed = computed_pattern(before, pattern);
        let table = table_of(before, computed.as_ref().map_or(pattern, |computed| computed.slot))?;
        let is_known = !self.is_open(table.relation) && !self.compiled.deferred.contains_key(&table.relation);
        let is_plain = table.when.is_none() && table.ends == (None, None) && table.same.is_empty();
        let sources = table.key.iter().copied().chain(table.far.iter().map(|(_, source)| *source));
        if !is_known || !is_plain || sources.into_iter().any(|source| matches!(source, ValueSource::Slot(_)))
        {
            return None;
        }
        let except: Vec<usize> = computed.iter().map(|computed| computed.step).chain([number]).collect();
        let slots = self.observation.slots(plan, &except);
        let visible = |slot: &Slot, value: ValueId| slots.get(slot).and_then(|known| known.visible(value));
        let mut sets: BTreeMap<Vec<Option<ValueId>>, Vec<ValueId>> = BTreeMap::new();
        for mut row in rows(table, base, self.arity(table.relation))? {
            if let Some(computed) = &computed {
                let args: Vec<ValueId> =
                    computed.args.iter().map(|arg| value_in(&row, *arg)).collect::<Option<_>>()?;
                row.insert(pattern, computed.function.apply(self.values, &args, &self.clock).ok()?);
            }
            let effect = row.iter().map(|(slot, value)| visible(slot, *value)).collect();
            sets.entry(effect).or_default().push(*row.get(&pattern)?);
        }
        Some(sets.into_values().collect())
    }
}

/// Returns the variable values of each tuple that a lookup with constant keys finds.
fn rows(table: &Lookup, base: &Model, arity: u16) -> Option<Vec<BTreeMap<Slot, ValueId>>> {
    let mut rows = Vec::new();
    for tuple in base.relation(PredicateId(table.relation))?.tuples() {
        let at = |column: u16| tuple.get(usize::from(column)).copied();
        let fits = (0..arity).all(|column| match table.source(column) {
            Some(ValueSource::Value(value)) => at(column) == Some(value),
            _ => true,
        });
        if fits {
            let row = table.binds.iter().map(|(column, slot)| Some((*slot, at(*column)?)));
            rows.push(row.collect::<Option<_>>()?);
        }
    }
    Some(rows)
}

fn value_in(row: &BTreeMap<Slot, ValueId>, source: ValueSource) -> Option<ValueId> {
    match source {
        ValueSource::Value(value) => Some(value),
        ValueSource::Slot(slot) => row.get(&slot).copied(),
    }
}

/// Returns the step that computes a variable from one other variable.
fn computed_pattern(steps: &[Step], pattern: Slot) -> Option<ComputedPattern<'_>> {
    steps.iter().enumerate().find_map(|(step, kind)| {
        let StepKind::Compute { slot, function, args } = &kind.kind else { return None };
        let mut unknown = args.iter().filter_map(|arg| match arg {
            ValueSource::Slot(slot) => Some(*slot),
            ValueSource::Value(_) => None,
        });
        let (Some(only), None) = (unknown.next(), unknown.next()) else { return None };
        (*slot == pattern).then_some(ComputedPattern { step, function: *function, args, slot: only })
    })
}

/// Returns the lookup that binds a variable.
fn table_of(steps: &[Step], slot: Slot) -> Option<&Lookup> {
    steps.iter().find_map(|step| match &step.kind {
        StepKind::Match(found) => Some(found).filter(|found| found.binds.iter().any(|(_, to)| *to == slot)),
        _ => None,
    })
}
