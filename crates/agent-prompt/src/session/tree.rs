//! Format-independent tree of a session file: values with ranges, and its parsers for YAML and JSON.
//!
//! Depth, number and size of the values are limited, so that a small file with aliases cannot use
//! gigabytes. The YAML reader processes parser events one by one and enforces these limits. The tree
//! of the parser library would copy each alias, and aliases can be nested.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::json;
use piggyback::envelope::json::{Json, NodeId};

/// The maximum nesting depth.
const MAX_DEPTH: usize = 32;
/// The maximum number of values in a file. Aliased values count for each use.
const MAX_VALUES: usize = 100_000;
/// The maximum total size of texts, in bytes.
const MAX_BYTES: usize = 32 << 20;

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
    fn size(&self) -> (usize, usize) {
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
    fn depth(&self) -> usize {
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

/// Parses the first document of a file.
///
/// # Errors
///
/// If the text is invalid YAML or exceeds a limit.
pub(crate) fn parse_yaml(text: &str) -> Result<TreeNode, ReadError> {
    let mut reader = Reader::new(text);
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                if reader.take(event, span)? {
                    break;
                }
            }
            Err(error) => {
                let at = reader.byte(error.marker().index());
                let why = match error.info() {
                    "recursion limit exceeded" => TOO_DEEP,
                    why => why,
                };
                return Err(ReadError { range: TextRange::at(size(at), size(0)), why: why.to_owned() });
            }
        }
    }
    let nothing = TreeNode { range: TextRange::default(), kind: TreeKind::Null };
    Ok(reader.root.unwrap_or(nothing))
}

/// The members of an open map, and the key without a value.
type Members = (Vec<(TreeKey, TreeNode)>, Option<TreeKey>);

/// An open list or map.
struct Open {
    start: usize,
    anchor: usize,
    list: Vec<TreeNode>,
    /// `Some` for a map.
    map: Option<Members>,
}

