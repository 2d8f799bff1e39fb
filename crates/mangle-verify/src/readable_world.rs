//! Formatting of worlds as text. Only worlds whose facts parse to the same values are shown.

use mangle_engine::kernel::{Clock, CompiledProgram, Datum, Fact, Model, ValueId, Values, evaluate};
use mangle_syntax::syntax::SourceFile;

use crate::candidates::InputPredicate;
use crate::completeness::conforms;

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
    use mangle_engine::kernel::{Clock, Datum, Values};

    use super::read_back;

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
