//! The properties of policy tests in the workspace: checked, kept as long as their program is the same, and shown as findings.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Snapshot, SnapshotProgram};
use crate::host::{absolute, folder_of, other_program, relative};
use crate::ide::registry;
use crate::ide::rule_survey::survey;
use crate::ide::verification::{
    AnswerMemo, AnsweredProperty, OtherProgram, Surroundings, VerifyRun, answered, known_answers,
    property_findings, survey_findings, usual_scope,
};
use mangle_check::diagnostics::place_in_files;
use mangle_engine::kernel::Clock;
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{Cancel, FileId};

impl Snapshot {
    /// Checks the properties of a program, unless that is done; `next` is called with the name of each before it is checked. Does nothing
    /// when `cancel` is raised meanwhile.
    pub fn verify(&self, program: &SnapshotProgram, next: &mut dyn FnMut(&str), cancel: &Cancel) {
        if program.is_verified() || cancel.is_cancelled() {
            return;
        }
        let mut wanted = |name: &str| {
            next(name);
            !cancel.is_cancelled()
        };
        let run = program.verify_run();
        let answered =
            self.with_surroundings(|surroundings| answered(&run, surroundings, &mut wanted, cancel));
        if !cancel.is_cancelled() {
            program.set_verified(property_findings(program.program(), &answered));
        }
    }

    /// The properties of a program, with the answers that are known.
    #[must_use]
    pub fn known_answers(&self, program: &SnapshotProgram) -> Vec<AnsweredProperty> {
        let run = program.verify_run();
        self.with_surroundings(|surroundings| known_answers(&run, surroundings))
    }

    /// Calls `ask` with what properties see of the folders around them: files are called as seen from the folder of their
    /// program, and programs that are compared with are those of the workspace, else those on disk.
    pub fn with_surroundings<T>(&self, ask: impl FnOnce(Surroundings<'_>) -> T) -> T {
        let other = |file: Option<FileId>, path: &str| {
            let root = file.map_or(Path::new(""), |file| self.root_around(file));
            let folder = folder_of(file, &self.table, root);
            let wanted = absolute(&folder, Path::new(path));
            match self.programs.iter().find(|one| one.single().is_none() && one.root() == wanted) {
                Some(found) => Ok(self.as_other(found)),
                None => other_program(&folder, path, root),
            }
        };
        ask(Surroundings { name: &|file| self.name_below(file), other: &other })
    }

    /// The folder of the program that a file is in.
    fn root_around(&self, file: FileId) -> &Path {
        let of = self.programs.iter().find(|program| program.files.iter().any(|one| one.id == file));
        of.map_or(Path::new(""), |program| program.settings_root())
    }

    /// A file as seen from the folder of its program.
    fn name_below(&self, file: FileId) -> String {
        let root = self.root_around(file);
        self.file(file).map(|file| relative(root, &file.path)).unwrap_or_default()
    }

    /// A program of the workspace, for a property of another one.
    fn as_other(&self, found: &SnapshotProgram) -> OtherProgram {
        let names = found.files.iter().map(|file| (file.id, self.name_below(file.id)));
        OtherProgram { names: names.collect(), program: (**found.program()).clone() }
    }
}

impl SnapshotProgram {
    /// The answers of its properties, as far as they are known.
    #[must_use]
    pub fn answers(&self) -> &AnswerMemo {
        &self.answers
    }

    /// How its properties are checked.
    fn verify_run(&self) -> VerifyRun<'_> {
        let settings = self.settings();
        VerifyRun {
            program: self.program(),
            file: self.test(),
            property: None,
            readings: std::slice::from_ref(&self.kernel().reading),
            limits: self.limits(),
            clock: Clock::of(self.kernel()),
            scope: usual_scope(&settings.verify),
            settings,
            memo: Some(&self.answers),
        }
    }

    /// Whether the findings of its properties are known, or it has none.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.test().is_none() || self.verification.get().is_some()
    }

    /// Takes over what is known of its properties, if that is all of them.
    pub(super) fn adopt_answers(&self) {
        if self.is_verified() || self.answers.is_empty() {
            return;
        }
        // Comparisons with other programs are answered anew.
        let alone = Surroundings { name: &|_| String::new(), other: &|_, _| Err(String::new()) };
        let answered = known_answers(&self.verify_run(), alone);
        if answered.iter().all(|of| of.answer.is_some()) {
            self.set_verified(property_findings(self.program(), &answered));
        }
    }

    fn set_verified(&self, findings: Vec<Finding>) {
        let Some(file) = self.test() else { return };
        let findings = findings.into_iter().map(|finding| (file, finding)).collect();
        let _ = self.verification.set(Arc::new(self.placed(findings)));
    }

    /// Looks for rules that change nothing in the files that `wanted` takes. Gives how many questions were not decided.
    pub fn survey(&self, wanted: &dyn Fn(FileId) -> bool, cancel: &Cancel) -> usize {
        let found = survey(&self.verify_run(), &|_| String::new(), wanted, &mut |_, _| {}, cancel);
        let _ = self.verification.set(Arc::new(self.placed(survey_findings(&found.idle))));
        found.undecided
    }

    /// What its properties find, or the search for rules that change nothing, by file.
    pub fn verification_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.verification.get().into_iter().flat_map(|found| found.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    fn placed(&self, findings: Vec<(FileId, Finding)>) -> FxHashMap<FileId, Vec<Diagnostic>> {
        place_in_files(self.program(), (self.rules(), registry::all()), findings)
    }
}
