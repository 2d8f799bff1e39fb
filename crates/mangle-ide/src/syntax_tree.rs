//! Text rendering of the syntax tree of a file, one node per line, for debugging.

use std::fmt::Write as _;

use tree_sitter::{Node, TreeCursor};

use mangle_report::{SourceText, Sources};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, Symbol, TextRange, TextSize, size};

/// Maximum number of nodes. The last line contains the number of omitted nodes.
const MAX_NODES: usize = 50_000;

/// Maximum indentation level. Without a limit, the text grows with the square of the depth.
const MAX_INDENT: usize = 40;

/// Maximum length of a shown token.
const MAX_WORD: usize = 60;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyntaxTree {
    pub text: String,
    /// Nodes of the lines, in order. A final line about omitted nodes has no entry.
    pub lines: Vec<Line>,
}

/// Node of a text line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Node kind in the grammar.
    pub kind: Symbol,
    /// Range of the node in the file.
    pub range: TextRange,
    /// Start of the line in [`SyntaxTree::text`], after its indentation.
    pub start: TextSize,
    /// End of the line, before its line ending.
    pub end: TextSize,
}

/// Renders the tree of a file: named nodes, missing nodes and errors. Lines and columns are
/// one-based; columns count characters.
#[must_use]
pub fn syntax_tree(source: &SourceFile) -> SyntaxTree {
    let parsed;
    let tree = match source.tree() {
        Some(tree) => Some(tree),
        // Only files under edit keep their tree.
        None => {
            parsed = SourceFile::parse(std::sync::Arc::clone(source.text()));
            parsed.tree()
        }
    };
    let mut writer = Writer::new(source);
    if let Some(tree) = tree {
        writer.walk(&mut tree.walk());
    }
    writer.tree
}

struct Writer<'s> {
    text: &'s str,
    places: Sources,
    tree: SyntaxTree,
    left_out: usize,
}

impl<'s> Writer<'s> {
    fn new(source: &'s SourceFile) -> Self {
        let mut places = Sources::default();
        let text = std::sync::Arc::clone(source.text());
        places.insert_source(FileId(0), SourceText::new(String::new(), text));
        Self { text: source.text(), places, tree: SyntaxTree::default(), left_out: 0 }
    }

    /// Visits all nodes iteratively, because the depth is unbounded.
    fn walk(&mut self, cursor: &mut TreeCursor<'_>) {
        let mut depth: usize = 0;
        loop {
            self.node(cursor, depth);
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    self.close();
                    return;
                }
                depth = depth.saturating_sub(1);
            }
        }
    }

    fn node(&mut self, cursor: &TreeCursor<'_>, depth: usize) {
        let node = cursor.node();
        if !(node.is_named() || node.is_missing()) {
            return;
        }
        if self.tree.lines.len() >= MAX_NODES {
            self.left_out += 1;
            return;
        }
        let (range, text) = (range_of(node), &mut self.tree.text);
        text.push_str(&"  ".repeat(depth.min(MAX_INDENT)));
        let start = size(text.len());
        // Writing to a string cannot fail.
        if let Some(field) = cursor.field_name() {
            let _ = write!(text, "{field}: ");
        }
        if node.is_missing() {
            text.push_str("MISSING ");
        }
        let kind = Symbol::new(node.kind());
        let [from, to] = [range.start(), range.end()].map(|offset| self.places.place(FileId(0), offset));
        let _ = write!(text, "{kind} {}:{}-{}:{}", from.line, from.col, to.line, to.col);
        if let Some(word) = word(node, self.text) {
            let _ = write!(text, " {word:?}");
        }
        let end = size(text.len());
        text.push('\n');
        self.tree.lines.push(Line { kind, range, start, end });
    }

    fn close(&mut self) {
        if self.left_out > 0 {
            let _ = writeln!(self.tree.text, "and {} more nodes", self.left_out);
        }
    }
}

fn range_of(node: Node<'_>) -> TextRange {
    TextRange::new(size(node.start_byte()), size(node.end_byte()))
}

/// Returns the text of a leaf node, truncated to [`MAX_WORD`].
fn word(node: Node<'_>, text: &str) -> Option<String> {
    let word = text.get(node.byte_range()).filter(|word| node.child_count() == 0 && !word.is_empty())?;
    let mut shown: String = word.chars().take(MAX_WORD).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let tree = syntax_tree(&SourceFile::parse(text.into()));
        let lines: Vec<_> = tree.text.lines().collect();
        assert_eq!(lines.len(), tree.lines.len());
        for (line, text) in tree.lines.iter().zip(lines) {
            let shown = &tree.text[usize::from(line.start)..usize::from(line.end)];
            assert_eq!(shown, text.trim_start());
            assert!(shown.contains(line.kind.as_str()), "{shown}");
        }
        expect.assert_eq(&tree.text);
    }

    #[test]
    fn a_clause_and_a_comment() {
        check(
            "# 🦀\nopen(D) :- door(D, \"é\"),\r\n  !locked(D).\n",
            expect![[r##"
            source_file 1:1-4:1
              comment 1:1-1:4 "# 🦀"
              clause 2:1-3:14
                head: atom 2:1-2:8
                  name: identifier 2:1-2:5 "open"
                  variable 2:6-2:7 "D"
                body 2:12-3:13
                  atom 2:12-2:24
                    name: identifier 2:12-2:16 "door"
                    variable 2:17-2:18 "D"
                    string 2:20-2:23 "\"é\""
                  negation 3:3-3:13
                    atom 3:4-3:13
                      name: identifier 3:4-3:10 "locked"
                      variable 3:11-3:12 "D"
        "##]],
        );
    }

    #[test]
    fn damage() {
        check(
            "p(X) :- q(X, .\nr(1) ?\n",
            expect![[r#"
            source_file 1:1-3:1
              clause 1:1-1:15
                head: atom 1:1-1:5
                  name: identifier 1:1-1:2 "p"
                  variable 1:3-1:4 "X"
                body 1:9-1:13
                  atom 1:9-1:13
                    name: identifier 1:9-1:10 "q"
                    variable 1:11-1:12 "X"
                    missing_rparen 1:13-1:13
              ERROR 2:1-2:5
                atom 2:1-2:5
                  name: identifier 2:1-2:2 "r"
                  number 2:3-2:4 "1"
              query 2:6-2:7
                missing_dot 2:7-2:7
        "#]],
        );
    }

    #[test]
    fn a_file_without_a_tree() {
        let file = SourceFile::parse("p(1).\n".into());
        assert_eq!(syntax_tree(&file.clone().without_tree()), syntax_tree(&file));
    }

    #[test]
    fn deep_and_long_files_cost_no_more_than_their_length() {
        let deep = format!("p({}{}).\n", "[".repeat(10_000), "]".repeat(10_000));
        let long = "p(1, 2, 3). ".repeat(30_000);
        for text in [deep, long] {
            let tree = syntax_tree(&SourceFile::parse(text.as_str().into()));
            assert!(tree.text.len() < 100 * text.len(), "{} from {}", tree.text.len(), text.len());
            assert!(tree.lines.len() <= MAX_NODES);
            assert_eq!(tree.text.ends_with("more nodes\n"), tree.lines.len() == MAX_NODES);
        }
    }
}
