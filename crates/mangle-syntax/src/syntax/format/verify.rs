//! Verification of the formatter: the formatted text is parsed and compared before it is returned.

use std::sync::Arc;

use tree_sitter::{Node, Tree, TreeCursor};

use super::print::{is_crlf, wants_blank};
use super::token::{LayoutToken, TokenClass, Tokens};
use super::top::{Choice, Draft, Unit, UnitState, draft, each_top};
use super::{Formatting, LayoutEdit, Style, apply};
use crate::syntax::{SourceFile, lines, source};
use crate::text::{TextRange, size};

/// Maximum number of attempts that leave out changed statements. After that, nothing is formatted.
const TRIES: usize = 4;

/// Maximum number of edits for incremental parsing.
const MAX_EDITS: usize = 64;

/// Formats and verifies. New line breaks follow the majority of line endings in the result.
///
/// The majority can change if formatting removes many line endings of one kind. A second run would
/// then change the file again.
pub(super) fn formatted(
    source: &SourceFile,
    tree: &Tree,
    style: Style,
    scope: Option<TextRange>,
) -> Formatting {
    let crlf = is_crlf(source.text());
    let formatting = verified(source, tree, style, scope, crlf);
    let has_returns = memchr::memchr(b'\r', source.text().as_bytes()).is_some();
    if has_returns && is_crlf(&formatting.apply(source.text())) != crlf {
        return verified(source, tree, style, scope, !crlf);
    }
    formatting
}

fn verified(
    source: &SourceFile,
    tree: &Tree,
    style: Style,
    scope: Option<TextRange>,
    crlf: bool,
) -> Formatting {
    let mut distrusted = Vec::new();
    for _ in 0..TRIES {
        let mut draft = draft(source, tree, style, scope, Choice { distrusted: &distrusted, crlf });
        settle(&mut draft, source.text(), scope.is_some());
        let wrong = if draft.edits.is_empty() { Vec::new() } else { differences(source, tree, &draft) };
        if wrong.is_empty() {
            return formatting(&draft, &distrusted);
        }
        if !has_damage(&draft) {
            tracing::error!(statements = wrong.len(), "formatting would have changed more than layout");
        }
        // Broken statements can be parsed differently if their neighbors change.
        let around = wrong.iter().flat_map(|&at| at.saturating_sub(1)..at + 2);
        distrusted.extend(around.filter_map(|at| draft.units.get(at)).map(|unit| unit.start));
        distrusted.sort_unstable();
        distrusted.dedup();
    }
    let mut nothing = draft(source, tree, style, scope, Choice { distrusted: &distrusted, crlf });
    nothing.edits.clear();
    formatting(&nothing, &distrusted)
}

/// True if the file has syntax errors. Error recovery depends on the surrounding layout, so a
/// statement can be unformattable without a bug in the formatter.
fn has_damage(draft: &Draft) -> bool {
    draft.units.iter().any(|unit| unit.state == UnitState::Unread)
}

fn formatting(draft: &Draft, distrusted: &[usize]) -> Formatting {
    let range = |unit: &Unit| TextRange::new(size(unit.start), size(unit.end));
    let all =
        |wanted: &dyn Fn(&Unit) -> bool| draft.units.iter().filter(|unit| wanted(unit)).map(range).collect();
    let is_sound = !has_damage(draft);
    Formatting {
        edits: draft.edits.clone(),
        unread: all(&|unit| unit.state == UnitState::Unread),
        distrusted: all(&|unit| is_sound && distrusted.binary_search(&unit.start).is_ok()),
    }
}

/// Drops edits without effect. In a partial run, the text before the range stays, and the gap only
/// changes the indentation of the text after it.
fn settle(draft: &mut Draft, text: &str, is_part: bool) {
    let old = std::mem::take(&mut draft.edits);
    let mut edits = Vec::with_capacity(old.len());
    let mut keep = |edit: &LayoutEdit| {
        let range = usize::from(edit.range.start())..usize::from(edit.range.end());
        if !edit.is_done(text.get(range).unwrap_or_default()) {
            edits.push(*edit);
        }
        edits.len()
    };
    let mut last = 0;
    let mut kept = 0;
    let mut is_inside = false;
    for unit in &mut draft.units {
        let first = kept;
        for edit in old.get(unit.edits.clone()).unwrap_or_default() {
            let is_gap = usize::from(edit.range.end()) <= unit.start;
            let is_border = is_gap && is_part && !is_inside;
            kept = if is_border { keep(&indentation(edit, text)) } else { keep(edit) };
        }
        last = unit.edits.end;
        is_inside = unit.state != UnitState::Outside;
        unit.edits = first..kept;
    }
    for edit in old.get(last..).unwrap_or_default() {
        keep(edit);
    }
    draft.edits = edits;
}

/// The part of a gap edit on its last line, if it has several.
fn indentation(edit: &LayoutEdit, text: &str) -> LayoutEdit {
    let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
    let line = text.get(start..end).and_then(|gap| gap.rfind(['\n', '\r']));
    match line {
        Some(line) if edit.breaks > 0 => edit.only_after(start + line + 1),
        _ => *edit,
    }
}

