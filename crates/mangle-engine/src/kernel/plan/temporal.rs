//! Temporal premises and heads. The tuples of a temporal predicate have the ends of their interval in two more
//! columns; an end that is unbounded is the first or the last instant that there is.

use super::body::Body;
use super::{Bound, Bounds, IntervalCondition, RelationId, Slot, StepKind, ValueSource};
use crate::kernel::Datum;
use mangle_syntax::syntax::ast::{Interval, Literal, TemporalOperator, TimeBound, TimeBoundKind};

/// The first instant, for what has no beginning.
pub const BEGINNING: i64 = i64::MIN;

/// The last instant, for what has no end.
pub const END: i64 = i64::MAX;

/// What stands for the `now` of a fact. No name of a program looks like it.
pub(in crate::kernel) const NOW: &str = "now";

impl Body<'_> {
    /// The steps of an atom with an interval or an operator.
    pub(super) fn temporal(&mut self, relation: RelationId, literal: &Literal) {
        // Asked before the atom gives its variables a value.
        let asked = literal.interval.as_ref().map(|interval| self.asked(interval));
        let Some(mut found) = self.pattern(relation, &literal.atom.args, false) else { return };
        let when = match (&literal.operator, asked) {
            (Some(operator), _) => self.operator(operator),
            (None, Some(Some(bounds))) => Some(IntervalCondition::Contains(bounds)),
            // Any interval; what has none is left out.
            (None, _) => Some(IntervalCondition::Overlaps(Bounds {
                start: Bound::Instant(BEGINNING),
                end: Bound::Instant(END),
            })),
        };
        let (start, end) = literal.interval.as_ref().map_or((None, None), |interval| self.ends(interval));
        found.when = when.map(Box::new);
        found.ends = (start, end);
        self.push(StepKind::Match(found));
    }

    /// What an interval asks for, where all its bounds are known; only then does it select anything.
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

    /// The registers that the ends of a tuple's interval fill.
    fn ends(&mut self, interval: &Interval) -> (Option<Slot>, Option<Slot>) {
        let Some((start, end)) = both(interval) else { return (None, None) };
        let mut fill = |bound: &TimeBound| match bound.kind {
            TimeBoundKind::Variable(name) if self.lookup(name).is_none() => Some(self.bind(name)),
            _ => None,
        };
        let start = fill(start);
        (start, fill(end))
    }

    /// What an operator asks of an interval.
    fn operator(&mut self, operator: &TemporalOperator) -> Option<IntervalCondition> {
        let [first, second] = operator.bounds.as_slice() else { return None };
        let sign = if operator.future { -1 } else { 1 };
        let resolve = |bound: &TimeBound, open: i64| match bound.kind {
            TimeBoundKind::Duration(length) => length.map(|length| Bound::Ago(length.wrapping_mul(sign))),
            _ => self.bound(bound, open),
        };
        // The past counts backwards.
        let (start, end) = if operator.future { (first, second) } else { (second, first) };
        let bounds = Bounds { start: resolve(start, BEGINNING)?, end: resolve(end, END)? };
        Some(if operator.always {
            IntervalCondition::Contains(bounds)
        } else {
            IntervalCondition::Overlaps(bounds)
        })
    }

    /// The ends of the interval of a head. The engine never resolves the `now` of a fact; `faithful` keeps it.
    pub(super) fn head_interval(
        &mut self,
        interval: Option<&Interval>,
        faithful: bool,
    ) -> Option<[ValueSource; 2]> {
        let Some(interval) = interval else {
            return Some([Bound::Instant(BEGINNING), Bound::Instant(END)].map(|bound| self.instant(bound)));
        };
        let ends = both(interval).and_then(|(start, end)| {
            Some([self.head_end(start, BEGINNING, faithful)?, self.head_end(end, END, faithful)?])
        });
        if ends.is_none() {
            self.fail("the interval of the head is not known");
        }
        ends
    }

    fn head_end(&mut self, bound: &TimeBound, open: i64, faithful: bool) -> Option<ValueSource> {
        let found = match bound.kind {
            TimeBoundKind::Now if faithful => return Some(ValueSource::Value(self.values.name(NOW))),
            TimeBoundKind::Duration(length) => Bound::Ago(length?),
            _ => self.bound(bound, open)?,
        };
        Some(self.instant(found))
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

/// The ends of an interval that a fact of a temporal predicate does not have: the engine forgets it in
/// aggregations.
pub(super) const NO_INTERVAL: [Bound; 2] = [Bound::Instant(END), Bound::Instant(BEGINNING)];

/// Start and end; of a single bound, both.
fn both(interval: &Interval) -> Option<(&TimeBound, &TimeBound)> {
    match interval.bounds.as_slice() {
        [only] => Some((only, only)),
        [start, end] => Some((start, end)),
        _ => None,
    }
}
