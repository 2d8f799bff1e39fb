//! Integers of a session file.

use crate::session::Count;
use crate::session::tree::{TreeKind, TreeNode};

pub(super) fn number(node: &TreeNode) -> Option<Count> {
    let TreeKind::Scalar(text) = &node.kind else { return None };
    Some(Count { value: text.trim().parse().ok()?, range: node.range })
}

pub(super) fn number_in(node: &TreeNode, name: &str) -> Option<Count> {
    member(node, name).and_then(number)
}

pub(super) fn member<'n>(node: &'n TreeNode, name: &str) -> Option<&'n TreeNode> {
    let TreeKind::Map(members) = &node.kind else { return None };
    members.iter().rev().find(|(key, _)| key.text == name).map(|(_, node)| node)
}
