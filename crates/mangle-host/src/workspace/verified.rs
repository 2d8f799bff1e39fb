//! Properties of policy tests in the workspace: checks, cached answers, and findings.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::program_inputs::VerifiedProgram;
use super::{Snapshot, SnapshotProgram};
use crate::{absolute, folder_of, only, relative, solvers};
use mangle_check::diagnostics::place_in_files;
use mangle_engine::kernel::Clock;
use mangle_ide::registry;
use mangle_ide::verification::{
    AnswerMemo, AnsweredProperty, OtherProgram, Surroundings, VerifyRun, check_properties, default_scope,
    known_answers, property_findings, survey, survey_findings,
};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{Cancel, FileId};
use mangle_verify::Solvers;

/// Loads the program at a path relative to a folder. File names in output are relative to the last
/// argument.
pub type DiskLoader<'l> = dyn Fn(&Path, &str, &Path) -> Result<OtherProgram, String> + Sync + 'l;

impl Snapshot {
    /// Checks the properties of a program, if the answers are not known yet. `next` receives the
    /// name of each property before its check. Changes nothing if canceled.
    pub fn verify(
        &self,
        program: &SnapshotProgram,
        load: &DiskLoader<'_>,
        next: &mut dyn FnMut(&str),
        cancel: &Cancel,
    ) {
        if program.is_verified() || cancel.is_cancelled() {
            return;
        }
        if program.is_refused() {
            return program.set_answers(program.answers_in_memory());
        }
        let mut wanted = |name: &str| {
            next(name);
            !cancel.is_cancelled()
        };
        let run = program.verify_run();
        let properties =
            self.with_surroundings(load, |around| check_properties(&run, around, &mut wanted, cancel));
        if !cancel.is_cancelled() {
            program.set_answers(properties);
        }
    }

    /// Calls `ask` with the surroundings of properties. File names are relative to the folder of
    /// their program. Other programs for comparisons come from the workspace or from `load`.
    pub fn with_surroundings<T>(&self, load: &DiskLoader<'_>, ask: impl FnOnce(Surroundings<'_>) -> T) -> T {
        let other = |file: Option<FileId>, path: &str| {
            let around = file.and_then(|file| self.program_with(file));
            let root = around.map_or(Path::new(""), |program| program.settings_root());
            let folder = folder_of(file, &self.table, root);
            let wanted = absolute(&folder, Path::new(path));
            let is_there = |one: &&Arc<SnapshotProgram>| one.single().is_none() && one.root() == wanted;
            let found: Vec<_> = self.programs.iter().filter(is_there).collect();
            match found.is_empty() {
                true => load(&folder, path, root),
                false => only(&found, &|one| one.name(), &format!("in {path}")).map(|one| self.as_other(one)),
            }
        };
        ask(Surroundings { name: &|file| self.name_below(file), other: &other, solvers: &solvers })
    }

    /// Returns the first program that contains a file.
    fn program_with(&self, file: FileId) -> Option<&Arc<SnapshotProgram>> {
        self.programs.iter().find(|program| program.files.iter().any(|one| one.id == file))
    }

    /// Returns the name of a file, relative to the folder of its program.
    fn name_below(&self, file: FileId) -> String {
        self.program_with(file).map(|program| program.name_of(file)).unwrap_or_default()
    }

    /// Converts a program of the workspace for a comparison property.
    fn as_other(&self, found: &SnapshotProgram) -> OtherProgram {
        let names = found.files.iter().map(|file| (file.id, self.name_below(file.id)));
        OtherProgram { names: names.collect(), program: (**found.program()).clone() }
    }
}

impl SnapshotProgram {
    /// The known answers of its properties.
    #[must_use]
    pub fn answers(&self) -> &AnswerMemo {
        &self.caches.answers
    }

    /// Returns the parameters for checks of its properties.
    fn verify_run(&self) -> VerifyRun<'_> {
        let settings = self.settings();
        VerifyRun {
            program: self.program(),
            file: self.test(),
            property: None,
            readings: std::slice::from_ref(&self.kernel().reading),
            limits: self.limits(),
            clock: Clock::from_settings(self.kernel()),
            scope: default_scope(&settings.verify),
            settings,
            memo: Some(&self.caches.answers),
        }
    }

    /// True if the findings of its properties are known, or it has none.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.test().is_none() || self.results.verification.get().is_some()
    }

    /// Uses cached answers of its properties, if all of them are known.
    pub(super) fn adopt_answers(&self) {
        if self.is_verified() || self.caches.answers.is_empty() {
            return;
        }
        let properties = self.answers_in_memory();
        if properties.iter().all(|of| of.answer.is_some()) {
            self.set_answers(properties);
        }
    }

    /// Returns its properties with the known answers. Neither reads files nor searches.
    #[must_use]
    pub fn known_answers(&self) -> Arc<[AnsweredProperty]> {
        match self.results.verification.get() {
            Some(known) => Arc::clone(&known.properties),
            None => self.answers_in_memory().into(),
        }
    }

    /// Returns its properties with the cached answers, without results of this snapshot.
    /// Comparisons with other programs are not cached.
    fn answers_in_memory(&self) -> Vec<AnsweredProperty> {
        let alone = Surroundings {
            name: &|file| self.name_of(file),
            other: &|_, _| Err(String::new()),
            solvers: &|_| Solvers::default(),
        };
        // Results for a program that loaded do not apply to a program that does not load.
        let memo = Some(&*self.caches.answers).filter(|_| !self.is_refused());
        known_answers(&VerifyRun { memo, ..self.verify_run() }, alone)
    }

    /// Returns the name of a file, relative to the folder of the program.
    pub(super) fn name_of(&self, file: FileId) -> String {
        let file = self.files.iter().find(|one| one.id == file);
        file.map(|file| relative(self.settings_root(), &file.path)).unwrap_or_default()
    }

    /// True if its properties name other programs, whose changes are not detected here.
    pub(super) fn compares(&self) -> bool {
        let properties = self.results.verification.get().map(|known| &known.properties);
        properties.into_iter().flat_map(|all| all.iter()).any(|of| of.property.compares())
    }

    fn set_answers(&self, properties: Vec<AnsweredProperty>) {
        let Some(file) = self.test() else { return };
        let findings =
            property_findings(self.program(), &properties).into_iter().map(|finding| (file, finding));
        let diagnostics = self.placed(findings.collect());
        let _ = self
            .results
            .verification
            .set(Arc::new(VerifiedProgram { properties: properties.into(), diagnostics }));
    }

    /// Searches for rules that change nothing, in the files that `wanted` accepts. Returns the
    /// number of undecided questions.
    pub fn survey(&self, wanted: &dyn Fn(FileId) -> bool, cancel: &Cancel) -> usize {
        let found = survey(&self.verify_run(), &|_| String::new(), &solvers, wanted, &mut |_, _| {}, cancel);
        let diagnostics = self.placed(survey_findings(&found.idle));
        let _ = self
            .results
            .verification
            .set(Arc::new(VerifiedProgram { diagnostics, ..VerifiedProgram::default() }));
        found.undecided
    }

    /// Returns the findings of its properties or of the search for redundant rules, by file.
    pub fn verification_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.results.verification.get().into_iter().flat_map(|found| found.diagnostics.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    fn placed(&self, findings: Vec<(FileId, Finding)>) -> FxHashMap<FileId, Vec<Diagnostic>> {
        place_in_files(self.program(), self.rules(), registry::all(), findings)
    }
}
