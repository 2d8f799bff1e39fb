//! Known origins of the prompt lines of a program, and its recent previews.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use super::file::SnapshotFile;
use crate::preview_files::{PreviewFiles, SessionText};
use crate::{AtomFiles, PreviewRequest, Project};
use agent_prompt::{Preview, Provenance};
use mangle_engine::program::Program;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::{Identity, Memo};
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

/// Numbers of changes to files that previews read in addition to policies, on disk or in open
/// documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PromptRevisions {
    /// All changes.
    pub all: u64,
    /// Changes to files that may contain prompt atoms.
    pub atoms: u64,
}

/// The maximum number of cached previews per kernel.
const MAX_KEPT: usize = 8;

#[derive(Debug, Default)]
pub(super) struct PreviewCache {
    all: Mutex<Vec<(FileId, PreviewRequest, Slot)>>,
    /// The files other than policies that were read for previews.
    read: Mutex<FxHashSet<PathBuf>>,
    /// The origins of the prompt lines.
    pub(super) provenance: Memo<ProvenanceInputs, Arc<PromptProvenance>>,
}

/// Locked while the preview is computed.
type Slot = Arc<Mutex<Option<Kept>>>;

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) preview: Preview,
    pub(super) program: Arc<Program>,
    pub(super) settings: Arc<Settings>,
    pub(super) files: Arc<PreviewFiles>,
    /// The atoms that the configuration names.
    pub(super) atoms: Option<Arc<AtomFiles>>,
    pub(super) sessions: Vec<Option<Arc<SessionText>>>,
    /// The header and the file revisions when `files` was read.
    pub(super) read_for: ReadFor,
}

/// The preview comments of a kernel, and the number of changes of files that previews read.
type ReadFor = (String, PromptRevisions);

impl PreviewCache {
    /// Returns the slot of a preview. Evicts the least recently used slot.
    pub(super) fn slot(&self, file: FileId, request: &PreviewRequest) -> Slot {
        let mut all = self.all.lock();
        let known = all.iter().position(|(of, requested, _)| *of == file && requested == request);
        let entry = match known {
            Some(at) => all.remove(at),
            None => (file, request.clone(), Slot::default()),
        };
        let slot = Arc::clone(&entry.2);
        all.push(entry);
        if all.len() > MAX_KEPT {
            all.remove(0);
        }
        slot
    }

    /// True if the file, or a file in the folder, was read in addition to policies.
    pub(super) fn reads(&self, path: &Path) -> bool {
        self.read.lock().iter().any(|read| read.starts_with(path))
    }

    pub(super) fn clear(&self) {
        self.all.lock().clear();
        self.provenance.take();
    }

    pub(super) fn note_read(&self, files: &PreviewFiles, atoms: Option<&Arc<AtomFiles>>) {
        let mut read = self.read.lock();
        let named = atoms.into_iter().flat_map(|atoms| atoms.texts());
        read.extend(files.texts().chain(named).map(|(_, path, _)| path.to_path_buf()));
    }
}

/// The prompt atoms that a configuration names. A kernel may or may not use them.
#[derive(Debug)]
pub(super) struct ConfiguredAtoms {
    pub(super) root: PathBuf,
    pub(super) settings: Arc<Settings>,
    pub(super) rules: RuleSettings,
    pub(super) known: OnceLock<Arc<PromptProvenance>>,
}

impl ConfiguredAtoms {
    /// Returns the atoms of the configurations. `base` has the severities of rules that they do
    /// not set.
    pub(super) fn from_projects(projects: &[Project], base: &RuleSettings) -> Vec<Arc<Self>> {
        let named = projects.iter().filter(|project| !project.settings.prompt.atoms.patterns().is_empty());
        let of = |project: &Project| {
            let rules = project.settings.rules.overriding(base);
            let (root, settings) = (project.root.clone(), Arc::clone(&project.settings));
            Arc::new(Self { root, settings, rules, known: OnceLock::new() })
        };
        named.map(of).collect()
    }

    /// Returns the findings, if they have been computed.
    pub(super) fn known(&self) -> Option<&Arc<PromptProvenance>> {
        self.known.get()
    }
}
