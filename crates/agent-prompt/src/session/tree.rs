//! Format-independent tree of a session file: values with ranges.
//!
//! Depth, number and size of the values are limited, so that a small file with aliases cannot use
//! gigabytes.

use std::borrow::Cow;

use mangle_syntax::text::TextRange;

/// The maximum nesting depth.
pub(crate) const MAX_DEPTH: usize = 32;
/// The maximum number of values in a file. Aliased values count for each use.
pub(crate) const MAX_VALUES: usize = 100_000;
/// The maximum total size of texts, in bytes.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// The maximum number of characters of a value in messages.
const SHOWN: usize = 24;

/// A value with its range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeNode {
    pub(crate) range: TextRange,
    pub(crate) kind: TreeKind,
}

/// The kind and content of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TreeKind {
    /// Null.
    Null,
    /// A boolean, number or text, as written.
    Scalar(String),
    List(Vec<TreeNode>),
    /// Keys with their values, in the order of the file.
    Map(Vec<(TreeKey, TreeNode)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeKey {
    pub(crate) text: String,
    pub(crate) range: TextRange,
}

/// The reason why a file is unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadError {
    pub(crate) range: TextRange,
    /// The reason as the end of a sentence.
    pub(crate) why: String,
}

impl TreeNode {
    /// The number of values, and the total size of texts in bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        let add =
            |(values, bytes): (usize, usize), (more, much): (usize, usize)| (values + more, bytes + much);
        match &self.kind {
            TreeKind::Null => (1, 0),
            TreeKind::Scalar(text) => (1, text.len()),
            TreeKind::List(nodes) => nodes.iter().map(Self::size).fold((1, 0), add),
            TreeKind::Map(members) => {
                members.iter().map(|(key, node)| add((0, key.text.len()), node.size())).fold((1, 0), add)
            }
        }
    }

    /// The number of levels.
    pub(super) fn depth(&self) -> usize {
        match &self.kind {
            TreeKind::Null | TreeKind::Scalar(_) => 1,
            TreeKind::List(nodes) => 1 + nodes.iter().map(Self::depth).max().unwrap_or(0),
            TreeKind::Map(members) => 1 + members.iter().map(|(_, node)| node.depth()).max().unwrap_or(0),
        }
    }

    /// A description for messages.
    pub(crate) fn described(&self) -> Cow<'static, str> {
        match &self.kind {
            TreeKind::Null => "nothing".into(),
            TreeKind::Scalar(text) if text.is_empty() => "an empty text".into(),
            TreeKind::Scalar(text) if text.chars().count() <= SHOWN && !text.contains(char::is_control) => {
                format!("`{text}`").into()
            }
            TreeKind::Scalar(_) => "a single value".into(),
            TreeKind::List(_) => "a list".into(),
            TreeKind::Map(_) => "a table of keys and values".into(),
        }
    }
}
