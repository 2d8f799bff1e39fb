//! Encoding of built-in functions: the value, and the condition that it exists. This file contains
//! the functions of numbers.

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

    /// Encodes a function of integers.
    fn integer_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        match (function.name(), args) {
            ("plus", _) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let sum = self.exprs.add(numbers);
                Ok((self.integer_of(Kind::Number, sum), are))
            }
            ("minus", [_, ..]) => Ok(self.difference(args)),
            ("mult", _) => Ok(self.product(args)),
            ("div", [value]) => Ok(self.inverse(*value)),
            ("div", [_, _, ..]) => self.divided(args),
            ("mod", [left, right]) => {
                let ((left, is_left), (right, is_right)) =
                    (self.of_kind(Kind::Number, *left), self.of_kind(Kind::Number, *right));
                let are = self.exprs.and([is_left, is_right]);
                let (_, rest, is_zero) = self.truncated(left, right);
                let not = self.exprs.not(is_zero);
                Ok((self.exprs.make(Kind::Number, &[rest]), self.exprs.and([are, not])))
            }
            _ => self.fallback(function, args, None),
        }
    }

    /// Returns the first number minus the others, or the negation of a single number.
    fn difference(&mut self, args: &[Expr]) -> (Expr, Expr) {
        let (numbers, are) = self.all_of_kind(Kind::Number, args);
        let zero = self.exprs.int(0);
        let mut numbers = numbers.into_iter();
        let first = numbers.next().unwrap_or(zero);
        let mut result = if args.len() == 1 { self.exprs.sub(zero, first) } else { first };
        for number in numbers {
            result = self.exprs.sub(result, number);
        }
        (self.integer_of(Kind::Number, result), are)
    }

    fn product(&mut self, args: &[Expr]) -> (Expr, Expr) {
        let (numbers, are) = self.all_of_kind(Kind::Number, args);
        let mut product = self.exprs.int(1);
        for number in numbers {
            product = self.exprs.mul(product, number);
            product = self.wrapped(product);
        }
        (self.exprs.make(Kind::Number, &[product]), are)
    }

    /// Returns the quotient of one and a number, as in the engine: 0 except for 1.
    fn inverse(&mut self, value: Expr) -> (Expr, Expr) {
        let (number, is) = self.of_kind(Kind::Number, value);
        let (zero, one) = (self.exprs.int(0), self.exprs.int(1));
        let (is_zero, is_one) = (self.exprs.equal(number, zero), self.exprs.equal(number, one));
        let result = self.exprs.ite(is_one, one, zero);
        let not = self.exprs.not(is_zero);
        (self.exprs.make(Kind::Number, &[result]), self.exprs.and([is, not]))
    }

    /// Divides from left to right. The division ends at a quotient of zero.
    fn divided(&mut self, args: &[Expr]) -> Applied {
        let (numbers, are) = self.all_of_kind(Kind::Number, args);
        let mut numbers = numbers.into_iter();
        let zero = self.exprs.int(0);
        let mut quotient = numbers.next().unwrap_or(zero);
        let mut is_over = self.exprs.bool(false);
        let mut parts = vec![are];
        for divisor in numbers {
            let (next, _, is_zero) = self.truncated(quotient, divisor);
            let not = self.exprs.not(is_zero);
            parts.push(self.exprs.or([is_over, not]));
            quotient = self.exprs.ite(is_over, zero, next);
            is_over = self.exprs.equal(quotient, zero);
        }
        Ok((self.exprs.make(Kind::Number, &[quotient]), self.exprs.and(parts)))
    }

    /// Returns the quotient, truncated toward zero, the remainder, and the condition that the
    /// divisor is zero.
    fn truncated(&mut self, left: Expr, right: Expr) -> (Expr, Expr, Expr) {
        let zero = self.exprs.int(0);
        let is_zero = self.exprs.equal(right, zero);
        if self.exprs.as_bool(is_zero) == Some(true) {
            return (zero, zero, is_zero);
        }
        let negative = self.exprs.sub(zero, left);
        let (quotient, rest) = self.exprs.div_mod(left, right);
        let is_negative = self.exprs.less(left, zero);
        if self.exprs.as_bool(is_negative) == Some(false) {
            let quotient = self.wrapped(quotient);
            return (quotient, rest, is_zero);
        }
        let (mirrored, mirrored_rest) = self.exprs.div_mod(negative, right);
        let (mirrored, mirrored_rest) = (self.exprs.sub(zero, mirrored), self.exprs.sub(zero, mirrored_rest));
        let quotient = self.exprs.ite(is_negative, mirrored, quotient);
        let rest = self.exprs.ite(is_negative, mirrored_rest, rest);
        // Only the minimum integer divided by -1 exceeds 64 bits.
        let may_leave = self.exprs.range(right).0 <= -1 && self.exprs.range(right).1 >= -1;
        let quotient = if may_leave { self.wrapped(quotient) } else { self.named(quotient, LOW, HIGH) };
        (quotient, self.named(rest, LOW, HIGH), is_zero)
    }

    /// Encodes a function of floats.
    fn float_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        let (Some(floats), are) = self.floats(args) else {
            return self.fallback(function, args, Some(Kind::Float));
        };
        let (result, is_defined) = match (function.name(), floats.as_slice()) {
            ("float:plus", _) => (self.folded_floats(Op::FloatAdd, 0.0, &floats), are),
            ("float:mult", _) => (self.folded_floats(Op::FloatMul, 1.0, &floats), are),
            ("float:div", [first, divisors @ ..]) if !divisors.is_empty() => {
                let (quotient, are_divisors) = self.float_quotient(*first, divisors);
                (quotient, self.exprs.and([are, are_divisors]))
            }
            ("sqrt", [_]) => (self.exprs.raw(Op::FloatSqrt, &floats, Sort::Float), are),
            _ => return self.fallback(function, args, Some(Kind::Float)),
        };
        Ok((self.exprs.make(Kind::Float, &[result]), is_defined))
    }

    fn folded_floats(&mut self, op: Op, neutral: f64, floats: &[Expr]) -> Expr {
        let mut total = self.exprs.float(neutral.to_bits());
        for float in floats {
            total = self.exprs.raw(op, &[total, *float], Sort::Float);
        }
        total
    }

    /// Returns the quotient, and the condition that no divisor is zero.
    fn float_quotient(&mut self, first: Expr, divisors: &[Expr]) -> (Expr, Expr) {
        let (mut result, mut parts) = (first, Vec::new());
        for divisor in divisors {
            let is_zero = self.exprs.raw(Op::FloatIsZero, &[*divisor], Sort::Bool);
            parts.push(self.exprs.not(is_zero));
            result = self.exprs.raw(Op::FloatDiv, &[result, *divisor], Sort::Float);
        }
        (result, self.exprs.and(parts))
    }

    /// Returns float arguments. `None` if an argument may be a number.
    fn floats(&mut self, args: &[Expr]) -> (Option<Vec<Expr>>, Expr) {
        let mut floats = Vec::with_capacity(args.len());
        let mut are = Vec::new();
        for arg in args {
            let is_number = self.exprs.is(Kind::Number, *arg);
            match self.exprs.as_bool(is_number) {
                Some(false) => {
                    let (float, is) = self.of_kind(Kind::Float, *arg);
                    floats.push(float);
                    are.push(is);
                }
                Some(true) => {
                    let (number, _) = self.of_kind(Kind::Number, *arg);
                    let Some(number) = self.exprs.as_int(number) else { return (None, is_number) };
                    #[allow(clippy::cast_precision_loss)] // as in the engine
                    let float = number as f64;
                    floats.push(self.exprs.float(float.to_bits()));
                }
                None => return (None, is_number),
            }
        }
        (Some(floats), self.exprs.and(are))
    }
}
