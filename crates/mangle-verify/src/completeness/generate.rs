//! The values that a search needs of each input column: constants, and values that stand for all others.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::kernel::{Clock, Compiled, Datum, ValueId, Values};
use mangle_engine::types::{Base, StructField, Type};
use mangle_syntax::text::Symbol;
use rustc_hash::FxHashMap;

use super::condition::{Condition, MAX_TEXT};
use super::conform::conforms;
use super::dataflow::Part;
use super::numbers::{Chain, bounds, classes};
use super::sorts::{Gap, SortId, Sorts, numbers};
use super::words::{Alphabet, set, words};
use crate::budget::Budget;

/// The label, the type and the part of a field, and true if it is optional.
type LabeledField = (ValueId, Type, Part, bool);

/// A label or key with its value.
type Entry = (ValueId, ValueId);

/// The most values of one column.
const MAX_VALUES: usize = 1_500;

/// The most values of one column that consist of others.
const MAX_COMPOSED: usize = 700;

/// The most digits of an integer whose text is tested.
const MAX_DIGITS: usize = 18;

/// How deep values without a declared type consist of others.
const MAX_DEPTH: usize = 6;

/// Values of a sort that the rules do not tell apart except by comparing them with each other, in the order in which a world
/// uses them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) sort: SortId,
    pub(super) values: Vec<ValueId>,
}

/// The texts of each combination of outcomes of the conditions on a sort, by sort, kind and number; `None` if there are too
/// many conditions.
pub(super) type WordMemo = RefCell<FxHashMap<(SortId, Base, usize), Option<Vec<Vec<String>>>>>;

/// Builds the values of columns for worlds of one size.
pub(super) struct Generator<'g> {
    pub(super) sorts: &'g Sorts,
    pub(super) compiled: &'g Compiled,
    pub(super) values: &'g mut Values,
    pub(super) clock: Clock,
    /// The number of facts of a world.
    pub(super) size: usize,
    pub(super) budget: &'g Budget,
    memo: &'g WordMemo,
    /// The most values of a sort that one fact holds.
    widths: BTreeMap<SortId, usize>,
    /// The prefixes that declarations require of names.
    prefixes: BTreeMap<SortId, BTreeSet<Symbol>>,
    /// The declared types of the values of a sort.
    types: BTreeMap<SortId, BTreeSet<Type>>,
    /// Sorts of values inside of others.
    inner: BTreeSet<SortId>,
    known: FxHashMap<(SortId, Base), Vec<ValueId>>,
    stack: Vec<SortId>,
    pub(super) groups: Vec<Group>,
    pub(super) gaps: BTreeSet<Gap>,
}

impl<'g> Generator<'g> {
    pub(super) fn new(
        sorts: &'g Sorts,
        compiled: &'g Compiled,
        values: &'g mut Values,
        clock: Clock,
        size: usize,
        memo: &'g WordMemo,
        budget: &'g Budget,
    ) -> Self {
        Self {
            sorts,
            compiled,
            values,
            clock,
            size,
            budget,
            memo,
            widths: BTreeMap::new(),
            prefixes: BTreeMap::new(),
            types: BTreeMap::new(),
            inner: BTreeSet::new(),
            known: FxHashMap::default(),
            stack: Vec::new(),
            groups: Vec::new(),
            gaps: BTreeSet::new(),
        }
    }

    /// Counts the values that one fact with these columns holds of each sort.
    pub(super) fn add_row(&mut self, row: &[(SortId, &Type)]) {
        let mut widths = BTreeMap::new();
        for (sort, ty) in row {
            self.count(*sort, ty, &mut Vec::new(), &mut widths);
        }
        for (sort, width) in widths {
            let known = self.widths.entry(sort).or_default();
            *known = (*known).max(width);
        }
    }

