//! What feeds the prompts of sample kernels, and what is wrong with them: worked out aside, beside evaluations, for hover
//! and diagnostics.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::Feeds;
use super::file::SnapshotFile;
use super::previews::{PreviewWish, Previewed};
use super::snapshot::{Snapshot, SnapshotProgram};
use crate::host::{AtomFiles, Project};
use crate::ide::evaluation::fingerprint;
use crate::ide::previews::{corpus_findings, findings};
use agent_prompt::{Fed, Header};
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Cancel, FileId};

/// What the prompts of a sample kernel show.
#[derive(Debug, Default)]
pub struct KnownFeeds {
    /// What feeds them.
    pub fed: Fed,
    /// What is wrong, by file: of the program, and beside policies.
    pub(super) diagnostics: FxHashMap<FileId, Vec<Diagnostic>>,
    /// The files that were read beside policies.
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    /// The statements and the files that it was made from.
    made_from: (u64, Feeds),
}

impl KnownFeeds {
    /// A file that was read beside policies.
    pub(super) fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        self.files.get(&id)
    }

    fn of(previewed: Previewed<'_>, feeds: Feeds) -> Self {
        let Previewed { program, preview, files, sessions } = previewed;
        let ids: Vec<_> = sessions.iter().map(|session| session.as_ref().map(|session| session.id)).collect();
        let settings = Settings { rules: (*program.rules).clone(), ..Settings::clone(&program.settings) };
        let found = findings(preview, &files.header, &ids, &files.findings, &settings);
        Self {
            fed: preview.fed(&ids),
            diagnostics: found.into_iter().collect(),
            files: self::files(files.texts()),
            made_from: (fingerprint(program.program()), feeds),
        }
    }
}

/// The prompt atoms that a configuration names, of which perhaps no kernel asks for a prompt.
#[derive(Debug)]
pub(super) struct ConfiguredAtoms {
    root: PathBuf,
    settings: Arc<Settings>,
    rules: RuleSettings,
    known: OnceLock<Arc<KnownFeeds>>,
}

impl ConfiguredAtoms {
    /// Those of some configurations; `base` holds for rules of which these say nothing.
    pub(super) fn of(projects: &[Project], base: &RuleSettings) -> Vec<Arc<Self>> {
        let named = projects.iter().filter(|project| !project.settings.prompt.atoms.patterns().is_empty());
        let of = |project: &Project| {
            let rules = project.settings.rules.over(base);
            let (root, settings) = (project.root.clone(), Arc::clone(&project.settings));
            Arc::new(Self { root, settings, rules, known: OnceLock::new() })
        };
        named.map(of).collect()
    }

    /// What is wrong with them, if that is known.
    pub(super) fn known(&self) -> Option<&Arc<KnownFeeds>> {
        self.known.get()
    }

    /// Whether a kernel asks for prompts of them: then what is wrong is told with those.
    fn is_asked_for(&self, programs: &[Arc<SnapshotProgram>]) -> bool {
        let of_it = programs.iter().filter(|program| Arc::ptr_eq(&program.settings, &self.settings));
        let mut kernels = of_it.filter_map(|program| {
            let kernel = program.previewed()?;
            program.files.iter().find(|file| file.id == kernel)
        });
        kernels.any(|file| Header::read(file.text()).groups.iter().any(|group| group.atoms.is_none()))
    }

    fn read(&self, snapshot: &Snapshot) -> KnownFeeds {
        let (globs, overlay, table) = (&self.settings.prompt.atoms, &*snapshot.beside, &*snapshot.table);
        let Some(atoms) = AtomFiles::named(globs, &self.root, overlay, table) else {
            return KnownFeeds::default();
        };
        let diagnostics = corpus_findings(&atoms.corpus, &self.rules).into_iter().collect();
        KnownFeeds { diagnostics, files: files(atoms.texts()), ..KnownFeeds::default() }
    }
}

fn files<'t>(
    texts: impl Iterator<Item = (FileId, &'t Path, &'t Arc<str>)>,
) -> FxHashMap<FileId, Arc<SnapshotFile>> {
    let file = |(id, path, text): (FileId, &Path, &Arc<str>)| {
        (id, Arc::new(SnapshotFile::foreign(id, path.into(), None, Arc::clone(text))))
    };
    texts.map(file).collect()
}

