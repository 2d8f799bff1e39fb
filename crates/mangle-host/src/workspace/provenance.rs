//! Known origins of the prompt lines of a program.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use super::prompt_revisions::PromptRevisions;
use agent_prompt::Provenance;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::Identity;
use mangle_syntax::text::FileId;

#[derive(Debug, Default)]
pub struct PromptProvenance {
    pub provenance: Provenance,
    /// The findings by file, in policies and in other files.
    pub(super) diagnostics: FxHashMap<FileId, Vec<Diagnostic>>,
    /// The files other than policies that were read.
    pub(super) files: FxHashMap<FileId, Arc<SnapshotFile>>,
}

impl PromptProvenance {
    pub(super) fn diagnostics(&self, file: FileId) -> &[Diagnostic] {
        self.diagnostics.get(&file).map_or(&[], |found| found)
    }

    /// Returns a file that was read in addition to policies.
    pub(super) fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        self.files.get(&id)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProvenanceInputs {
    /// [`fingerprint`] of the program.
    pub(super) statements: u64,
    /// The file versions, because findings and the header of the kernel contain positions.
    pub(super) files: Vec<Identity<SnapshotFile>>,
    pub(super) prompt_revisions: PromptRevisions,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) settings: Arc<Settings>,
}
