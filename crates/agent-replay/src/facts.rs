//! Conversion of runtime facts to engine values. An argument is a text or an integer; the form of
//! the text determines a name.

use mangle_engine::kernel::{Fact, RuleId, ValueId, Values};
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_syntax::text::Symbol;
use piggyback::envelope::runtime::{self, Value, becomes_name};

/// The substitute for floats, which the runtime drops.
const LOST: &str = "<float lost>";

/// The substitute for invalid UTF-8.
const BAD: &str = "<bad>";

/// A text as a value: a name if the runtime reads the text as a name, otherwise a string.
pub(super) fn value(values: &mut Values, text: &str) -> ValueId {
    if becomes_name(text.as_bytes()) { values.name(text) } else { values.string(text) }
}

/// The fact of a packet; `None` if the program lacks its predicate.
pub(super) fn fact(values: &mut Values, program: &Program, fact: &runtime::RuntimeFact) -> Option<Fact> {
    let arity = u16::try_from(fact.args.len()).ok()?;
    let predicate = program.id(PredicateKey { name: Symbol::new(&fact.predicate), arity })?;
    let mut argument = |argument: &Value| match argument {
        Value::Number(number) => values.number(*number),
        Value::Float(bits) => values.float(f64::from_bits(*bits)),
        Value::UnprintableFloat => values.string(LOST),
        Value::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => value(values, text),
            Err(_) => values.string(BAD),
        },
    };
    let args: Vec<ValueId> = fact.args.iter().map(&mut argument).collect();
    Some(asserted(values, program, predicate, args))
}

/// A fact without a clause. For a temporal predicate, it holds at all times.
pub(super) fn asserted(
    values: &mut Values,
    program: &Program,
    predicate: PredicateId,
    mut args: Vec<ValueId>,
) -> Fact {
    if program.get(predicate).signature.temporal {
        args.extend([i64::MIN, i64::MAX].map(|end| values.time(end)));
    }
    Fact { predicate, tuple: args.into(), rule: RuleId::ASSERTED }
}
