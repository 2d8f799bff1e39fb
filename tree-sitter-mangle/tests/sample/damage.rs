//! What one deleted punctuation character costs: which statements are lost beside the damaged one.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Node, Parser, Tree};

use super::{Rng, Text, is_damage, walk};

/// The characters that are deleted, one at a time.
pub const KINDS: [char; 5] = ['.', ',', '(', ')', '"'];

/// What one deletion did to the tree.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Other statements that are gone, moved or no longer clean.
    pub lost: usize,
    /// The damaged statement is still one statement from its old start to its old end.
    pub kept: bool,
    /// Nodes that stand for damage, in the whole tree.
    pub nodes: usize,
    /// Statements, or stretches that are none, with such a node: a checker reports one thing in each.
    pub places: usize,
}

/// Text and byte offset of up to `count` deletions of `kind`, drawn from all such tokens.
pub fn cases(
    parser: &mut Parser,
    texts: &[Text],
    kind: char,
    count: usize,
    seed: u64,
) -> Vec<(usize, usize)> {
    let mut sites = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let tree = parser.parse(&text.bytes, None).unwrap();
        walk(tree.root_node(), |node| {
            tokens(node, kind, &mut |at| sites.push((index, at)));
            true
        });
    }
    let mut rng = Rng::new(seed);
    for i in 0..sites.len().min(count) {
        let j = i + rng.below(sites.len() - i);
        sites.swap(i, j);
    }
    sites.truncate(count);
    sites
}

/// Where `kind` is a token of its own, or a quote of a string, in `node` itself.
fn tokens(node: Node<'_>, kind: char, found: &mut impl FnMut(usize)) {
    if kind == '"' {
        if matches!(node.kind(), "string" | "bytes") {
            found(node.end_byte() - 1);
            found(node.start_byte() + usize::from(node.kind() == "bytes"));
        }
    } else if node.kind().len() == 1 && node.kind().starts_with(kind) {
        found(node.start_byte());
    }
}

/// Deletes the byte at `at` and compares. Other quotes than `"` count as `"`.
pub fn outcome(parser: &mut Parser, text: &[u8], at: usize) -> Outcome {
    let before = parser.parse(text, None).unwrap();
    let mut damaged = text.to_vec();
    damaged.remove(at);
    let after = parser.parse(&damaged, None).unwrap();
    let new: HashMap<usize, (usize, bool)> =
        statements(&after).map(|node| (node.start_byte(), (node.end_byte(), is_clean(node)))).collect();
    let moved = |offset: usize| if offset > at { offset - 1 } else { offset };
    let mut outcome = Outcome { lost: 0, kept: false, nodes: 0, places: 0 };
    let old: Vec<Range<usize>> = statements(&before).map(|node| node.byte_range()).collect();
    for (index, range) in old.iter().enumerate() {
        let (start, end) = (moved(range.start), moved(range.end));
        let now = new.get(&start);
        if range.contains(&at) {
            let limit = old.get(index + 1).map_or(damaged.len(), |next| moved(next.start));
            outcome.kept = now.is_some_and(|(now, _)| (end..=limit).contains(now));
        } else if now != Some(&(end, true)) {
            outcome.lost += 1;
        }
    }
    walk(after.root_node(), |node| {
        outcome.nodes += usize::from(is_damage(node));
        !node.is_error()
    });
    let mut cursor = after.walk();
    outcome.places = after.root_node().children(&mut cursor).filter(|node| !is_clean(*node)).count();
    outcome
}

fn statements(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let nodes: Vec<Node<'_>> =
        root.named_children(&mut cursor).filter(|node| !node.is_extra() && !node.is_error()).collect();
    nodes.into_iter()
}

fn is_clean(node: Node<'_>) -> bool {
    let mut clean = true;
    walk(node, |node| {
        clean &= !is_damage(node);
        clean
    });
    clean
}
