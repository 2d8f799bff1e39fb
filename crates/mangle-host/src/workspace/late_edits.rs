//! Edits that arrive after later edits. The text before a gap in the version numbers is kept, so
//! that a late edit can be inserted at its place. Some editors (Helix) send edits from several
//! tasks in no guaranteed order.

use std::collections::BTreeMap;

use mangle_syntax::text::{Document, SentChange};

/// The maximum number of versions that are kept after a gap. Some editors skip version numbers at
/// each edit.
const MAX_VERSIONS: usize = 32;

/// A text, and the versions received since a version was missing.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// The text before the gap.
    document: Document,
    /// The version before the gap.
    version: i32,
    /// The changes of each version received since.
    later: BTreeMap<i32, Vec<SentChange>>,
}

impl Gap {
    /// A gap after a version of a document.
    pub(super) fn after_version(document: Document, version: i32) -> Self {
        Self { document, version, later: BTreeMap::new() }
    }

    /// True if `version` may still arrive.
    pub(super) fn is_missing(&self, version: i32) -> bool {
        version > self.version && !self.later.contains_key(&version)
    }

    pub(super) fn add(&mut self, version: i32, changes: &[SentChange]) {
        self.later.insert(version, changes.to_vec());
    }

    /// Returns the gap while a missing version is still expected. Returns `None` if the gap is
    /// filled or too old.
    pub(super) fn if_open(self) -> Option<Self> {
        let last = self.later.last_key_value().map_or(self.version, |(version, _)| *version);
        let expected = i64::from(last) - i64::from(self.version);
        let is_filled = i64::try_from(self.later.len()).is_ok_and(|count| count == expected);
        (!is_filled && self.later.len() <= MAX_VERSIONS).then_some(self)
    }

    /// Returns the text before the gap, and the changes since then in version order.
    pub(super) fn in_order(&self) -> (Document, Vec<SentChange>) {
        (self.document.clone(), self.later.values().flatten().cloned().collect())
    }
}
