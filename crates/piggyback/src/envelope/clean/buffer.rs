//! The texts of an envelope that the recogniser reads, one behind the other.

use rustc_hash::FxHashSet;

use crate::envelope::json::{Json, NodeId};

/// The updates of an envelope, and room for its surface.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// What the updates say, one behind the other.
    text: String,
    /// Each update, and where its text ends.
    ends: Vec<(NodeId, usize)>,
    pub(super) surface: String,
}

impl Buffer {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds an update; gives what it says.
    pub(super) fn push(&mut self, json: &Json<'_>, node: NodeId) -> Option<&str> {
        let start = self.text.len();
        let is_text = json.push_string(node, &mut self.text);
        self.ends.push((node, self.text.len()));
        self.text.get(start..).filter(|_| is_text)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The updates and what they say.
    pub(super) fn updates(&self) -> impl Iterator<Item = (NodeId, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |(node, end)| {
            let text = self.text.get(start..*end).unwrap_or("");
            start = *end;
            (*node, text)
        })
    }

    /// Whether no update says what another one says.
    pub(super) fn are_different(&self) -> bool {
        let texts = || self.updates().map(|(_, text)| text);
        if self.len() < FEW {
            return texts().enumerate().all(|(at, text)| !texts().take(at).any(|other| other == text));
        }
        let mut seen = FxHashSet::default();
        texts().all(|text| seen.insert(text))
    }
}

/// From how many updates on texts are looked up rather than compared.
const FEW: usize = 16;
