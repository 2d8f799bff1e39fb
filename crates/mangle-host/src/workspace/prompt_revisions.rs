//! Counters of changes to the sources of prompts.

/// Numbers of changes to files that previews read in addition to policies, on disk or in open
/// documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PromptRevisions {
    /// All changes.
    pub all: u64,
    /// Changes to files that may contain prompt atoms.
    pub atoms: u64,
}
