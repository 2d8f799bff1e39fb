//! Edits that arrive behind later ones: the text before a gap in the versions is kept, so that an edit that fills the gap
//! can be put in its place. Some editors (Helix) send an edit from several tasks, and the order of these is not certain.

use std::collections::BTreeMap;

use mangle_syntax::text::{Document, SentChange};

/// How many versions behind a gap are kept. Editors that leave numbers out for good have a gap with each edit.
const MOST: usize = 32;

/// A text, and the versions that came since one was left out.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// The text before the gap.
    document: Document,
    /// Its version.
    version: i32,
    /// The changes of each version that has come since.
    later: BTreeMap<i32, Vec<SentChange>>,
}

impl Gap {
    /// A gap behind a version of a document.
    pub(super) fn behind(document: Document, version: i32) -> Self {
        Self { document, version, later: BTreeMap::new() }
    }

    /// Whether `version` is one that may still come.
    pub(super) fn lacks(&self, version: i32) -> bool {
        version > self.version && !self.later.contains_key(&version)
    }

    /// Adds the changes of a version.
    pub(super) fn add(&mut self, version: i32, changes: &[SentChange]) {
        self.later.insert(version, changes.to_vec());
    }

    /// The gap as long as a further version is to be expected: it is not filled, and not too long ago.
    pub(super) fn unless_over(self) -> Option<Self> {
        let last = self.later.last_key_value().map_or(self.version, |(version, _)| *version);
        let expected = i64::from(last) - i64::from(self.version);
        let is_filled = i64::try_from(self.later.len()).is_ok_and(|count| count == expected);
        (!is_filled && self.later.len() <= MOST).then_some(self)
    }

    /// The text before the gap, and the changes since in the order of their versions.
    pub(super) fn in_order(&self) -> (Document, Vec<SentChange>) {
        (self.document.clone(), self.later.values().flatten().cloned().collect())
    }
}
