//! Suppression comments, which disable a rule for a line, a statement or a file.
//!
//! The module takes the text, statements and findings of a file. It returns the remaining findings,
//! and findings about the comments. `docs/silencing.md` defines the scope of a comment.

mod comments;
mod directive;
mod findings;
pub(crate) mod rules;

pub use comments::{SuppressionScope, suppress};
pub use rules::{RULES, UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Registry;
use comments::Suppression;
use mangle_engine::program::FileSummary;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{TextRange, TextSize};

/// The suppression comments of one file, with the known rules.
#[derive(Debug)]
pub(super) struct Suppressions {
    all: Vec<Suppression>,
    registry: &'static Registry,
}

impl Suppressions {
    /// Reads the comments of a file.
    pub(super) fn parse(file: &FileSummary, registry: &'static Registry) -> Self {
        Self { all: comments::suppressions(file, registry), registry }
    }

    /// Removes suppressed diagnostics from `found`, and returns findings about the comments. Their
    /// ranges are relative to the start of the file.
    pub(super) fn apply(
        &self,
        text: &str,
        settings: &RuleSettings,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Finding> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let mut covered = SuppressionIndex::new(&self.all);
        found.retain(|diagnostic| !covered.silences(diagnostic));
        let used = covered.into_used();
        let about = |(index, suppression)| {
            let is_unused = |name: usize| !used.contains(&(index, name));
            findings::about(suppression, text, settings, self.registry, &is_unused)
        };
        self.all.iter().enumerate().flat_map(about).collect()
    }
}

/// Index of a comment, and index of a name in it.
type Slot = (usize, usize);

/// The suppressed ranges, by rule code.
#[derive(Debug, Default)]
struct SuppressionIndex {
    places: FxHashMap<&'static str, Places>,
}

#[derive(Debug, Default)]
struct Places {
    whole_file: Names,
    /// Sorted by start, without duplicates: several comments can cover one statement.
    ranges: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    range: TextRange,
    /// The greatest end of this range and all earlier ones.
    reach: TextSize,
    names: Names,
}

/// The names that suppress one rule in one range, and a flag that is true after use.
#[derive(Debug, Default)]
struct Names {
    slots: Vec<Slot>,
    used: bool,
}

impl SuppressionIndex {
    fn new(suppressions: &[Suppression]) -> Self {
        let mut this = Self::default();
        for (index, suppression) in suppressions.iter().enumerate() {
            for (at, named) in suppression.directive.names.iter().enumerate() {
                let Some(rule) = named.rule.filter(|rule| rule.is_silenceable()) else { continue };
                let (places, slot) = (this.places.entry(rule.code).or_default(), (index, at));
                match suppression.covers {
                    Some(range) => {
                        let names = Names { slots: vec![slot], used: false };
                        places.ranges.push(Place { range, reach: range.end(), names });
                    }
                    None => places.whole_file.slots.push(slot),
                }
            }
        }
        for places in this.places.values_mut() {
            places.ranges.sort_by_key(|place| (place.range.start(), place.range.end()));
            places.ranges.dedup_by(|later, first| {
                let is_same = later.range == first.range;
                if is_same {
                    first.names.slots.append(&mut later.names.slots);
                }
                is_same
            });
            let mut reach = TextSize::new(0);
            for place in &mut places.ranges {
                reach = reach.max(place.range.end());
                place.reach = reach;
            }
        }
        this
    }

    /// True if a comment suppresses the diagnostic: it covers its start or its end.
    fn silences(&mut self, diagnostic: &Diagnostic) -> bool {
        let Some(places) = self.places.get_mut(diagnostic.rule.code) else { return false };
        let range = diagnostic.range;
        let mut found = !places.whole_file.slots.is_empty();
        places.whole_file.used = true;
        for at in [range.start(), range.end()] {
            found |= places.silence(at);
        }
        found
    }

    /// The names that suppressed a finding.
    fn into_used(self) -> FxHashSet<Slot> {
        let places = self.places.into_values();
        let names = places
            .flat_map(|places| places.ranges.into_iter().map(|place| place.names).chain([places.whole_file]));
        names.filter(|names| names.used).flat_map(|names| names.slots).collect()
    }
}

impl Places {
    /// Marks the names that cover an offset as used. Returns true if any exist.
    fn silence(&mut self, offset: TextSize) -> bool {
        let end = self.ranges.partition_point(|place| place.range.start() <= offset);
        let before = self.ranges.get_mut(..end).unwrap_or_default().iter_mut().rev();
        let near = before.take_while(|place| place.reach >= offset);
        let mut found = false;
        for place in near.filter(|place| place.range.end() >= offset) {
            (place.names.used, found) = (true, true);
        }
        found
    }
}

#[cfg(test)]
mod tests;
