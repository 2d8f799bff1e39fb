//! Top-level walk of the formatter: selects the statements and comments to format, and the gaps
//! between them.

use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use super::directive::{self, Directive, Marks};
use super::layout::Layout;
use super::print::{Printer, align};
use super::token::{LayoutToken, Tokens, newlines};
use super::{LayoutEdit, Style, token};
use crate::lint::Severity;
use crate::syntax::ast::Item;
use crate::syntax::source::{holds_statements, is_statement};
use crate::syntax::{SourceFile, SyntaxKind, kind_of};
use crate::text::{TextRange, size};

const BOM: &str = "\u{feff}";

/// A planned layout of a file that is not verified yet.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) edits: Vec<LayoutEdit>,
    /// The parts of the file, in order.
    pub(super) units: Vec<Unit>,
    /// The tokens of the formatted units.
    pub(super) tokens: Vec<LayoutToken>,
    /// The tree shapes of the formatted units.
    pub(super) shapes: Vec<(u16, u16)>,
}

/// A statement, a comment between statements, or unreadable text.
#[derive(Debug)]
pub(super) struct Unit {
    /// The kind of its node.
    pub(super) kind: u16,
    pub(super) start: usize,
    /// The end offset. A formatted comment excludes trailing white space.
    pub(super) end: usize,
    /// The end offset, including white space.
    node_end: usize,
    /// The number of nodes in the unit.
    pub(super) size: usize,
    pub(super) state: UnitState,
    /// The edits before the unit or in it.
    pub(super) edits: Range<usize>,
    /// The tokens and nodes of the unit.
    pub(super) tokens: Range<usize>,
    pub(super) shape: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitState {
    Comment,
    /// A statement to format.
    Formatted,
    /// Unreadable text, which stays unchanged.
    Unread,
    /// Text that stays unchanged because of a directive or an adjacent syntax error.
    Kept,
    /// Text outside of the requested range.
    Outside,
}

impl UnitState {
    fn is_verbatim(self) -> bool {
        matches!(self, Self::Unread | Self::Kept)
    }
}

/// Properties of a file that are determined before formatting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'c> {
    /// The start offsets of statements that must stay unchanged.
    pub(super) distrusted: &'c [usize],
    /// True if new line breaks are CRLF.
    pub(super) crlf: bool,
}

/// Plans the layout of a file. With `scope`, only of the parts that intersect it.
pub(super) fn draft(
    source: &SourceFile,
    tree: &Tree,
    style: Style,
    scope: Option<TextRange>,
    choice: Choice<'_>,
) -> Draft {
    let text = source.text().as_ref();
    let distrusted = choice.distrusted;
    let mut walk = Walk {
        text,
        parsed: source.parsed(),
        style,
        scope,
        items: source.items().iter(),
        distrusted,
        marks: Marks::parse(text),
        tokens: Tokens::default(),
        printer: Printer::new(text, style, choice.crlf),
        draft: Draft::default(),
        start: 0,
        end: if text.starts_with(BOM) { BOM.len() } else { 0 },
        last: None,
        is_off: false,
        skips: false,
        is_damaged: false,
    };
    each_top(tree, &mut |cursor, node, kind| walk.unit(cursor, node, kind));
    walk.finish()
}

/// Visits the top-level nodes of a file: statements, comments, and unreadable text between them.
/// The callback can move the cursor below the node, but must restore it.
pub(super) fn each_top<'t>(tree: &'t Tree, visit: &mut dyn FnMut(&mut TreeCursor<'t>, Node<'t>, SyntaxKind)) {
    let mut cursor = tree.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        let kind = kind_of(node);
        if kind == SyntaxKind::Error && holds_statements(node) && cursor.goto_first_child() {
            continue;
        }
        visit(&mut cursor, node, kind);
        while !cursor.goto_next_sibling() {
            more = cursor.goto_parent() && cursor.depth() > 0;
            if !more {
                return;
            }
        }
    }
}

struct Walk<'f> {
    text: &'f str,
    /// The text without codeNERD's directives.
    parsed: &'f str,
    style: Style,
    scope: Option<TextRange>,
    items: std::slice::Iter<'f, Item>,
    distrusted: &'f [usize],
    /// The comments for this tool.
    marks: Marks,
    tokens: Tokens,
    printer: Printer<'f>,
    draft: Draft,
    /// The start and end of the previous unit.
    start: usize,
    end: usize,
    /// The state of the previous unit, and true if it is on one line.
    last: Option<(UnitState, bool)>,
    /// True between `format off` and `format on`.
    is_off: bool,
    /// True after `format skip`.
    skips: bool,
    /// True on the line of a syntax error, or below it and indented.
    is_damaged: bool,
}

