//! Compiles temporal premises and heads.
//!
//! Tuples of a temporal predicate have two additional columns for the ends of their interval. An
//! unbounded end is the smallest or largest instant.

use super::body::Body;
use super::lookup::{UNBOUNDED_END_NAME, UNBOUNDED_START_NAME};
use super::{
    BEGINNING, Bound, Bounds, END, IntervalCondition, NOW_NAME, RelationId, Slot, StepKind, ValueSource,
};
use crate::kernel::{Datum, ValueId};
use mangle_syntax::syntax::ast::{Interval, Literal, TemporalOperator, TimeBound, TimeBoundKind};

impl Body<'_> {
    /// Adds the steps of an atom with an interval or an operator.
    pub(super) fn temporal(&mut self, relation: RelationId, literal: &Literal) {
        // Computed before the atom binds its variables.
        let asked = literal.interval.as_ref().map(|interval| self.asked(interval));
        let Some(mut found) = self.pattern(relation, &literal.atom.args, false) else { return };
        let when = match (&literal.operator, asked) {
            (Some(operator), _) => self.operator(operator),
            (None, Some(Some(bounds))) => Some(IntervalCondition::Covers(bounds)),
            // Matches any interval, but not facts without one.
            (None, _) => Some(IntervalCondition::Overlaps(Bounds {
                start: Bound::Instant(BEGINNING),
                end: Bound::Instant(END),
            })),
        };
        let (start, end) = literal.interval.as_ref().map_or((None, None), |interval| self.ends(interval));
        found.when = when.map(Box::new);
        found.ends = (start, end);
        if found.ends != (None, None) {
            found.replaced_ends = Some(self.replaced_ends());
        }
        self.push(StepKind::Match(found));
    }

    /// Adds the step of a negated atom of a temporal predicate without interval and operator.
    ///
    /// The atom finds facts that lost their interval: results of aggregations, and of recursive
    /// rules from the second round on.
    pub(super) fn absent_without_interval(&mut self, relation: RelationId, literal: &Literal) {
        let Some(mut found) = self.pattern(relation, &literal.atom.args, true) else { return };
        let ends = NO_INTERVAL.map(|bound| self.instant(bound));
        let (mut key, mut far) = (found.key.into_vec(), found.far.into_vec());
        for (at, source) in (0u16..).skip(literal.atom.args.len()).zip(ends) {
            if at < 64 {
                found.columns |= 1 << at;
                key.push(source);
            } else {
                far.push((at, source));
            }
        }
        (found.key, found.far) = (key.into(), far.into());
        self.push(StepKind::Absent(found));
    }

    /// The bounds of an interval, if both are known. Other intervals do not restrict the lookup.
    fn asked(&self, interval: &Interval) -> Option<Bounds> {
        let (start, end) = both(interval)?;
        Some(Bounds { start: self.bound(start, BEGINNING)?, end: self.bound(end, END)? })
    }

    fn bound(&self, bound: &TimeBound, open: i64) -> Option<Bound> {
        match bound.kind {
            TimeBoundKind::Timestamp(instant) => instant.map(Bound::Instant),
            TimeBoundKind::Variable(name) => self.lookup(name).map(Bound::Value),
            TimeBoundKind::Wildcard => Some(Bound::Instant(open)),
            TimeBoundKind::Now => Some(Bound::Ago(0)),
            TimeBoundKind::Duration(_) | TimeBoundKind::Broken => None,
        }
    }

    /// The registers for the ends of the interval of a tuple.
    fn ends(&mut self, interval: &Interval) -> (Option<Slot>, Option<Slot>) {
        let Some((start, end)) = both(interval) else { return (None, None) };
        let mut fill = |bound: &TimeBound| match bound.kind {
            TimeBoundKind::Variable(name) if self.lookup(name).is_none() => Some(self.bind(name)),
            _ => None,
        };
        let start = fill(start);
        (start, fill(end))
    }

    /// Replacements for stored ends that are not instants: the instants that variables receive.
    fn replaced_ends(&mut self) -> Box<[(ValueId, ValueId)]> {
        let all = [(NOW_NAME, 0), (UNBOUNDED_START_NAME, BEGINNING), (UNBOUNDED_END_NAME, END)];
        all.map(|(name, instant)| (self.values.name(name), self.values.time(instant))).into()
    }

    /// The interval condition of an operator.
    fn operator(&mut self, operator: &TemporalOperator) -> Option<IntervalCondition> {
        let [first, second] = operator.bounds.as_slice() else { return None };
        let sign = if operator.future { -1 } else { 1 };
        let resolve = |bound: &TimeBound, open: i64| match bound.kind {
            TimeBoundKind::Duration(length) => length.map(|length| Bound::Ago(length.wrapping_mul(sign))),
            _ => self.bound(bound, open),
        };
        // Operators on the past list the later bound first.
        let (start, end) = if operator.future { (first, second) } else { (second, first) };
        let bounds = Bounds { start: resolve(start, BEGINNING)?, end: resolve(end, END)? };
        Some(if operator.always {
            IntervalCondition::Contains(bounds)
        } else {
            IntervalCondition::Overlaps(bounds)
        })
    }

    /// The ends of the interval of a head.
    ///
    /// The engine does not resolve `now` and durations in a fact, and aborts at a duration in the
    /// head of a rule.
    pub(super) fn head_interval(
        &mut self,
        interval: Option<&Interval>,
        head: HeadKind,
    ) -> Option<[ValueSource; 2]> {
        let Some(interval) = interval else {
            return Some([Bound::Instant(BEGINNING), Bound::Instant(END)].map(|bound| self.instant(bound)));
        };
        let ends = both(interval).and_then(|(start, end)| {
            Some([self.head_end(start, BEGINNING, head)?, self.head_end(end, END, head)?])
        });
        if ends.is_none() {
            self.fail("the interval of the head is not known");
        }
        ends
    }

    fn head_end(&mut self, bound: &TimeBound, open: i64, head: HeadKind) -> Option<ValueSource> {
        let found = match (&bound.kind, head) {
            (TimeBoundKind::Now | TimeBoundKind::Duration(_), HeadKind::EngineFact) => {
                return Some(ValueSource::Value(self.values.name(NOW_NAME)));
            }
            (TimeBoundKind::Duration(_), HeadKind::EngineRule) => {
                self.fail("failed to resolve HeadTime: a duration is no instant");
                return None;
            }
            (TimeBoundKind::Duration(length), HeadKind::Written) => Bound::Ago((*length)?),
            _ => self.bound(bound, open)?,
        };
        Some(self.instant(match found {
            Bound::Value(source) if head != HeadKind::Written => Bound::Stored(source),
            found => found,
        }))
    }

    pub(super) fn instant(&mut self, bound: Bound) -> ValueSource {
        if let Bound::Instant(instant) = bound
            && let Ok(value) = self.values.intern(Datum::Time(instant))
        {
            return ValueSource::Value(value);
        }
        let slot = self.slot();
        self.push(StepKind::Instant { slot, bound });
        ValueSource::Slot(slot)
    }
}

/// The kind of head of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadKind {
    /// A fact in the engine's reading.
    EngineFact,
    /// A rule in the engine's reading.
    EngineRule,
    /// A fact or rule in the intended reading.
    Written,
}

/// The ends that mark a temporal fact without an interval. The engine loses the interval in
/// aggregations.
pub(super) const NO_INTERVAL: [Bound; 2] = [Bound::Instant(END), Bound::Instant(BEGINNING)];

/// The start and end. A single bound is both.
fn both(interval: &Interval) -> Option<(&TimeBound, &TimeBound)> {
    match interval.bounds.as_slice() {
        [only] => Some((only, only)),
        [start, end] => Some((start, end)),
        _ => None,
    }
}
