//! Tokens of a file: the leaves of its tree in order, including comments and broken parts, for
//! editor features in incomplete clauses.

use tree_sitter::{Node, Tree, TreeCursor};

use super::{SourceFile, SyntaxKind, kind_of};
use crate::text::{TextRange, TextSize, size, slice};

/// A token and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The range in the file.
    pub range: TextRange,
}

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// `# …`, to the end of the line.
    Comment,
    /// `Package`, `Use`, `Decl`, `temporal`, `descr`, `bound`, `inclusion`, `let`, `do`, `now`,
    /// `opt`.
    Keyword,
    /// The name of a predicate (`p`, `:lt`), a function (`fn:plus`) or a package.
    Identifier,
    /// `X`, `_`.
    Variable,
    /// The name of a type constructor (`.List`), with its dot.
    TypeName,
    /// A name constant.
    Constant,
    /// An integer or a float.
    Number,
    /// A string or a byte string.
    String,
    /// A timestamp or a duration.
    Time,
    /// `(`, `[`, `{`, `<` of a type.
    Open,
    /// `)`, `]`, `}`, `>` of a type.
    Close,
    /// `,`.
    Comma,
    /// The period.
    Dot,
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`, and the temporal `<-`, `<+`, `[-`, `[+`.
    Operator,
    /// `:-`, `⟸`.
    Arrow,
    /// `|>`.
    Pipe,
    /// `!`: a negation, and the end of `Package` and `Use`.
    Bang,
    /// `:` between key and value.
    Colon,
    /// `@`.
    At,
    /// Text that the grammar does not accept.
    Other,
}

impl Token {
    /// The text of the token.
    #[must_use]
    pub fn text(self, text: &str) -> &str {
        slice(text, self.range)
    }
}

impl SourceFile {
    /// The tokens that intersect `range`, in order. A file without a tree is parsed again.
    #[must_use]
    pub fn tokens(&self, range: TextRange) -> Vec<Token> {
        let mut tokens = Vec::new();
        match self.tree() {
            Some(tree) => collect(tree, self.text(), range, &mut tokens),
            None => {
                let parsed = SourceFile::parse(self.text().clone());
                parsed.tree().into_iter().for_each(|tree| collect(tree, self.text(), range, &mut tokens));
            }
        }
        tokens
    }

    /// The ranges of the tree nodes that contain an offset, ends included, outermost first.
    #[must_use]
    pub fn nodes_at(&self, offset: TextSize) -> Vec<TextRange> {
        match self.tree() {
            Some(tree) => nodes_at(tree, offset),
            None => SourceFile::parse(self.text().clone())
                .tree()
                .map(|tree| nodes_at(tree, offset))
                .unwrap_or_default(),
        }
    }

    /// Returns the tokens of the whole file in their order.
    #[must_use]
    pub fn all_tokens(&self) -> Vec<Token> {
        self.tokens(TextRange::up_to(size(self.text().len())))
    }
}

fn nodes_at(tree: &Tree, offset: TextSize) -> Vec<TextRange> {
    let mut cursor = tree.walk();
    let mut ranges = Vec::new();
    loop {
        let node = cursor.node();
        let range = TextRange::new(size(node.start_byte()), size(node.end_byte()));
        if range.contains_inclusive(offset) && !range.is_empty() {
            ranges.push(range);
        }
        // Between two nodes, the second one is used.
        let ends_before = |cursor: &TreeCursor<'_>| size(cursor.node().end_byte()) <= offset;
        if !cursor.goto_first_child() {
            return ranges;
        }
        while ends_before(&cursor) {
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        if size(cursor.node().start_byte()) > offset && !cursor.goto_previous_sibling() {
            return ranges;
        }
    }
}

fn collect(tree: &Tree, text: &str, range: TextRange, tokens: &mut Vec<Token>) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let bytes = TextRange::new(size(node.start_byte()), size(node.end_byte()));
        if bytes.start() >= range.end() && !range.is_empty() {
            return;
        }
        let touches = bytes.end() > range.start();
        if touches && !is_leaf(node) && descend(&mut cursor, range.start()) {
            continue;
        }
        if touches && !bytes.is_empty() && is_leaf(node) && kind_of(node) == SyntaxKind::DoubleComma {
            commas(text, bytes, range, tokens);
        } else if touches
            && !bytes.is_empty()
            && is_leaf(node)
            && let Some(kind) = token_kind(&cursor, slice(text, bytes))
        {
            // A comment ends before the line ending, which can have two bytes.
            let end = if kind == TokenKind::Comment { trimmed_end(text, bytes) } else { bytes.end() };
            tokens.push(Token { kind, range: TextRange::new(bytes.start(), end) });
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn trimmed_end(text: &str, range: TextRange) -> TextSize {
    range.start() + size(slice(text, range).trim_end_matches('\r').len())
}

/// Splits the two commas around an empty slot, which the grammar reads as one token.
fn commas(text: &str, bytes: TextRange, range: TextRange, tokens: &mut Vec<Token>) {
    let found = slice(text, bytes).match_indices(',').map(|(at, _)| bytes.start() + size(at));
    let touching = found.filter(|start| *start < range.end() && *start + size(1) > range.start());
    tokens
        .extend(touching.map(|start| Token { kind: TokenKind::Comma, range: TextRange::at(start, size(1)) }));
}

/// Moves to the first child that ends after `start`, or to the first child. Returns false without
/// children.
fn descend(cursor: &mut TreeCursor<'_>, start: TextSize) -> bool {
    match start.into() {
        0usize => cursor.goto_first_child(),
        start => cursor.goto_first_child_for_byte(start).is_some() || cursor.goto_first_child(),
    }
}

/// True for nodes without child tokens. Strings are always a single token.
fn is_leaf(node: Node<'_>) -> bool {
    node.child_count() == 0 || matches!(kind_of(node), SyntaxKind::String | SyntaxKind::Bytes)
}

fn token_kind(cursor: &TreeCursor<'_>, text: &str) -> Option<TokenKind> {
    Some(match kind_of(cursor.node()) {
        SyntaxKind::Comment => TokenKind::Comment,
        SyntaxKind::Identifier | SyntaxKind::BareName => TokenKind::Identifier,
        SyntaxKind::Variable => TokenKind::Variable,
        SyntaxKind::TypeName => TokenKind::TypeName,
        SyntaxKind::Constant => TokenKind::Constant,
        SyntaxKind::Number | SyntaxKind::Float => TokenKind::Number,
        SyntaxKind::String | SyntaxKind::Bytes => TokenKind::String,
        SyntaxKind::Timestamp | SyntaxKind::Duration => TokenKind::Time,
        SyntaxKind::Now | SyntaxKind::Temporal => TokenKind::Keyword,
        _ if matches!(text, "<" | ">") && in_type(cursor) => match text {
            "<" => TokenKind::Open,
            _ => TokenKind::Close,
        },
        _ => return spelled(text),
    })
}

/// True if the parent is a dot type. Uses the cursor, because a node finds its parent by a walk
/// from the root.
fn in_type(cursor: &TreeCursor<'_>) -> bool {
    let mut above = cursor.clone();
    above.goto_parent() && kind_of(above.node()) == SyntaxKind::DotType
}

/// The kind of a token with a fixed spelling. `None` for white space, which only occurs in broken
/// text.
fn spelled(text: &str) -> Option<TokenKind> {
    Some(match text {
        "Package" | "Use" | "Decl" | "temporal" | "descr" | "bound" | "inclusion" | "let" | "do" | "now"
        | "opt" => TokenKind::Keyword,
        "(" | "[" | "{" => TokenKind::Open,
        ")" | "]" | "}" => TokenKind::Close,
        "," => TokenKind::Comma,
        "." => TokenKind::Dot,
        "=" | "!=" | "<" | "<=" | ">" | ">=" | "<-" | "<+" | "[-" | "[+" => TokenKind::Operator,
        ":-" | "⟸" => TokenKind::Arrow,
        "|>" => TokenKind::Pipe,
        "!" => TokenKind::Bang,
        ":" => TokenKind::Colon,
        "@" => TokenKind::At,
        "_" => TokenKind::Variable,
        _ if text.trim().is_empty() => return None,
        _ => TokenKind::Other,
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
    fn check(text: &str, expect: Expect) {
        let mut out = String::new();
        for token in SourceFile::parse(text.into()).all_tokens() {
            let _ = write!(out, "{:?} {}; ", token.kind, token.text(text));
        }
        expect.assert_eq(out.trim_end());
    }

    #[test]
    fn of_a_clause() {
        check(
            "# c\np(X) :- !q(X, /a.b), X <= 1.5, <-[0s, 7d] r(\"s\")@[_, now] |> do fn:group_by(X), let N = fn:count() .",
            expect![[
                r#"Comment # c; Identifier p; Open (; Variable X; Close ); Arrow :-; Bang !; Identifier q; Open (; Variable X; Comma ,; Constant /a.b; Close ); Comma ,; Variable X; Operator <=; Number 1.5; Comma ,; Operator <-; Open [; Time 0s; Comma ,; Time 7d; Close ]; Identifier r; Open (; String "s"; Close ); At @; Open [; Variable _; Comma ,; Keyword now; Close ]; Pipe |>; Keyword do; Identifier fn:group_by; Open (; Variable X; Close ); Comma ,; Keyword let; Variable N; Operator =; Identifier fn:count; Open (; Close ); Dot .;"#
            ]],
        );
    }

    #[test]
    fn of_declarations() {
        check(
            "Package a!\nDecl p(X) temporal descr [mode(\"+\")] bound [.Struct</a : /number, opt /b : .List</any>>] .",
            expect![[
                r#"Keyword Package; Identifier a; Bang !; Keyword Decl; Identifier p; Open (; Variable X; Close ); Keyword temporal; Keyword descr; Open [; Identifier mode; Open (; String "+"; Close ); Close ]; Keyword bound; Open [; TypeName .Struct; Open <; Constant /a; Colon :; Constant /number; Comma ,; Keyword opt; Constant /b; Colon :; TypeName .List; Open <; Constant /any; Close >; Close >; Close ]; Dot .;"#
            ]],
        );
    }

    #[test]
    fn of_damage() {
        check(
            "p(X :- q(, ; é\n$r(1",
            expect![[r#"
            Identifier p; Open (; Variable X; Arrow :-; Identifier q; Open (; Comma ,; Other ;; Other é
            $; Identifier r; Open (; Number 1;"#]],
        );
        check(
            "p(X, , Y).",
            expect!["Identifier p; Open (; Variable X; Comma ,; Comma ,; Variable Y; Close ); Dot .;"],
        );
    }

    #[test]
    fn a_part_and_a_file_without_a_tree() {
        let text = "p(1).\nq(2, 3).\nr(4).\n";
        let source = SourceFile::parse(text.into());
        let range = TextRange::new(TextSize::new(8), TextSize::new(11));
        let part = source.tokens(range);
        let texts: Vec<_> = part.iter().map(|token| token.text(text)).collect();
        assert_eq!(texts, ["2", ","]);
        assert_eq!(source.clone().without_tree().tokens(range), part);
        assert_eq!(source.without_tree().all_tokens().len(), 17);
    }
}