impl<'f> Walk<'f> {
    fn unit(&mut self, cursor: &mut TreeCursor<'f>, node: Node<'f>, kind: SyntaxKind) {
        let (start, node_end) = (node.start_byte(), node.end_byte());
        let mut end = node_end;
        let gap = newlines(self.slice(self.end, start).as_bytes());
        let state = self.state(node, kind);
        let state =
            if kind == SyntaxKind::ForeignComment { state } else { self.beside_damage(state, start, gap) };
        let first = self.printer.edits.len();
        let (tokens, shape) = (self.draft.tokens.len(), self.draft.shapes.len());
        let mut is_flat = false;
        match state {
            UnitState::Comment => {
                end = start + self.slice(start, end).as_bytes().trim_ascii_end().len();
                self.comment(start, end);
            }
            UnitState::Formatted => is_flat = self.statement(cursor, node, kind),
            UnitState::Unread | UnitState::Kept | UnitState::Outside => {
                self.printer.verbatim(self.end, start);
                self.printer.verbatim(start, end);
                is_flat = !self.slice(start, end).contains('\n');
            }
        }
        self.draft.units.push(Unit {
            kind: node.kind_id(),
            start,
            end,
            node_end,
            size: node.descendant_count(),
            state,
            edits: first..self.printer.edits.len(),
            tokens: tokens..self.draft.tokens.len(),
            shape: shape..self.draft.shapes.len(),
        });
        (self.start, self.end) = (start, end);
        self.last = Some((state, is_flat));
    }

    fn slice(&self, start: usize, end: usize) -> &'f str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The state of a node next to a syntax error. A node on the same line, or indented below, can
    /// be a part of the broken statement.
    fn beside_damage(&mut self, state: UnitState, start: usize, gap: u8) -> UnitState {
        if state == UnitState::Unread {
            if gap == 0 {
                self.take_back();
            }
            self.is_damaged = true;
            return state;
        }
        let is_indented = start > 0 && !self.slice(0, start).ends_with(['\n', '\r']);
        self.is_damaged &= gap < 2 && is_indented;
        if self.is_damaged { UnitState::Kept } else { state }
    }

    /// Leaves the last unit unchanged.
    fn take_back(&mut self) {
        let Some(unit) = self.draft.units.last_mut() else { return };
        unit.state = UnitState::Kept;
        (unit.end, self.end) = (unit.node_end, unit.node_end);
        self.printer.take_back(unit.edits.start);
        unit.edits.end = unit.edits.start;
        self.last = self.last.map(|(_, is_flat)| (UnitState::Kept, is_flat));
    }

    fn state(&mut self, node: Node<'f>, kind: SyntaxKind) -> UnitState {
        let (start, end) = (node.start_byte(), node.end_byte());
        if kind == SyntaxKind::Comment {
            let directive = self.directives(start, end).next();
            let was_off = self.is_off;
            match directive {
                Some(Directive::Off) => self.is_off = true,
                Some(Directive::On) => self.is_off = false,
                Some(Directive::Skip) if self.is_alone(start) => self.skips = true,
                _ => {}
            }
            return match was_off {
                true => UnitState::Kept,
                false if self.is_touched(start, end) => UnitState::Comment,
                false => UnitState::Outside,
            };
        }
        let skips =
            std::mem::take(&mut self.skips) || self.is_off || self.distrusted.binary_search(&start).is_ok();
        if !self.is_sound(node, kind) {
            UnitState::Unread
        } else if skips || self.is_skipped(start, end) {
            UnitState::Kept
        } else if self.is_touched(start, end) {
            UnitState::Formatted
        } else {
            UnitState::Outside
        }
    }

    /// True if the scope intersects a range.
    fn is_touched(&self, start: usize, end: usize) -> bool {
        let (start, end) = (size(start), size(end));
        self.scope.is_none_or(|scope| match scope.is_empty() {
            true => start <= scope.start() && scope.start() <= end,
            // A selection of whole lines ends at the start of the next line.
            false => start < scope.end() && scope.start() < end,
        })
    }

    /// True if the node is a statement without a syntax error.
    fn is_sound(&mut self, node: Node<'_>, kind: SyntaxKind) -> bool {
        let (start, end) = (node.start_byte(), node.end_byte());
        let mut ahead = self.items.clone();
        let item = loop {
            match ahead.next() {
                Some(item) if usize::from(item.start) < start => self.items = ahead.clone(),
                Some(item) => break Some(item),
                None => break None,
            }
        };
        let is_clean = |item: &Item| {
            let statement = &item.statement;
            let is_error = |severity| severity == Some(Severity::Error);
            usize::from(item.start) == start
                && usize::from(statement.len) == end - start
                && !statement.damaged
                && !statement.findings.iter().any(|finding| is_error(finding.rule.severity))
        };
        let has_directive = || self.text.get(start..end) != self.parsed.get(start..end);
        is_statement(kind) && item.is_some_and(is_clean) && !node.has_error() && !has_directive()
    }

