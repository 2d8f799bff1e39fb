//! Line breaks of a statement.
//!
//! Code on one line stays on one line if it fits. A statement with line breaks is broken at its
//! standard positions: after the arrow, between premises, before `|>`, and before the parts of a
//! declaration.
//!
//! Lists keep their line breaks. A list without line breaks that does not fit is broken at each
//! element.

use super::Style;
use super::token::{LayoutToken, TokenClass};
use crate::syntax::SyntaxKind;

/// A statement during layout.
pub(super) struct Layout<'a> {
    pub(super) style: Style,
    pub(super) tokens: &'a mut [LayoutToken],
    /// The kind of statement.
    pub(super) kind: SyntaxKind,
    /// True if a neighboring line has a clause of the same predicate.
    pub(super) is_row: bool,
    /// The text of the file.
    pub(super) text: &'a str,
}

/// The part of a clause that contains a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    Head,
    Body,
    Transform,
}

/// The width of `|>` and the blank after it, in columns.
pub const PIPE: u32 = 3;

/// Indentation of the parts of a declaration, in columns.
pub const PART_INDENT: u32 = 2;

impl Layout<'_> {
    /// Sets [`LayoutToken::breaks`] of all tokens.
    pub(super) fn set(&mut self) {
        if self.is_one_line() {
            return;
        }
        self.breaks();
        self.find_hanging();
        self.break_long_lines();
    }

    /// Keeps the existing line breaks, for statements with comments that refer to lines.
    pub(super) fn keep(&mut self) {
        for token in self.tokens.iter_mut().skip(1) {
            token.breaks = token.newlines.min(2);
        }
        self.find_hanging();
    }

    /// The width on one line.
    pub(super) fn width(&self) -> u32 {
        self.tokens
            .iter()
            .map(|token| u32::from(token.space).saturating_add(token.width))
            .fold(0, u32::saturating_add)
    }

    /// True if the statement is on one line and stays there. A period on its own line is ignored.
    pub(super) fn is_one_line(&self) -> bool {
        let joined = |token: &LayoutToken| token.newlines == 0 || token.class == TokenClass::End;
        let is_flat =
            self.tokens.iter().skip(1).all(|token| joined(token) && token.class != TokenClass::Comment);
        is_flat && (self.stays_long() || self.width() <= self.style.width)
    }

    /// True if the statement stays on one line regardless of its length: a declaration, or a row of
    /// a table of facts.
    fn stays_long(&self) -> bool {
        let is_fact = || !self.tokens.iter().any(|token| token.class == TokenClass::Arrow);
        self.kind == SyntaxKind::Declaration || (self.is_row && is_fact())
    }

    fn breaks(&mut self) {
        let mut region = Region::Head;
        let mut depth = 0_usize;
        let mut before: Option<LayoutToken> = None;
        let mut code: Option<LayoutToken> = None;
        let rule = self.tokens.iter().any(|token| token.class == TokenClass::Arrow);
        for token in self.tokens.iter_mut() {
            let closes = token.class == TokenClass::Close;
            if closes {
                depth = depth.saturating_sub(1);
            }
            if let (Some(before), Some(code)) = (before, code) {
                let inside = depth > 0 || closes;
                let wanted =
                    if inside { in_list(&code, token) } else { self::wanted(rule, region, &code, token) };
                token.breaks = forced(&before, token).max(wanted);
                if token.breaks > 0 && token.newlines > 1 && may_have_blank_line(&code, token) {
                    token.breaks = 2;
                }
            }
            match token.class {
                TokenClass::Open => depth += 1,
                TokenClass::Arrow => region = Region::Body,
                TokenClass::Pipe => region = Region::Transform,
                _ => {}
            }
            before = Some(*token);
            if token.class != TokenClass::Comment {
                code = Some(*token);
            }
        }
    }

    /// Finds the lists whose elements are aligned with the first one, which directly follows the
    /// opening token.
    fn find_hanging(&mut self) {
        for open in 0..self.tokens.len() {
            let Some(token) = self.tokens.get(open) else { return };
            let (mate, column) = (token.mate, |token: &LayoutToken| column(self.text, token.start));
            if token.class != TokenClass::Open || mate >= self.tokens.len() {
                continue;
            }
            let first = self
                .tokens
                .get(open + 1)
                .filter(|first| first.breaks == 0 && first.class != TokenClass::Comment);
            let places = self.tokens.get(open + 2..mate).unwrap_or_default();
            let Some(first) = first.filter(|_| places.iter().any(|token| token.breaks > 0)) else { continue };
            let mut broken = self.elements(open, mate).into_iter().filter_map(|at| self.tokens.get(at));
            let next = broken.find(|token| token.breaks > 0 && token.class != TokenClass::Close);
            let is_lined_up = |next: &LayoutToken| next.newlines > 0 && column(next) == column(first);
            // The lists of a declaration are always aligned.
            let of_declaration = matches!(token.parent, SyntaxKind::AtomList | SyntaxKind::Bound);
            let hangs = next.is_some_and(|next| of_declaration || is_lined_up(next));
            if let Some(token) = self.tokens.get_mut(open) {
                token.hangs = hangs;
            }
        }
    }

    /// Breaks lines that do not fit, outer lists first.
    fn break_long_lines(&mut self) {
        let mut indents = Indents::new(self.style, self.kind);
        let mut start = 0;
        while start < self.tokens.len() {
            let indent = indents.line(self.tokens, start);
            let mut end = self.line_end(start);
            if self.end_column(indent, start, end) > self.style.width && self.break_transform(start, end) {
                end = self.line_end(start);
            }
            let mut column = indent;
            let mut at = start;
            while at < end {
                let Some(token) = self.tokens.get(at).copied() else { return };
                if token.class == TokenClass::Open && self.is_too_long(indent, start, at, end) {
                    self.break_elements(at);
                    end = self.line_end(start);
                }
                column += token.width + u32::from(token.space && at > start);
                indents.pass(self.tokens, at, column);
                at += 1;
            }
            start = at;
        }
    }

    /// The first token of the next line.
    fn line_end(&self, start: usize) -> usize {
        let rest = self.tokens.iter().enumerate().skip(start + 1);
        rest.filter(|(_, token)| token.breaks > 0).map(|(at, _)| at).next().unwrap_or(self.tokens.len())
    }

    /// The column after the code of a line that starts with the token `start` at `column`.
    fn end_column(&self, column: u32, start: usize, end: usize) -> u32 {
        let line = self.tokens.get(start..end).unwrap_or_default();
        let mut width = column;
        for (at, token) in line.iter().enumerate().filter(|(_, token)| token.class != TokenClass::Comment) {
            width = width.saturating_add(u32::from(token.space && at > 0)).saturating_add(token.width);
        }
        width
    }

    /// True if breaking the list that opens at `at`, in the line of `start..end`, helps to fit the
    /// line.
    fn is_too_long(&self, column: u32, start: usize, at: usize, end: usize) -> bool {
        let Some(mate) = self.tokens.get(at).map(|token| token.mate).filter(|mate| *mate < self.tokens.len())
        else {
            return false;
        };
        if self.end_column(column, start, end) <= self.style.width || !self.has_elements(at, mate) {
            return false;
        }
        let is_last = || {
            let rest = self.tokens.get(mate.min(end)..end).unwrap_or_default();
            !rest.iter().any(|token| token.class == TokenClass::Open)
        };
        mate >= end || self.end_column(column, start, mate + 1) > self.style.width || is_last()
    }

    /// True if the list has at least two elements.
    fn has_elements(&self, open: usize, close: usize) -> bool {
        self.elements(open, close).into_iter().any(|at| {
            self.tokens.get(at).is_some_and(|token| token.class != TokenClass::Close)
                && at
                    .checked_sub(1)
                    .and_then(|before| self.tokens.get(before))
                    .is_some_and(|token| token.class == TokenClass::Comma)
        })
    }

    /// The indices in a list that lines can break before.
    fn elements(&self, open: usize, close: usize) -> Vec<usize> {
        let mut depth = 0_usize;
        let inner = self.tokens.get(open..=close).unwrap_or_default().iter().zip(open..);
        let mut may_break = false;
        let mut places = Vec::new();
        for (token, at) in inner {
            let closes = token.class == TokenClass::Close;
            let here = depth == 1 && (closes || may_break);
            if here && token.class != TokenClass::Comment {
                places.push(at);
            }
            depth = match token.class {
                TokenClass::Open => depth + 1,
                TokenClass::Close => depth.saturating_sub(1),
                _ => depth,
            };
            // A comma at the start of a line stays with its element.
            let is_comma = token.class == TokenClass::Comma && token.breaks == 0;
            may_break = at == open || is_comma || (may_break && token.class == TokenClass::Comment);
        }
        places
    }

    fn break_elements(&mut self, open: usize) {
        let Some(close) = self.tokens.get(open).map(|token| token.mate) else { return };
        for at in self.elements(open, close) {
            if let Some(token) = self.tokens.get_mut(at) {
                token.breaks = token.breaks.max(1);
            }
        }
        if let Some(opener) = self.tokens.get_mut(open) {
            opener.hangs = false;
        }
    }

    /// Breaks the statements of the transform in a line. Returns false if nothing can be broken.
    fn break_transform(&mut self, start: usize, end: usize) -> bool {
        let mut depth = 0_usize;
        let mut broken = false;
        let mut after_comma = false;
        for token in self.tokens.get_mut(start..end).unwrap_or_default().iter_mut() {
            if after_comma && token.class != TokenClass::Comment {
                token.breaks = token.breaks.max(1);
                broken = true;
            }
            match token.class {
                TokenClass::Open => depth += 1,
                TokenClass::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_comma = token.class == TokenClass::Comma && token.breaks == 0;
            after_comma = is_comma && depth == 0 && token.parent == SyntaxKind::Transform;
        }
        broken
    }
}

