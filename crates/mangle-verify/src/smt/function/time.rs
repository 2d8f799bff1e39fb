//! Encoding of functions of times, durations and intervals, with the civil calendar.

use mangle_engine::kernel::{Datum, Function};

use super::{Applied, HIGH, LOW};
use crate::smt::encoder::Encoder;
use crate::smt::expr::{Expr, Kind, Op, Sort};

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

/// The lengths of the months of a year with 365 days.
const MONTH_LENGTHS: [i128; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The day number of 1970-01-01 if 0001-01-01 is day 1.
const EPOCH_DAY: i128 = 719_163;

impl Encoder<'_> {
    /// Returns the part of the date or time that a function returns.
    fn civil_part(&mut self, name: &str, value: Expr) -> (Expr, Expr) {
        let (instant, is) = self.of_kind(Kind::Time, value);
        let [year, month, day, hour, minute, second] = self.civil(instant);
        let part = match name {
            "time:year" => year,
            "time:month" => month,
            "time:day" => day,
            "time:hour" => hour,
            "time:minute" => minute,
            _ => second,
        };
        (self.exprs.make(Kind::Number, &[part]), is)
    }

    /// Returns unknowns for year, month, day, hour, minute and second, and asserts the equation
    /// with the instant.
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
        let days = self.days_since_epoch(year, month, day);
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

    /// Returns the number of days from 1970-01-01 to a date. Requires that the day exists in the
    /// month.
    fn days_since_epoch(&mut self, year: Expr, month: Expr, day: Expr) -> Expr {
        let one = self.exprs.int(1);
        let before = self.exprs.sub(year, one);
        let leaps = self.leap_days(before);
        let is_leap = self.is_leap(year);
        let (offset, longest) = self.month_in_year(month, is_leap);
        let fits = self.exprs.raw(Op::LessEqual, &[day, longest], Sort::Bool);
        self.required.push(fits);
        let length = self.exprs.int(365);
        let years = self.exprs.mul(length, before);
        let start = self.exprs.int(-EPOCH_DAY);
        self.exprs.add([years, leaps, offset, day, start])
    }

    /// Returns the number of leap days in the first `years` years.
    fn leap_days(&mut self, years: Expr) -> Expr {
        let mut leaps = self.exprs.int(0);
        for (length, is_more) in [(4, true), (100, false), (400, true)] {
            let length = self.exprs.int(length);
            let (count, _) = self.exprs.div_mod(years, length);
            leaps = if is_more { self.exprs.add([leaps, count]) } else { self.exprs.sub(leaps, count) };
        }
        leaps
    }

    fn is_leap(&mut self, year: Expr) -> Expr {
        let zero = self.exprs.int(0);
        let [by4, by100, by400] = [4, 100, 400].map(|length| {
            let length = self.exprs.int(length);
            let (_, rest) = self.exprs.div_mod(year, length);
            self.exprs.equal(rest, zero)
        });
        let not = self.exprs.not(by100);
        let either = self.exprs.or([not, by400]);
        self.exprs.and([by4, either])
    }

    /// Returns the number of days of the year before a month, and the length of the month.
    fn month_in_year(&mut self, month: Expr, is_leap: Expr) -> (Expr, Expr) {
        let (mut offset, mut longest) = (self.exprs.int(334), self.exprs.int(31));
        let mut total = 334;
        for (number, length) in (1_u8..12).zip(MONTH_LENGTHS).rev() {
            total -= length;
            let number = self.exprs.int(number.into());
            let is_it = self.exprs.equal(month, number);
            let (days, length) = (self.exprs.int(total), self.exprs.int(length));
            offset = self.exprs.ite(is_it, days, offset);
            longest = self.exprs.ite(is_it, length, longest);
        }
        let (one, two) = (self.exprs.int(1), self.exprs.int(2));
        let is_february = self.exprs.equal(month, two);
        let is_behind = self.exprs.less(two, month);
        let (with_leap, longer) = (self.exprs.add([offset, one]), self.exprs.add([longest, one]));
        let leap_behind = self.exprs.and([is_leap, is_behind]);
        let offset = self.exprs.ite(leap_behind, with_leap, offset);
        let leap_february = self.exprs.and([is_leap, is_february]);
        let longest = self.exprs.ite(leap_february, longer, longest);
        (offset, longest)
    }
}
