//! Generation of the values that a search needs for each input column: constants and
//! representatives of all other values, and the number of values of each sort in one fact.

mod composed;
mod plain;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::kernel::{Clock, CompiledProgram, ValueId, Values};
use mangle_engine::types::{Base, Type};
use mangle_syntax::text::Symbol;
use rustc_hash::FxHashMap;

use super::dataflow::Part;
use super::sorts::{Gap, SortId, Sorts};
use crate::obstacle::Budget;
use crate::values::conforms;

/// The maximum number of values per column.
const MAX_VALUES: usize = 1_500;

/// Values of a sort that are only compared with each other, in the order of their use in a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) sort: SortId,
    pub(super) values: Vec<ValueId>,
}

/// A memo of texts for each combination of condition outcomes, by sort, kind and number. `None` if
/// there are too many conditions.
pub(super) type WordMemo = RefCell<FxHashMap<(SortId, Base, usize), Option<Vec<Vec<String>>>>>;

/// A generator of column values for worlds of one size.
pub(super) struct Generator<'g> {
    pub(super) sorts: &'g Sorts,
    pub(super) compiled: &'g CompiledProgram,
    pub(super) values: &'g mut Values,
    pub(super) clock: Clock,
    /// The number of facts of a world.
    size: usize,
    pub(super) budget: &'g Budget,
    memo: &'g WordMemo,
    /// The maximum number of values of a sort in one fact.
    widths: BTreeMap<SortId, usize>,
    /// The name prefixes that declarations require.
    prefixes: BTreeMap<SortId, BTreeSet<Symbol>>,
    /// The declared types of the values of a sort.
    types: BTreeMap<SortId, BTreeSet<Type>>,
    /// The sorts of nested values.
    inner: BTreeSet<SortId>,
    known: FxHashMap<(SortId, Base), Vec<ValueId>>,
    stack: Vec<SortId>,
    pub(super) groups: Vec<Group>,
    pub(super) gaps: BTreeSet<Gap>,
}

impl<'g> Generator<'g> {
    pub(super) fn new(
        sorts: &'g Sorts,
        compiled: &'g CompiledProgram,
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

    /// Returns the required number of distinct values of a sort.
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

    /// Returns the values of a column.
    pub(super) fn column(&mut self, sort: SortId, ty: &Type) -> Vec<ValueId> {
        self.typed(Some(sort), ty, 1)
    }

    /// Returns the values of a type.
    ///
    /// `sort` is `None` for parts that no rule reads. The result then has `distinct` different
    /// values.
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
            // No value conforms to this type.
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

    /// Returns names below a prefix.
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

    /// Returns values of each kind that the rules distinguish, and of one other kind.
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

    /// Returns the groups of values that occur only in columns, not in parts of other values.
    pub(super) fn exchangeable(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.values.len() > 1 && !self.inner.contains(&group.sort))
    }
}

/// Yields `a`, `b`, `c` and so on, without an end.
fn fresh_words() -> impl Iterator<Item = String> {
    ('a'..='z').map(String::from).chain((1..).map(|number: u64| format!("x{number}")))
}

impl Generator<'_> {
    /// Counts the values of each sort in one fact with these columns.
    pub(super) fn add_row(&mut self, row: &[(SortId, Type)]) {
        let mut widths = BTreeMap::new();
        for (sort, ty) in row {
            self.count(*sort, ty, &mut Vec::new(), &mut widths);
        }
        for (sort, width) in widths {
            let known = self.widths.entry(sort).or_default();
            *known = (*known).max(width);
        }
    }

    /// Counts a value and its parts. `path` contains the sorts of the surrounding values.
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
        // Recursive sorts have no bound. The recursion is detected during generation.
        if path.contains(&sort) {
            return;
        }
        if let Type::Union(members) = ty {
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
        if let Type::Prefix(prefix) = ty {
            self.prefixes.entry(sort).or_default().insert(*prefix);
        }
        path.push(sort);
        for (sort, ty) in self.typed_parts(sort, ty) {
            self.count(sort, &ty, path, widths);
        }
        path.pop();
    }

    /// Returns the sorts and types of the parts of a value of a type.
    fn typed_parts(&mut self, sort: SortId, ty: &Type) -> Vec<(SortId, Type)> {
        let part = |part: Part| self.sorts.get(sort).parts.get(&part).copied();
        let mut inner: Vec<(SortId, Type)> = Vec::new();
        match ty {
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
            Type::Any | Type::Variable(_) => {
                let parts = self.sorts.get(sort).parts.values().copied();
                inner.extend(parts.map(|sort| (sort, Type::Any)));
            }
            Type::Base(_)
            | Type::Prefix(_)
            | Type::Union(_)
            | Type::Singleton(_)
            | Type::Literal(_)
            | Type::Option(_) => {}
        }
        inner
    }
}
