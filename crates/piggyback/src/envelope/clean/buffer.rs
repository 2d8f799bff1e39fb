//! A buffer for the decoded updates and the surface of an envelope, reused between envelopes.

use rustc_hash::FxHashSet;

use crate::envelope::json::{Json, NodeId};

/// The updates of an envelope, with capacity for its surface.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// The concatenated texts of the updates.
    text: String,
    /// The updates, each with the end offset of its text.
    ends: Vec<(NodeId, usize)>,
    pub(super) surface: String,
}

impl Buffer {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Appends an update and returns its text.
    pub(super) fn push(&mut self, json: &Json<'_>, node: NodeId) -> Option<&str> {
        let start = self.text.len();
        let is_text = json.push_string(node, &mut self.text);
        self.ends.push((node, self.text.len()));
        self.text.get(start..).filter(|_| is_text)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the updates with their texts.
    pub(super) fn updates(&self) -> impl Iterator<Item = (NodeId, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |(node, end)| {
            let text = self.text.get(start..*end).unwrap_or("");
            start = *end;
            (*node, text)
        })
    }

    /// True if no two updates have the same text.
    pub(super) fn are_different(&self) -> bool {
        let texts = || self.updates().map(|(_, text)| text);
        if self.len() < MIN_UPDATES_FOR_HASHING {
            return texts().enumerate().all(|(at, text)| !texts().take(at).any(|other| other == text));
        }
        let mut seen = FxHashSet::default();
        texts().all(|text| seen.insert(text))
    }
}

/// The minimum number of updates for a hash lookup instead of pairwise comparison.
const MIN_UPDATES_FOR_HASHING: usize = 16;
