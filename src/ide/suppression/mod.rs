//! Silencing: comments that switch a rule off for a line, a statement or a file.
//!
//! Takes the text and the statements of a file and what was found in it; gives back what is not
//! silenced, and what is wrong with the comments themselves. `docs/silencing.md` says what a comment
//! covers.

mod comments;
mod covered;
mod directive;
mod findings;
mod insert;
mod rules;

#[cfg(test)]
mod tests;

pub use self::insert::{Scope, silence};
pub(super) use self::rules::UNKNOWN_SUPPRESSION;
pub use self::rules::{RULES, UNUSED_SUPPRESSION};

use self::covered::Covered;
use crate::config::RuleSettings;
use crate::lint::{Diagnostic, Finding};
use crate::program::FileSummary;
use crate::text::TextRange;

/// The silencing comments of one file.
#[derive(Debug, Default)]
pub(super) struct Suppressions(Vec<Suppression>);

/// One silencing comment.
#[derive(Debug)]
struct Suppression {
    /// From `#` to the end of its line.
    comment: TextRange,
    /// The bytes in which findings are silenced; `None` silences the whole file.
    covers: Option<TextRange>,
    /// What stands in it, with ranges from the start of the file.
    directive: directive::Directive,
}

impl Suppressions {
    /// The comments of a file.
    pub(super) fn of(file: &FileSummary) -> Self {
        Self(comments::suppressions(file))
    }

    /// Removes what is silenced from `found`, the diagnostics of the file, and gives the findings about
    /// the comments; their ranges count from the start of the file.
    pub(super) fn apply(
        &self,
        text: &str,
        settings: &RuleSettings,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Finding> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut covered = Covered::new(&self.0);
        found.retain(|diagnostic| !covered.silences(diagnostic));
        let used = covered.into_used();
        let about = |(index, suppression)| {
            let is_unused = |name: usize| !used.contains(&(index, name));
            findings::about(suppression, text, settings, &is_unused)
        };
        self.0.iter().enumerate().flat_map(about).collect()
    }
}
