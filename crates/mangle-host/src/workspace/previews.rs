//! Cached previews of sample kernels. One preview is computed at a time, and only the newest
//! request waits. Unchanged parts are not evaluated again.

use std::path::Path;
use std::sync::Arc;

use super::preview_cache::Kept;
use super::program::SnapshotProgram;
use super::snapshot::Snapshot;
use crate::preview_files::{AtomCache, PreviewFiles, SessionText, preview_name};
use crate::{AtomFiles, Overlay, PreviewRequest, is_mangle};
use agent_prompt::{Preview, PreviewSettings};
use mangle_engine::kernel::Clock;
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
        (is_outdated, cancel): (&dyn Fn() -> bool, &Cancel),
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
        self.preview_or_none(program, file, request, (is_outdated, cancel), see_some)?
            .ok_or(PreviewError::Unknown)
    }

    /// [`Snapshot::preview`] that also accepts a header without prompts, because the header may be
    /// wrong. `program` is the program of the kernel.
    pub(super) fn preview_or_none<T>(
        &self,
        program: &SnapshotProgram,
        file: FileId,
        request: &PreviewRequest,
        (is_outdated, cancel): (&dyn Fn() -> bool, &Cancel),
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
                None => self.read(program, (&path, text), kept.as_ref()),
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
        (path, text): (&Path, &str),
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
