//! Which findings the comments of a file silence, in time that grows with the number of findings and not
//! with that of the comments.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Suppression;
use crate::lint::Diagnostic;
use crate::text::{TextRange, TextSize};

/// A name in a comment: the index of the comment and that of the name in it.
type Slot = (usize, usize);

/// What is silenced where, by the code of the rule.
#[derive(Debug, Default)]
pub(super) struct Covered {
    places: FxHashMap<&'static str, Places>,
    used: FxHashSet<Slot>,
}

#[derive(Debug, Default)]
struct Places {
    whole_file: Vec<Slot>,
    /// Sorted by start.
    ranges: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    range: TextRange,
    /// The greatest end of this place and all before it.
    reach: TextSize,
    slot: Slot,
}

impl Covered {
    pub(super) fn new(suppressions: &[Suppression]) -> Self {
        let mut this = Self::default();
        for (index, suppression) in suppressions.iter().enumerate() {
            for (at, named) in suppression.directive.names.iter().enumerate() {
                let Some(rule) = named.rule.filter(|rule| rule.is_silenceable()) else { continue };
                let (places, slot) = (this.places.entry(rule.code).or_default(), (index, at));
                match suppression.covers {
                    Some(range) => places.ranges.push(Place { range, reach: range.end(), slot }),
                    None => places.whole_file.push(slot),
                }
            }
        }
        for places in this.places.values_mut() {
            places.ranges.sort_by_key(|place| (place.range.start(), place.range.end()));
            let mut reach = TextSize::new(0);
            for place in &mut places.ranges {
                reach = reach.max(place.range.end());
                place.reach = reach;
            }
        }
        this
    }

    /// Whether a comment silences a diagnostic: it covers its start or its end.
    pub(super) fn silences(&mut self, diagnostic: &Diagnostic) -> bool {
        let Some(places) = self.places.get(diagnostic.rule.code) else { return false };
        let range = diagnostic.range;
        let mut found = !places.whole_file.is_empty();
        self.used.extend(places.whole_file.iter().copied());
        for at in [range.start(), range.end()] {
            for slot in places.at(at) {
                found = true;
                self.used.insert(slot);
            }
        }
        found
    }

    /// The names that silenced something.
    pub(super) fn into_used(self) -> FxHashSet<Slot> {
        self.used
    }
}

impl Places {
    /// The names that cover an offset.
    fn at(&self, offset: TextSize) -> impl Iterator<Item = Slot> {
        let end = self.ranges.partition_point(|place| place.range.start() <= offset);
        let before = self.ranges.get(..end).unwrap_or_default().iter().rev();
        let near = before.take_while(move |place| place.reach >= offset);
        near.filter(move |place| place.range.end() >= offset).map(|place| place.slot)
    }
}
