//! A text that is put together from the strings of a record.

use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// The pieces of a text so far.
#[derive(Debug, Default)]
pub(in crate::transcript) struct Draft {
    /// The only piece so far, as long as it stands in the record as it is.
    only: Option<TextRange>,
    /// The only piece so far, as long as it is one that had escapes.
    whole: Option<(Vec<u8>, SegmentMap)>,
    text: Vec<u8>,
    map: SegmentMapBuilder,
    seams: Vec<TextSize>,
    pointer: Option<String>,
}

impl Draft {
    /// Adds the value of a string; anything else adds nothing. The pointer of the first piece is that of the text.
    pub(in crate::transcript) fn push(&mut self, json: &Json<'_>, node: NodeId, pointer: String) {
        let is_first = self.pointer.is_none();
        match json.kind(node) {
            Node::Plain => {
                let range = json.range(node);
                let quote = TextSize::new(1);
                let inner =
                    TextRange::new(range.start() + quote, (range.end() - quote).max(range.start() + quote));
                match is_first {
                    true => self.only = Some(inner),
                    false => self.copy(json.text(), inner),
                }
            }
            Node::Escaped => {
                let Some((value, map)) = json.bytes_with_map(node) else { return };
                match is_first {
                    true => self.whole = Some((value, map)),
                    false => {
                        self.settle(json.text());
                        self.seam();
                        self.map.append(&map);
                        self.text.extend_from_slice(&value);
                    }
                }
            }
            _ => return,
        }
        self.pointer.get_or_insert(pointer);
    }

    /// Adds the value of a string from an offset of the value on.
    pub(in crate::transcript) fn push_from(
        &mut self,
        json: &Json<'_>,
        node: NodeId,
        pointer: String,
        from: usize,
    ) {
        let Some((value, map)) = json.string_with_map(node) else { return };
        let mut rest = SegmentMapBuilder::default();
        rest.copy(TextRange::new(size(from.min(value.len())), size(value.len())));
        self.settle(json.text());
        self.seam();
        self.map.append(&rest.finish().within(&map));
        self.text.extend_from_slice(value.as_bytes().get(from..).unwrap_or(&[]));
        self.pointer.get_or_insert(pointer);
    }

    /// The text of one piece that stands as it is becomes bytes of our own.
    fn settle(&mut self, record: &[u8]) {
        if let Some(range) = self.only.take() {
            self.text.extend_from_slice(part(record, range));
            self.map.copy(range);
        }
        if let Some((text, map)) = self.whole.take() {
            self.text.extend_from_slice(&text);
            self.map.append(&map);
        }
    }

    fn copy(&mut self, record: &[u8], range: TextRange) {
        self.settle(record);
        self.seam();
        self.text.extend_from_slice(part(record, range));
        self.map.copy(range);
    }

    fn seam(&mut self) {
        if !self.text.is_empty() && self.seams.last() != Some(&size(self.text.len())) {
            self.seams.push(size(self.text.len()));
        }
    }

    /// Whether it has no piece.
    pub(in crate::transcript) fn is_empty(&self) -> bool {
        self.pointer.is_none()
    }

    /// The turn with this text.
    pub(in crate::transcript) fn finish(self, role: TurnRole, kind: TextKind) -> Turn {
        let mut turn = match (self.only, self.whole) {
            (Some(range), _) => Turn::part(role, kind, range),
            (None, Some((text, map))) => Turn::made(role, kind, text, map),
            (None, None) => Turn::made(role, kind, self.text, self.map.finish()),
        };
        turn.seams = self.seams;
        turn.in_string(self.pointer.unwrap_or_default())
    }
}

fn part(record: &[u8], range: TextRange) -> &[u8] {
    record.get(range.start().into()..range.end().into()).unwrap_or(&[])
}

/// An envelope that is the text of its reply.
pub(super) fn envelope(json: &Json<'_>, node: NodeId, pointer: &str) -> Turn {
    let mut turn = Turn::part(TurnRole::Assistant, TextKind::Reply, json.range(node));
    turn.path.extend((!pointer.is_empty()).then(|| pointer.to_owned()));
    turn
}
