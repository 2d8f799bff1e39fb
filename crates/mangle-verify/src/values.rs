//! Values of facts: their kinds and order, conformance to declared types, and their text.
//!
//! Only worlds whose facts parse to the same values are shown.

use mangle_engine::kernel::{Clock, CompiledProgram, Datum, Fact, Model, ValueId, Values, evaluate};
use mangle_engine::types::{Base, StructField, Type, is_below};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::Symbol;

use crate::inputs::InputPredicate;

/// Returns the kind of a value without parts.
pub(crate) fn kind(datum: &Datum) -> Option<Base> {
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

/// Compares values of one kind, independently of their interning order. Negative numbers are last.
pub(crate) fn in_order(one: &Datum, other: &Datum) -> std::cmp::Ordering {
    match (one, other) {
        (Datum::Name(one), Datum::Name(other)) | (Datum::String(one), Datum::String(other)) => one.cmp(other),
        (Datum::Number(one), Datum::Number(other)) => (*one < 0, one).cmp(&(*other < 0, other)),
        (Datum::Time(one), Datum::Time(other)) | (Datum::Duration(one), Datum::Duration(other)) => {
            one.cmp(other)
        }
        _ => std::cmp::Ordering::Equal,
    }
}

/// True for characters that are allowed between the slashes of a name.
pub(crate) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '%' | '-')
}

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

/// The maximum size in bytes of an argument that is parsed again.
const MAX_BYTES: usize = 1 << 20;

/// True if the arguments of a fact have the declared types, and their texts parse to the same
/// values.
pub(crate) fn is_readable(fact: &Fact, inputs: &[InputPredicate], values: &mut Values, clock: Clock) -> bool {
    let Some(input) = inputs.iter().find(|input| input.predicates.contains(&fact.predicate)) else {
        return false;
    };
    let is_row = |row: &&Vec<_>| row.iter().zip(&fact.tuple).all(|(ty, value)| conforms(values, *value, ty));
    // The two ends of an interval are not arguments.
    let Some(row) = input.rows.iter().find(is_row) else { return false };
    let width = row.len();
    fact.tuple.iter().take(width).all(|value| read_back(*value, values, clock) == Some(*value))
}

/// Formats a fact. Unlike the engine, floats are formatted as float literals, for example `1.0`
/// instead of `1`.
pub(crate) fn fact_text(model: &Model, compiled: &CompiledProgram, fact: &Fact) -> String {
    let float = |value: &ValueId| match model.values.get(*value) {
        Datum::Float(bits) => Some(float_literal(f64::from_bits(*bits))),
        _ => None,
    };
    if compiled.is_temporal(fact.predicate) || fact.tuple.iter().all(|value| float(value).is_none()) {
        return model.fact(compiled, fact.predicate, &fact.tuple);
    }
    let shown = |value: &ValueId| float(value).unwrap_or_else(|| model.values.display(*value).to_string());
    let args: Vec<String> = fact.tuple.iter().map(shown).collect();
    format!("{}({})", compiled.name(fact.predicate), args.join(","))
}

/// Formats a float literal with a fraction, including before an exponent.
fn float_literal(float: f64) -> String {
    let text = format!("{float:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// Parses the text of a value.
fn read_back(value: ValueId, values: &mut Values, clock: Clock) -> Option<ValueId> {
    let text = match values.get(value) {
        Datum::Float(bits) => format!("p({}).", float_literal(f64::from_bits(*bits))),
        _ => format!("p({}).", values.display_within(value, MAX_BYTES)),
    };
    let source = SourceFile::parse(text.as_str().into());
    let item = source.items().first().filter(|_| source.items().len() == 1)?;
    let clause = item.statement.clause().filter(|_| !item.statement.damaged)?;
    let [argument] = clause.head.args.as_slice() else { return None };
    evaluate(argument, &text, values, Some(&clock)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::read_back;
    use mangle_engine::kernel::{Clock, Datum, Values};

    #[test]
    fn printed_values_are_read_as_the_same_values() {
        let mut values = Values::new();
        let clock = Clock { now_ns: 0 };
        let name = values.name("/a/b.c");
        let text = values.string("a \"quoted\"\nline \u{1f600}");
        let number = values.number(i64::MIN);
        let float = values.float(-0.5);
        let floats = [1.0, 1.0e300, -2.0e-300, 1.5e300].map(|float| values.float(float));
        for value in floats {
            assert_eq!(read_back(value, &mut values, clock), Some(value), "{}", values.display(value));
        }
        let (time, duration) = (values.time(1_700_000_000_000_000_001), values.duration(-1));
        let bytes = values.intern(Datum::Bytes(b"ab"[..].into())).unwrap();
        let list = values.list(&[name, text, number]).unwrap();
        let pair = values.pair(list, float).unwrap();
        let map = values.intern(Datum::Map([(text, number)].into())).unwrap();
        let record = values.intern(Datum::Struct([(name, map)].into())).unwrap();
        for value in [name, text, number, float, time, duration, bytes, list, pair, map, record] {
            assert_eq!(read_back(value, &mut values, clock), Some(value), "{}", values.display(value));
        }
    }

    #[test]
    fn names_that_are_none_are_not_read() {
        let mut values = Values::new();
        for name in ["/a b", "/", "//x", "/p/", "/a\u{e9}"] {
            let name = values.name(name);
            assert_eq!(read_back(name, &mut values, Clock { now_ns: 0 }), None);
        }
    }
}