struct Reader<'t> {
    text: &'t str,
    /// The byte offset of each character; empty for ASCII text.
    bytes: Vec<usize>,
    open: Vec<Open>,
    anchors: Vec<(usize, TreeNode)>,
    root: Option<TreeNode>,
    values: usize,
    size: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let bytes =
            if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Self { text, bytes, open: Vec::new(), anchors: Vec::new(), root: None, values: 0, size: 0 }
    }

    /// The byte offset of a character.
    fn byte(&self, char: usize) -> usize {
        let byte =
            if self.bytes.is_empty() { char } else { *self.bytes.get(char).unwrap_or(&self.text.len()) };
        byte.min(self.text.len())
    }

    fn range(&self, span: Span) -> TextRange {
        let (start, end) = (self.byte(span.start.index()), self.byte(span.end.index()));
        let text = self.text.get(start..end.max(start)).unwrap_or_default();
        TextRange::at(size(start), size(text.trim_end().len()))
    }

    /// Processes an event. Returns true at the end of the document.
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<bool, ReadError> {
        let range = self.range(span);
        match event {
            Event::Scalar(value, style, anchor, _) => {
                let kind = if style == ScalarStyle::Plain
                    && matches!(&*value, "" | "~" | "null" | "Null" | "NULL")
                {
                    TreeKind::Null
                } else {
                    TreeKind::Scalar(value.into_owned())
                };
                let node = TreeNode { range, kind };
                let (values, bytes) = node.size();
                self.count(range, values, bytes)?;
                self.add(node, anchor)?;
            }
            Event::Alias(anchor) => {
                let known = self.anchors.iter().rev().find(|(id, _)| *id == anchor).map(|(_, node)| node);
                let Some(node) = known else { return Err(ReadError { range, why: CIRCLE.to_owned() }) };
                // Checked before the copy.
                let ((values, bytes), depth) = (node.size(), node.depth());
                self.count(range, values, bytes)?;
                if self.open.len() + depth > MAX_DEPTH {
                    return Err(ReadError { range, why: TOO_DEEP.to_owned() });
                }
                let known = self.anchors.iter().rev().find(|(id, _)| *id == anchor);
                let node = known.map(|(_, node)| node.clone());
                node.map_or(Ok(()), |node| self.add(node, 0))?;
            }
            Event::SequenceStart(anchor, _) => self.begin(range, anchor, None)?,
            Event::MappingStart(anchor, _) => self.begin(range, anchor, Some((Vec::new(), None)))?,
            Event::SequenceEnd | Event::MappingEnd => self.end(range)?,
            Event::DocumentEnd => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    fn begin(&mut self, range: TextRange, anchor: usize, map: Option<Members>) -> Result<(), ReadError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadError { range, why: TOO_DEEP.to_owned() });
        }
        self.open.push(Open { start: range.start().into(), anchor, list: Vec::new(), map });
        Ok(())
    }

    fn end(&mut self, range: TextRange) -> Result<(), ReadError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        // A block collection ends with its last value, not with the following comments.
        let members =
            open.map.as_ref().and_then(|(members, _)| members.last()).map(|(_, node)| node.range.end());
        let last = members.or_else(|| open.list.last().map(|node| node.range.end()));
        let end = last.filter(|_| range.is_empty()).unwrap_or(range.end());
        let range = TextRange::new(size(open.start), end.max(size(open.start)));
        let kind = match open.map {
            Some((members, _)) => TreeKind::Map(members),
            None => TreeKind::List(open.list),
        };
        // Nested values are already counted.
        self.count(range, 1, 0)?;
        self.add(TreeNode { range, kind }, open.anchor)
    }

    /// Adds to the number of values and the size of texts.
    fn count(&mut self, range: TextRange, values: usize, bytes: usize) -> Result<(), ReadError> {
        self.values += values;
        self.size += bytes;
        let is_allowed = self.values <= MAX_VALUES && self.size <= MAX_BYTES;
        is_allowed.then_some(()).ok_or_else(|| ReadError { range, why: TOO_LARGE.to_owned() })
    }

    /// Adds a value to the open collection, or as the root.
    fn add(&mut self, node: TreeNode, anchor: usize) -> Result<(), ReadError> {
        if anchor > 0 {
            let (values, bytes) = node.size();
            self.count(node.range, values, bytes)?;
            self.anchors.push((anchor, node.clone()));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { map: None, list, .. }) => list.push(node),
            Some(Open { map: Some((members, waiting)), .. }) => match waiting.take() {
                Some(key) => members.push((key, node)),
                None => {
                    let text = match node.kind {
                        TreeKind::Scalar(text) => text,
                        TreeKind::Null => String::new(),
                        TreeKind::List(_) | TreeKind::Map(_) => {
                            return Err(ReadError {
                                range: node.range,
                                why: "a key must be a word".to_owned(),
                            });
                        }
                    };
                    *waiting = Some(TreeKey { text, range: node.range });
                }
            },
        }
        Ok(())
    }
}

const TOO_DEEP: &str = "its values are nested too deeply";
const TOO_LARGE: &str =
    "it has more than 100000 values or 32 MiB of them, those of aliases counted wherever they are used";
const CIRCLE: &str = "an alias names what is not there yet";

/// Parses a file with one JSON value.
///
/// # Errors
///
/// If the text is invalid JSON or exceeds a limit.
pub(super) fn parse_json(text: &str) -> Result<TreeNode, ReadError> {
    let json = Json::parse(text.as_bytes());
    if let Some(problem) = json.problems.first() {
        return Err(ReadError { range: json.problem_range(problem), why: json.problem_message(problem, 1) });
    }
    if !json.is_valid_to_the_end() {
        let end = TextRange::empty(json.end());
        return Err(ReadError { range: end, why: "there is text after its end".to_owned() });
    }
    if json.nodes().count() > MAX_VALUES {
        return Err(ReadError {
            range: TextRange::default(),
            why: "it has more than 100000 values".to_owned(),
        });
    }
    json_node(&json, json.root(), 0)
}

