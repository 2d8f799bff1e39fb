//! Formatting of files, of ranges, and on typing, for the command line and the language server.

mod directives;
mod on_type;
mod outline;

#[cfg(test)]
mod tests;

pub use self::on_type::{TRIGGERS, on_type};

use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{Formatting, Style, format};
use mangle_syntax::text::TextRange;

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
    formatting.edits.extend(directives::preview_edits(source, &is_wanted));
    if is_test {
        formatting.edits.extend(directives::edits(source, is_wanted));
    }
    formatting.edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    formatting
}

fn style(settings: FormatSettings) -> Style {
    Style { indent: settings.indent, width: settings.width }
}
