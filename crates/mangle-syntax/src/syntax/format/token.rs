//! Tokens of one statement with layout properties, the shape of its tree, and the blanks between
//! tokens on one line.
//!
//! Some blanks are required by the engine's lexer. Examples: `/a.` is one name, `[-` and `<-` are
//! operators, `X:` and `fn:f:` are names.

use tree_sitter::TreeCursor;

use crate::syntax::{SyntaxKind, kind_of};

/// The role of a token in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenClass {
    /// Opens a list of elements: `(`, `[`, `{`, and the `<` of a type.
    Open,
    /// Closes a list.
    Close,
    Comma,
    /// The period, or the `!` that ends `Package` and `Use`.
    End,
    /// `:-` or `⟸`.
    Arrow,
    /// `|>`.
    Pipe,
    /// The colon of a pair.
    Colon,
    /// The `!` of a negation.
    Not,
    /// `@`.
    At,
    /// `descr`, `bound`, `inclusion`.
    Part,
    Comment,
    Word,
}

/// A token and the gap before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayoutToken {
    /// The start offset. Comments exclude trailing white space.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) class: TokenClass,
    pub(super) kind: SyntaxKind,
    /// The kind of the parent node.
    pub(super) parent: SyntaxKind,
    /// True if the token is part of a type.
    pub(super) in_type: bool,
    /// The number of line breaks in the gap before the token. 3 also stands for more.
    pub(super) newlines: u8,
    /// True if a blank precedes the token on the same line.
    pub(super) space: bool,
    /// The number of line breaks that the printer writes before the token.
    pub(super) breaks: u8,
    /// The width of its widest line, in characters.
    pub(super) width: u32,
    /// The matching closing token of an opening token, and vice versa.
    pub(super) mate: usize,
    /// True if the elements of the list that the token opens are aligned with the first one.
    pub(super) hangs: bool,
    /// The index in [`Tokens::shape`]. Meaningless for comments.
    shape: usize,
}

/// The tokens and the tree of a statement.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) list: Vec<LayoutToken>,
    /// Kind and depth of the nodes in preorder, without comments and dropped commas.
    pub(super) shape: Vec<(u16, u16)>,
    /// The kinds of the ancestors of the current node.
    around: Vec<SyntaxKind>,
    /// The number of ancestors that make their content a type.
    types: usize,
}

impl Tokens {
    /// Reads the statement at the cursor, which is not moved.
    pub(super) fn read(&mut self, cursor: &mut TreeCursor<'_>, text: &str) {
        self.list.clear();
        self.shape.clear();
        self.around.clear();
        self.types = 0;
        loop {
            let node = cursor.node();
            let kind = kind_of(node);
            let shape = (node.kind_id(), u16::try_from(self.around.len()).unwrap_or(u16::MAX));
            if cursor.goto_first_child() {
                self.shape.push(shape);
                self.around.push(kind);
                self.types += usize::from(makes_types(kind));
                continue;
            }
            self.leaf(kind, node.start_byte(), node.end_byte(), text, shape);
            while !(self.around.is_empty() || cursor.goto_next_sibling()) {
                cursor.goto_parent();
                self.types -= usize::from(self.around.pop().is_some_and(makes_types));
            }
            if self.around.is_empty() {
                return;
            }
        }
    }

    fn leaf(&mut self, kind: SyntaxKind, start: usize, end: usize, text: &str, shape: (u16, u16)) {
        let bytes = text.as_bytes().get(start..end).unwrap_or_default();
        let parent = self.around.last().copied().unwrap_or(SyntaxKind::Token);
        let class = class_of(kind, bytes, parent);
        let mut end = end;
        if class == TokenClass::Comment {
            end = start + bytes.trim_ascii_end().len();
        } else {
            self.shape.push(shape);
        }
        let bytes = text.as_bytes().get(start..end).unwrap_or_default();
        let before = self.list.last().map_or(start, |last| last.end);
        let newlines = newlines(text.as_bytes().get(before..start).unwrap_or_default());
        let token = LayoutToken {
            start,
            end,
            class,
            kind,
            parent,
            in_type: self.types > 0,
            newlines,
            space: false,
            breaks: 0,
            width: width(bytes),
            mate: usize::MAX,
            hangs: false,
            shape: self.shape.len().wrapping_sub(1),
        };
        self.list.push(token);
    }

    /// Removes the comma at the end of a body, before the period or `|>`. Its gap is merged with
    /// the next one.
    pub(super) fn drop_trailing_commas(&mut self) {
        let code = |token: &&LayoutToken| token.class != TokenClass::Comment;
        let mut at = 0;
        while let Some(LayoutToken { class, parent, newlines, shape, .. }) = self.list.get(at).copied() {
            let ends = || {
                let next = self.list.get(at + 1..).unwrap_or_default().iter().find(code);
                next.is_some_and(|next| matches!(next.class, TokenClass::End | TokenClass::Pipe))
            };
            if class == TokenClass::Comma && parent == SyntaxKind::Body && ends() {
                self.shape.remove(shape);
                self.list.remove(at);
                if let Some(follower) = self.list.get_mut(at) {
                    follower.newlines = (follower.newlines + newlines).min(3);
                }
            }
            at += 1;
        }
    }
}

