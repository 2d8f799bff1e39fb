//! A text that is assembled from the strings of a record.

use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// Pieces of a text so far.
#[derive(Debug, Default)]
pub(in crate::transcript) struct Draft {
    /// The first piece, if it is an unchanged range of the record and no second piece was added.
    only: Option<TextRange>,
    /// The first piece, if it had escapes and no second piece was added.
    whole: Option<(Vec<u8>, SegmentMap)>,
    text: Vec<u8>,
    map: SegmentMapBuilder,
    seams: Vec<TextSize>,
    pointer: Option<String>,
}

impl Draft {
    /// Appends the value of a string; ignores other values. The pointer of the first piece becomes
    /// the pointer of the text.
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

    /// Appends the value of a string, starting at an offset of the value.
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

    /// Copies a text of one piece into `text`, so that more pieces can be appended.
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

    /// True if there are no pieces.
    pub(in crate::transcript) fn is_empty(&self) -> bool {
        self.pointer.is_none()
    }

    /// Creates the turn with this text.
    pub(in crate::transcript) fn finish(self, role: TurnRole, kind: TextKind) -> Turn {
        let mut turn = match (self.only, self.whole) {
            (Some(range), _) => Turn::part(role, kind, range),
            (None, Some((text, map))) => Turn::from_decoded(role, kind, text, map),
            (None, None) => Turn::from_decoded(role, kind, self.text, self.map.finish()),
        };
        turn.seams = self.seams;
        turn.in_string(self.pointer.unwrap_or_default())
    }
}

fn part(record: &[u8], range: TextRange) -> &[u8] {
    record.get(range.start().into()..range.end().into()).unwrap_or(&[])
}

/// Creates a turn from an envelope that is a reply by itself.
pub(super) fn envelope(json: &Json<'_>, node: NodeId, pointer: &str) -> Turn {
    let mut turn = Turn::part(TurnRole::Assistant, TextKind::Reply, json.range(node));
    turn.path.extend((!pointer.is_empty()).then(|| pointer.to_owned()));
    turn
}
