//! Random edits of a text, as an editor makes them, applied to text and tree alike.

use std::ops::Range;

use tree_sitter::{InputEdit, Point, Tree};

use super::Rng;

/// Replacing the bytes of `range` by `text`.
#[derive(Debug, Clone)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: Vec<u8>,
}

/// What people type, and what breaks parsers.
const TYPED: [&str; 32] = [
    "a", "X", "_", "1", " ", "\n", ".", ",", "(", ")", "[", "]", "{", "}", "\"", "'", "`", "\\", ":-", ":",
    "!", "#", "/a", "|>", "@[", "Decl ", "q(X).\n", "é", "⟸", "let ", "/* ", "\r\n",
];

/// A random edit: mostly one typed character or a deleted one, now and then a larger cut or a paste of
/// text from elsewhere in the file. Characters stay whole.
pub fn random(rng: &mut Rng, text: &[u8]) -> Edit {
    let start = boundary(text, rng.below(text.len() + 1));
    let reach = |rng: &mut Rng, most: usize| start..boundary(text, start + rng.below(most + 1));
    match rng.below(10) {
        0..=4 => Edit { range: start..start, text: rng.pick(&TYPED).as_bytes().to_vec() },
        5..=7 => Edit { range: reach(rng, 2), text: Vec::new() },
        8 => Edit { range: reach(rng, 200), text: Vec::new() },
        _ => {
            let from = boundary(text, rng.below(text.len() + 1));
            let to = boundary(text, from + rng.below(300));
            Edit { range: reach(rng, 20), text: text[from..to].to_vec() }
        }
    }
}

/// The first start of a character at or after `offset`.
fn boundary(text: &[u8], offset: usize) -> usize {
    let offset = offset.min(text.len());
    offset + text[offset..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count()
}

impl Edit {
    /// Changes text and tree; returns the edit that takes it back.
    pub fn apply(&self, text: &mut Vec<u8>, tree: &mut Tree) -> Edit {
        let start_position = point(text, self.range.start);
        let old_end_position = point(text, self.range.end);
        let removed: Vec<u8> = text.splice(self.range.clone(), self.text.iter().copied()).collect();
        let new_end_byte = self.range.start + self.text.len();
        tree.edit(&InputEdit {
            start_byte: self.range.start,
            old_end_byte: self.range.end,
            new_end_byte,
            start_position,
            old_end_position,
            new_end_position: point(text, new_end_byte),
        });
        forget_damage(tree);
        Edit { range: self.range.start..new_end_byte, text: removed }
    }
}

/// Marks damaged statements as changed. tree-sitter would use what it recovered there again as it is,
/// where a fresh parse, in other surroundings, may recover otherwise: one edit in some 50,000.
fn forget_damage(tree: &mut Tree) {
    let damaged: Vec<_> = {
        let root = tree.root_node();
        let mut cursor = root.walk();
        root.children(&mut cursor).filter(tree_sitter::Node::has_error).map(|node| node.range()).collect()
    };
    for range in damaged {
        tree.edit(&InputEdit {
            start_byte: range.start_byte,
            old_end_byte: range.end_byte,
            new_end_byte: range.end_byte,
            start_position: range.start_point,
            old_end_position: range.end_point,
            new_end_position: range.end_point,
        });
    }
}

fn point(text: &[u8], offset: usize) -> Point {
    let before = &text[..offset];
    let row = before.iter().filter(|byte| **byte == b'\n').count();
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Point::new(row, offset - line)
}
