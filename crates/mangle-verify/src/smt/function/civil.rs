//! Encoding of year, month, day, hour, minute and second of an instant in UTC.

use super::super::encoder::Encoder;
use super::super::expr::{Expr, Kind, Op, Sort};

/// The lengths of the months of a year with 365 days.
const MONTH_LENGTHS: [i128; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The day number of 1970-01-01 if 0001-01-01 is day 1.
const EPOCH_DAY: i128 = 719_163;

impl Encoder<'_> {
    /// Returns the part of the date or time that a function returns.
    pub(super) fn civil_part(&mut self, name: &str, value: Expr) -> (Expr, Expr) {
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
