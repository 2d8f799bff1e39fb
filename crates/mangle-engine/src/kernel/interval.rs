//! Intervals of facts, and temporal operators on them.

use std::fmt;

use super::failure::Failure;
use super::values::time_text;

/// An end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// `_`: the beginning or the end of time.
    Infinite,
    /// An instant, in nanoseconds since 1970 UTC.
    At(i64),
    /// `now`. The engine never resolves `now` in a fact: `now` is unbounded in comparisons of
    /// intervals, and 1970 in lookups and bindings.
    Now,
    /// A duration in nanoseconds. In a fact, it behaves like `now`.
    Duration(i64),
}

/// The interval of a fact or of a premise. Both ends are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The first instant.
    pub start: Bound,
    /// The last instant.
    pub end: Bound,
}

/// A temporal operator: `<-`, `[-`, `<+` or `[+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeOperator {
    /// True for `<+` and `[+`.
    pub future: bool,
    /// True for `[-` and `[+`, which must hold during the whole window.
    pub always: bool,
}

impl Interval {
    /// From the beginning to the end of time.
    pub const ETERNAL: Self = Self { start: Bound::Infinite, end: Bound::Infinite };

    /// The interval between two instants.
    #[must_use]
    pub fn between(start: i64, end: i64) -> Self {
        Self { start: Bound::At(start), end: Bound::At(end) }
    }

    /// True if the interval covers all time.
    #[must_use]
    pub fn is_eternal(self) -> bool {
        self == Self::ETERNAL
    }

    /// The value of a variable at the start, in nanoseconds since 1970.
    #[must_use]
    pub fn start_nanos(self) -> i64 {
        match self.start {
            Bound::At(nanos) => nanos,
            Bound::Infinite => i64::MIN,
            Bound::Now | Bound::Duration(_) => 0,
        }
    }

    /// The value of a variable at the end, in nanoseconds since 1970.
    #[must_use]
    pub fn end_nanos(self) -> i64 {
        match self.end {
            Bound::At(nanos) => nanos,
            Bound::Infinite => i64::MAX,
            Bound::Now | Bound::Duration(_) => 0,
        }
    }

    /// True if the interval contains all of `other`.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        let start = match (self.start, other.start) {
            (Bound::At(own), Bound::At(others)) => own <= others,
            (Bound::At(_), Bound::Infinite) => false,
            _ => true,
        };
        let end = match (self.end, other.end) {
            (Bound::At(own), Bound::At(others)) => own >= others,
            (Bound::At(_), Bound::Infinite) => false,
            _ => true,
        };
        start && end
    }

    /// True if the intervals share an instant.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start_nanos() <= other.end_nanos() && other.start_nanos() <= self.end_nanos()
    }

    /// True if a stored interval matches a premise `@[a, b]` with known ends.
    #[must_use]
    pub fn matches_premise(self, asked: Self) -> bool {
        self.overlaps(asked) && self.contains(asked)
    }

    /// Resolves `now` in the interval of a premise or of a rule head. Variables must be substituted
    /// before.
    ///
    /// # Errors
    /// If an end is a duration, which is valid only in operators. In a rule head it stops the
    /// engine. A premise with it matches every interval.
    pub fn resolve(self, now: i64) -> Result<Self, Failure> {
        let resolve = |bound| match bound {
            Bound::Now => Ok(Bound::At(now)),
            Bound::Duration(_) => Err(Failure::wrong("a duration is no instant")),
            known => Ok(known),
        };
        Ok(Self { start: resolve(self.start)?, end: resolve(self.end)? })
    }
}

impl TimeOperator {
    /// The time window of the bounds `[near, far]` of the operator. Durations are relative to
    /// `now`.
    #[must_use]
    pub fn window(self, near: Bound, far: Bound, now: i64) -> Interval {
        let resolve = |bound| match bound {
            Bound::Now => Bound::At(now),
            Bound::Duration(length) if self.future => Bound::At(now.wrapping_add(length)),
            Bound::Duration(length) => Bound::At(now.wrapping_sub(length)),
            known => known,
        };
        let (near, far) = (resolve(near), resolve(far));
        if self.future { Interval { start: near, end: far } } else { Interval { start: far, end: near } }
    }