    /// Counts a value and its parts. `path` holds the sorts of the values around it.
    fn count(
        &mut self,
        sort: SortId,
        ty: &Type,
        path: &mut Vec<SortId>,
        widths: &mut BTreeMap<SortId, usize>,
    ) {
        let sort = self.sorts.root(sort);
        *widths.entry(sort).or_default() += 1;
        if !path.is_empty() {
            self.inner.insert(sort);
        }
        if !matches!(ty, Type::Any | Type::Variable(_) | Type::Union(_)) {
            self.types.entry(sort).or_default().insert(ty.clone());
        }
        // Values inside of values of the same sort have no bound, which is found when they are built.
        if path.contains(&sort) {
            return;
        }
        let part = |part: Part| self.sorts.get(sort).parts.get(&part).copied();
        let mut inner: Vec<(SortId, Type)> = Vec::new();
        match ty {
            Type::Prefix(prefix) => _ = self.prefixes.entry(sort).or_default().insert(*prefix),
            Type::Pair(parts) => {
                inner.extend(part(Part::First).map(|sort| (sort, parts.0.clone())));
                inner.extend(part(Part::Second).map(|sort| (sort, parts.1.clone())));
            }
            Type::List(element) => {
                inner.extend(part(Part::Element).map(|sort| (sort, element.as_ref().clone())));
                inner.extend(part(Part::Tail).map(|sort| (sort, ty.clone())));
            }
            Type::Map(parts) => {
                for (part, sort) in &self.sorts.get(sort).parts {
                    if let Part::Entry(_) = part {
                        inner.push((*sort, parts.1.clone()));
                    }
                }
            }
            Type::Struct(fields) => {
                for field in fields.iter() {
                    let label = self.values.name(field.label.as_str());
                    let sort = self.sorts.get(sort).parts.get(&Part::Field(label)).copied();
                    inner.extend(sort.map(|sort| (sort, field.ty.clone())));
                }
            }
            Type::Union(members) => {
                for member in members.iter() {
                    // The value is one of the members, so it is not counted again.
                    let mut of_member = BTreeMap::new();
                    self.count(sort, member, path, &mut of_member);
                    of_member.remove(&sort);
                    for (sort, width) in of_member {
                        *widths.entry(sort).or_default() += width;
                    }
                }
            }
            Type::Any | Type::Variable(_) => {
                let parts = self.sorts.get(sort).parts.values().copied();
                inner.extend(parts.map(|sort| (sort, Type::Any)));
            }
            Type::Base(_) | Type::Singleton(_) | Type::Literal(_) | Type::Option(_) => {}
        }
        path.push(sort);
        for (sort, ty) in inner {
            self.count(sort, &ty, path, widths);
        }
        path.pop();
    }

    /// How many values of a sort have to differ from each other.
    fn distinct(&self, sort: SortId) -> usize {
        if !self.sorts.get(sort).is_joined {
            return 1;
        }
        let width = self.widths.get(&self.sorts.root(sort)).copied().unwrap_or(1);
        width.saturating_mul(self.size).max(1)
    }

    fn gap(&mut self, operation: &str, sort: Option<SortId>) {
        let sorts = sort.map(|sort| self.sorts.root(sort)).into_iter().collect();
        self.gaps.insert(Gap { operation: operation.to_owned(), sorts });
    }

    /// The values of a column.
    pub(super) fn column(&mut self, sort: SortId, ty: &Type) -> Vec<ValueId> {
        self.typed(Some(sort), ty, 1)
    }

    /// The values of a type. `sort` is missing for parts that no rule reads; of these, `distinct` values differ.
    fn typed(&mut self, sort: Option<SortId>, ty: &Type, distinct: usize) -> Vec<ValueId> {
        let sort = sort.map(|sort| self.sorts.root(sort));
        let distinct = sort.map_or(distinct, |sort| self.distinct(sort));
        let mut all = match ty {
            Type::Base(base) => self.base(sort, *base, distinct),
            Type::Prefix(prefix) => self.below(sort, *prefix, distinct),
            Type::Singleton(name) | Type::Literal(name) => vec![self.values.name(name.as_str())],
            Type::Union(members) => {
                members.iter().flat_map(|member| self.typed(sort, member, distinct)).collect()
            }
            Type::Any | Type::Variable(_) => self.any(sort, distinct),
            // No value conforms to it.
            Type::Option(_) => Vec::new(),
            Type::Pair(parts) => self.pairs(sort, &parts.0, &parts.1, distinct),
            Type::List(element) => self.lists(sort, element, distinct),
            Type::Map(parts) => self.maps(sort, &parts.0, &parts.1, distinct),
            Type::Struct(fields) => self.structs(sort, fields, distinct),
        };
        if let Some(sort) = sort {
            let constants = self.sorts.get(sort).constants.iter().copied();
            all.extend(constants.filter(|value| conforms(self.values, *value, ty)));
        }
        let mut seen = rustc_hash::FxHashSet::default();
        all.retain(|value| seen.insert(*value));
        if all.len() > MAX_VALUES {
            all.truncate(MAX_VALUES);
            self.gap("too many values of one argument", sort);
        }
        all
    }

