//! Recognized foreign construct: its finding, its reading as Mangle, and its fix.

use std::ops::Range;

use crate::lint::Rule;
use crate::text::{TextRange, size};

/// A replacement of a range in a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::syntax) struct RegionEdit {
    pub(in crate::syntax) range: Range<usize>,
    pub(in crate::syntax) text: String,
}

impl RegionEdit {
    /// The replaced range.
    fn text_range(&self) -> TextRange {
        TextRange::new(size(self.range.start), size(self.range.end.max(self.range.start)))
    }
}

/// The fix of a foreign construct.
#[derive(Debug, Clone)]
pub(in crate::syntax) enum HabitFix {
    /// The edits of the reading.
    AsRead,
    /// Other edits than the reading.
    By(Vec<RegionEdit>),
    /// No automatic fix.
    No,
}

/// A foreign construct in one statement.
#[derive(Debug, Clone)]
pub(in crate::syntax) struct ForeignConstruct {
    pub(in crate::syntax) rule: &'static Rule,
    /// The range of the finding.
    pub(in crate::syntax) range: Range<usize>,
    /// See [`Finding::message`](crate::lint::Finding::message).
    pub(in crate::syntax) headline: String,
    /// See [`Finding::label`](crate::lint::Finding::label).
    pub(in crate::syntax) label: Option<String>,
    /// See [`Finding::notes`](crate::lint::Finding::notes).
    pub(in crate::syntax) notes: Vec<String>,
    /// See [`Finding::help`](crate::lint::Finding::help).
    pub(in crate::syntax) help: Option<String>,
    /// The title of the fix in the imperative.
    pub(in crate::syntax) title: String,
    /// True if the fix is certain.
    pub(in crate::syntax) safe: bool,
    /// The edits that turn the statement into valid Mangle.
    pub(in crate::syntax) reading: Vec<RegionEdit>,
    pub(in crate::syntax) fix: HabitFix,
    /// Ranges that the fix rewrites, in addition to the edits of the reading.
    replaces: Vec<Range<usize>>,
    /// An alternative fix for another reading, with its title.
    pub(in crate::syntax) other: Option<(String, RegionEdit)>,
}

impl ForeignConstruct {
    pub(super) fn new(rule: &'static Rule, range: Range<usize>, headline: impl Into<String>) -> Self {
        Self {
            rule,
            range,
            headline: headline.into(),
            label: None,
            notes: Vec::new(),
            help: None,
            title: String::new(),
            safe: true,
            reading: Vec::new(),
            fix: HabitFix::No,
            replaces: Vec::new(),
            other: None,
        }
    }

    /// Changes the range and the headline.
    pub(super) fn named(mut self, headline: impl Into<String>, range: Range<usize>) -> Self {
        (self.headline, self.range) = (headline.into(), range);
        self
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Replaces `range` with `text` in the reading and in the fix.
    pub(super) fn replace(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self = self.read(range, text);
        self.fix = HabitFix::AsRead;
        self
    }

    pub(super) fn delete(self, range: Range<usize>) -> Self {
        self.replace(range, "")
    }

    pub(super) fn change(self, edit: RegionEdit) -> Self {
        self.replace(edit.range, edit.text)
    }

    /// Replaces `range` with `text` only in the reading.
    pub(super) fn read(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.reading.push(RegionEdit { range, text: text.into() });
        self
    }

    /// Adds an edit to the reading, like [`Hit::read`].
    pub(super) fn read_as(self, edit: RegionEdit) -> Self {
        self.read(edit.range, edit.text)
    }

    /// Sets a fix that differs from the reading.
    pub(super) fn fix_with(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.fix = HabitFix::By(vec![RegionEdit { range, text: text.into() }]);
        self
    }

    pub(super) fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Marks the fix as a guess.
    pub(super) fn guess(mut self) -> Self {
        self.safe = false;
        self
    }

    /// Sets the alternative fix for another reading.
    pub(super) fn otherwise(
        mut self,
        title: impl Into<String>,
        range: Range<usize>,
        text: impl Into<String>,
    ) -> Self {
        self.other = Some((title.into(), RegionEdit { range, text: text.into() }));
        self
    }

    /// Declares that the fix rewrites `range`.
    pub(super) fn replacing(mut self, range: Range<usize>) -> Self {
        self.replaces.push(range);
        self
    }

    /// The ranges that the fix rewrites: foreign syntax, and declared ranges.
    pub(in crate::syntax) fn replaced(&self) -> impl Iterator<Item = Range<usize>> {
        let reading = self.reading.iter().map(|change| &change.range).filter(|range| !range.is_empty());
        reading.chain(&self.replaces).cloned()
    }

    pub(in crate::syntax) fn fix(&self) -> Option<&[RegionEdit]> {
        match &self.fix {
            HabitFix::AsRead => Some(&self.reading),
            HabitFix::By(changes) => Some(changes),
            HabitFix::No => None,
        }
    }
}

/// The foreign constructs in one statement. Their edits do not overlap.
#[derive(Debug, Default)]
pub(super) struct Hits(pub(super) Vec<ForeignConstruct>);

impl Hits {
    /// True if a hit changes some of these bytes.
    pub(super) fn takes(&self, range: &Range<usize>) -> bool {
        self.0.iter().flat_map(|hit| &hit.reading).any(|other| overlap(&other.range, range))
    }

    pub(super) fn add(&mut self, hit: ForeignConstruct) {
        if !hit.reading.iter().any(|change| self.takes(&change.range)) {
            self.0.push(hit);
        }
    }
}

/// True if two ranges share a byte, or one is an insertion inside of the other.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Applies `changes`, which do not overlap, to `text`.
pub(in crate::syntax) fn apply(text: &str, changes: &[RegionEdit]) -> String {
    let mut sorted: Vec<&RegionEdit> = changes.iter().collect();
    sorted.sort_by_key(|change| (change.range.start, change.range.end));
    let edits = sorted.iter().map(|change| (change.text_range(), change.text.as_str()));
    // Incompatible edits leave the text unchanged, so that the reading does not parse.
    crate::text::apply(text, edits).unwrap_or_else(|| text.to_owned())
}