/// The line breaks that comments require before a token.
fn forced(before: &LayoutToken, token: &LayoutToken) -> u8 {
    u8::from(
        before.class == TokenClass::Comment || (token.class == TokenClass::Comment && token.newlines > 0),
    )
}

/// The line breaks before a token of a list. `code` is the previous token that is not a comment.
fn in_list(code: &LayoutToken, token: &LayoutToken) -> u8 {
    let may_break =
        matches!(code.class, TokenClass::Open | TokenClass::Comma) || token.class == TokenClass::Close;
    // A comma at the start of a line, after a comment, stays with its element.
    let leads = code.class == TokenClass::Comma && code.breaks > 0;
    u8::from(may_break && token.newlines > 0 && token.class != TokenClass::Comment && !leads)
}

/// The line breaks before a token outside of lists.
fn wanted(rule: bool, region: Region, code: &LayoutToken, token: &LayoutToken) -> u8 {
    if token.class == TokenClass::Comment {
        return 0;
    }
    let leads = code.class == TokenClass::Comma && code.breaks > 0;
    let breaks = match (region, code.class, token.class) {
        (_, TokenClass::Arrow, _) | (_, _, TokenClass::Pipe) => rule,
        (Region::Body, TokenClass::Comma, _) => !leads,
        (Region::Transform, TokenClass::Comma, _) => token.newlines > 0 && !leads,
        (Region::Head, _, TokenClass::Part) => true,
        _ => false,
    };
    u8::from(breaks)
}