    /// True if nothing precedes a comment on its line.
    fn is_alone(&self, start: usize) -> bool {
        self.slice(0, start)
            .rsplit('\n')
            .next()
            .is_none_or(|line| line.trim_start_matches(BOM).trim().is_empty())
    }

    /// The directives of the comments in a range.
    fn directives(&self, start: usize, end: usize) -> impl Iterator<Item = Directive> {
        self.marks.within(start, end).filter_map(|mark| directive::read(self.text, mark))
    }

    /// True if a comment in a statement or after it disables its formatting.
    fn is_skipped(&self, start: usize, end: usize) -> bool {
        let behind = || self.marks.behind(end).and_then(|mark| directive::read(self.text, mark));
        behind().is_some() || self.directives(start, end).next().is_some()
    }

    /// The number of line breaks in the gap before `start`. `None` if the gap must stay unchanged.
    fn free_gap(&self, start: usize) -> Option<u8> {
        let gap = self.slice(self.end, start);
        let may_change = !self.is_off && !self.last.is_some_and(|(state, _)| state.is_verbatim());
        let is_blank = gap.bytes().all(|byte| byte.is_ascii_whitespace());
        (may_change && is_blank).then(|| newlines(gap.as_bytes()))
    }

    fn comment(&mut self, start: usize, end: usize) {
        let before = self.end;
        // The comment that disables formatting is itself formatted.
        let is_off = std::mem::take(&mut self.is_off);
        let newlines = self.free_gap(start);
        self.is_off = is_off;
        match (newlines, self.last) {
            (None, _) => self.printer.verbatim(before, start),
            (Some(_), None) => self.printer.gap(before, start, 0, 0),
            (Some(0), Some(_)) => self.printer.inline_comment(before, start),
            (Some(newlines), Some(_)) => self.printer.own_line_comment(before, start, newlines, 0),
        }
        self.printer.comment(start, end);
    }

    /// True if the line before or after a clause has a clause of the same predicate.
    fn is_row(&self, start: usize, end: usize) -> bool {
        let atom = self.slice(start, end).split_inclusive('(').next().unwrap_or_default();
        let follows = |gap: &str| newlines(gap.as_bytes()) == 1;
        let before =
            || self.slice(self.start, self.end).starts_with(atom) && follows(self.slice(self.end, start));
        let behind = self.slice(end, self.text.len());
        let next = behind.trim_start();
        before()
            || next.starts_with(atom) && follows(behind.get(..behind.len() - next.len()).unwrap_or_default())
    }

    /// Formats a statement. Returns true if the result is on one line.
    fn statement(&mut self, cursor: &mut TreeCursor<'f>, node: Node<'f>, kind: SyntaxKind) -> bool {
        self.tokens.read(cursor, self.text);
        let (start, end) = (node.start_byte(), node.end_byte());
        let keeps = self.marks.behind(end).is_some() || self.marks.within(start, end).next().is_some();
        if !keeps {
            self.tokens.drop_trailing_commas();
        }
        token::set_blanks(self.text, &mut self.tokens.list);
        let is_row = kind == SyntaxKind::Clause && self.is_row(start, end);
        let mut layout =
            Layout { style: self.style, tokens: &mut self.tokens.list, kind, is_row, text: self.text };
        let (width, fits) = (layout.width(), layout.is_one_line());
        if keeps {
            layout.keep()
        } else {
            layout.set()
        }
        self.gap_before(start, keeps, fits.then_some(width));
        let first = self.printer.edits.len();
        self.printer.statement(&self.tokens.list, kind);
        if self.printer.edits.len() > first {
            self.draft.tokens.extend_from_slice(&self.tokens.list);
            self.draft.shapes.extend_from_slice(&self.tokens.shape);
        }
        fits
    }

    /// Writes the gap before a statement. `width` is the width of a statement on one line.
    fn gap_before(&mut self, start: usize, keeps: bool, width: Option<u32>) {
        let before = self.end;
        match (self.free_gap(start), self.last) {
            (None, _) => self.printer.verbatim(before, start),
            (Some(_), None) => self.printer.gap(before, start, 0, 0),
            (Some(0), Some((_, is_flat))) => {
                let column = self.printer.column().saturating_add(1);
                let fits =
                    width.is_some_and(|width| is_flat && column.saturating_add(width) <= self.style.width);
                // A suppression comment can apply to the line.
                let together = keeps || fits || !self.marks.is_empty();
                self.printer.gap(before, start, u8::from(!together), u32::from(together));
            }
            (Some(newlines), Some(_)) => self.printer.gap(before, start, newlines, 0),
        }
    }

    fn finish(mut self) -> Draft {
        let last = self.text.len();
        if self.free_gap(last).is_some() && self.is_touched(self.end, last) {
            self.printer.gap(self.end, last, u8::from(self.last.is_some()), 0);
        }
        align(&self.printer.aligned, &mut self.printer.edits);
        Draft { edits: self.printer.edits, ..self.draft }
    }
}
