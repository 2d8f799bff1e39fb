//! Formatting of files and ranges, for the command line and the language server. Includes comment
//! directives: expectations in policy tests (`# @expect p(1, 2)`) and preview settings
//! (`# @preview use: a.mg, b.mg`).

mod on_type;
#[cfg(test)]
mod tests;

use agent_prompt::PreviewSetting;
use mangle_check::policy_test::{Expectation, TestFile};
use mangle_engine::program::FileSummary;
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{Formatting, LayoutEdit, Style, format};
use mangle_syntax::text::{FileId, TextRange, TextSize, size, slice, text_len};

pub use on_type::{TRIGGERS, on_type};

/// Formats a file. Statements with syntax errors are left unchanged. If `is_test` is set, the
/// expectations of the policy test are formatted.
#[must_use]
pub fn whole(source: &SourceFile, settings: FormatSettings, is_test: bool) -> Formatting {
    with_expectations(format(source, style(settings), None), source, is_test, |_| true)
}

/// Formats the statements and comments that overlap a range.
#[must_use]
pub fn range(source: &SourceFile, settings: FormatSettings, range: TextRange, is_test: bool) -> Formatting {
    let touches = |comment: TextRange| comment.intersect(range).is_some();
    with_expectations(format(source, style(settings), Some(range)), source, is_test, touches)
}

/// Adds the edits of expectations and preview settings selected by `is_wanted`. The formatter does
/// not edit comments, so the edits never overlap.
fn with_expectations(
    mut formatting: Formatting,
    source: &SourceFile,
    is_test: bool,
    is_wanted: impl Fn(TextRange) -> bool,
) -> Formatting {
    formatting.edits.extend(preview_edits(source, &is_wanted));
    if is_test {
        formatting.edits.extend(directive_edits(source, is_wanted));
    }
    formatting.edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    formatting
}

fn style(settings: FormatSettings) -> Style {
    Style { indent: settings.indent, width: settings.width }
}

/// Prefix that turns an atom into a clause, so that it is formatted as a premise.
const HEAD: &str = "e() :- ";

/// Returns the edits of the comments selected by `is_wanted`, in source order. Comments between
/// `format off` and `format on` are skipped.
fn directive_edits(source: &SourceFile, is_wanted: impl Fn(TextRange) -> bool) -> Vec<LayoutEdit> {
    let file = FileSummary::new(FileId(0), source);
    let off = switched_off(source.text());
    let tests = TestFile::read(&file);
    let all = tests
        .expectations()
        .filter(|expectation| expectation.predicate.is_some() && is_wanted(expectation.range));
    let free = all.filter(|expectation| !off.iter().any(|off| off.contains_range(expectation.range)));
    free.flat_map(|expectation| of_expectation(source.text(), expectation)).collect()
}

/// Returns the edits of the preview settings selected by `is_wanted`.
fn preview_edits(source: &SourceFile, is_wanted: impl Fn(TextRange) -> bool) -> Vec<LayoutEdit> {
    let text = source.text();
    let off = switched_off(text);
    let wanted = PreviewSetting::all(text).filter(|setting| is_wanted(setting.range));
    let free = wanted.filter(|setting| !off.iter().any(|off| off.contains_range(setting.range)));
    free.flat_map(|setting| of_setting(text, &setting)).collect()
}

/// Key of settings with a list of files.
const USE: &str = "use";

