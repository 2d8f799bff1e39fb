//! The number of values of each sort in one fact.

use std::collections::BTreeMap;

use mangle_engine::types::Type;

use super::super::dataflow::Part;
use super::super::sorts::SortId;
use super::Generator;

impl Generator<'_> {
    /// Counts the values of each sort in one fact with these columns.
    pub(in super::super) fn add_row(&mut self, row: &[(SortId, Type)]) {
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
