//! Where the lines of a program's prompts come from, as far as that is known.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use super::prompt_revisions::PromptRevisions;
use agent_prompt::Provenance;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::Identity;
use mangle_syntax::text::FileId;

/// What the prompts of a sample kernel show.
#[derive(Debug, Default)]
pub struct PromptProvenance {
    /// Where their lines come from.
    pub provenance: Provenance,
    /// What is wrong, by file: of the program, and beside policies.
    pub(super) diagnostics: FxHashMap<FileId, Vec<Diagnostic>>,
    /// The files that were read beside policies.
    pub(super) files: FxHashMap<FileId, Arc<SnapshotFile>>,
}

impl PromptProvenance {
    /// What is wrong in a file.
    pub(super) fn diagnostics(&self, file: FileId) -> &[Diagnostic] {
        self.diagnostics.get(&file).map_or(&[], |found| found)
    }

    /// A file that was read beside policies.
    pub(super) fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        self.files.get(&id)
    }
}

/// What the provenance of prompts depends on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProvenanceInputs {
    /// [`fingerprint`] of the program.
    pub(super) statements: u64,
    /// Findings and the header of the kernel have places in them.
    pub(super) files: Vec<Identity<SnapshotFile>>,
    pub(super) prompt_revisions: PromptRevisions,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) settings: Arc<Settings>,
}
