//! Formatting for both shells: a whole file, the statements that a range touches, and what is right after a key was
//! pressed.

mod outline;
mod typing;

#[cfg(test)]
mod tests;

pub use self::typing::{TRIGGERS, on_type};

use crate::config::FormatSettings;
use crate::syntax::SourceFile;
use crate::syntax::format::{Formatting, Style, format};
use crate::text::TextRange;

/// Formats a file. Statements that cannot be read stay as they are.
#[must_use]
pub fn whole(source: &SourceFile, settings: FormatSettings) -> Formatting {
    format(source, style(settings), None)
}

/// Formats the statements and comments of a file that a range touches.
#[must_use]
pub fn range(source: &SourceFile, settings: FormatSettings, range: TextRange) -> Formatting {
    format(source, style(settings), Some(range))
}

fn style(settings: FormatSettings) -> Style {
    Style { indent: settings.indent, width: settings.width }
}
