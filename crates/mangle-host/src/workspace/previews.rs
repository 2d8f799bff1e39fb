//! Previews of sample kernels, the origins of their prompt lines, and findings about prompts. One
//! preview is computed at a time, and only the newest request waits. Unchanged parts are not evaluated
//! again.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use super::program::SnapshotProgram;
use super::provenance::{ConfiguredAtoms, Kept, PromptProvenance, ProvenanceInputs};
use super::snapshot::Snapshot;
use crate::preview_files::{AtomCache, PreviewFiles, SessionText, preview_name};
use crate::{AtomFiles, Overlay, PreviewRequest, is_mangle};
use agent_prompt::{Header, Preview, PreviewSettings};
use mangle_engine::kernel::Clock;
use mangle_ide::evaluation::fingerprint;
use mangle_ide::previews::{corpus_findings, findings};
use mangle_settings::Settings;
use mangle_syntax::memo::Identity;
use mangle_syntax::text::{Cancel, FileId};

/// The reason why no preview is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewError {
    /// The file is in no program, or does not define the requested preview.
    Unknown,
    /// The request was canceled, or a newer state is waiting.
    Outdated,
    /// The program does not load. Contains a message with the first error.
    Refused(String),
}

/// The current previews of a kernel.
#[derive(Debug)]
pub struct Previewed<'p> {
    /// The program of the kernel.
    pub program: &'p SnapshotProgram,
    pub preview: &'p mut Preview,
    /// The header of the kernel, the files that it names, and findings about broken paths.
    pub files: &'p PreviewFiles,
    /// The session file of each prompt.
    pub sessions: &'p [Option<Arc<SessionText>>],
}

impl Snapshot {
    /// Passes the prompts of a kernel to `see`. A concurrent request waits, and is abandoned if a
    /// newer state exists afterwards.
    ///
    /// # Errors
    ///
    /// If the preview does not exist or is no longer needed.
    pub fn preview<T>(
        &self,
        file: FileId,
        request: &PreviewRequest,
        is_outdated: &dyn Fn() -> bool,
        cancel: &Cancel,
        see: impl FnOnce(Previewed<'_>) -> T,
    ) -> Result<T, PreviewError> {
        let see_some = |previewed: Previewed<'_>| {
            let has_some = !previewed.preview.prompts().is_empty();
            has_some.then(|| see(previewed))
        };
        let program = self.programs_of(file).next().filter(|program| !program.is_test());
        let program = program.ok_or(PreviewError::Unknown)?;
        if let Some(why) = program.refusal() {
            return Err(PreviewError::Refused(why));
        }
        self.preview_or_none(program, file, request, is_outdated, cancel, see_some)?
            .ok_or(PreviewError::Unknown)
    }