impl SnapshotProgram {
    /// The sample kernel that asks for prompts, where this is the program of one.
    #[must_use]
    pub fn previewed(&self) -> Option<FileId> {
        let kernel = self.single().filter(|_| self.sample().is_some())?;
        let file = self.files.iter().find(|file| file.id == kernel)?;
        file.text().contains("@preview").then_some(kernel)
    }

    /// Whether [`Snapshot::feed`] has nothing to do.
    #[must_use]
    pub fn is_fed(&self) -> bool {
        self.fed.get().is_some() || self.previewed().is_none()
    }

    /// What feeds its prompts as far as it is known, and whether that is of the texts as they are now.
    #[must_use]
    pub fn known_feeds(&self) -> Option<(Arc<KnownFeeds>, bool)> {
        if let Some(known) = self.fed.get() {
            return Some((Arc::clone(known), true));
        }
        let known = self.previews.last_fed()?;
        let is_current = known.made_from == (fingerprint(self.program()), self.feeds);
        Some((known, is_current))
    }
}

impl Snapshot {
    /// Works out what feeds the prompts of a program, unless somebody has already. Does nothing when `cancel` is raised
    /// meanwhile.
    pub fn feed(&self, program: &SnapshotProgram, cancel: &Cancel) {
        if program.is_fed() || cancel.is_cancelled() {
            return;
        }
        let Some(kernel) = program.previewed() else { return };
        let see = |previewed: Previewed<'_>| KnownFeeds::of(previewed, program.feeds);
        let known = self.preview_or_none(kernel, &PreviewWish::default(), (&|| false, cancel), see);
        if cancel.is_cancelled() {
            return;
        }
        let known = Arc::new(known.unwrap_or_default());
        program.previews.keep_fed(&known);
        let _ = program.fed.set(known);
    }

    /// Looks for what is wrong with the prompt atoms of configurations, unless somebody has already.
    pub fn feed_atoms(&self, cancel: &Cancel) {
        for atoms in self.atoms.iter().filter(|atoms| atoms.known().is_none()) {
            if cancel.is_cancelled() {
                return;
            }
            let is_asked_for = atoms.is_asked_for(&self.programs);
            let known = if is_asked_for { KnownFeeds::default() } else { atoms.read(self) };
            let _ = atoms.known.set(Arc::new(known));
        }
    }

    /// Whether [`Snapshot::feed_atoms`] has nothing to do.
    #[must_use]
    pub fn has_fed_atoms(&self) -> bool {
        self.atoms.iter().all(|atoms| atoms.known().is_some())
    }

    /// What is known of the prompts that are shown, and of atoms without any.
    pub(super) fn all_known_feeds(&self) -> impl Iterator<Item = &KnownFeeds> {
        let is_shown = |program: &&Arc<SnapshotProgram>| self.shows_evaluation_of(program);
        let of_programs = self.programs.iter().filter(is_shown).filter_map(|program| program.fed.get());
        of_programs.chain(self.atoms.iter().filter_map(|atoms| atoms.known())).map(AsRef::as_ref)
    }

    /// The programs of sample kernels whose prompts a file may feed: those that it is part of; of a file beside policies,
    /// those that read it.
    #[must_use]
    pub fn fed_by(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let of_policy = self.samples_of(file);
        if !of_policy.is_empty() || self.programs_of(file).next().is_some() {
            return of_policy.into_iter().filter(|program| program.previewed().is_some()).collect();
        }
        let reads = |program: &&Arc<SnapshotProgram>| {
            program.known_feeds().is_some_and(|(known, _)| known.file(file).is_some())
        };
        self.programs.iter().filter(reads).collect()
    }

    /// The programs whose prompts an open document may feed that is part of none: those of the sample kernels around it.
    #[must_use]
    pub fn maybe_fed_by(&self, file: &SnapshotFile) -> Vec<&Arc<SnapshotProgram>> {
        if self.transcript(file.id).is_some() || self.programs_with(file.id).next().is_some() {
            return Vec::new();
        }
        let around = self.programs.iter().filter(|program| file.path.starts_with(program.root()));
        around.filter(|program| program.previewed().is_some()).collect()
    }
}
