//! Seed values: fresh values that a place can supply to other places, by type.

use mangle_engine::kernel::{Datum, ValueId, Values};
use mangle_engine::types::{Base, Type};

use super::InputPredicate;
use super::flow::{Flow, Place};
use super::fresh::Fresh;
use super::graph::Part;
use super::groups::Groups;
use super::needs::FRESH;

/// Returns the seed values of each group of places.
pub(super) fn seeds(
    needed: &[&InputPredicate],
    flow: &Flow<'_>,
    groups: &Groups,
    fresh: &Fresh,
    values: &mut Values,
) -> Vec<Vec<ValueId>> {
    let mut all: Vec<Vec<ValueId>> = vec![Vec::new(); groups.needs.len()];
    for (number, place) in (0u32..).zip(&flow.places) {
        let Some(group) = groups.group(number) else { continue };
        let kinds = groups.needs.get(group).map(|need| need.kinds.clone()).unwrap_or_default();
        for ty in types(needed, place, values) {
            let found = of_type(&ty, fresh, values, &kinds.iter().copied().collect::<Vec<_>>());
            let Some(known) = all.get_mut(group) else { continue };
            known.extend(found.into_iter().filter(|value| !known.contains(value)).collect::<Vec<_>>());
        }
    }
    all
}

fn types(needed: &[&InputPredicate], place: &Place, values: &Values) -> Vec<Type> {
    let rows = needed.get(usize::from(place.input)).map_or(&[][..], |input| &input.rows);
    let mut types: Vec<Type> =
        rows.iter().filter_map(|row| row.get(usize::from(place.column))).cloned().collect();
    if types.is_empty() {
        // An end of an interval.
        types.push(Type::Base(Base::Time));
    }
    for part in &place.path {
        types = types.iter().flat_map(|ty| part_of(ty, *part, values)).collect();
    }
    types
}

fn part_of(ty: &Type, part: Part, values: &Values) -> Vec<Type> {
    match (ty, part) {
        (Type::Pair(parts), Part::First) => vec![parts.0.clone()],
        (Type::Pair(parts), Part::Second) => vec![parts.1.clone()],
        (Type::List(element), Part::Element) => vec![element.as_ref().clone()],
        (Type::Map(parts), Part::Under(_)) => vec![parts.1.clone()],
        (Type::Struct(fields), Part::Under(label)) => {
            let label = match values.get(label) {
                Datum::Name(label) => label.to_string(),
                _ => return Vec::new(),
            };
            let found = fields.iter().filter(|field| field.label.as_str() == label);
            found.map(|field| field.ty.clone()).collect()
        }
        (Type::Union(members), part) => {
            members.iter().flat_map(|member| part_of(member, part, values)).collect()
        }
        (Type::Any | Type::Variable(_), _) => vec![Type::Any],
        _ => Vec::new(),
    }
}

fn of_type(ty: &Type, fresh: &Fresh, values: &mut Values, kinds: &[Base]) -> Vec<ValueId> {
    match ty {
        Type::Base(base) => fresh.values(*base, FRESH),
        Type::Any | Type::Variable(_) => kinds.iter().flat_map(|base| fresh.values(*base, FRESH)).collect(),
        Type::Prefix(prefix) => {
            ["a", "b", "c"].map(|word| values.name(&format!("{}/{word}", prefix.as_str()))).into()
        }
        Type::Singleton(name) | Type::Literal(name) => vec![values.name(name.as_str())],
        Type::Union(members) => {
            members.iter().flat_map(|member| of_type(member, fresh, values, kinds)).collect()
        }
        // No value conforms to an option. The parts of the other types are separate places.
        Type::Option(_) | Type::List(_) | Type::Pair(_) | Type::Map(_) | Type::Struct(_) => Vec::new(),
    }
}