    /// [`Snapshot::preview`] that also accepts a header without prompts, because the header may be
    /// wrong. `program` is the program of the kernel.
    fn preview_or_none<T>(
        &self,
        program: &SnapshotProgram,
        file: FileId,
        request: &PreviewRequest,
        is_outdated: &dyn Fn() -> bool,
        cancel: &Cancel,
        see: impl FnOnce(Previewed<'_>) -> T,
    ) -> Result<T, PreviewError> {
        let slot = program.caches.previews.slot(file, request);
        let mut kept = match slot.try_lock() {
            Some(kept) => kept,
            None => {
                let kept = slot.lock();
                // A request that had to wait gives way to the newest one.
                if is_outdated() || cancel.is_cancelled() {
                    return Err(PreviewError::Outdated);
                }
                kept
            }
        };
        let made =
            self.refreshed(kept.take(), program, file, request, cancel).ok_or(PreviewError::Unknown)?;
        if cancel.is_cancelled() {
            return Err(PreviewError::Outdated);
        }
        let Kept { preview, files, sessions, .. } = kept.insert(made);
        Ok(see(Previewed { program, preview, files, sessions }))
    }

    /// Returns the last preview, updated to the current state. Returns `None` if the file does not
    /// exist.
    fn refreshed(
        &self,
        kept: Option<Kept>,
        program: &SnapshotProgram,
        file: FileId,
        request: &PreviewRequest,
        cancel: &Cancel,
    ) -> Option<Kept> {
        let text = self.file(file)?.text();
        let path = self.table.path(file);
        let (now, settings) = (Arc::clone(program.program()), Arc::clone(&program.inputs.settings));
        let read_for = (header(text), self.prompt_revisions);
        let kept = kept.filter(|kept| kept.settings == settings);
        let (files, atoms) = match &kept {
            Some(kept) if kept.read_for == read_for => (Arc::clone(&kept.files), kept.atoms.clone()),
            _ => match self.read_previews.get(&file) {
                Some(files) => (Arc::clone(files), None),
                None => self.read(program, &path, text, kept.as_ref()),
            },
        };
        let kept = match kept {
            Some(kept) if kept.read_for == read_for && Arc::ptr_eq(&kept.program, &now) => return Some(kept),
            kept => kept,
        };
        let (wanted, sessions) = files.requested(request, None, &preview_name(&path)).into_iter().unzip();
        let compiler = atoms.as_ref().map(|atoms| atoms.compiler());
        let preview = match kept {
            Some(Kept { mut preview, .. }) => {
                preview.set_compiler(compiler);
                preview.update(Arc::clone(&now), wanted, cancel);
                preview
            }
            None => {
                let how = PreviewSettings { compiler, ..preview_settings(program) };
                Preview::new(Arc::clone(&now), Some(file), wanted, how, cancel)
            }
        };
        Some(Kept { preview, program: now, settings, files, atoms, sessions, read_for })
    }

    /// Reads the files that a kernel names in addition to policies, and the atoms of the
    /// configuration. Atoms are read only if they may have changed.
    fn read(
        &self,
        program: &SnapshotProgram,
        path: &Path,
        text: &str,
        before: Option<&Kept>,
    ) -> (Arc<PreviewFiles>, Option<Arc<AtomFiles>>) {
        let (root, overlay, table) = (program.settings_root(), &self.readable(), &*self.table);
        let before = before.filter(|kept| kept.read_for.1.atoms == self.prompt_revisions.atoms);
        let configured = match before {
            Some(kept) => kept.atoms.clone(),
            None => {
                AtomFiles::named(&program.inputs.settings.prompt.atoms, root, overlay, table).map(Arc::new)
            }
        };
        let known =
            AtomCache { configured: configured.as_ref(), before: before.map(|kept| kept.files.as_ref()) };
        let files = PreviewFiles::load(path, text, root, known, overlay, table);
        program.caches.previews.note_read(&files, configured.as_ref());
        (Arc::new(files), configured)
    }

    /// Returns the open documents that a header may name: policies, which may be missing on disk,
    /// and other files.
    fn readable(&self) -> Overlay {
        let mut overlay = Overlay::clone(&self.prompt_overlay);
        let open = self.files().filter(|file| file.open.is_some() && is_mangle(&file.path));
        open.for_each(|file| overlay.insert(file.path.to_path_buf(), Arc::clone(file.text())));
        overlay
    }
}

fn preview_settings(program: &SnapshotProgram) -> PreviewSettings {
    let (settings, limits) = (program.settings(), program.limits());
    let kernel = &settings.kernel;
    PreviewSettings::from_settings(&settings.prompt, kernel.reading, limits, Clock::from_settings(kernel))
        .in_version(settings.transcripts.profile)
        .of_runtime(settings.transcripts.caps.runtime)
}

/// Returns the comments above the first statement of a kernel, and misplaced preview comments
/// below it, with their positions.
fn header(text: &str) -> String {
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let (mut kept, mut at, mut is_top) = (String::new(), 0, true);
    for line in text.split_inclusive('\n') {
        is_top &= is_comment(line);
        if is_top {
            kept.push_str(line);
        } else if line.contains("@preview") {
            kept.push_str(&format!("{at}: {line}"));
        }
        at += line.len();
    }
    kept
}

impl ConfiguredAtoms {
    /// True if a kernel uses these atoms. Their findings are then reported with its prompts.
    fn is_asked_for(&self, programs: &[Arc<SnapshotProgram>]) -> bool {
        let of_it = programs.iter().filter(|program| Arc::ptr_eq(&program.inputs.settings, &self.settings));
        let mut kernels = of_it.filter_map(|program| {
            let kernel = program.previewed()?;
            program.files.iter().find(|file| file.id == kernel)
        });
        kernels.any(|file| Header::read(file.text()).groups.iter().any(|group| group.atoms.is_none()))
    }

    fn read(&self, snapshot: &Snapshot) -> PromptProvenance {
        let (globs, overlay, table) =
            (&self.settings.prompt.atoms, &*snapshot.prompt_overlay, &*snapshot.table);
        let Some(atoms) = AtomFiles::named(globs, &self.root, overlay, table) else {
            return PromptProvenance::default();
        };
        let diagnostics = corpus_findings(&atoms.corpus, &self.rules).into_iter().collect();
        PromptProvenance { diagnostics, files: files_of(atoms.texts()), ..PromptProvenance::default() }
    }
}

impl PromptProvenance {
    /// Computes the origins and findings of previews.
    fn from_preview(previewed: Previewed<'_>) -> Self {
        let Previewed { program, preview, files, sessions } = previewed;
        let ids: Vec<_> = sessions.iter().map(|session| session.as_ref().map(|session| session.id)).collect();
        let settings =
            Settings { rules: (*program.rules()).clone(), ..Settings::clone(&program.inputs.settings) };
        let found = findings(preview, &files.header, &ids, &files.findings, &settings);
        Self {
            provenance: preview.provenance(&ids),
            diagnostics: found.into_iter().collect(),
            files: files_of(files.texts()),
        }
    }
}

fn files_of<'t>(
    texts: impl Iterator<Item = (FileId, &'t Path, &'t Arc<str>)>,
) -> FxHashMap<FileId, Arc<SnapshotFile>> {
    let file = |(id, path, text): (FileId, &Path, &Arc<str>)| {
        (id, Arc::new(SnapshotFile::non_mangle(id, path.into(), None, Arc::clone(text))))
    };
    texts.map(file).collect()
}

