//! Formatting for both shells: a whole file, the statements that a range touches, and what is right after a key was
//! pressed.

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

/// Formats a file. Statements that cannot be read stay as they are. `is_test`: it is a policy test, whose expectations
/// are formatted, too.
#[must_use]
pub fn whole(source: &SourceFile, settings: FormatSettings, is_test: bool) -> Formatting {
    with_expectations(format(source, style(settings), None), source, is_test, |_| true)
}

/// Formats the statements and comments of a file that a range touches.
#[must_use]
pub fn range(source: &SourceFile, settings: FormatSettings, range: TextRange, is_test: bool) -> Formatting {
    let touches = |comment: TextRange| comment.intersect(range).is_some();
    with_expectations(format(source, style(settings), Some(range)), source, is_test, touches)
}

/// Adds the edits of expectations and of the settings of a preview that `is_wanted` holds for. The formatter itself never
/// looks into comments, so its edits are around them.
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
