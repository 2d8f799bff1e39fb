//! Generation of values without parts: texts, names, numbers, times and durations.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Datum, ValueId};
use mangle_engine::types::Base;

use super::{Generator, Group, fresh_words};
use crate::completeness::condition::{Condition, MAX_TEXT};
use crate::completeness::numbers::{Chain, bounds, classes};
use crate::completeness::sorts::{SortId, numbers};
use crate::completeness::words::{Alphabet, set, words};
use crate::values::{in_order, kind};

/// The maximum number of digits of an integer whose text is tested.
const MAX_DIGITS: usize = 18;

impl Generator<'_> {
    /// Returns the values of one kind.
    pub(super) fn base(&mut self, sort: Option<SortId>, base: Base, distinct: usize) -> Vec<ValueId> {
        let Some(sort) = sort else { return self.fresh(base, distinct, &[]) };
        if let Some(known) = self.known.get(&(sort, base)) {
            return known.clone();
        }
        let known = self.sorts.get(sort);
        let constants = self.constants(sort, base);
        let conditions = self.conditions(sort, base);
        let is_ordered = known.orders.contains(&base);
        if base == Base::Number && !known.chains.is_empty() {
            let all = self.computed_with(sort, &constants, is_ordered, !conditions.is_empty(), distinct);
            self.known.insert((sort, base), all.clone());
            return all;
        }
        let classes: Vec<Vec<ValueId>> = match (base, is_ordered, conditions.is_empty()) {
            (_, true, true) => vec![self.between(base, &constants, distinct)],
            (Base::String | Base::Name | Base::Number, false, false) => {
                self.tested(sort, base, &conditions, &constants, distinct)
            }
            (_, _, true) => {
                let fresh = self.fresh(base, distinct, &constants);
                self.groups.push(Group { sort, values: fresh.clone() });
                vec![fresh]
            }
            (_, _, false) => {
                self.gap("tests of the text of a value that is also ordered", Some(sort));
                vec![self.between(base, &constants, distinct)]
            }
        };
        let others = classes.into_iter().flatten();
        let all: Vec<ValueId> = match base {
            // Names of the program are preferred.
            Base::Name => constants.into_iter().chain(others).collect(),
            _ if is_ordered => others.collect(),
            _ => others.chain(constants).collect(),
        };
        self.known.insert((sort, base), all.clone());
        all
    }

    /// Returns the constants of a kind that the values of a sort are compared with.
    fn constants(&self, sort: SortId, base: Base) -> Vec<ValueId> {
        let all = self.sorts.get(sort).constants.iter().copied();
        let mut constants: Vec<ValueId> =
            all.filter(|value| kind(self.values.get(*value)) == Some(base)).collect();
        constants.sort_by(|one, other| in_order(self.values.get(*one), self.values.get(*other)));
        constants
    }

    /// Returns the conditions on the text of a value of a kind, including declared prefixes.
    fn conditions(&self, sort: SortId, base: Base) -> Vec<Condition> {
        let all = self.sorts.get(sort).conditions.iter();
        let mut conditions: Vec<Condition> =
            all.filter(|(of, _)| *of == base).map(|(_, condition)| condition.clone()).collect();
        if base == Base::Name {
            let prefixes = self.prefixes.get(&sort).into_iter().flatten();
            conditions
                .extend(prefixes.map(|prefix| Condition::Longer(format!("{}/", prefix.as_str()).into())));
        }
        conditions
    }

    /// Returns integers for each combination of outcomes of the computations with one unknown
    /// integer.
    fn computed_with(
        &mut self,
        sort: SortId,
        constants: &[ValueId],
        is_ordered: bool,
        is_tested: bool,
        distinct: usize,
    ) -> Vec<ValueId> {
        let known = self.sorts.get(sort);
        let own = numbers(self.values, constants);
        let mut chains: Vec<Chain> = known.chains.iter().cloned().collect();
        if is_ordered {
            chains.push(Chain { steps: Vec::new(), constants: own.clone() });
        }
        if is_tested {
            self.gap("tests of the text of an integer that the rules compute with", Some(sort));
            return self.between(Base::Number, constants, distinct);
        }
        if is_ordered && known.is_joined {
            let Some(bounds) = bounds(&chains) else {
                self.gap("remainders of integers that are also ordered", Some(sort));
                return self.between(Base::Number, constants, distinct);
            };
            let bounds: Vec<ValueId> = bounds.union(&own).map(|bound| self.values.number(*bound)).collect();
            return self.between(Base::Number, &bounds, distinct);
        }
        let Some(classes) = classes(&chains, &own, distinct) else {
            self.gap("arithmetic with large constants", Some(sort));
            return self.between(Base::Number, constants, distinct);
        };
        let mut data: Vec<i64> = classes.into_iter().flatten().chain(own).collect();
        data.sort_by_key(|number| (*number < 0, *number));
        data.into_iter().map(|number| self.values.number(number)).collect()
    }

    /// Returns the shortest texts for each combination of condition outcomes.
    fn tested(
        &mut self,
        sort: SortId,
        base: Base,
        conditions: &[Condition],
        constants: &[ValueId],
        distinct: usize,
    ) -> Vec<Vec<ValueId>> {
        let mut lengths = Vec::new();
        conditions.iter().for_each(|condition| condition.texts(&mut lengths));
        let length: usize = lengths.iter().map(|text| text.len()).sum();
        if length > MAX_TEXT * 8 || (base == Base::Number && length > MAX_DIGITS) {
            self.gap("tests with long texts", Some(sort));
            return vec![self.fresh(base, distinct, constants)];
        }
        let classes = self.classes_of_texts(sort, base, distinct, conditions, constants);
        let Some(classes) = classes else {
            self.gap("too many tests of one text", Some(sort));
            return vec![self.fresh(base, distinct, constants)];
        };
        let mut all = Vec::new();
        for words in classes {
            let values: Vec<ValueId> = words
                .iter()
                .filter_map(|word| match base {
                    Base::Name => Some(self.values.name(word)),
                    Base::Number => word.parse().ok().map(|number| self.values.number(number)),
                    _ => Some(self.values.string(word)),
                })
                .collect();
            self.groups.push(Group { sort, values: values.clone() });
            all.push(values);
        }
        all.sort_by_key(|class| class.first().map(|value| self.values.printed_bytes(*value)));
        all
    }

    /// Returns the texts of each combination of outcomes, cached if possible. `None` if there are
    /// too many conditions.
    fn classes_of_texts(
        &self,
        sort: SortId,
        base: Base,
        distinct: usize,
        conditions: &[Condition],
        constants: &[ValueId],
    ) -> Option<Vec<Vec<String>>> {
        let mut memo = self.memo.borrow_mut();
        let is_too_large = memo.iter().any(|((of, kind, count), found)| {
            *of == sort && *kind == base && *count <= distinct && found.is_none()
        });
        if is_too_large {
            return None;
        }
        let text = |value: &ValueId| match self.values.get(*value) {
            Datum::String(text) | Datum::Name(text) => Some(text.to_string()),
            Datum::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let texts: Vec<String> = constants.iter().filter_map(text).collect();
        let known = set(texts.iter().map(String::as_str));
        let alphabet = match base {
            Base::Name => Alphabet::Name,
            Base::Number => Alphabet::Integer,
            _ => Alphabet::Text,
        };
        let classes = memo
            .entry((sort, base, distinct))
            .or_insert_with(|| words(alphabet, conditions, &known, distinct, self.budget));
        classes.clone()
    }

    /// Returns values that do not occur in the program.
    #[allow(clippy::cast_precision_loss)] // there are few
    fn fresh(&mut self, base: Base, count: usize, constants: &[ValueId]) -> Vec<ValueId> {
        let compiled = self.compiled;
        let is_new = |datum: &Datum| compiled.values.find(datum).is_none();
        let numbers = (1..).map(|number: i64| number);
        let second = |at: i64| at.saturating_mul(1_000_000_000);
        let now = self.clock.now_ns;
        let data: Box<dyn Iterator<Item = Datum>> = match base {
            Base::String => Box::new(fresh_words().map(|word| Datum::String(word.into()))),
            Base::Name => Box::new(fresh_words().map(|word| Datum::Name(format!("/{word}").into()))),
            Base::Bytes => Box::new(fresh_words().map(|word| Datum::Bytes(word.into_bytes().into()))),
            Base::Number => Box::new(numbers.map(Datum::Number)),
            Base::Float => Box::new(numbers.map(|number| Datum::float(number as f64 - 0.5))),
            Base::Time => {
                Box::new(numbers.map(move |number| Datum::Time(now.saturating_add(second(number - 1)))))
            }
            Base::Duration => Box::new(numbers.map(move |number| Datum::Duration(second(number)))),
        };
        let mut found = Vec::new();
        for datum in data.filter(is_new) {
            if found.len() >= count {
                break;
            }
            let value = self.values.intern(datum).ok();
            found.extend(value.filter(|value| !constants.contains(value)));
        }
        found
    }

    /// Returns the constants, and up to `count` values between, below and above them.
    fn between(&mut self, base: Base, constants: &[ValueId], count: usize) -> Vec<ValueId> {
        let number = |value: &ValueId| match self.values.get(*value) {
            Datum::Number(number) | Datum::Time(number) | Datum::Duration(number) => Some(*number),
            _ => None,
        };
        let mut bounds: Vec<i64> = constants.iter().filter_map(number).collect();
        bounds.sort_unstable();
        bounds.dedup();
        if bounds.is_empty() {
            return self.fresh(base, count, constants);
        }
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let mut all: BTreeSet<i64> = bounds.iter().copied().collect();
        for (at, bound) in bounds.iter().enumerate() {
            let above = bounds.get(at + 1).copied();
            all.extend(
                (1..=count)
                    .map_while(|far| bound.checked_add(far))
                    .take_while(|value| above.is_none_or(|above| *value < above)),
            );
            if at == 0 {
                all.extend((1..=count).map_while(|far| bound.checked_sub(far)));
            }
        }
        let datum = |number: i64| match base {
            Base::Time => Datum::Time(number),
            Base::Duration => Datum::Duration(number),
            _ => Datum::Number(number),
        };
        let mut data: Vec<Datum> = all.into_iter().map(datum).collect();
        data.sort_by(in_order);
        data.into_iter().filter_map(|datum| self.values.intern(datum).ok()).collect()
    }
}
