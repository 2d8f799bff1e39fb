//! Text tests against the patterns of a table.
//!
//! In `danger(Id) :- action(Id, Text), blocked(P), :string:contains(Text, P).` all patterns have
//! the same effect: the text contains any of them, or none. One condition per pattern would make
//! the automaton of the text exponentially large.

use std::collections::BTreeMap;

use mangle_engine::kernel::plan::{Lookup, Plan, Slot, Step, StepKind, ValueSource};
use mangle_engine::kernel::{Function, Model, ValueId};
use mangle_engine::program::PredicateId;

use super::dataflow::{PatternTests, TextTest, TextTests};
use super::rules::Reader;

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