fn makes_types(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::Bound | SyntaxKind::DotType | SyntaxKind::TypedArgument)
}

fn class_of(kind: SyntaxKind, bytes: &[u8], parent: SyntaxKind) -> TokenClass {
    match kind {
        SyntaxKind::Comment => return TokenClass::Comment,
        SyntaxKind::Comma => return TokenClass::Comma,
        SyntaxKind::Dot => return TokenClass::End,
        SyntaxKind::Arrow | SyntaxKind::LongArrow => return TokenClass::Arrow,
        SyntaxKind::Bang if matches!(parent, SyntaxKind::Package | SyntaxKind::Use) => {
            return TokenClass::End;
        }
        SyntaxKind::Bang => return TokenClass::Not,
        SyntaxKind::Token => {}
        _ => return TokenClass::Word,
    }
    let is_angle = matches!(parent, SyntaxKind::DotType | SyntaxKind::TypedArgument);
    match bytes {
        b"(" | b"[" | b"{" => TokenClass::Open,
        b")" | b"]" | b"}" => TokenClass::Close,
        b"<" if is_angle => TokenClass::Open,
        b">" if is_angle => TokenClass::Close,
        b"|>" => TokenClass::Pipe,
        b":" => TokenClass::Colon,
        b"@" => TokenClass::At,
        b"descr" | b"bound" | b"inclusion" => TokenClass::Part,
        _ => TokenClass::Word,
    }
}

/// The number of line breaks in white space, at most 3. A lone carriage return is one.
pub(super) fn newlines(gap: &[u8]) -> u8 {
    let mut count = 0;
    let mut bytes = gap.iter().peekable();
    while let Some(byte) = bytes.next() {
        let ends = *byte == b'\n' || (*byte == b'\r' && bytes.peek() != Some(&&b'\n'));
        count += u8::from(ends);
        if count == 3 {
            break;
        }
    }
    count
}

/// The number of characters of a token's widest line.
fn width(bytes: &[u8]) -> u32 {
    let columns = |line: &[u8]| line.iter().filter(|byte| (**byte as i8) >= -0x40).count();
    let widest = bytes.split(|byte| *byte == b'\n').map(columns).max();
    u32::try_from(widest.unwrap_or(0)).unwrap_or(u32::MAX)
}

/// Sets [`LayoutToken::space`] of all tokens, and links opening and closing tokens.
pub(super) fn set_blanks(text: &str, tokens: &mut [LayoutToken]) {
    let mut open = Vec::new();
    let mut before: Option<LayoutToken> = None;
    for at in 0..tokens.len() {
        let Some(token) = tokens.get_mut(at) else { return };
        token.space = before.is_some_and(|before| space(text, &before, token));
        before = Some(*token);
        match token.class {
            TokenClass::Open => open.push(at),
            TokenClass::Close => {
                let Some(mate) = open.pop() else { continue };
                token.mate = mate;
                if let Some(opener) = tokens.get_mut(mate) {
                    opener.mate = at;
                }
            }
            _ => {}
        }
    }
}

fn space(text: &str, before: &LayoutToken, token: &LayoutToken) -> bool {
    let first = text.as_bytes().get(token.start).copied();
    match (before.class, token.class) {
        (_, TokenClass::Comma | TokenClass::Close | TokenClass::At)
        | (TokenClass::Not | TokenClass::At, _) => false,
        // `/a.` is a name.
        (_, TokenClass::End) => before.kind == SyntaxKind::Constant,
        // `[-` and `<-` are operators.
        (TokenClass::Open, _) => {
            let opener = text.as_bytes().get(before.start).copied();
            matches!(opener, Some(b'[' | b'<')) && matches!(first, Some(b'-' | b'+'))
        }
        (_, TokenClass::Open) => opens_apart(before, token, first),
        // `X:` and `fn:f:` are names.
        (_, TokenClass::Colon) => token.in_type || !ends_before_colon(before),
        _ => true,
    }
}

/// True if a blank precedes the opening token.
fn opens_apart(before: &LayoutToken, token: &LayoutToken, first: Option<u8>) -> bool {
    match (token.parent, first) {
        (SyntaxKind::Atom | SyntaxKind::Annotation | SyntaxKind::TemporalOperator, _) | (_, Some(b'<')) => {
            false
        }
        _ => !matches!(before.class, TokenClass::Not | TokenClass::At),
    }
}

/// True if a colon directly after the token is a separate token.
fn ends_before_colon(token: &LayoutToken) -> bool {
    let kinds =
        [SyntaxKind::Constant, SyntaxKind::Number, SyntaxKind::Float, SyntaxKind::String, SyntaxKind::Bytes];
    token.class == TokenClass::Close || kinds.contains(&token.kind)
}
