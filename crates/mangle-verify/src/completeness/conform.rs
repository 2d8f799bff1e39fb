//! Conformance of values to declared types.

use mangle_engine::kernel::{Datum, ValueId, Values};
use mangle_engine::types::{Base, StructField, Type, is_below};
use mangle_syntax::text::Symbol;

use super::condition::is_name_character;

/// True if a value and all its parts conform to a type and have a Mangle literal.
pub(crate) fn conforms(values: &Values, value: ValueId, ty: &Type) -> bool {
    is_legal(values, value) && is_of(values, value, ty)
}

fn is_of(values: &Values, value: ValueId, ty: &Type) -> bool {
    match (ty, values.get(value)) {
        (Type::Any | Type::Variable(_), _) => true,
        (Type::Base(Base::Name), Datum::Name(_))
        | (Type::Base(Base::Number), Datum::Number(_))
        | (Type::Base(Base::Float), Datum::Float(_))
        | (Type::Base(Base::String), Datum::String(_))
        | (Type::Base(Base::Bytes), Datum::Bytes(_))
        | (Type::Base(Base::Time), Datum::Time(_))
        | (Type::Base(Base::Duration), Datum::Duration(_)) => true,
        (Type::Prefix(prefix), Datum::Name(name)) => is_below(Symbol::new(name), *prefix),
        (Type::Singleton(wanted) | Type::Literal(wanted), Datum::Name(name)) => **name == *wanted.as_str(),
        (Type::Union(members), _) => members.iter().any(|member| is_of(values, value, member)),
        (Type::List(element), Datum::List(elements)) => {
            elements.iter().all(|one| is_of(values, *one, element))
        }
        (Type::Pair(parts), Datum::Pair(first, second)) => {
            is_of(values, *first, &parts.0) && is_of(values, *second, &parts.1)
        }
        (Type::Map(parts), Datum::Map(entries)) => entries
            .iter()
            .all(|(key, value)| is_of(values, *key, &parts.0) && is_of(values, *value, &parts.1)),
        (Type::Struct(fields), Datum::Struct(entries)) => is_struct(values, entries, fields),
        (
            Type::Base(_)
            | Type::Prefix(_)
            | Type::Singleton(_)
            | Type::Literal(_)
            | Type::List(_)
            | Type::Option(_)
            | Type::Pair(_)
            | Type::Map(_)
            | Type::Struct(_),
            _,
        ) => false,
    }
}

fn is_struct(values: &Values, entries: &[(ValueId, ValueId)], fields: &[StructField]) -> bool {
    let label = |entry: &ValueId| match values.get(*entry) {
        Datum::Name(label) => Some(label.to_string()),
        _ => None,
    };
    let is_declared = entries.iter().all(|(key, value)| {
        let label = label(key);
        fields
            .iter()
            .any(|field| label.as_deref() == Some(field.label.as_str()) && is_of(values, *value, &field.ty))
    });
    let is_present = |wanted: &str| entries.iter().any(|(key, _)| label(key).as_deref() == Some(wanted));
    is_declared && fields.iter().all(|field| field.optional || is_present(field.label.as_str()))
}

/// True if a value has a Mangle literal: valid names, finite floats, and unique keys.
fn is_legal(values: &Values, value: ValueId) -> bool {
    match values.get(value) {
        Datum::Name(name) => is_name(name),
        Datum::Float(bits) => f64::from_bits(*bits).is_finite(),
        Datum::Number(_) | Datum::String(_) | Datum::Bytes(_) | Datum::Time(_) | Datum::Duration(_) => true,
        Datum::Pair(first, second) => is_legal(values, *first) && is_legal(values, *second),
        Datum::List(elements) => elements.iter().all(|element| is_legal(values, *element)),
        Datum::Map(entries) | Datum::Struct(entries) => {
            let are_legal =
                entries.iter().all(|(key, value)| is_legal(values, *key) && is_legal(values, *value));
            are_legal && entries.windows(2).all(|pair| matches!(pair, [(one, _), (other, _)] if one != other))
        }
    }
}

/// True if a text is a name constant: slashes, each followed by at least one character.
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(is_name_character);
    text.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_part))
}
