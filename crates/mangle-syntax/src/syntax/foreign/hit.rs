//! What a recogniser found: a habit of another language, how to read it, and how to mend it.

use std::ops::Range;

use crate::lint::Rule;
use crate::text::{TextRange, size};

/// A replacement of some bytes of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::syntax) struct RegionEdit {
    pub(in crate::syntax) range: Range<usize>,
    pub(in crate::syntax) text: String,
}

impl RegionEdit {
    /// The bytes that are replaced.
    fn text_range(&self) -> TextRange {
        TextRange::new(size(self.range.start), size(self.range.end.max(self.range.start)))
    }
}

/// How a habit is mended.
#[derive(Debug, Clone)]
pub(in crate::syntax) enum HabitFix {
    /// As it is read.
    AsRead,
    /// Otherwise.
    By(Vec<RegionEdit>),
    /// Not by a machine.
    No,
}

/// One habit in one statement.
#[derive(Debug, Clone)]
pub(in crate::syntax) struct Hit {
    pub(in crate::syntax) rule: &'static Rule,
    /// What is underlined.
    pub(in crate::syntax) range: Range<usize>,
    /// As [`Finding::message`](crate::lint::Finding::message).
    pub(in crate::syntax) headline: String,
    /// As [`Finding::label`](crate::lint::Finding::label).
    pub(in crate::syntax) label: Option<String>,
    /// As [`Finding::notes`](crate::lint::Finding::notes).
    pub(in crate::syntax) notes: Vec<String>,
    /// As [`Finding::help`](crate::lint::Finding::help).
    pub(in crate::syntax) help: Option<String>,
    /// What the fix does, in the imperative.
    pub(in crate::syntax) title: String,
    /// Whether the fix is certain.
    pub(in crate::syntax) safe: bool,
    /// The changes that turn the statement into one that the grammar reads.
    pub(in crate::syntax) reading: Vec<RegionEdit>,
    pub(in crate::syntax) mend: HabitFix,
    /// What the fix says in another way, beside the words that the reading replaces.
    replaces: Vec<Range<usize>>,
    /// Another fix for another reading, with its title.
    pub(in crate::syntax) other: Option<(String, RegionEdit)>,
}

impl Hit {
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
            mend: HabitFix::No,
            replaces: Vec::new(),
            other: None,
        }
    }

    /// The same habit at `range`, with another headline.
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

    /// It is read as if `range` were `text`, and mended so.
    pub(super) fn replace(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self = self.read(range, text);
        self.mend = HabitFix::AsRead;
        self
    }

    pub(super) fn delete(self, range: Range<usize>) -> Self {
        self.replace(range, "")
    }

    pub(super) fn change(self, edit: RegionEdit) -> Self {
        self.replace(edit.range, edit.text)
    }

    /// It is read as if `range` were `text`; that is no fix.
    pub(super) fn read(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.reading.push(RegionEdit { range, text: text.into() });
        self
    }

    /// [`Hit::read`], for an edit.
    pub(super) fn read_as(self, edit: RegionEdit) -> Self {
        self.read(edit.range, edit.text)
    }

    /// It is mended so, and not as it is read.
    pub(super) fn mend(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.mend = HabitFix::By(vec![RegionEdit { range, text: text.into() }]);
        self
    }

    pub(super) fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The fix is a guess.
    pub(super) fn guess(mut self) -> Self {
        self.safe = false;
        self
    }

    /// For another reading it is mended so.
    pub(super) fn otherwise(
        mut self,
        title: impl Into<String>,
        range: Range<usize>,
        text: impl Into<String>,
    ) -> Self {
        self.other = Some((title.into(), RegionEdit { range, text: text.into() }));
        self
    }

    /// The fix says `range` in another way.
    pub(super) fn replacing(mut self, range: Range<usize>) -> Self {
        self.replaces.push(range);
        self
    }

    /// What the fix says in another way: the words of the foreign notation, and what is declared.
    pub(in crate::syntax) fn replaced(&self) -> impl Iterator<Item = Range<usize>> {
        let reading = self.reading.iter().map(|change| &change.range).filter(|range| !range.is_empty());
        reading.chain(&self.replaces).cloned()
    }

    /// The changes of the fix.
    pub(in crate::syntax) fn fix(&self) -> Option<&[RegionEdit]> {
        match &self.mend {
            HabitFix::AsRead => Some(&self.reading),
            HabitFix::By(changes) => Some(changes),
            HabitFix::No => None,
        }
    }
}

/// The hits in one statement; none touches what another changes.
#[derive(Debug, Default)]
pub(super) struct Hits(pub(super) Vec<Hit>);

impl Hits {
    /// Whether a hit changes some of these bytes.
    pub(super) fn takes(&self, range: &Range<usize>) -> bool {
        self.0.iter().flat_map(|hit| &hit.reading).any(|other| overlap(&other.range, range))
    }

    pub(super) fn add(&mut self, hit: Hit) {
        if !hit.reading.iter().any(|change| self.takes(&change.range)) {
            self.0.push(hit);
        }
    }
}

/// Whether two ranges have a byte in common, or one is an insertion inside the other.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// `text` after `changes`, which do not overlap.
pub(in crate::syntax) fn apply(text: &str, changes: &[RegionEdit]) -> String {
    let mut sorted: Vec<&RegionEdit> = changes.iter().collect();
    sorted.sort_by_key(|change| (change.range.start, change.range.end));
    let edits = sorted.iter().map(|change| (change.text_range(), change.text.as_str()));
    // Changes that do not fit together change nothing, and then the reading does not parse.
    crate::text::apply(text, edits).unwrap_or_else(|| text.to_owned())
}
