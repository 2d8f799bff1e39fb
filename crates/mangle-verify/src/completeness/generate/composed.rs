//! Generation of values with parts: pairs, lists, maps and structs.

use mangle_engine::kernel::{Datum, ValueId};
use mangle_engine::types::{StructField, Type};
use mangle_syntax::text::Symbol;

use super::{Generator, MAX_VALUES};
use crate::completeness::dataflow::Part;
use crate::completeness::sorts::SortId;
use crate::values::conforms;

/// The label, type and part of a field, and true if the field is optional.
type LabeledField = (ValueId, Type, Part, bool);

/// A label or key with its value.
type Entry = (ValueId, ValueId);

/// The maximum number of values with parts per column.
const MAX_COMPOSED: usize = 700;

/// The maximum nesting depth of values without a declared type.
const MAX_DEPTH: usize = 6;

impl Generator<'_> {
    pub(super) fn any_composed(&mut self, sort: SortId, distinct: usize) -> Vec<ValueId> {
        if self.stack.contains(&sort) || self.stack.len() > MAX_DEPTH {
            self.gap("values inside of each other without a declared type", Some(sort));
            return Vec::new();
        }
        let known = self.sorts.get(sort);
        let has = |wanted: fn(&Part) -> bool| known.parts.keys().any(wanted);
        let (pairs, lists) = (
            has(|part| matches!(part, Part::First | Part::Second)),
            has(|part| matches!(part, Part::Element | Part::Tail)),
        );
        let labels = |wanted: fn(&Part) -> Option<ValueId>| -> Vec<ValueId> {
            known.parts.keys().filter_map(wanted).collect()
        };
        let fields = labels(|part| if let Part::Field(label) = part { Some(*label) } else { None });
        let entries = labels(|part| if let Part::Entry(label) = part { Some(*label) } else { None });
        let is_joined = known.is_joined;
        let mut all = Vec::new();
        if pairs {
            all.extend(self.pairs(Some(sort), &Type::Any, &Type::Any, distinct));
        }
        if lists {
            all.extend(self.lists(Some(sort), &Type::Any, distinct));
        }
        if !fields.is_empty() {
            if is_joined {
                self.gap("comparisons of structs without a declared type", Some(sort));
            }
            let names = fields.iter().filter_map(|label| match self.values.get(*label) {
                Datum::Name(name) => Some(Symbol::new(name)),
                _ => None,
            });
            let fields: Vec<StructField> =
                names.map(|label| StructField { label, ty: Type::Any, optional: true }).collect();
            all.extend(self.structs(Some(sort), &fields, distinct));
        }
        if !entries.is_empty() {
            all.extend(self.maps(Some(sort), &Type::Any, &Type::Any, distinct));
        }
        all
    }

    fn part(&mut self, sort: Option<SortId>, part: Part, ty: &Type, distinct: usize) -> Vec<ValueId> {
        let inner = sort.and_then(|sort| self.sorts.get(sort).parts.get(&part).copied());
        if let (Some(sort), Some(_)) = (sort, inner) {
            if self.stack.len() > 2 * MAX_DEPTH || self.stack.contains(&sort) {
                self.gap("values inside of each other", Some(sort));
                return Vec::new();
            }
            self.stack.push(sort);
        }
        let all = self.typed(inner, ty, distinct);
        if sort.is_some() && inner.is_some() {
            self.stack.pop();
        }
        all
    }

    /// True if the rules read no part of the values of a sort, so that the values only need to be
    /// distinct.
    fn is_whole(&self, sort: Option<SortId>) -> bool {
        sort.is_none_or(|sort| self.sorts.get(sort).parts.is_empty())
    }

    /// Returns at most `distinct` values that are not constants of the sort, or all values if their
    /// parts are relevant.
    fn limited(&mut self, sort: Option<SortId>, mut all: Vec<ValueId>, distinct: usize) -> Vec<ValueId> {
        if self.is_whole(sort) {
            let constants = sort.map(|sort| self.sorts.get(sort).constants.clone()).unwrap_or_default();
            all.retain(|value| !constants.contains(value));
            all.truncate(distinct.max(1));
        } else if all.len() > MAX_COMPOSED {
            all.truncate(MAX_COMPOSED);
            self.gap("too many values with parts", sort);
        }
        all
    }

    /// Returns the required number of distinct values of a part that no rule reads.
    fn room(&self, sort: Option<SortId>, distinct: usize) -> usize {
        let constants = sort.map_or(0, |sort| self.sorts.get(sort).constants.len());
        if distinct > 1 { distinct.saturating_add(constants) } else { 1 + constants }
    }

    pub(super) fn pairs(
        &mut self,
        sort: Option<SortId>,
        first: &Type,
        second: &Type,
        distinct: usize,
    ) -> Vec<ValueId> {
        let room = self.room(sort, distinct);
        let (first, second) =
            (self.part(sort, Part::First, first, room), self.part(sort, Part::Second, second, room));
        let mut all = Vec::new();
        'all: for one in &first {
            for other in &second {
                all.extend(self.values.pair(*one, *other));
                if all.len() > MAX_VALUES {
                    break 'all;
                }
            }
        }
        self.limited(sort, all, distinct)
    }

    pub(super) fn lists(&mut self, sort: Option<SortId>, element: &Type, distinct: usize) -> Vec<ValueId> {
        let empty = self.values.list(&[]);
        let mut all: Vec<ValueId> = empty.into_iter().collect();
        if self.is_whole(sort) {
            let room = self.room(sort, distinct);
            for element in self.typed(None, element, room) {
                all.extend(self.values.list(&[element]));
            }
            // If the element type has few values, longer lists are needed.
            let elements = self.typed(None, element, 1);
            if let Some(first) = elements.first() {
                for length in 2..distinct.max(1) + 1 {
                    all.extend(self.values.list(&vec![*first; length]));
                }
            }
            return self.limited(sort, all, distinct.saturating_add(1));
        }
        let Some(sort) = sort else { return all };
        let tail = self.sorts.get(sort).parts.get(&Part::Tail).copied();
        let Some(tail) = tail.filter(|_| self.sorts.tails(sort).is_some()) else {
            self.gap("lists of any length", Some(sort));
            return all;
        };
        let elements = self.part(Some(sort), Part::Element, element, distinct);
        let tails = self.typed(Some(tail), &Type::list(element.clone()), distinct);
        'all: for tail in &tails {
            let Datum::List(rest) = self.values.get(*tail).clone() else { continue };
            for first in &elements {
                let list: Vec<ValueId> = std::iter::once(*first).chain(rest.iter().copied()).collect();
                all.extend(self.values.list(&list));
                if all.len() > MAX_VALUES {
                    break 'all;
                }
            }
        }
        self.limited(Some(sort), all, distinct)
    }

    pub(super) fn maps(
        &mut self,
        sort: Option<SortId>,
        key: &Type,
        value: &Type,
        distinct: usize,
    ) -> Vec<ValueId> {
        if self.is_whole(sort) {
            let room = self.room(sort, distinct);
            let keys = self.typed(None, key, room);
            let only = self.typed(None, value, 1);
            let mut all: Vec<ValueId> = self.values.intern(Datum::Map(Box::new([]))).into_iter().collect();
            for (key, value) in keys.iter().zip(only.iter().cycle()) {
                all.extend(self.values.intern(Datum::Map(Box::new([(*key, *value)]))));
            }
            return self.limited(sort, all, distinct.saturating_add(1));
        }
        let Some(sort) = sort else { return Vec::new() };
        if self.sorts.get(sort).is_joined {
            self.gap("comparisons of maps", Some(sort));
        }
        let labels: Vec<ValueId> = self
            .sorts
            .get(sort)
            .parts
            .keys()
            .filter_map(|part| match part {
                Part::Entry(label) => Some(*label),
                _ => None,
            })
            .collect();
        let labels: Vec<ValueId> =
            labels.into_iter().filter(|label| conforms(self.values, *label, key)).collect();
        let fields: Vec<LabeledField> =
            labels.into_iter().map(|label| (label, value.clone(), Part::Entry(label), true)).collect();
        self.labeled(sort, &fields, distinct, Datum::Map)
    }

    pub(super) fn structs(
        &mut self,
        sort: Option<SortId>,
        fields: &[StructField],
        distinct: usize,
    ) -> Vec<ValueId> {
        let fields: Vec<LabeledField> = fields
            .iter()
            .map(|field| {
                let label = self.values.name(field.label.as_str());
                (label, field.ty.clone(), Part::Field(label), field.optional)
            })
            .collect();
        match sort {
            Some(sort) => self.labeled(sort, &fields, distinct, Datum::Struct),
            None => {
                let mut all: Vec<Vec<(ValueId, ValueId)>> = vec![Vec::new()];
                for (label, ty, ..) in &fields {
                    let options = self.typed(None, ty, distinct);
                    all = all
                        .iter()
                        .flat_map(|known| {
                            options
                                .iter()
                                .map(|value| known.iter().copied().chain([(*label, *value)]).collect())
                        })
                        .take(distinct.max(1))
                        .collect();
                }
                all.into_iter()
                    .filter_map(|entries| self.values.intern(Datum::Struct(entries.into())).ok())
                    .collect()
            }
        }
    }

    fn labeled(
        &mut self,
        sort: SortId,
        fields: &[LabeledField],
        distinct: usize,
        datum: fn(Box<[Entry]>) -> Datum,
    ) -> Vec<ValueId> {
        let is_whole = self.is_whole(Some(sort));
        let room = self.room(Some(sort), distinct);
        let mut all: Vec<Vec<(ValueId, ValueId)>> = vec![Vec::new()];
        for (label, ty, part, is_optional) in fields {
            let options = self.part(Some(sort), *part, ty, room);
            let mut longer: Vec<Vec<(ValueId, ValueId)>> = Vec::new();
            for entries in &all {
                if *is_optional {
                    longer.push(entries.clone());
                }
                longer.extend(
                    options.iter().map(|value| entries.iter().copied().chain([(*label, *value)]).collect()),
                );
                if longer.len() > MAX_VALUES {
                    break;
                }
            }
            if is_whole {
                longer.truncate(room.max(1));
            }
            all = longer;
        }
        let all: Vec<ValueId> =
            all.into_iter().filter_map(|entries| self.values.intern(datum(entries.into())).ok()).collect();
        self.limited(Some(sort), all, distinct)
    }
}
