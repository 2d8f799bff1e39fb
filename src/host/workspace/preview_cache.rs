//! The previews of a program that were made last.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::host::preview_files::{PreviewFiles, SessionText};
use crate::host::workspace::prompt_revisions::PromptRevisions;
use crate::host::workspace::provenance::{PromptProvenance, ProvenanceInputs};
use crate::host::{AtomFiles, PreviewRequest};
use agent_prompt::Preview;
use mangle_engine::program::Program;
use mangle_settings::Settings;
use mangle_syntax::memo::Memo;
use mangle_syntax::text::FileId;

/// How many previews of a kernel are kept.
const MOST_KEPT: usize = 8;

/// The previews of a program that were made last.
#[derive(Debug, Default)]
pub(super) struct PreviewCache {
    all: Mutex<Vec<(FileId, PreviewRequest, Slot)>>,
    /// The files that were read for them beside policies.
    read: Mutex<FxHashSet<PathBuf>>,
    /// Where the lines of its prompts come from.
    pub(super) provenance: Memo<ProvenanceInputs, Arc<PromptProvenance>>,
}

/// Locked while a preview is made.
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
    /// What `files` was read for: the header, and the state of the disk and of open documents.
    pub(super) read_for: ReadFor,
}

/// The comments of a kernel that are about previews, and how often files that previews read have changed.
type ReadFor = (String, PromptRevisions);

impl PreviewCache {
    /// The slot of a preview; the least recently requested one is dropped.
    pub(super) fn slot(&self, file: FileId, request: &PreviewRequest) -> Slot {
        let mut all = self.all.lock();
        let known = all.iter().position(|(of, requested, _)| *of == file && requested == request);
        let entry = match known {
            Some(at) => all.remove(at),
            None => (file, request.clone(), Slot::default()),
        };
        let slot = Arc::clone(&entry.2);
        all.push(entry);
        if all.len() > MOST_KEPT {
            all.remove(0);
        }
        slot
    }

    /// Whether a file, or one in a folder, was read beside policies.
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
