//! Counts changes of the files that prompts are made of.

/// Counts changes of the files that previews read beside policies: those on disk, and open documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PromptRevisions {
    /// Of all of them.
    pub all: u64,
    /// Of those that may hold prompt atoms.
    pub atoms: u64,
}
