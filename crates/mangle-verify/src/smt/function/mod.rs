//! Encoding of built-in functions: the value, and the condition that it exists.

mod civil;
mod float;
mod integer;
mod name;
mod text;
mod time;

use mangle_engine::kernel::{Datum, Function, ValueId};

use super::encoder::{Encoder, OpenCall};
use super::expr::{Expr, Kind, Node, Op, Sort};
use crate::obstacle::Obstacle;

/// A value with the condition that it exists.
pub(crate) type Applied = Result<(Expr, Expr), Obstacle>;

/// The range of 64-bit integers.
const LOW: i128 = i64::MIN as i128;
const HIGH: i128 = i64::MAX as i128;

impl Encoder<'_> {
    /// Encodes a function. Returns its value with the condition that it exists.
    pub(crate) fn applied(&mut self, function: Function, args: Vec<Expr>) -> Applied {
        let key = (function.name(), args.clone().into_boxed_slice());
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        let constants: Option<Vec<ValueId>> = args.iter().map(|arg| self.constant_of(*arg)).collect();
        let result = match constants {
            Some(constants) => match function.apply(&mut self.values, &constants, &self.setting.clock) {
                Ok(value) => (self.constant(value)?, self.exprs.bool(true)),
                Err(_) => (self.constant(ValueId(0))?, self.exprs.bool(false)),
            },
            None => self.open_value(function, &args)?,
        };
        self.memo.insert(key, result);
        Ok(result)
    }

    /// Returns the value of an expression without unknowns.
    pub(crate) fn constant_of(&mut self, expr: Expr) -> Option<ValueId> {
        let Node::Apply(Op::Make(kind), args) = self.exprs.node(expr).clone() else { return None };
        let first = args.first().copied()?;
        let number = self.exprs.as_int(first);
        Some(match kind {
            Kind::Number => self.values.number(i64::try_from(number?).ok()?),
            Kind::Time => self.values.time(i64::try_from(number?).ok()?),
            Kind::Duration => self.values.duration(i64::try_from(number?).ok()?),
            Kind::Float => match self.exprs.node(first) {
                Node::Float(bits) => self.values.float(f64::from_bits(*bits)),
                _ => return None,
            },
            Kind::String | Kind::Name => {
                let text = match self.exprs.as_text(first) {
                    Some(text) => text.to_owned(),
                    None => self.text_of_number(kind, number?)?,
                };
                if kind == Kind::Name { self.values.name(&text) } else { self.values.string(&text) }
            }
            Kind::Bytes => {
                let text = self.text_of_number(kind, number?)?;
                let bytes: Option<Vec<u8>> =
                    text.chars().map(|char| u8::try_from(u32::from(char)).ok()).collect();
                self.values.intern(Datum::Bytes(bytes?.into())).ok()?
            }
            Kind::Pair => {
                let (first, second) = (self.constant_of(first)?, self.constant_of(*args.get(1)?)?);
                self.values.pair(first, second).ok()?
            }
            Kind::List => {
                let elements = self.constant_items(first)?;
                self.values.list(&elements).ok()?
            }
            Kind::Map | Kind::Struct => {
                let entries = self.constant_entries(first)?;
                let datum = if kind == Kind::Map { Datum::Map(entries) } else { Datum::Struct(entries) };
                self.values.intern(datum).ok()?
            }
        })
    }

    fn constant_entries(&mut self, items: Expr) -> Option<Box<[(ValueId, ValueId)]>> {
        let pairs = self.constant_items(items)?;
        let entry = |pair: &ValueId| match self.values.get(*pair) {
            Datum::Pair(key, value) => Some((*key, *value)),
            _ => None,
        };
        pairs.iter().map(entry).collect()
    }

    fn constant_items(&mut self, items: Expr) -> Option<Vec<ValueId>> {
        let (mut rest, mut elements) = (items, Vec::new());
        loop {
            match self.exprs.node(rest).clone() {
                Node::Apply(Op::Nil, _) => return Some(elements),
                Node::Apply(Op::Cons, parts) => {
                    elements.push(self.constant_of(*parts.first()?)?);
                    rest = *parts.get(1)?;
                }
                _ => return None,
            }
        }
    }

    fn text_of_number(&self, kind: Kind, number: i128) -> Option<String> {
        let mut known = self.numbers.iter().filter(|((of, _), at)| *of == kind && **at == number);
        known.next().map(|((_, text), _)| text.to_string())
    }

    /// Returns the content of a value of a kind, and the condition that it has the kind.
    pub(crate) fn of_kind(&mut self, kind: Kind, value: Expr) -> (Expr, Expr) {
        let sort = match kind {
            Kind::Float => Sort::Float,
            Kind::String | Kind::Name => self.sort_of(kind),
            Kind::List | Kind::Map | Kind::Struct => Sort::Items,
            _ => Sort::Int,
        };
        (self.exprs.content(kind, 0, value, sort), self.exprs.is(kind, value))
    }

    fn all_of_kind(&mut self, kind: Kind, values: &[Expr]) -> (Vec<Expr>, Expr) {
        let all: Vec<(Expr, Expr)> = values.iter().map(|value| self.of_kind(kind, *value)).collect();
        let are = self.exprs.and(all.iter().map(|(_, is)| *is));
        (all.into_iter().map(|(content, _)| content).collect(), are)
    }

    fn integer_of(&mut self, kind: Kind, number: Expr) -> Expr {
        let number = self.wrapped(number);
        self.exprs.make(kind, &[number])
    }

    /// Wraps a number to 64 bits, as in the engine.
    pub(crate) fn wrapped(&mut self, number: Expr) -> Expr {
        let (low, high) = self.exprs.range(number);
        if low >= LOW && high <= HIGH {
            return number;
        }
        let fits = self.exprs.between(LOW, number, HIGH);
        let (offset, modulus) = (self.exprs.int(-LOW), self.exprs.int(1 << 64));
        let moved = self.exprs.add([number, offset]);
        let (_, rest) = self.exprs.div_mod(moved, modulus);
        let wrapped = self.exprs.sub(rest, offset);
        // A separate variable preserves the range.
        let whole = self.exprs.ite(fits, number, wrapped);
        let result = self.number_in("wrapped", LOW, HIGH);
        let same = self.exprs.raw(Op::Equal, &[result, whole], Sort::Bool);
        self.required.push(same);
        result
    }

    /// Encodes a function with an unknown argument.
    fn open_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        match (function.name(), args) {
            ("plus" | "minus" | "mult" | "div" | "mod", _) => self.integer_value(function, args),
            ("float:plus" | "float:mult", _) | ("float:div", [_, _, ..]) | ("sqrt", [_]) => {
                self.float_value(function, args)
            }
            ("string:concat" | "string:replace", _)
            | ("number:to_string" | "float64:to_string" | "name:to_string", [_]) => {
                self.text_value(function, args)
            }
            ("name:root" | "name:tip" | "name:list", [value]) => Ok(self.part_of_name(function, *value)),
            ("list" | "pair" | "tuple" | "struct" | "map", _)
            | (
                "list:append" | "list:cons" | "list:contains" | "list:get" | "struct:get" | "map:get",
                [_, _],
            )
            | (
                "list:len" | "sum" | "max" | "min" | "duration:sum" | "duration:max" | "duration:min"
                | "time:max" | "time:min",
                [_],
            ) => self.collection(function, args),
            _ => self.time_value(function, args),
        }
    }

    /// Encodes a call of an uninterpreted function: equal arguments have equal results.
    pub(crate) fn fallback(&mut self, function: Function, args: &[Expr], kind: Option<Kind>) -> Applied {
        let name: String =
            function.name().chars().map(|char| if char.is_alphanumeric() { char } else { '_' }).collect();
        let sorts: Vec<Sort> = args.iter().map(|arg| self.exprs.sort(*arg)).collect();
        let result_sort = match kind {
            Some(Kind::String) => self.sorts.strings,
            Some(Kind::Name) => self.sorts.names,
            Some(Kind::Float) => Sort::Float,
            Some(Kind::List | Kind::Map | Kind::Struct) => Sort::Items,
            Some(Kind::Number | Kind::Time | Kind::Duration) => Sort::Int,
            _ => Sort::Value,
        };
        let value = self.exprs.unknown(&format!("fn_{name}_{}", args.len()), &sorts, result_sort);
        let has_value = self.exprs.unknown(&format!("has_{name}_{}", args.len()), &sorts, Sort::Bool);
        let (content, succeeds) = (self.exprs.call(value, args), self.exprs.call(has_value, args));
        let result = match kind {
            Some(kind) if result_sort != Sort::Value => {
                if result_sort == Sort::Int && matches!(kind, Kind::Number | Kind::Time | Kind::Duration) {
                    let fits = self.exprs.between(LOW, content, HIGH);
                    self.required.push(fits);
                }
                self.exprs.make(kind, &[content])
            }
            _ => content,
        };
        self.open_calls.push(OpenCall { function, args: args.to_vec(), result, succeeds });
        Ok((result, succeeds))
    }

    /// Introduces a variable for a number with a known range.
    pub(crate) fn named(&mut self, number: Expr, low: i128, high: i128) -> Expr {
        let (known_low, known_high) = self.exprs.range(number);
        if known_low >= low && known_high <= high {
            return number;
        }
        let result = self.number_in("n", low, high);
        let same = self.exprs.raw(Op::Equal, &[result, number], Sort::Bool);
        self.required.push(same);
        result
    }
}