/// True if an empty line before a token stays, which is not the case at the edges of a list or
/// body.
fn may_have_blank_line(code: &LayoutToken, token: &LayoutToken) -> bool {
    !matches!(code.class, TokenClass::Open | TokenClass::Arrow | TokenClass::Pipe)
        && !matches!(token.class, TokenClass::Close | TokenClass::End | TokenClass::Arrow | TokenClass::Pipe)
}

/// Indentation state during a walk over tokens.
pub(super) struct Indents {
    unit: u32,
    region: Region,
    /// Indentation of the current line.
    line: u32,
    /// Indentation of the elements of each open list, and of its closing token.
    lists: Vec<(u32, u32)>,
}

impl Indents {
    pub(super) fn new(style: Style, kind: SyntaxKind) -> Self {
        let unit = if kind == SyntaxKind::Declaration { PART_INDENT } else { style.indent };
        Self { unit, region: Region::Head, line: 0, lists: Vec::new() }
    }

    /// Starts a line with the token `at`, and returns its indentation.
    pub(super) fn line(&mut self, tokens: &[LayoutToken], at: usize) -> u32 {
        let Some(token) = tokens.get(at) else { return 0 };
        // Limits the scan for a `|>` after comments.
        let ahead = || tokens.get(at..).unwrap_or_default().iter().take(100);
        let is_before_pipe = || {
            let code = ahead().find(|next| next.class != TokenClass::Comment);
            code.is_some_and(|next| next.class == TokenClass::Pipe)
        };
        self.line = match (self.lists.last(), token.class) {
            _ if at == 0 => 0,
            (Some((_, close)), TokenClass::Close) => *close,
            (Some((elements, _)), _) => *elements,
            (None, TokenClass::End) => 0,
            (None, _) => match self.region {
                Region::Transform if !is_before_pipe() => self.unit + PIPE,
                _ => self.unit,
            },
        };
        self.line
    }

    /// Advances past the token `at`, which ends at `column`.
    pub(super) fn pass(&mut self, tokens: &[LayoutToken], at: usize, column: u32) {
        let Some(token) = tokens.get(at) else { return };
        match token.class {
            TokenClass::Open if token.hangs => {
                let blank = tokens.get(at + 1).is_some_and(|next| next.space);
                self.lists.push((column + u32::from(blank), self.line));
            }
            TokenClass::Open => self.lists.push((self.line + self.unit, self.line)),
            TokenClass::Close => drop(self.lists.pop()),
            TokenClass::Arrow if self.lists.is_empty() => self.region = Region::Body,
            TokenClass::Pipe => self.region = Region::Transform,
            _ => {}
        }
    }
}

/// The column of an offset, in characters.
pub(super) fn column(text: &str, offset: usize) -> u32 {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    u32::try_from(line.chars().count()).unwrap_or(u32::MAX)
}