    /// Names below a prefix.
    fn below(&mut self, sort: Option<SortId>, prefix: Symbol, distinct: usize) -> Vec<ValueId> {
        if sort.is_none() {
            let names = fresh_words().take(distinct).map(|word| format!("{}/{word}", prefix.as_str()));
            return names.map(|name| self.values.name(&name)).collect();
        }
        let ty = Type::Prefix(prefix);
        let mut all = self.base(sort, Base::Name, distinct);
        all.retain(|value| conforms(self.values, *value, &ty));
        all
    }

    /// Values of each kind that the rules tell apart, and of one other kind.
    fn any(&mut self, sort: Option<SortId>, distinct: usize) -> Vec<ValueId> {
        let Some(sort) = sort else { return self.base(None, Base::Name, distinct) };
        let known = self.sorts.get(sort);
        let mut kinds: BTreeSet<Base> = known.kinds.union(&known.orders).copied().collect();
        kinds.extend(known.conditions.iter().map(|(base, _)| *base));
        let declared = self.types.get(&sort).into_iter().flatten();
        kinds.extend(declared.filter_map(|ty| if let Type::Base(base) = ty { Some(*base) } else { None }));
        let other = [Base::Name, Base::String, Base::Number, Base::Bytes]
            .into_iter()
            .find(|base| !kinds.contains(base));
        let mut all = Vec::new();
        // Another column of the sort may have a type.
        for ty in self.types.get(&sort).cloned().unwrap_or_default() {
            all.extend(self.typed(Some(sort), &ty, distinct));
        }
        for base in kinds.into_iter().chain(other) {
            all.extend(self.base(Some(sort), base, distinct));
        }
        if !known.parts.is_empty() {
            all.extend(self.any_composed(sort, distinct));
        }
        all.extend(&self.sorts.get(sort).constants);
        all
    }

