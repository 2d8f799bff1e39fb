//! Suppression comments, which disable a rule for a line, a statement or a file.
//!
//! The module takes the text, statements and findings of a file. It returns the remaining findings,
//! and findings about the comments. `docs/silencing.md` defines the scope of a comment.

mod comment;
mod comments;
mod directive;
mod findings;
mod index;
mod insert;
pub(crate) mod rules;

#[cfg(test)]
mod tests;

pub use self::insert::{SuppressionScope, suppress};
pub use self::rules::{RULES, UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};

use self::index::SuppressionIndex;
use crate::Registry;
use comment::Suppression;
use mangle_engine::program::FileSummary;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Finding};

/// The suppression comments of one file, with the known rules.
#[derive(Debug)]
pub(super) struct Suppressions {
    all: Vec<Suppression>,
    registry: &'static Registry,
}

impl Suppressions {
    /// Reads the comments of a file.
    pub(super) fn parse(file: &FileSummary, registry: &'static Registry) -> Self {
        Self { all: comments::suppressions(file, registry), registry }
    }

    /// Removes suppressed diagnostics from `found`, and returns findings about the comments. Their
    /// ranges are relative to the start of the file.
    pub(super) fn apply(
        &self,
        text: &str,
        settings: &RuleSettings,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Finding> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let mut covered = SuppressionIndex::new(&self.all);
        found.retain(|diagnostic| !covered.silences(diagnostic));
        let used = covered.into_used();
        let about = |(index, suppression)| {
            let is_unused = |name: usize| !used.contains(&(index, name));
            findings::about(suppression, text, (settings, self.registry), &is_unused)
        };
        self.all.iter().enumerate().flat_map(about).collect()
    }
}
