//! An update: a string of `mangle_updates` with the place of each of its bytes in the reply.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::envelope::json::{Json, NodeId};
use mangle_syntax::text::{Embedded, EmbeddedKind, SegmentMap, TextRange};

/// A string of `mangle_updates`.
#[derive(Debug)]
pub struct Update<'t> {
    /// Its place in the list.
    pub index: usize,
    /// The update without the escapes of JSON.
    pub text: Cow<'t, str>,
    /// Its bytes in the reply, quotes included.
    pub range: TextRange,
    json: &'t Json<'t>,
    node: NodeId,
    /// Made when somebody asks: most updates are in order.
    map: OnceCell<SegmentMap>,
}

impl<'t> Update<'t> {
    /// The update at a place of the list, if it is a string.
    #[must_use]
    pub fn new(json: &'t Json<'t>, node: NodeId, index: usize) -> Option<Self> {
        let text = json.string(node)?;
        Some(Self { index, text, range: json.range(node), json, node, map: OnceCell::new() })
    }

    /// The strings of a list of updates.
    #[must_use]
    pub fn all(json: &'t Json<'t>, list: NodeId) -> Vec<Self> {
        let elements = json.elements(list).enumerate();
        elements.filter_map(|(index, node)| Self::new(json, node, index)).collect()
    }

    /// Where the bytes of its text stand in the reply.
    #[must_use]
    pub fn map(&self) -> &SegmentMap {
        self.map.get_or_init(|| self.json.string_with_map(self.node).map(|(_, map)| map).unwrap_or_default())
    }

    /// The bytes of the reply that a part of its text stands for.
    #[must_use]
    pub fn place(&self, part: TextRange) -> TextRange {
        self.map().to_source(part)
    }

    /// The string as it is written, quotes included.
    #[must_use]
    pub fn raw(&self) -> &'t [u8] {
        self.json.raw(self.node)
    }

    /// Whether it is written without a slip, as every reader of JSON reads it.
    #[must_use]
    pub fn is_json(&self) -> bool {
        serde_json::from_slice::<String>(self.raw()).is_ok()
    }

    /// The JSON that it is a string of.
    #[must_use]
    pub fn json(&self) -> &'t Json<'t> {
        self.json
    }
}

/// An update as a text that everything works in that works in Mangle.
#[must_use]
pub fn atom_text(update: &Update<'_>) -> Embedded {
    Embedded { text: update.text.as_ref().into(), map: update.map().clone(), kind: EmbeddedKind::Atom }
}