    fn any_composed(&mut self, sort: SortId, distinct: usize) -> Vec<ValueId> {
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

    /// The values of one kind.
    fn base(&mut self, sort: Option<SortId>, base: Base, distinct: usize) -> Vec<ValueId> {
        let Some(sort) = sort else { return self.fresh(base, distinct, &[]) };
        if let Some(known) = self.known.get(&(sort, base)) {
            return known.clone();
        }
        let known = self.sorts.get(sort);
        let mut constants: Vec<ValueId> = known
            .constants
            .iter()
            .copied()
            .filter(|value| kind(self.values.get(*value)) == Some(base))
            .collect();
        constants.sort_by(|one, other| in_order(self.values.get(*one), self.values.get(*other)));
        let mut conditions: Vec<Condition> = known
            .conditions
            .iter()
            .filter(|(of, _)| *of == base)
            .map(|(_, condition)| condition.clone())
            .collect();
        if base == Base::Name {
            let prefixes = self.prefixes.get(&sort).into_iter().flatten();
            conditions
                .extend(prefixes.map(|prefix| Condition::Longer(format!("{}/", prefix.as_str()).into())));
        }
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

    /// Integers for each combination of outcomes of computations with one of them.
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

    /// The shortest texts for each combination of outcomes of some conditions.
    fn tested(
        &mut self,
        sort: SortId,
        base: Base,
        conditions: &[Condition],
        constants: &[ValueId],
        distinct: usize,
    ) -> Vec<Vec<ValueId>> {
        let texts: Vec<String> = constants
            .iter()
            .filter_map(|value| match self.values.get(*value) {
                Datum::String(text) | Datum::Name(text) => Some(text.to_string()),
                Datum::Number(number) => Some(number.to_string()),
                _ => None,
            })
            .collect();
        let alphabet = match base {
            Base::Name => Alphabet::Name,
            Base::Number => Alphabet::Integer,
            _ => Alphabet::Text,
        };
        let mut lengths = Vec::new();
        conditions.iter().for_each(|condition| condition.texts(&mut lengths));
        let length: usize = lengths.iter().map(|text| text.len()).sum();
        if length > MAX_TEXT * 8 || (base == Base::Number && length > MAX_DIGITS) {
            self.gap("tests with long texts", Some(sort));
            return vec![self.fresh(base, distinct, constants)];
        }
        let known = set(texts.iter().map(String::as_str));
        let mut memo = self.memo.borrow_mut();
        let is_too_large = memo.iter().any(|((of, kind, count), found)| {
            *of == sort && *kind == base && *count <= distinct && found.is_none()
        });
        let classes = if is_too_large {
            None
        } else {
            let classes = memo
                .entry((sort, base, distinct))
                .or_insert_with(|| words(alphabet, conditions, &known, distinct, self.budget));
            classes.clone()
        };
        drop(memo);
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

    /// Values that the program does not mention.
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

    /// The constants, and up to `count` values in each gap between them, below and above.
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

    /// True if the rules read no part of the values of a sort, so that these only have to differ from each other.
    fn is_whole(&self, sort: Option<SortId>) -> bool {
        sort.is_none_or(|sort| self.sorts.get(sort).parts.is_empty())
    }

    /// At most so many values that are no constants of the sort, or all if their parts matter.
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

    /// How many values of a part that no rule reads have to differ.
    fn room(&self, sort: Option<SortId>, distinct: usize) -> usize {
        let constants = sort.map_or(0, |sort| self.sorts.get(sort).constants.len());
        if distinct > 1 { distinct.saturating_add(constants) } else { 1 + constants }
    }

    fn pairs(&mut self, sort: Option<SortId>, first: &Type, second: &Type, distinct: usize) -> Vec<ValueId> {
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

    fn lists(&mut self, sort: Option<SortId>, element: &Type, distinct: usize) -> Vec<ValueId> {
        let empty = self.values.list(&[]);
        let mut all: Vec<ValueId> = empty.into_iter().collect();
        if self.is_whole(sort) {
            let room = self.room(sort, distinct);
            for element in self.typed(None, element, room) {
                all.extend(self.values.list(&[element]));
            }
            // A type with few values has longer lists.
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

    fn maps(&mut self, sort: Option<SortId>, key: &Type, value: &Type, distinct: usize) -> Vec<ValueId> {
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

    fn structs(&mut self, sort: Option<SortId>, fields: &[StructField], distinct: usize) -> Vec<ValueId> {
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

    /// The groups of values that only columns have, not parts of other values.
    pub(super) fn exchangeable(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.values.len() > 1 && !self.inner.contains(&group.sort))
    }
}

/// `a`, `b`, `c` and so on, without an end.
fn fresh_words() -> impl Iterator<Item = String> {
    ('a'..='z').map(String::from).chain((1..).map(|number: u64| format!("x{number}")))
}

/// The kind of a value without parts.
fn kind(datum: &Datum) -> Option<Base> {
    Some(match datum {
        Datum::Name(_) => Base::Name,
        Datum::Number(_) => Base::Number,
        Datum::Float(_) => Base::Float,
        Datum::String(_) => Base::String,
        Datum::Bytes(_) => Base::Bytes,
        Datum::Time(_) => Base::Time,
        Datum::Duration(_) => Base::Duration,
        Datum::Pair(..) | Datum::List(_) | Datum::Map(_) | Datum::Struct(_) => return None,
    })
}

/// An order of values that does not depend on when they were interned; negative numbers are last.
fn in_order(one: &Datum, other: &Datum) -> std::cmp::Ordering {
    match (one, other) {
        (Datum::Name(one), Datum::Name(other)) | (Datum::String(one), Datum::String(other)) => one.cmp(other),
        (Datum::Number(one), Datum::Number(other)) => (*one < 0, one).cmp(&(*other < 0, other)),
        (Datum::Time(one), Datum::Time(other)) | (Datum::Duration(one), Datum::Duration(other)) => {
            one.cmp(other)
        }
        _ => std::cmp::Ordering::Equal,
    }
}
