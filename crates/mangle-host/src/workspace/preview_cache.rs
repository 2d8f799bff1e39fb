//! Cache of recent previews of a program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::preview_files::{PreviewFiles, SessionText};
use crate::workspace::prompt_revisions::PromptRevisions;
use crate::workspace::provenance::{PromptProvenance, ProvenanceInputs};
use crate::{AtomFiles, PreviewRequest};
use agent_prompt::Preview;
use mangle_engine::program::Program;
use mangle_settings::Settings;
use mangle_syntax::memo::Memo;
use mangle_syntax::text::FileId;

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
