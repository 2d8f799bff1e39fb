//! Built-in functions over expressions: the value, and when there is one.

use mangle_engine::kernel::{Datum, Function, ValueId};

use super::encoder::{Encoder, OpenCall};
use super::expr::{Expr, Kind, Node, Op, Sort};
use crate::obstacle::Obstacle;

/// A value, and when there is one.
pub(crate) type Applied = Result<(Expr, Expr), Obstacle>;

/// The values of 64-bit numbers.
const LOW: i128 = i64::MIN as i128;
const HIGH: i128 = i64::MAX as i128;

/// The largest number up to which floats hold all integers.
const EXACT_FLOAT: i128 = 1 << 53;

impl Encoder<'_> {
    /// The value of a function, and when there is one.
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

    /// The value that an expression is, if it has no unknowns.
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
                let pairs = self.constant_items(first)?;
                let entries: Option<Vec<(ValueId, ValueId)>> = pairs
                    .into_iter()
                    .map(|pair| match self.values.get(pair) {
                        Datum::Pair(key, value) => Some((*key, *value)),
                        _ => None,
                    })
                    .collect();
                let entries = entries?.into();
                let datum = if kind == Kind::Map { Datum::Map(entries) } else { Datum::Struct(entries) };
                self.values.intern(datum).ok()?
            }
        })
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

    /// The content of a value of a kind, and when it is of the kind.
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

    /// A number as the engine keeps it, in 64 bits.
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
        // A variable of its own keeps the range known.
        let whole = self.exprs.ite(fits, number, wrapped);
        let result = self.number_in("wrapped", LOW, HIGH);
        let same = self.exprs.raw(Op::Equal, &[result, whole], Sort::Bool);
        self.required.push(same);
        result
    }

    fn open_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        match (function.name(), args) {
            ("plus", _) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let sum = self.exprs.add(numbers);
                Ok((self.integer_of(Kind::Number, sum), are))
            }
            ("minus", [first, rest @ ..]) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let (first, _) = self.of_kind(Kind::Number, *first);
                let mut result = first;
                if rest.is_empty() {
                    let zero = self.exprs.int(0);
                    result = self.exprs.sub(zero, first);
                }
                for number in numbers.into_iter().skip(1) {
                    result = self.exprs.sub(result, number);
                }
                Ok((self.integer_of(Kind::Number, result), are))
            }
            ("mult", _) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let mut product = self.exprs.int(1);
                for number in numbers {
                    product = self.exprs.mul(product, number);
                    product = self.wrapped(product);
                }
                Ok((self.exprs.make(Kind::Number, &[product]), are))
            }
            ("div", [_]) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let [number] = numbers[..] else { return self.fallback(function, args, None) };
                let (zero, one) = (self.exprs.int(0), self.exprs.int(1));
                let (is_zero, is_one) = (self.exprs.equal(number, zero), self.exprs.equal(number, one));
                let result = self.exprs.ite(is_one, one, zero);
                let not = self.exprs.not(is_zero);
                Ok((self.exprs.make(Kind::Number, &[result]), self.exprs.and([are, not])))
            }
            ("div", [_, _, ..]) => self.divided(args),
            ("mod", [_, _]) => {
                let (numbers, are) = self.all_of_kind(Kind::Number, args);
                let [left, right] = numbers[..] else { return self.fallback(function, args, None) };
                let (_, rest, is_zero) = self.truncated(left, right);
                let not = self.exprs.not(is_zero);
                Ok((self.exprs.make(Kind::Number, &[rest]), self.exprs.and([are, not])))
            }
            ("float:plus" | "float:mult", _) => self.folded_floats(function, args),
            ("float:div", [_, _, ..]) => {
                let (Some(floats), are) = self.floats(args) else {
                    return self.fallback(function, args, Some(Kind::Float));
                };
                let mut parts = vec![are];
                let mut floats = floats.into_iter();
                let Some(mut result) = floats.next() else {
                    return self.fallback(function, args, Some(Kind::Float));
                };
                for float in floats {
                    let is_zero = self.exprs.raw(Op::FloatIsZero, &[float], Sort::Bool);
                    parts.push(self.exprs.not(is_zero));
                    result = self.exprs.raw(Op::FloatDiv, &[result, float], Sort::Float);
                }
                Ok((self.exprs.make(Kind::Float, &[result]), self.exprs.and(parts)))
            }
            ("sqrt", [_]) => {
                let (Some(floats), are) = self.floats(args) else {
                    return self.fallback(function, args, Some(Kind::Float));
                };
                let root = self.exprs.raw(Op::FloatSqrt, &floats, Sort::Float);
                Ok((self.exprs.make(Kind::Float, &[root]), are))
            }
            ("string:concat", _) => {
                let (mut texts, mut are) = (Vec::new(), Vec::new());
                for arg in args {
                    let (text, is) = self.text_of(*arg)?;
                    texts.push(text);
                    are.push(is);
                }
                let joined = self.exprs.concat(texts);
                Ok((self.exprs.make(Kind::String, &[joined]), self.exprs.and(are)))
            }
            ("string:replace", [text, old, new, count]) => {
                self.replaced(function, args, [*text, *old, *new, *count])
            }
            ("number:to_string", [value]) => {
                let (number, is) = self.of_kind(Kind::Number, *value);
                let text = self.number_text(number);
                Ok((self.exprs.make(Kind::String, &[text]), is))
            }
            ("float64:to_string", [value]) => {
                let (float, is) = self.of_kind(Kind::Float, *value);
                let text = self.float_text(float);
                Ok((self.exprs.make(Kind::String, &[text]), is))
            }
            ("name:to_string", [value]) => {
                let (text, is) = self.of_kind(Kind::Name, *value);
                Ok((self.exprs.make(Kind::String, &[text]), is))
            }
            ("name:root", [value]) => {
                let (text, is) = self.of_kind(Kind::Name, *value);
                let (root, _) = self.root_and_rest(text, is);
                Ok((self.exprs.make(Kind::Name, &[root]), is))
            }
            ("name:tip", [value]) => {
                let (text, is) = self.of_kind(Kind::Name, *value);
                let tip = self.tip(text, is);
                Ok((self.exprs.make(Kind::Name, &[tip]), is))
            }
            ("name:list", [value]) => {
                let (text, is) = self.of_kind(Kind::Name, *value);
                let items = self.segments(text, is, 0);
                Ok((self.exprs.make(Kind::List, &[items]), is))
            }
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

    /// A function that the script does not define: equal arguments give equal results.
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

    /// Division from left to right, which ends at a quotient of zero.
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

    /// The quotient, cut towards zero, the remainder, and if the divisor is zero.
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
        // Only the least number divided by -1 leaves 64 bits.
        let may_leave = self.exprs.range(right).0 <= -1 && self.exprs.range(right).1 >= -1;
        let quotient = if may_leave { self.wrapped(quotient) } else { self.named(quotient, LOW, HIGH) };
        (quotient, self.named(rest, LOW, HIGH), is_zero)
    }

    /// A number under a name of its own, with a range that is known.
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

    fn folded_floats(&mut self, function: Function, args: &[Expr]) -> Applied {
        let (Some(floats), are) = self.floats(args) else {
            return self.fallback(function, args, Some(Kind::Float));
        };
        let is_sum = function.name() == "float:plus";
        let mut total = self.exprs.float(if is_sum { 0.0_f64 } else { 1.0 }.to_bits());
        for float in floats {
            let op = if is_sum { Op::FloatAdd } else { Op::FloatMul };
            total = self.exprs.raw(op, &[total, float], Sort::Float);
        }
        Ok((self.exprs.make(Kind::Float, &[total]), are))
    }

    /// Arguments that are floats; `None` if one may be a number.
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

    /// The text that a value becomes in a longer one, and when it becomes one.
    fn text_of(&mut self, value: Expr) -> Result<(Expr, Expr), Obstacle> {
        let (mut text, mut known) = (self.exprs.text(""), Vec::new());
        for kind in [Kind::Float, Kind::Number, Kind::Name, Kind::String] {
            let is = self.exprs.is(kind, value);
            if self.exprs.as_bool(is) == Some(false) {
                continue;
            }
            let (content, _) = self.of_kind(kind, value);
            let of_kind = match kind {
                Kind::Number => self.number_text(content),
                Kind::Float => self.float_text(content),
                _ => content,
            };
            text = self.exprs.ite(is, of_kind, text);
            known.push(is);
        }
        Ok((text, self.exprs.or(known)))
    }

    fn number_text(&mut self, number: Expr) -> Expr {
        if let Some(number) = self.exprs.as_int(number) {
            return self.exprs.text(&number.to_string());
        }
        let zero = self.exprs.int(0);
        let negative = self.exprs.sub(zero, number);
        let minus = self.exprs.text("-");
        let plain = self.exprs.raw(Op::FromInt, &[number], Sort::Text);
        let mirrored = self.exprs.raw(Op::FromInt, &[negative], Sort::Text);
        let below = self.exprs.concat([minus, mirrored]);
        let is_below = self.exprs.less(number, zero);
        self.exprs.ite(is_below, below, plain)
    }

    fn float_text(&mut self, float: Expr) -> Expr {
        let unknown = self.exprs.unknown(super::expr::FLOAT_TEXT, &[Sort::Float], Sort::Text);
        let finite = self.exprs.call(unknown, &[float]);
        let [is_nan, is_infinite, is_negative] = [Op::FloatIsNan, Op::FloatIsInfinite, Op::FloatIsNegative]
            .map(|op| self.exprs.float_test(op, float));
        let [nan, up, down] = ["NaN", "+Inf", "-Inf"].map(|text| self.exprs.text(text));
        for odd in [nan, up, down] {
            let equal = self.exprs.equal(finite, odd);
            let not = self.exprs.not(equal);
            self.required.push(not);
        }
        let infinite = self.exprs.ite(is_negative, down, up);
        let text = self.exprs.ite(is_infinite, infinite, finite);
        let text = self.exprs.ite(is_nan, nan, text);
        if let Some(function) = Function::of("fn:float64:to_string") {
            let (arg, result) =
                (self.exprs.make(Kind::Float, &[float]), self.exprs.make(Kind::String, &[text]));
            let succeeds = self.exprs.bool(true);
            if !self.open_calls.iter().any(|call| call.result == result) {
                self.open_calls.push(OpenCall { function, args: vec![arg], result, succeeds });
            }
        }
        text
    }

    fn replaced(&mut self, function: Function, args: &[Expr], [text, old, new, count]: [Expr; 4]) -> Applied {
        let (texts, are) = self.all_of_kind(Kind::String, &[text, old, new]);
        let (count, is_number) = self.of_kind(Kind::Number, count);
        let succeeds = self.exprs.and([are, is_number]);
        let [whole, old, new] = texts[..] else { return self.fallback(function, args, Some(Kind::String)) };
        let is_plain = self.exprs.as_text(old).is_some_and(|old| !old.is_empty());
        let replaced = match self.exprs.as_int(count) {
            Some(0) => whole,
            _ if old == new => whole,
            Some(1) => self.exprs.raw(Op::ReplaceFirst, &[whole, old, new], Sort::Text),
            Some(..0) if is_plain => self.exprs.raw(Op::ReplaceAll, &[whole, old, new], Sort::Text),
            _ => {
                let (value, _) = self.fallback(function, args, Some(Kind::String))?;
                return Ok((value, succeeds));
            }
        };
        Ok((self.exprs.make(Kind::String, &[replaced]), succeeds))
    }

    /// The first part of a name, and what is behind it.
    pub(crate) fn root_and_rest(&mut self, name: Expr, is_name: Expr) -> (Expr, Expr) {
        let key = ("root", vec![name].into_boxed_slice());
        if let Some(known) = self.memo.get(&key) {
            return *known;
        }
        let (root, rest) = (self.unknown("root", Sort::Text), self.unknown("rest", Sort::Text));
        let joined = self.exprs.concat([root, rest]);
        let same = self.exprs.equal(name, joined);
        let is_segment = self.exprs.raw(Op::IsSegment, &[root], Sort::Bool);
        let (empty, slash) = (self.exprs.text(""), self.exprs.text("/"));
        let is_empty = self.exprs.equal(rest, empty);
        let goes_on = self.exprs.text_test(Op::PrefixOf, rest, slash);
        let ends = self.exprs.or([is_empty, goes_on]);
        let all = self.exprs.and([same, is_segment, ends]);
        let all = self.exprs.implies(is_name, all);
        self.required.push(all);
        self.memo.insert(key, (root, rest));
        (root, rest)
    }

    /// The last part of a name: the first one if there is no other.
    fn tip(&mut self, name: Expr, is_name: Expr) -> Expr {
        let (root, rest) = self.root_and_rest(name, is_name);
        let empty = self.exprs.text("");
        let is_only = self.exprs.equal(rest, empty);
        let goes_on = self.exprs.not(is_only);
        let has_more = self.exprs.and([is_name, goes_on]);
        let tip = self.tip_of_rest(rest, has_more);
        self.exprs.ite(is_only, root, tip)
    }

    fn tip_of_rest(&mut self, name: Expr, is_name: Expr) -> Expr {
        let (before, tip) = (self.unknown("before", Sort::Text), self.unknown("tip", Sort::Text));
        let joined = self.exprs.concat([before, tip]);
        let same = self.exprs.equal(name, joined);
        let is_segment = self.exprs.raw(Op::IsSegment, &[tip], Sort::Bool);
        let empty = self.exprs.text("");
        let is_empty = self.exprs.equal(before, empty);
        let is_begun = self.is_name(before);
        let starts = self.exprs.or([is_empty, is_begun]);
        let all = self.exprs.and([same, is_segment, starts]);
        let all = self.exprs.implies(is_name, all);
        self.required.push(all);
        tip
    }

    /// The parts of a name.
    fn segments(&mut self, name: Expr, is_name: Expr, depth: usize) -> Expr {
        if depth >= super::collection::UNROLLED {
            let unknown = self.exprs.unknown("segments", &[Sort::Text], Sort::Items);
            let items = self.exprs.call(unknown, &[name]);
            let is_some = self.exprs.raw(Op::IsCons, &[items], Sort::Bool);
            self.required.push(is_some);
            return items;
        }
        let (root, rest) = self.root_and_rest(name, is_name);
        let head = self.exprs.make(Kind::Name, &[root]);
        let empty = self.exprs.text("");
        let is_last = self.exprs.equal(rest, empty);
        let goes_on = self.exprs.not(is_last);
        let has_more = self.exprs.and([is_name, goes_on]);
        let tail = self.segments(rest, has_more, depth + 1);
        let nil = self.exprs.nil();
        let tail = self.exprs.ite(is_last, nil, tail);
        self.exprs.cons(head, tail)
    }

    /// Functions of times and durations.
    fn time_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        let name = function.name();
        match (name, args) {
            ("time:add", [instant, length]) => {
                let ((instant, is), (length, is_length)) =
                    (self.of_kind(Kind::Time, *instant), self.of_kind(Kind::Duration, *length));
                let moved = self.exprs.add([instant, length]);
                Ok((self.integer_of(Kind::Time, moved), self.exprs.and([is, is_length])))
            }
            ("time:sub", [_, _]) => {
                let (instants, are) = self.all_of_kind(Kind::Time, args);
                let [later, earlier] = instants[..] else { return self.fallback(function, args, None) };
                let between = self.exprs.sub(later, earlier);
                Ok((self.integer_of(Kind::Duration, between), are))
            }
            ("time:from_unix_nanos", [value]) => self.renamed(Kind::Number, Kind::Time, *value),
            ("time:to_unix_nanos", [value]) => self.renamed(Kind::Time, Kind::Number, *value),
            ("duration:nanos", [value]) => self.renamed(Kind::Duration, Kind::Number, *value),
            ("duration:from_nanos", [value]) => self.renamed(Kind::Number, Kind::Duration, *value),
            ("duration:add", [_, _]) => {
                let (lengths, are) = self.all_of_kind(Kind::Duration, args);
                let sum = self.exprs.add(lengths);
                Ok((self.integer_of(Kind::Duration, sum), are))
            }
            ("duration:mult", [length, times]) => {
                let ((length, is), (times, is_times)) =
                    (self.of_kind(Kind::Duration, *length), self.of_kind(Kind::Number, *times));
                let product = self.exprs.mul(length, times);
                Ok((self.integer_of(Kind::Duration, product), self.exprs.and([is, is_times])))
            }
            ("duration:from_hours" | "duration:from_minutes" | "duration:from_seconds", [value]) => {
                let unit: i128 = match name {
                    "duration:from_hours" => 3_600_000_000_000,
                    "duration:from_minutes" => 60_000_000_000,
                    _ => 1_000_000_000,
                };
                let (number, is_number) = self.of_kind(Kind::Number, *value);
                let (open, succeeds) = self.fallback(function, args, Some(Kind::Duration))?;
                let unit = self.exprs.int(unit);
                let nanos = self.exprs.mul(number, unit);
                let is_exact = self.exprs.between(-EXACT_FLOAT, nanos, EXACT_FLOAT);
                let exact = self.exprs.and([is_number, is_exact]);
                let (rest, _) = self.of_kind(Kind::Duration, open);
                let result = self.exprs.ite(exact, nanos, rest);
                let result = self.named(result, LOW, HIGH);
                let is_float = self.exprs.is(Kind::Float, *value);
                let takes = self.exprs.or([is_number, is_float]);
                let same = self.exprs.equal(succeeds, takes);
                self.required.push(same);
                Ok((self.exprs.make(Kind::Duration, &[result]), takes))
            }
            ("duration:hours" | "duration:minutes" | "duration:seconds", [value]) => {
                let (value, succeeds) = (
                    self.fallback(function, args, Some(Kind::Float))?,
                    self.exprs.is(Kind::Duration, *value),
                );
                let same = self.exprs.equal(value.1, succeeds);
                self.required.push(same);
                Ok(value)
            }
            ("time:trunc", [instant, unit]) => {
                let length: i128 = match self.constant_of(*unit).map(|unit| self.values.get(unit)) {
                    Some(Datum::Name(unit)) => match &**unit {
                        "/day" => 86_400_000_000_000,
                        "/hour" => 3_600_000_000_000,
                        "/minute" => 60_000_000_000,
                        "/second" => 1_000_000_000,
                        "/millisecond" => 1_000_000,
                        "/microsecond" => 1_000,
                        "/nanosecond" => 1,
                        _ => return Ok((*instant, self.exprs.bool(false))),
                    },
                    _ => return self.fallback(function, args, Some(Kind::Time)),
                };
                let (instant, is) = self.of_kind(Kind::Time, *instant);
                let length = self.exprs.int(length);
                let (_, rest) = self.exprs.div_mod(instant, length);
                let start = self.exprs.sub(instant, rest);
                Ok((self.integer_of(Kind::Time, start), is))
            }
            (
                "time:year" | "time:month" | "time:day" | "time:hour" | "time:minute" | "time:second",
                [value],
            ) => {
                let (instant, is) = self.of_kind(Kind::Time, *value);
                let civil = self.civil(instant);
                let part = match name {
                    "time:year" => civil[0],
                    "time:month" => civil[1],
                    "time:day" => civil[2],
                    "time:hour" => civil[3],
                    "time:minute" => civil[4],
                    _ => civil[5],
                };
                Ok((self.exprs.make(Kind::Number, &[part]), is))
            }
            ("interval:start" | "interval:end", [value]) => {
                let part = u8::from(name == "interval:end");
                let is = self.exprs.is(Kind::Pair, *value);
                Ok((self.exprs.content(Kind::Pair, part, *value, Sort::Value), is))
            }
            ("interval:duration", [value]) => {
                let is = self.exprs.is(Kind::Pair, *value);
                let ends = [0, 1].map(|part| self.exprs.content(Kind::Pair, part, *value, Sort::Value));
                let (ends, are) = self.all_of_kind(Kind::Time, &ends);
                let [start, end] = ends[..] else { return self.fallback(function, args, None) };
                let (first, last) = (self.exprs.int(LOW), self.exprs.int(HIGH));
                let open = [self.exprs.equal(start, first), self.exprs.equal(end, last)];
                let open = self.exprs.or(open);
                let closed = self.exprs.not(open);
                let length = self.exprs.sub(end, start);
                Ok((self.integer_of(Kind::Duration, length), self.exprs.and([is, are, closed])))
            }
            ("time:format" | "time:format_civil", _) => self.fallback(function, args, Some(Kind::String)),
            ("time:parse_rfc3339" | "time:parse_civil" | "time:trunc_civil", _) => {
                self.fallback(function, args, Some(Kind::Time))
            }
            ("duration:parse", _) => self.fallback(function, args, Some(Kind::Duration)),
            ("float:max" | "float:min" | "float:sum", _) => self.fallback(function, args, Some(Kind::Float)),
            _ => self.fallback(function, args, None),
        }
    }

    fn renamed(&mut self, from: Kind, to: Kind, value: Expr) -> Applied {
        let (number, is) = self.of_kind(from, value);
        Ok((self.exprs.make(to, &[number]), is))
    }

    /// Year, month, day, hour, minute and second of an instant in UTC.
    fn civil(&mut self, instant: Expr) -> [Expr; 6] {
        let keys = ["civil_date", "civil_clock", "civil_second"]
            .map(|name| (name, vec![instant].into_boxed_slice()));
        let known: Vec<(Expr, Expr)> = keys.iter().filter_map(|key| self.memo.get(key).copied()).collect();
        if let [(year, month), (day, hour), (minute, second)] = known[..] {
            return [year, month, day, hour, minute, second];
        }
        let year = self.number_in("year", 1677, 2262);
        let month = self.number_in("month", 1, 12);
        let day = self.number_in("day", 1, 31);
        let hour = self.number_in("hour", 0, 23);
        let minute = self.number_in("minute", 0, 59);
        let second = self.number_in("second", 0, 59);
        let nanos = self.number_in("nanos", 0, 999_999_999);
        // The days before the year, before the month, and the lengths of months.
        let one = self.exprs.int(1);
        let before = self.exprs.sub(year, one);
        let mut leaps = self.exprs.int(0);
        for (length, is_more) in [(4, true), (100, false), (400, true)] {
            let length = self.exprs.int(length);
            let (count, _) = self.exprs.div_mod(before, length);
            leaps = if is_more { self.exprs.add([leaps, count]) } else { self.exprs.sub(leaps, count) };
        }
        let is_leap = {
            let zero = self.exprs.int(0);
            let [by4, by100, by400] = [4, 100, 400].map(|length| {
                let length = self.exprs.int(length);
                let (_, rest) = self.exprs.div_mod(year, length);
                self.exprs.equal(rest, zero)
            });
            let not = self.exprs.not(by100);
            let either = self.exprs.or([not, by400]);
            self.exprs.and([by4, either])
        };
        let lengths: [i128; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let (mut offset, mut longest) = (self.exprs.int(334), self.exprs.int(31));
        let mut total = 334;
        for (number, length) in (1_u8..12).zip(lengths).rev() {
            total -= length;
            let number = self.exprs.int(number.into());
            let is_it = self.exprs.equal(month, number);
            let (days, length) = (self.exprs.int(total), self.exprs.int(length));
            offset = self.exprs.ite(is_it, days, offset);
            longest = self.exprs.ite(is_it, length, longest);
        }
        let two = self.exprs.int(2);
        let is_february = self.exprs.equal(month, two);
        let is_behind = self.exprs.less(two, month);
        let (with_leap, longer) = (self.exprs.add([offset, one]), self.exprs.add([longest, one]));
        let leap_behind = self.exprs.and([is_leap, is_behind]);
        let offset = self.exprs.ite(leap_behind, with_leap, offset);
        let leap_february = self.exprs.and([is_leap, is_february]);
        let longest = self.exprs.ite(leap_february, longer, longest);
        let fits = self.exprs.raw(Op::LessEqual, &[day, longest], Sort::Bool);
        self.required.push(fits);
        // 1970-01-01 is day 0: 719162 days are before it.
        let length = self.exprs.int(365);
        let years = self.exprs.mul(length, before);
        let start = self.exprs.int(-719_163);
        let days = self.exprs.add([years, leaps, offset, day, start]);
        let mut parts = Vec::new();
        for (amount, unit) in [
            (days, 86_400_000_000_000),
            (hour, 3_600_000_000_000),
            (minute, 60_000_000_000),
            (second, 1_000_000_000),
            (nanos, 1),
        ] {
            let unit = self.exprs.int(unit);
            parts.push(self.exprs.mul(amount, unit));
        }
        let whole = self.exprs.add(parts);
        let same = self.exprs.raw(Op::Equal, &[instant, whole], Sort::Bool);
        self.required.push(same);
        for (key, pair) in keys.into_iter().zip([(year, month), (day, hour), (minute, second)]) {
            self.memo.insert(key, pair);
        }
        [year, month, day, hour, minute, second]
    }
}