impl SnapshotProgram {
    /// Returns the sample kernel with preview comments, if this is its program.
    #[must_use]
    pub fn previewed(&self) -> Option<FileId> {
        let kernel = self.single().filter(|_| !self.is_test())?;
        let file = self.files.iter().find(|file| file.id == kernel)?;
        file.text().contains("@preview").then_some(kernel)
    }

    /// True if [`Snapshot::trace_prompts`] has nothing to do.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        self.results.provenance.get().is_some() || self.previewed().is_none()
    }

    /// Returns the known origins of the prompt lines. The flag is true if they are current.
    #[must_use]
    pub fn prompt_provenance(&self) -> Option<(Arc<PromptProvenance>, bool)> {
        if let Some(known) = self.results.provenance.get() {
            return Some((Arc::clone(known), true));
        }
        let provenance = &self.caches.previews.provenance;
        let (statements, prompt_revisions) = (fingerprint(self.program()), self.prompt_revisions);
        let current = provenance.latest_if(|inputs| {
            inputs.statements == statements && inputs.prompt_revisions == prompt_revisions
        });
        let is_current = current.is_some();
        Some((current.or_else(|| provenance.latest())?, is_current))
    }

    fn provenance_inputs(&self) -> ProvenanceInputs {
        ProvenanceInputs {
            statements: fingerprint(self.program()),
            files: self.files.iter().map(|file| Identity(Arc::clone(file))).collect(),
            prompt_revisions: self.prompt_revisions,
            rules: Arc::clone(&self.inputs.rules),
            settings: Arc::clone(&self.inputs.settings),
        }
    }
}

impl Snapshot {
    /// Computes the origins of the prompt lines of a program, if they are not known yet. Changes
    /// nothing if canceled.
    pub fn trace_prompts(&self, program: &SnapshotProgram, cancel: &Cancel) {
        if program.is_traced() || cancel.is_cancelled() {
            return;
        }
        let Some(kernel) = program.previewed() else { return };
        let see = |previewed: Previewed<'_>| PromptProvenance::from_preview(previewed);
        let known = program.caches.previews.provenance.get(program.provenance_inputs(), |_| {
            let request = PreviewRequest::default();
            let known = self.preview_or_none(program, kernel, &request, &|| false, cancel, see);
            (!cancel.is_cancelled()).then(|| Arc::new(known.unwrap_or_default()))
        });
        known.into_iter().for_each(|known| _ = program.results.provenance.set(known));
    }

    /// Computes the findings of the prompt atoms of configurations, if they are not known yet.
    pub fn check_atoms(&self, cancel: &Cancel) {
        for atoms in self.atoms.iter().filter(|atoms| atoms.known().is_none()) {
            if cancel.is_cancelled() {
                return;
            }
            let is_asked_for = atoms.is_asked_for(&self.programs);
            let known = if is_asked_for { PromptProvenance::default() } else { atoms.read(self) };
            let _ = atoms.known.set(Arc::new(known));
        }
    }

    /// True if [`Snapshot::check_atoms`] has nothing to do.
    #[must_use]
    pub fn has_checked_atoms(&self) -> bool {
        self.atoms.iter().all(|atoms| atoms.known().is_some())
    }

    /// Returns the known results for displayed prompts, and for atoms without prompts.
    pub(super) fn all_provenance(&self) -> impl Iterator<Item = &PromptProvenance> {
        let is_shown = |program: &&Arc<SnapshotProgram>| self.shows_evaluation_of(program);
        let of_programs =
            self.programs.iter().filter(is_shown).filter_map(|program| program.results.provenance.get());
        of_programs.chain(self.atoms.iter().filter_map(|atoms| atoms.known())).map(AsRef::as_ref)
    }

    /// Returns the programs of sample kernels whose prompts may depend on a file. For a policy,
    /// these are the programs with the file; for other files, the programs whose previews read it.
    #[must_use]
    pub fn kernels_reading(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let of_policy = self.samples_of(file);
        if !of_policy.is_empty() || self.programs_of(file).next().is_some() {
            return of_policy.into_iter().filter(|program| program.previewed().is_some()).collect();
        }
        let reads = |program: &&Arc<SnapshotProgram>| {
            program.prompt_provenance().is_some_and(|(known, _)| known.file(file).is_some())
        };
        self.programs.iter().filter(reads).collect()
    }

    /// Returns the programs of the sample kernels around an open document that is in no program.
    /// Their prompts may depend on the document.
    #[must_use]
    pub fn samples_around(&self, file: &SnapshotFile) -> Vec<&Arc<SnapshotProgram>> {
        if self.transcript(file.id).is_some() || self.programs_with(file.id).next().is_some() {
            return Vec::new();
        }
        let around = self.programs.iter().filter(|program| file.path.starts_with(program.root()));
        around.filter(|program| program.previewed().is_some()).collect()
    }
}
