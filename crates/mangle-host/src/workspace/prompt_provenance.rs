//! Origins of the prompt lines of sample kernels, and findings about prompts. Computed along with
//! evaluations, for hover and diagnostics.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use super::previews::Previewed;
use super::program::SnapshotProgram;
use super::provenance::{PromptProvenance, ProvenanceInputs};
use super::snapshot::Snapshot;
use crate::{AtomFiles, PreviewRequest, Project};
use agent_prompt::Header;
use mangle_ide::evaluation::fingerprint;
use mangle_ide::previews::{corpus_findings, findings};
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::memo::Identity;
use mangle_syntax::text::{Cancel, FileId};

/// The prompt atoms that a configuration names. A kernel may or may not use them.
#[derive(Debug)]
pub(super) struct ConfiguredAtoms {
    root: PathBuf,
    settings: Arc<Settings>,
    rules: RuleSettings,
    known: OnceLock<Arc<PromptProvenance>>,
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
        PromptProvenance { diagnostics, files: files(atoms.texts()), ..PromptProvenance::default() }
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
            files: self::files(files.texts()),
        }
    }
}

fn files<'t>(
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
            let known = self.preview_or_none(program, kernel, &request, (&|| false, cancel), see);
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
