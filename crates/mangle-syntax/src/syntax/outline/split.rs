//! Splits a text into statements by periods and lines. Ambiguous readings have a [`Doubt`].

use std::ops::Range;

use super::lex::{Kind, Token};
use crate::text::TextRange;

/// Signs and words that require a following token.
const CONNECTORS: [&str; 22] = [
    ":-", "⟸", "<-", "|>", "=", "!=", "<", "<=", ">", ">=", "+", "*", "/", "!", "not", "and", "or", "&&",
    "||", ";", "do", "let",
];

/// The tokens of each statement, without its period.
pub(super) fn statements(tokens: &[Token], doubts: &mut Doubts) -> Vec<Range<usize>> {
    let mut splitter =
        Splitter { tokens, found: Vec::new(), start: 0, depth: 0, has_arrow: false, is_list: true };
    for at in 0..tokens.len() {
        splitter.take(at, doubts);
    }
    splitter.end(tokens.len(), tokens.len());
    splitter.found
}

struct Splitter<'t> {
    tokens: &'t [Token],
    found: Vec<Range<usize>>,
    start: usize,
    depth: u32,
    has_arrow: bool,
    /// True if the previous statement ends with a period, so that a number can be a list marker.
    is_list: bool,
}

impl<'t> Splitter<'t> {
    fn token(&self, at: usize) -> Option<&'t Token> {
        self.tokens.get(at)
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.token(at).is_some_and(|token| token.is(text))
    }

    fn end(&mut self, end: usize, next: usize) {
        if end > self.start {
            self.found.push(self.start..end);
        }
        self.start = next;
        (self.depth, self.has_arrow) = (0, false);
    }

    fn take(&mut self, at: usize, doubts: &mut Doubts) {
        let Some(token) = self.token(at) else { return };
        if at > self.start && token.first && self.ends_before(at, doubts) {
            self.end(at, at);
            self.is_list = true;
        }
        if at == self.start && self.is_number_of_list(at) {
            doubts.add(Doubt::Marker, at + 2);
            self.start = at + 2;
            return;
        }
        if at < self.start {
            return;
        }
        match token.kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth = self.depth.saturating_sub(1),
            Kind::Stop => self.stop(at, doubts),
            Kind::Sign if token.is(";") && self.is_end(at) => self.end(at, at + 1),
            Kind::Sign if token.is("!") && self.is_package() && self.is_end(at) => self.end(at, at + 1),
            _ => self.has_arrow |= token.is(":-") || token.is("⟸"),
        }
    }

    /// Handles a period. Inside of brackets, only a period at the end of a line ends a statement.
    fn stop(&mut self, at: usize, doubts: &mut Doubts) {
        let next = self.token(at + 1);
        let ends_line = next.is_none_or(|next| next.first || next.after_comment);
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        if self.depth > 0 && !ends_line {
            doubts.add(Doubt::FullStop, at);
        }
        // Text that is indented more than a rule reads as a part of the rule.
        let is_indented =
            next.is_some_and(|next| next.first && !next.after_gap && !self.is_at_margin(at + 1));
        if self.has_arrow && (is_indented || next.is_some_and(|next| next.glued)) {
            doubts.add(Doubt::FullStop, at);
        }
        if at == self.start || before.is_some_and(|before| before.kind == Kind::Stop) {
            doubts.add(Doubt::FullStop, at);
        }
        self.end(at, at + 1);
        self.is_list = true;
    }

    /// True if `;` or `!` is the last sign of a statement.
    fn is_end(&self, at: usize) -> bool {
        let Some(next) = self.token(at + 1) else { return true };
        self.depth == 0 && next.first && self.is_at_margin(at + 1) && self.starts_statement(at + 1)
    }

    fn is_package(&self) -> bool {
        ["Package", "Use", "package", "use", "import", "module", "namespace", "using"]
            .iter()
            .any(|keyword| self.is(self.start, keyword))
    }

    /// True at the number of a list item, for example in `1. p(X).` or `2) p(X).`
    fn is_number_of_list(&self, at: usize) -> bool {
        let is_number = self.token(at).is_some_and(|token| token.kind == Kind::Number && token.first);
        let is_marked = [".", ")", ":"].iter().any(|sign| self.is(at + 1, sign));
        let goes_on = self.token(at + 2).is_some_and(|next| !next.first && !next.glued);
        let is_behind_statement = at == 0 || self.is_list;
        is_number && is_marked && goes_on && is_behind_statement && self.starts_statement(at + 2)
    }

    /// True if the token is not indented more than the statement.
    fn is_at_margin(&self, at: usize) -> bool {
        let column = |at: usize| self.token(at).map_or(0, |token| token.column);
        column(at) <= column(self.start)
    }

    /// True if a statement without its period ends before a token at the start of a line.
    fn ends_before(&self, at: usize, doubts: &mut Doubts) -> bool {
        let (Some(token), Some(before)) = (self.token(at), at.checked_sub(1).and_then(|at| self.token(at)))
        else {
            return false;
        };
        let is_keyword = ["Decl", "Package", "Use"].iter().any(|keyword| token.is(keyword));
        let goes_on =
            matches!(before.kind, Kind::Comma | Kind::Open) || CONNECTORS.iter().any(|one| before.is(one));
        if !self.is_at_margin(at) || goes_on || !self.starts_statement(at) {
            return false;
        }
        let is_rule = self.is_rule(at);
        if self.depth > 0 && !is_keyword && !is_rule {
            return false;
        }
        let is_apart = token.after_gap || token.after_comment || is_keyword || is_rule;
        if self.has_arrow && !is_apart {
            // The next line is a fact, or a premise after a missing comma.
            doubts.add(Doubt::FullStop, at);
        }
        true
    }

    /// True if the tokens look like the start of a statement: a head followed by an arrow or a
    /// period.
    fn starts_statement(&self, at: usize) -> bool {
        let is_keyword = ["Decl", "Package", "Use"].iter().any(|keyword| self.is(at, keyword));
        is_keyword
            || self.head_end(at).is_some_and(|end| {
                self.token(end).is_none_or(|next| next.kind == Kind::Stop || next.first || is_arrow(next))
            })
    }

    fn is_rule(&self, at: usize) -> bool {
        self.head_end(at).and_then(|end| self.token(end)).is_some_and(is_arrow)
    }

    /// The index after a head with its interval.
    fn head_end(&self, at: usize) -> Option<usize> {
        self.token(at).filter(|word| word.kind == Kind::Word)?;
        let mut end = if self.is(at + 1, "(") { self.close(at + 1)? + 1 } else { at + 1 };
        if self.is(end, "@") && self.is(end + 1, "[") {
            end = self.close(end + 1)? + 1;
        }
        Some(end)
    }

    fn close(&self, open: usize) -> Option<usize> {
        close(self.tokens, open)
    }
}

