//! Insertion of suppression comments above the line of a finding or at the top of its file.
//! Existing comments are extended.

use super::comment::Suppression;
use super::comments::{self, line_end, line_start};
use crate::Registry;
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Diagnostic, FileEdit};
use mangle_syntax::text::{TextRange, TextSize, size};

/// The scope of a suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionScope {
    /// The line of the finding.
    Here,
    /// The whole file.
    File,
}

/// The edit that suppresses a diagnostic of `file`. `None` if its rule cannot be suppressed.
#[must_use]
pub fn suppress(
    file: &FileSummary,
    diagnostic: &Diagnostic,
    scope: SuppressionScope,
    registry: &Registry,
) -> Option<FileEdit> {
    if !diagnostic.rule.is_silenceable() {
        return None;
    }
    let name = diagnostic.rule.name;
    let at = diagnostic.range.start();
    let edit = |at, text| Some(FileEdit { file: file.id, range: TextRange::empty(at), text });
    let all = comments::suppressions(file, registry);
    // The last comment that covers the position is the nearest above it.
    if let Some(known) = all.iter().rev().find(|known| extends(known, at, scope)) {
        let directive = &known.directive;
        let comma = if directive.names.is_empty() { " " } else { ", " };
        return edit(directive.list.end(), format!("{comma}{name}"));
    }
    let end = line_ending(&file.text);
    match scope {
        SuppressionScope::File => {
            let bom = if file.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            edit(size(bom), format!("# mangle-ls: ignore-file {name}{end}"))
        }
        SuppressionScope::Here => {
            let (line, indent) = line_above(file, usize::from(at));
            edit(size(line), format!("{indent}# mangle-ls: ignore {name}{end}"))
        }
    }
}

fn extends(known: &Suppression, at: TextSize, scope: SuppressionScope) -> bool {
    let is_readable = !known.directive.names.is_empty() || known.directive.list.is_empty();
    is_readable
        && match (scope, known.covers) {
            (SuppressionScope::File, None) => true,
            (SuppressionScope::Here, Some(range)) => range.contains_inclusive(at),
            _ => false,
        }
}

/// The position for a comment above the line of `at`, and its indentation. If the line is inside of
/// a multi-line string, the position is above the statement.
fn line_above(file: &FileSummary, at: usize) -> (usize, &str) {
    let text = file.text.as_bytes();
    let mut start = line_start(text, at.min(text.len()));
    if comments::is_in_string(file, start) {
        let item = file.item_at(size(start)).and_then(|index| file.items.get(index));
        start = line_start(text, item.map_or(start, |item| usize::from(item.start)));
    }
    if start == 0 && file.text.starts_with('\u{feff}') {
        start = '\u{feff}'.len_utf8();
    }
    let line = file.text.get(start..line_end(text, start)).unwrap_or("");
    (start, line.get(..line.len() - line.trim_start().len()).unwrap_or(""))
}

/// The line ending of the first line of the file.
fn line_ending(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or("");
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}
