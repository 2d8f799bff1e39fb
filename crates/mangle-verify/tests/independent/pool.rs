//! Values that the oracle chooses, without a look at the values of the search.

use crate::naive::value::Value;
use crate::support::Random;

use super::question::{Input, Kind, WorldFact};

const NAMES: [&str; 14] = [
    "/a",
    "/b",
    "/c",
    "/d",
    "/e",
    "/f",
    "/secret",
    "/secretx",
    "/secret/key",
    "/a/b",
    "/a/b/c",
    "/x/key",
    "/key",
    "/a/bc",
];
const TEXTS: [&str; 14] =
    ["", "a", "b", "ab", "abc", "ba", "src/", "src/a/test", "/test", "secret", "sec", "ret", "a-b", "//"];

fn name(random: &mut Random) -> Value {
    if random.chance(20) {
        let parts = 1 + random.below(3);
        let part =
            |random: &mut Random| format!("/{}", random.pick(&["a", "k", "key", "secret", "zz", "q1"]));
        return Value::Name((0..parts).map(|_| part(random)).collect());
    }
    Value::name(random.pick::<&str>(&NAMES))
}

pub fn number(random: &mut Random) -> i64 {
    let small = i64::try_from(random.below(12)).unwrap() - 2;
    match random.below(6) {
        0 => i64::try_from(random.below(400)).unwrap() - 30,
        1 => small * 10,
        _ => small,
    }
}

fn text(random: &mut Random) -> Value {
    if random.chance(30) {
        let pieces = 1 + random.below(3);
        return Value::Text((0..pieces).map(|_| *random.pick(&TEXTS)).collect());
    }
    Value::text(random.pick::<&str>(&TEXTS))
}

/// A value of a type.
pub fn value(random: &mut Random, kind: Kind) -> Value {
    let elements = |random: &mut Random, of: fn(&mut Random) -> Value| {
        let count = random.below(5);
        let mut all: Vec<Value> = (0..count).map(|_| of(random)).collect();
        if count > 1 && random.chance(40) {
            all[0] = all[count - 1].clone();
        }
        Value::List(all)
    };
    match kind {
        Kind::Name => name(random),
        Kind::Number => Value::Number(number(random)),
        Kind::Text => text(random),
        Kind::Names => elements(random, name),
        Kind::Numbers => elements(random, |random| Value::Number(number(random))),
        Kind::Pair => Value::Pair(name(random).into(), Value::Number(number(random)).into()),
    }
}

/// A value close to another one of the same type.
pub fn neighbor(random: &mut Random, kind: Kind, near: &Value) -> Value {
    match near {
        Value::Number(number) if random.chance(70) => {
            Value::Number(number + i64::try_from(random.below(5)).unwrap() - 2)
        }
        Value::Text(text) if random.chance(50) => Value::Text(format!("{text}{}", random.pick(&TEXTS))),
        Value::Name(name) if random.chance(50) => {
            Value::Name(format!("{name}{}", random.pick(&["x", "/a", "/key", "1"])))
        }
        _ => value(random, kind),
    }
}

/// A fact of an input. Half of the values come from `known` facts, so that facts join.
pub fn fact(random: &mut Random, input: &Input, known: &[WorldFact], inputs: &[Input]) -> WorldFact {
    let reused = |random: &mut Random, kind: Kind| {
        let of_kind = known.iter().flat_map(|(key, tuple)| {
            let columns = inputs.iter().find(|input| input.key() == *key).map(|input| &input.columns);
            columns.into_iter().flatten().zip(tuple).filter(|(one, _)| **one == kind).map(|(_, value)| value)
        });
        let all: Vec<&Value> = of_kind.collect();
        (!all.is_empty()).then(|| (*random.pick(&all)).clone())
    };
    let column = |random: &mut Random, kind: Kind| {
        let old = if random.chance(50) { reused(random, kind) } else { None };
        old.unwrap_or_else(|| value(random, kind))
    };
    let tuple = input.columns.iter().map(|kind| column(random, *kind)).collect();
    (input.key(), tuple)
}
