//! Previews of sample kernels, kept from revision to revision: one is made at a time, the newest waits, and what did not
//! change is not evaluated again.

use std::path::Path;
use std::sync::Arc;

use super::preview_cache::Kept;
use super::program::SnapshotProgram;
use super::snapshot::Snapshot;
use crate::host::preview_files::{AtomCache, PreviewFiles, SessionText, preview_name};
use crate::host::{AtomFiles, Overlay, PreviewRequest, is_mangle};
use agent_prompt::{Preview, PreviewSettings};
use mangle_engine::kernel::Clock;
use mangle_syntax::text::{Cancel, FileId};

/// Why nothing is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unshown {
    /// The file is in no program, or asks for no such preview.
    Unknown,
    /// There is a newer state that waits, or nobody wants it any more.
    Outdated,
    /// The program does not load: that, with the first error.
    Refused(String),
}

/// Previews as they are now.
#[derive(Debug)]
pub struct Previewed<'p> {
    /// The program of the kernel.
    pub program: &'p SnapshotProgram,
    /// The prompts.
    pub preview: &'p mut Preview,
    /// The header of the kernel, what it names, and paths in it that lead nowhere.
    pub files: &'p PreviewFiles,
    /// The session file of each prompt.
    pub sessions: &'p [Option<Arc<SessionText>>],
}

impl Snapshot {
    /// Shows `see` the prompts that a kernel asks for. Whoever comes while one is made waits, and goes away if there is
    /// a newer state by then.
    ///
    /// # Errors
    /// When there is no such preview, or it is of no use any more.
    pub fn preview<T>(
        &self,
        file: FileId,
        request: &PreviewRequest,
        (is_outdated, cancel): (&dyn Fn() -> bool, &Cancel),
        see: impl FnOnce(Previewed<'_>) -> T,
    ) -> Result<T, Unshown> {
        let see_some = |previewed: Previewed<'_>| {
            let has_some = !previewed.preview.shown().is_empty();
            has_some.then(|| see(previewed))
        };
        let program = self.programs_of(file).next().filter(|program| !program.is_test());
        let program = program.ok_or(Unshown::Unknown)?;
        if let Some(why) = program.refusal() {
            return Err(Unshown::Refused(why));
        }
        self.preview_or_none(program, file, request, (is_outdated, cancel), see_some)?.ok_or(Unshown::Unknown)
    }

    /// [`Snapshot::preview`], also where the header asks for no prompt: that may be a mistake in it. `program` is that of the
    /// kernel.
    pub(super) fn preview_or_none<T>(
        &self,
        program: &SnapshotProgram,
        file: FileId,
        request: &PreviewRequest,
        (is_outdated, cancel): (&dyn Fn() -> bool, &Cancel),
        see: impl FnOnce(Previewed<'_>) -> T,
    ) -> Result<T, Unshown> {
        let slot = program.previews.slot(file, request);
        let mut kept = match slot.try_lock() {
            Some(kept) => kept,
            None => {
                let kept = slot.lock();
                // Who had to wait makes room for the newest.
                if is_outdated() || cancel.is_cancelled() {
                    return Err(Unshown::Outdated);
                }
                kept
            }
        };
        let made = self.refreshed(kept.take(), program, file, request, cancel).ok_or(Unshown::Unknown)?;
        if cancel.is_cancelled() {
            return Err(Unshown::Outdated);
        }
        let Kept { preview, files, sessions, .. } = kept.insert(made);
        Ok(see(Previewed { program, preview, files, sessions }))
    }

    /// What was made last, as it is now; `None` for a file that is not there.
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
        let (now, settings) = (Arc::clone(program.program()), Arc::clone(&program.settings));
        let read_for = (header(text), self.prompt_revisions);
        let kept = kept.filter(|kept| Arc::ptr_eq(&kept.settings, &settings));
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
                let how = PreviewSettings { compiler, ..how(program) };
                Preview::new(Arc::clone(&now), Some(file), wanted, how, cancel)
            }
        };
        Some(Kept { preview, program: now, settings, files, atoms, sessions, read_for })
    }

    /// Reads what a kernel names besides policies, and the atoms of the configuration; atoms only if there may be others
    /// than there were.
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
            None => AtomFiles::named(&program.settings.prompt.atoms, root, overlay, table).map(Arc::new),
        };
        let known =
            AtomCache { configured: configured.as_ref(), before: before.map(|kept| kept.files.as_ref()) };
        let files = PreviewFiles::load(path, text, root, known, overlay, table);
        program.previews.note_read(&files, configured.as_ref());
        (Arc::new(files), configured)
    }

    /// The open documents that a header may name: those beside policies, and policies, which need not be on disk.
    fn readable(&self) -> Overlay {
        let mut overlay = Overlay::clone(&self.beside);
        let open = self.files().filter(|file| file.open.is_some() && is_mangle(&file.path));
        open.for_each(|file| overlay.insert(file.path.to_path_buf(), Arc::clone(file.text())));
        overlay
    }
}

/// How the previews of a program are made.
fn how(program: &SnapshotProgram) -> PreviewSettings {
    let (settings, limits) = (program.settings(), program.limits());
    let kernel = &settings.kernel;
    PreviewSettings::of(&settings.prompt, kernel.reading, limits, Clock::from_settings(kernel))
        .in_version(settings.transcripts.profile)
        .of_runtime(settings.transcripts.caps.runtime)
}

/// The comments above the first statement of a kernel, and the misplaced ones about previews below it, with their places.
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