    /// True if a stored interval satisfies the operator: it covers the window, or a part of it.
    #[must_use]
    pub fn holds(self, stored: Interval, window: Interval) -> bool {
        if self.always { stored.contains(window) } else { stored.overlaps(window) }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Infinite => f.write_str("_"),
            // The engine prints whole seconds.
            Self::At(nanos) => {
                let text = time_text(*nanos);
                let second = text.split_once('.').map_or(text.as_str(), |(second, _)| second);
                write!(f, "{}Z", second.trim_end_matches('Z'))
            }
            Self::Now => f.write_str("now"),
            Self::Duration(_) => f.write_str("?"),
        }
    }
}

impl fmt::Display for Interval {
    /// Prints the interval like the engine, with a precision of one second. Empty if it covers all
    /// time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.start, self.end) {
            (Bound::Infinite, Bound::Infinite) => Ok(()),
            (start @ (Bound::At(_) | Bound::Now), end) if start == end => write!(f, "@[{start}]"),
            (start, end) => write!(f, "@[{start}, {end}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000_000;
    const SPRING: i64 = 1_714_521_600_000_000_000;

    fn since(start: i64) -> Interval {
        Interval { start: Bound::At(start), end: Bound::Infinite }
    }

    #[test]
    fn printed_as_the_engine_does() {
        let shown = [
            (Interval::ETERNAL, ""),
            (Interval::between(SPRING, SPRING), "@[2024-05-01T00:00:00Z]"),
            (
                Interval::between(SPRING, SPRING + 1_500_000_000),
                "@[2024-05-01T00:00:00Z, 2024-05-01T00:00:01Z]",
            ),
            (since(SPRING), "@[2024-05-01T00:00:00Z, _]"),
            (Interval { start: Bound::Infinite, end: Bound::At(-1) }, "@[_, 1969-12-31T23:59:59Z]"),
            (Interval { start: Bound::Now, end: Bound::Now }, "@[now]"),
            (Interval { start: Bound::Duration(1), end: Bound::Duration(1) }, "@[?, ?]"),
        ];
        for (interval, text) in shown {
            assert_eq!(interval.to_string(), text);
        }
    }

    #[test]
    fn containment() {
        let (short, long) = (Interval::between(3, 4), Interval::between(1, 9));
        assert!(long.contains(short) && !short.contains(long) && short.contains(short));
        assert!(since(1).contains(long) && !long.contains(since(1)));
        assert!(Interval::ETERNAL.contains(since(1)) && !since(1).contains(Interval::ETERNAL));
    }

    #[test]
    fn ends_meet() {
        assert!(Interval::between(1, 3).overlaps(Interval::between(3, 5)));
        assert!(!Interval::between(1, 2).overlaps(Interval::between(3, 5)));
        assert!(since(9).overlaps(Interval::ETERNAL));
        assert!(!since(9).overlaps(Interval::between(1, 8)));
        assert!(
            since(1).matches_premise(Interval::between(2, 3))
                && !Interval::between(2, 2).matches_premise(since(2))
        );
    }

    /// Results of the engine for facts that start 30 days ago, 2 days ago, and now.
    #[test]
    fn operators_look_from_now() {
        let now = SPRING;
        let (near, far) = (Bound::Duration(DAY), Bound::Duration(7 * DAY));
        let (old, new) = (since(now - 30 * DAY), since(now - 2 * DAY));
        let check = |operator: TimeOperator, expected: [bool; 3]| {
            let window = operator.window(near, far, now);
            let found = [old, new, Interval::between(now, now)].map(|stored| operator.holds(stored, window));
            assert_eq!(found, expected, "{operator:?}");
        };
        check(TimeOperator { future: false, always: false }, [true, true, false]);
        check(TimeOperator { future: false, always: true }, [true, false, false]);
        check(TimeOperator { future: true, always: false }, [true, true, false]);
        check(TimeOperator { future: true, always: true }, [true, true, false]);
    }

    /// `on(/x)@[now].` starts in 1970 for a variable, and never ends for `[-`.
    #[test]
    fn now_on_a_fact_is_not_resolved() {
        let stored = Interval { start: Bound::Now, end: Bound::Now };
        assert_eq!((stored.start_nanos(), stored.end_nanos()), (0, 0));
        assert!(stored.contains(Interval::between(SPRING, SPRING + DAY)));
        assert!(!stored.overlaps(Interval::between(SPRING, SPRING + DAY)));
        assert_eq!(stored.resolve(7), Ok(Interval::between(7, 7)));
        let duration = Interval { start: Bound::Duration(1), end: Bound::Infinite };
        assert!(duration.resolve(7).is_err());
    }
}