fn of_setting(text: &str, setting: &PreviewSetting<'_>) -> Vec<LayoutEdit> {
    let comment = slice(text, setting.range);
    let (start, key, value) = (setting.range.start(), setting.key_range, setting.value_range);
    let between = slice(text, TextRange::new(key.end(), value.start().max(key.end())));
    let (Some(at), Some(colon)) = (comment.find('@'), between.find(':')) else { return Vec::new() };
    let word_end = start + size(at) + text_len("@preview");
    let before_key = TextRange::new(word_end, key.start().max(word_end));
    // Other mistakes are reported as findings, not corrected by the formatter.
    if setting.key.is_empty() || setting.value.is_empty() || !slice(text, before_key).trim().is_empty() {
        return Vec::new();
    }
    let hashes = comment.len() - comment.trim_start_matches('#').len();
    let colon = key.end() + size(colon);
    let mut edits = vec![
        LayoutEdit::blanks(TextRange::new(start + size(hashes), start + size(at)), 1),
        LayoutEdit::blanks(before_key, 1),
        LayoutEdit::blanks(TextRange::new(key.end(), colon), 0),
        LayoutEdit::blanks(TextRange::new(colon + size(1), value.start()), 1),
    ];
    if setting.key == USE {
        edits.extend(around_commas(setting.value, value.start()));
    }
    edits.retain(|edit| slice(text, edit.range) != edit.text());
    edits
}

/// Removes spaces before commas, and inserts one space after each comma.
fn around_commas(list: &str, start: TextSize) -> Vec<LayoutEdit> {
    let range = |from: usize, to: usize| TextRange::new(start + size(from), start + size(to));
    let around = |(at, _): (usize, &str)| {
        let before = list.get(..at).unwrap_or_default().trim_end().len();
        let rest = list.get(at + 1..).unwrap_or_default();
        let after = rest.len() - rest.trim_start().len();
        [
            LayoutEdit::blanks(range(before, at), 0),
            LayoutEdit::blanks(range(at + 1, at + 1 + after), u32::from(after < rest.len())),
        ]
    };
    list.match_indices(',').flat_map(around).collect()
}

fn of_expectation(text: &str, expectation: &Expectation) -> Vec<LayoutEdit> {
    let comment = slice(text, expectation.range);
    let start = expectation.range.start();
    let (Some(at), value) = (comment.find('@'), expectation.text_range) else { return Vec::new() };
    let hashes = comment.len() - comment.trim_start_matches('#').len();
    let before_key = TextRange::new(start + size(hashes), start + size(at));
    let key_end = start + size(at + 1) + text_len(expectation.key.as_str());
    let mut edits = vec![
        LayoutEdit::blanks(before_key, 1),
        LayoutEdit::blanks(TextRange::new(key_end, value.start()), 1),
    ];
    if expectation.name.is_some() {
        edits.extend(of_atom(expectation.text.trim_end_matches('.'), value.start()));
    }
    edits.retain(|edit| slice(text, edit.range) != edit.text());
    edits
}

/// Returns the edits inside an atom that starts at `start`.
fn of_atom(atom: &str, start: TextSize) -> Vec<LayoutEdit> {
    let clause = SourceFile::parse(format!("{HEAD}{atom}.").as_str().into());
    let inside = TextRange::at(text_len(HEAD), text_len(atom));
    let is_inside = |range: TextRange| inside.start() < range.start() && range.end() < inside.end();
    let edits = format(&clause, Style { width: u32::MAX, ..Style::default() }, None).edits;
    let edits = edits.into_iter().filter(|edit| edit.is_on_one_line() && is_inside(edit.range));
    edits.filter_map(|edit| edit.moved(inside.start(), start)).collect()
}

/// Returns the ranges between the comments `format off` and `format on`.
fn switched_off(text: &str) -> Vec<TextRange> {
    let (mut all, mut since, mut at) = (Vec::new(), None, TextSize::new(0));
    for line in text.split_inclusive('\n') {
        let said = line.trim().trim_start_matches('#').trim_start();
        match said.strip_prefix("mangle-ls:").map(|rest| rest.split_whitespace().take(2).collect::<Vec<_>>())
        {
            Some(words) if words == ["format", "off"] => _ = since.get_or_insert(at),
            Some(words) if words == ["format", "on"] => {
                all.extend(since.take().map(|since| TextRange::new(since, at)));
            }
            _ => {}
        }
        at += text_len(line);
    }
    all.extend(since.map(|since| TextRange::new(since, at)));
    all
}