/// The index of the bracket that closes `open`.
pub(super) fn close(tokens: &[Token], open: usize) -> Option<usize> {
    tokens.get(open)?.close
}

/// Signs and words between the head and the body of a rule.
const ARROWS: [&str; 23] = [
    ":-", "⟸", "<-", "<=", "<==", "⇐", "←", "-->", "::-", "::=", "-:", ":=", "if", "If", "IF", "when",
    "WHEN", "where", "WHERE", "<==>", ":", "if:", "⟵",
];
/// Signs and words that can also point from the body to the head.
const FORWARD: [&str; 8] = ["=>", "->", "==>", "→", "⇒", "implies", "then", "THEN"];

/// True if a token after a head is an arrow.
pub(super) fn is_arrow(token: &Token) -> bool {
    token.kind != Kind::Text && (ARROWS.contains(&token.text.as_str()) || is_forward(token))
}

/// True if an arrow can also point from the body to the head.
pub(super) fn is_forward(token: &Token) -> bool {
    FORWARD.contains(&token.text.as_str())
}

/// A reason that a text has several readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A sign at the start of a line can be a marker of a list, a quotation or a diff.
    Marker,
    /// A comment or a line ending separates a sign and its operand.
    SignApart,
    /// A comma or an operator has no operand before or after it.
    Missing,
    /// A period can be superfluous or missing.
    FullStop,
    /// Premises without a head follow a statement.
    CutOff,
    /// A bracket is missing, and several positions are possible.
    Bracket,
    /// Words or values are adjacent.
    Words,
    /// Distinct variables of another language, such as `$x` and `$X`, have the same name in Mangle.
    Variables,
    /// Commas and alternatives are mixed.
    Alternatives,
    /// A foreign comment contains code.
    CommentedCode,
    /// Other unreadable text.
    Unreadable,
}

/// The doubts about a text, each with the index of its token, and the ranges of doubtful comments.
#[derive(Debug, Default)]
pub(super) struct Doubts(pub(super) Vec<(Doubt, usize)>, pub(super) Vec<TextRange>);

impl Doubts {
    pub(super) fn add(&mut self, doubt: Doubt, token: usize) {
        self.0.push((doubt, token));
    }

    pub(super) fn add_comment(&mut self, range: TextRange) {
        self.1.push(range);
    }
}