/// The indices of units that the edits would change.
fn differences(source: &SourceFile, tree: &Tree, draft: &Draft) -> Vec<usize> {
    let text = apply(source.text(), &draft.edits);
    let all = || (0..draft.units.len()).collect();
    // Line breaks determine which lines are directives.
    let stripped = lines::strip(&text).map(|stripped| stripped.text);
    let had_directives = !Arc::ptr_eq(source.text(), source.parsed());
    let parsed = match &stripped {
        Some(stripped) if had_directives && **stripped == *apply(source.parsed(), &draft.edits) => {
            stripped.as_ref()
        }
        None if !had_directives => text.as_str(),
        _ => return all(),
    };
    // Many edits cost more than a full parse.
    let new = match draft.edits.len() {
        ..=MAX_EDITS => {
            source::reparse(parsed, tree, draft.edits.iter().map(|edit| (edit.range, size(edit.len()))))
        }
        _ => source::parse(parsed, None),
    };
    let Some(new) = new else { return all() };
    if new.root_node().kind_id() != tree.root_node().kind_id() {
        return all();
    }
    let mut check = Check {
        old: source.parsed(),
        new: parsed,
        draft,
        at: 0,
        edit: 0,
        grown: 0,
        wrong: Vec::new(),
        tokens: Tokens::default(),
    };
    each_top(&new, &mut |cursor, node, _| check.unit(cursor, node));
    if check.at < draft.units.len() {
        check.wrong.push(check.at);
    }
    check.wrong
}

/// A walk over the new tree in parallel with the old units.
struct Check<'d> {
    old: &'d str,
    new: &'d str,
    draft: &'d Draft,
    /// The index of the current unit.
    at: usize,
    /// The next edit to count, and the growth of the text by the earlier ones.
    edit: usize,
    grown: isize,
    wrong: Vec<usize>,
    tokens: Tokens,
}

impl Check<'_> {
    fn unit(&mut self, cursor: &mut TreeCursor<'_>, node: Node<'_>) {
        let Some(unit) = self.draft.units.get(self.at) else {
            self.wrong.push(self.at.saturating_sub(1));
            return;
        };
        let start = self.moved(unit.start, false);
        let end = self.moved(unit.end, true);
        let is_same = node.kind_id() == unit.kind
            && node.start_byte() == start
            && self.ends(node, unit, end)
            && self.is_same_inside(cursor, node, unit, start);
        if !is_same {
            self.wrong.push(self.at);
        }
        self.at += 1;
    }

    /// The position of an old offset in the new text. Must be called in ascending order.
    fn moved(&mut self, offset: usize, inclusive: bool) -> usize {
        while let Some(edit) = self.draft.edits.get(self.edit) {
            let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
            let before = if inclusive { end <= offset && start < offset } else { end <= offset };
            if !before {
                break;
            }
            self.grown +=
                isize::try_from(edit.len()).unwrap_or(0) - isize::try_from(end - start).unwrap_or(0);
            self.edit += 1;
        }
        offset.saturating_add_signed(self.grown)
    }

    fn ends(&self, node: Node<'_>, unit: &Unit, end: usize) -> bool {
        match unit.state {
            // White space in comments can differ.
            UnitState::Comment => {
                self.new.get(end..node.end_byte()).is_some_and(|rest| rest.trim().is_empty())
            }
            _ => node.end_byte() == end,
        }
    }

    fn is_same_inside(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        node: Node<'_>,
        unit: &Unit,
        start: usize,
    ) -> bool {
        let changes = |edit: &LayoutEdit| usize::from(edit.range.end()) > unit.start;
        let is_changed = self.draft.edits.get(unit.edits.clone()).unwrap_or_default().iter().any(changes);
        if !is_changed {
            // The same bytes with the same number of nodes.
            return node.descendant_count() == unit.size
                && self.old.get(unit.start..unit.end)
                    == self.new.get(start..start + (unit.end - unit.start));
        }
        if unit.state == UnitState::Comment {
            let new = self.new.get(start..).unwrap_or_default();
            let comment = self.old.get(unit.start..unit.end).unwrap_or_default();
            return starts_with_comment(new, comment);
        }
        self.tokens.read(cursor, self.new);
        let shape = self.draft.shapes.get(unit.shape.clone()).unwrap_or_default();
        let tokens = self.draft.tokens.get(unit.tokens.clone()).unwrap_or_default();
        shape == self.tokens.shape
            && tokens.len() == self.tokens.list.len()
            && tokens.iter().zip(&self.tokens.list).all(|(old, new)| self.is_same_token(old, new))
    }

    fn is_same_token(&self, old: &LayoutToken, new: &LayoutToken) -> bool {
        let text = self.new.get(new.start..new.end).unwrap_or_default();
        let before = self.old.get(old.start..old.end).unwrap_or_default();
        match (old.class, new.class) {
            (TokenClass::Comment, TokenClass::Comment) => {
                text.len() <= before.len() + 1 && starts_with_comment(text, before)
            }
            (TokenClass::Comment, _) | (_, TokenClass::Comment) => false,
            _ => text == before,
        }
    }
}

/// True if a text starts with a comment, ignoring a blank that was missing after its `#`.
fn starts_with_comment(text: &str, comment: &str) -> bool {
    match comment.strip_prefix('#') {
        Some(rest) if wants_blank(comment) => {
            text.strip_prefix("# ").is_some_and(|text| text.starts_with(rest))
        }
        _ => text.starts_with(comment),
    }
}
