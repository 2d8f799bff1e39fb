//! The values of a session file, each with its bytes, whatever they were written in.
//!
//! Depth, number and size are bounded, so that a file of a few lines cannot ask for gigabytes.

use std::borrow::Cow;

use mangle_syntax::text::TextRange;

/// How deeply values may be inside each other.
pub(crate) const DEEPEST: usize = 32;
/// How many values a file may have, those of aliases counted wherever they are used.
pub(crate) const MOST_VALUES: usize = 100_000;
/// How many bytes of text they may have together.
pub(crate) const MOST_BYTES: usize = 32 << 20;

/// Up to how many characters a value is shown in messages.
const SHOWN: usize = 24;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeNode {
    /// Its bytes.
    pub(crate) range: TextRange,
    pub(crate) kind: TreeKind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TreeKind {
    /// Nothing.
    Null,
    /// A truth value, a number or a text, as it is written.
    Scalar(String),
    /// A list.
    List(Vec<TreeNode>),
    /// Keys with their values, in the order of the file.
    Map(Vec<(TreeKey, TreeNode)>),
}

/// A key and its bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeKey {
    /// The key.
    pub(crate) text: String,
    /// Its bytes.
    pub(crate) range: TextRange,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadError {
    pub(crate) range: TextRange,
    /// Why, as the end of a sentence.
    pub(crate) why: String,
}

impl TreeNode {
    /// How many values it is of, and how many bytes of text they have.
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

    /// How many levels it has.
    pub(super) fn depth(&self) -> usize {
        match &self.kind {
            TreeKind::Null | TreeKind::Scalar(_) => 1,
            TreeKind::List(nodes) => 1 + nodes.iter().map(Self::depth).max().unwrap_or(0),
            TreeKind::Map(members) => 1 + members.iter().map(|(_, node)| node.depth()).max().unwrap_or(0),
        }
    }

    /// What it is, for a message.
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