fn json_node(json: &Json<'_>, at: NodeId, level: usize) -> Result<TreeNode, ReadError> {
    let range = json.range(at);
    if level >= MAX_DEPTH {
        return Err(ReadError { range, why: "its values are nested too deeply".to_owned() });
    }
    let kind = match json.kind(at) {
        json::JsonKind::Null | json::JsonKind::Broken => TreeKind::Null,
        json::JsonKind::Bool(_) | json::JsonKind::Number => {
            TreeKind::Scalar(String::from_utf8_lossy(json.raw(at)).into())
        }
        json::JsonKind::Plain | json::JsonKind::Escaped => {
            TreeKind::Scalar(json.string(at).unwrap_or_default().into())
        }
        _ if json.members(at).next().is_some() => {
            let members = json.members(at).map(|member| {
                let text = json.string(member.key).unwrap_or_default().into_owned();
                Ok((
                    TreeKey { text, range: json.range(member.key) },
                    json_node(json, member.value, level + 1)?,
                ))
            });
            TreeKind::Map(members.collect::<Result<_, ReadError>>()?)
        }
        _ if json.raw(at).first() == Some(&b'{') => TreeKind::Map(Vec::new()),
        _ => TreeKind::List(
            json.elements(at)
                .map(|element| json_node(json, element, level + 1))
                .collect::<Result<_, ReadError>>()?,
        ),
    };
    Ok(TreeNode { range, kind })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::text::slice;

    #[test]
    fn ranges_are_those_of_the_values() {
        let text = "# é\na: \"ü\\n\"\nb:\n  - one\n  - two words  # no more\nc: |\n  x\n  y\nd: ~\n";
        let node = parse_yaml(text).unwrap();
        let TreeKind::Map(members) = &node.kind else { panic!() };
        let shown: Vec<_> = members.iter().map(|(key, node)| (&*key.text, slice(text, node.range))).collect();
        assert_eq!(shown, [("a", "\"ü\\n\""), ("b", "- one\n  - two words"), ("c", "x\n  y"), ("d", "~")]);
        let TreeKind::List(list) = &members[1].1.kind else { panic!() };
        assert_eq!(slice(text, list[1].range), "two words");
        assert_eq!(members[0].1.kind, TreeKind::Scalar("ü\n".into()));
        assert_eq!(members[2].1.kind, TreeKind::Scalar("x\ny\n".into()));
        assert_eq!(members[3].1.kind, TreeKind::Null);
    }

    #[test]
    fn aliases_are_bounded() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = level - 1;
            let list = vec![format!("*a{before}"); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        assert_eq!(parse_yaml(&bomb).unwrap_err().why, TOO_LARGE);
        assert_eq!(parse_yaml("a: &a [*a]").unwrap_err().why, CIRCLE);
        let same = parse_yaml("a: &x {k: v}\nb: *x\n").unwrap();
        let TreeKind::Map(members) = same.kind else { panic!() };
        assert_eq!(members[0].1, members[1].1);
    }

    #[test]
    fn depth_is_bounded() {
        assert_eq!(parse_yaml(&"[".repeat(40)).unwrap_err().why, TOO_DEEP);
        assert!(parse_yaml(&"[".repeat(50_000)).is_err() && parse_yaml(&"- ".repeat(50_000)).is_err());
        assert!(parse_yaml("a: [1, 2").is_err());
    }

    #[test]
    fn values_have_their_bytes() {
        let text = r#"{"a": ["x", 2, true, null], "b": {}}"#;
        let TreeKind::Map(members) = parse_json(text).unwrap().kind else { panic!() };
        let TreeKind::List(list) = &members[0].1.kind else { panic!() };
        let shown: Vec<_> = list.iter().map(|node| slice(text, node.range)).collect();
        assert_eq!(shown, ["\"x\"", "2", "true", "null"]);
        assert_eq!((&list[1].kind, &list[3].kind), (&TreeKind::Scalar("2".into()), &TreeKind::Null));
        assert_eq!(members[1].1.kind, TreeKind::Map(Vec::new()));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert!(parse_json("{\"a\": }").is_err() && parse_json("{} {}").is_err());
        assert!(parse_json(&"[".repeat(100)).is_err());
        assert!(parse_json(&format!("{}1{}", "[".repeat(40), "]".repeat(40))).is_err());
    }
}
