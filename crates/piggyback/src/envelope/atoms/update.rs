//! A string of `mangle_updates` with a map from its bytes to the reply.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::envelope::json::{Json, NodeId};
use mangle_syntax::text::{Embedded, EmbeddedKind, SegmentMap, TextRange};

/// A string of `mangle_updates`.
#[derive(Debug)]
pub struct Update<'t> {
    /// The index in the list.
    pub index: usize,
    /// The text of the update, with JSON escapes decoded.
    pub text: Cow<'t, str>,
    /// The byte range in the reply, including quotes.
    pub range: TextRange,
    json: &'t Json<'t>,
    node: NodeId,
    /// Created on demand, because most updates have no findings.
    map: OnceCell<SegmentMap>,
}

impl<'t> Update<'t> {
    /// Creates an update from an element of the list, if it is a string.
    #[must_use]
    pub fn new(json: &'t Json<'t>, node: NodeId, index: usize) -> Option<Self> {
        let text = json.string(node)?;
        Some(Self { index, text, range: json.range(node), json, node, map: OnceCell::new() })
    }

    /// Returns the strings of a list of updates.
    #[must_use]
    pub fn all(json: &'t Json<'t>, list: NodeId) -> Vec<Self> {
        let elements = json.elements(list).enumerate();
        elements.filter_map(|(index, node)| Self::new(json, node, index)).collect()
    }

    /// Returns the map from the bytes of the text to the reply.
    #[must_use]
    pub fn map(&self) -> &SegmentMap {
        self.map.get_or_init(|| self.json.string_with_map(self.node).map(|(_, map)| map).unwrap_or_default())
    }

    /// Maps a part of the text to its range in the reply.
    #[must_use]
    pub fn place(&self, part: TextRange) -> TextRange {
        self.map().to_source(part)
    }

    /// The source of the string, including quotes.
    #[must_use]
    pub fn raw(&self) -> &'t [u8] {
        self.json.raw(self.node)
    }

    /// True if the source is a valid JSON string.
    #[must_use]
    pub fn is_json(&self) -> bool {
        serde_json::from_slice::<String>(self.raw()).is_ok()
    }

    /// The JSON document of the update.
    #[must_use]
    pub fn json(&self) -> &'t Json<'t> {
        self.json
    }
}

/// Returns an update as an embedded text for Mangle editor features.
#[must_use]
pub fn atom_text(update: &Update<'_>) -> Embedded {
    Embedded { text: update.text.as_ref().into(), map: update.map().clone(), kind: EmbeddedKind::Atom }
}
