//! Encoding of functions of times, durations and intervals.

use mangle_engine::kernel::{Datum, Function};

use super::super::encoder::Encoder;
use super::super::expr::{Expr, Kind, Sort};
use super::{Applied, HIGH, LOW};

/// 2^53. Floats represent all integers up to this number.
const EXACT_FLOAT: i128 = 1 << 53;

/// The units of time: name for `fn:time:trunc` and length in nanoseconds.
const UNITS: [(&str, i128); 7] = [
    ("/day", 86_400_000_000_000),
    ("/hour", 3_600_000_000_000),
    ("/minute", 60_000_000_000),
    ("/second", 1_000_000_000),
    ("/millisecond", 1_000_000),
    ("/microsecond", 1_000),
    ("/nanosecond", 1),
];

impl Encoder<'_> {
    /// Encodes a function of times, or an uninterpreted function.
    pub(super) fn time_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        let name = function.name();
        match (name, args) {
            ("time:add", [instant, length]) => {
                let ((instant, is), (length, is_length)) =
                    (self.of_kind(Kind::Time, *instant), self.of_kind(Kind::Duration, *length));
                let moved = self.exprs.add([instant, length]);
                Ok((self.integer_of(Kind::Time, moved), self.exprs.and([is, is_length])))
            }
            ("time:sub", [later, earlier]) => {
                let ((later, is_later), (earlier, is_earlier)) =
                    (self.of_kind(Kind::Time, *later), self.of_kind(Kind::Time, *earlier));
                let between = self.exprs.sub(later, earlier);
                Ok((self.integer_of(Kind::Duration, between), self.exprs.and([is_later, is_earlier])))
            }
            ("time:from_unix_nanos", [value]) => self.renamed(Kind::Number, Kind::Time, *value),
            ("time:to_unix_nanos", [value]) => self.renamed(Kind::Time, Kind::Number, *value),
            ("time:trunc", [_, _]) => self.truncated_time(function, args),
            (
                "time:year" | "time:month" | "time:day" | "time:hour" | "time:minute" | "time:second",
                [value],
            ) => Ok(self.civil_part(name, *value)),
            ("time:format" | "time:format_civil", _) => self.fallback(function, args, Some(Kind::String)),
            ("time:parse_rfc3339" | "time:parse_civil" | "time:trunc_civil", _) => {
                self.fallback(function, args, Some(Kind::Time))
            }
            ("interval:start" | "interval:end", [value]) => {
                let part = u8::from(name == "interval:end");
                let is = self.exprs.is(Kind::Pair, *value);
                Ok((self.exprs.content(Kind::Pair, part, *value, Sort::Value), is))
            }
            ("interval:duration", [value]) => Ok(self.interval_length(*value)),
            ("float:max" | "float:min" | "float:sum", _) => self.fallback(function, args, Some(Kind::Float)),
            _ if name.starts_with("duration:") => self.duration_value(function, args),
            _ => self.fallback(function, args, None),
        }
    }

    fn duration_value(&mut self, function: Function, args: &[Expr]) -> Applied {
        match (function.name(), args) {
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
            ("duration:from_hours", [_]) => self.duration_of_units(function, args, 3_600_000_000_000),
            ("duration:from_minutes", [_]) => self.duration_of_units(function, args, 60_000_000_000),
            ("duration:from_seconds", [_]) => self.duration_of_units(function, args, 1_000_000_000),
            ("duration:hours" | "duration:minutes" | "duration:seconds", [value]) => {
                let (result, has_value) = self.fallback(function, args, Some(Kind::Float))?;
                let is = self.exprs.is(Kind::Duration, *value);
                let same = self.exprs.equal(has_value, is);
                self.required.push(same);
                Ok((result, has_value))
            }
            ("duration:parse", _) => self.fallback(function, args, Some(Kind::Duration)),
            _ => self.fallback(function, args, None),
        }
    }

    /// Returns the duration of a number of units. The engine computes it with floats, which are
    /// exact up to [`EXACT_FLOAT`].
    fn duration_of_units(&mut self, function: Function, args: &[Expr], unit: i128) -> Applied {
        let [value] = *args else { return self.fallback(function, args, None) };
        let (number, is_number) = self.of_kind(Kind::Number, value);
        let (open, succeeds) = self.fallback(function, args, Some(Kind::Duration))?;
        let unit = self.exprs.int(unit);
        let nanos = self.exprs.mul(number, unit);
        let is_exact = self.exprs.between(-EXACT_FLOAT, nanos, EXACT_FLOAT);
        let exact = self.exprs.and([is_number, is_exact]);
        let (rest, _) = self.of_kind(Kind::Duration, open);
        let result = self.exprs.ite(exact, nanos, rest);
        let result = self.named(result, LOW, HIGH);
        let is_float = self.exprs.is(Kind::Float, value);
        let takes = self.exprs.or([is_number, is_float]);
        let same = self.exprs.equal(succeeds, takes);
        self.required.push(same);
        Ok((self.exprs.make(Kind::Duration, &[result]), takes))
    }

    /// Truncates an instant to a unit.
    fn truncated_time(&mut self, function: Function, args: &[Expr]) -> Applied {
        let [instant, unit] = *args else { return self.fallback(function, args, None) };
        let Some(Datum::Name(unit)) = self.constant_of(unit).map(|unit| self.values.get(unit)) else {
            return self.fallback(function, args, Some(Kind::Time));
        };
        let Some((_, length)) = UNITS.into_iter().find(|(name, _)| *name == &**unit) else {
            return Ok((instant, self.exprs.bool(false)));
        };
        let (instant, is) = self.of_kind(Kind::Time, instant);
        let length = self.exprs.int(length);
        let (_, rest) = self.exprs.div_mod(instant, length);
        let start = self.exprs.sub(instant, rest);
        Ok((self.integer_of(Kind::Time, start), is))
    }

    fn interval_length(&mut self, value: Expr) -> (Expr, Expr) {
        let is = self.exprs.is(Kind::Pair, value);
        let [(start, is_start), (end, is_end)] = [0, 1].map(|part| {
            let end = self.exprs.content(Kind::Pair, part, value, Sort::Value);
            self.of_kind(Kind::Time, end)
        });
        let (first, last) = (self.exprs.int(LOW), self.exprs.int(HIGH));
        let open = [self.exprs.equal(start, first), self.exprs.equal(end, last)];
        let open = self.exprs.or(open);
        let closed = self.exprs.not(open);
        let length = self.exprs.sub(end, start);
        (self.integer_of(Kind::Duration, length), self.exprs.and([is, is_start, is_end, closed]))
    }

    fn renamed(&mut self, from: Kind, to: Kind, value: Expr) -> Applied {
        let (number, is) = self.of_kind(from, value);
        Ok((self.exprs.make(to, &[number]), is))
    }
}
