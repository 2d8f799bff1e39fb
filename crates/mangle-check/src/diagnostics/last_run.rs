//! Incremental state of the diagnostics of a program: known results, statements to check, and
//! findings to place.

use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use super::placer::Placer;
use super::statements::{FileFindings, StatementFindings};
use crate::analysis::with_other_helpers;
use crate::fix_checks::{Change, Dependencies, FixChecks};
use crate::program_checks::{Changed, ProgramChecks};
use mangle_engine::program::{Difference, Program};
use mangle_engine::types::ProgramTypes;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::parallel;
use mangle_syntax::text::{Cancel, FileId};

/// The results of the last run, and the work that later changes require. Work accumulates until it
/// is done, so a canceled run loses nothing.
#[derive(Debug)]
pub(super) struct LastRun {
    program: Program,
    types: ProgramTypes,
    settings: RuleSettings,
    is_thorough: bool,
    checks: Option<ProgramChecks>,
    /// The state of each file, in the order of [`Program::files`].
    files: Vec<FileState>,
    /// Files with statements to check.
    unchecked: BTreeSet<u32>,
    /// Files with findings to place.
    unplaced: BTreeSet<u32>,
}

/// The state of one file of a program.
#[derive(Debug, Default)]
struct FileState {
    /// The findings about single statements.
    findings: Option<Arc<FileFindings>>,
    placed: Placed,
}

/// The diagnostics of a file, and the inputs that determine their positions and the safety of
/// fixes.
#[derive(Debug, Default)]
struct Placed {
    diagnostics: Arc<[Diagnostic]>,
    /// The findings that make the engine reject the program.
    rejected: Vec<Diagnostic>,
    /// The other files that the diagnostics point into.
    reads: SmallVec<[FileId; 2]>,
    /// The inputs that determine the safety of fixes.
    dependencies: Dependencies,
}

/// Minimum number of files per thread.
const MIN_FILES_PER_THREAD: usize = 8;

impl LastRun {
    /// Updates the state for a later revision of the program.
    pub(super) fn update<'l>(
        last: &'l mut Option<Self>,
        program: &Program,
        types: &ProgramTypes,
        settings: &RuleSettings,
        is_thorough: bool,
    ) -> &'l mut Self {
        let is_usable = |last: &Self| last.settings == *settings && last.is_thorough == is_thorough;
        let known = last.take().filter(is_usable);
        let difference = known.as_ref().and_then(|last| Difference::between(&last.program, program));
        let mut this = match (known, difference) {
            (Some(mut known), Some(difference)) => {
                known.record_changes(program, types, &difference);
                known
            }
            (_, _) => Self::new(program, types, settings, is_thorough),
        };
        match ProgramChecks::follow(&mut this.checks, program, types, settings) {
            Changed::All => this.unplaced.extend(indices(program)),
            Changed::Files(files) => {
                this.unplaced.extend(files.iter().filter_map(|file| program.index_of(*file)));
            }
        }
        last.insert(this)
    }

    fn new(program: &Program, types: &ProgramTypes, settings: &RuleSettings, is_thorough: bool) -> Self {
        let (program, types, settings) = (program.clone(), types.clone(), settings.clone());
        let unchecked: BTreeSet<u32> = indices(&program).collect();
        let files = unchecked.iter().map(|_| FileState::default()).collect();
        let unplaced = unchecked.clone();
        Self { program, types, settings, is_thorough, checks: None, files, unchecked, unplaced }
    }

    /// Records the work that a difference requires.
    fn record_changes(&mut self, program: &Program, types: &ProgramTypes, difference: &Difference) {
        let retyped = types.different_from(&self.types);
        (self.program, self.types) = (program.clone(), types.clone());
        self.unchecked.extend(&difference.files);
        // Statements depend on the signatures and types of their predicates, and on the existence
        // of other predicates of the same name.
        for id in difference.signatures.iter().chain(&retyped) {
            self.unchecked.extend(program.get(*id).files.iter().map(|(file, _)| *file));
        }
        for id in &difference.existence {
            let alike = program.named(program.get(*id).key.name);
            self.unchecked.extend(alike.flat_map(|predicate| predicate.files.iter()).map(|(file, _)| *file));
        }
        let helped = with_other_helpers(program, difference);
        let negates = |file: &FileState| {
            file.findings.as_ref().is_none_or(|findings| !findings.negated.is_disjoint(&helped))
        };
        if !helped.is_empty() {
            let files = (0u32..).zip(&self.files).filter(|(_, file)| negates(file)).map(|(at, _)| at);
            self.unchecked.extend(files);
        }
        if !difference.touched.is_empty() {
            let tests = program.embedding.tests.iter().filter_map(|file| program.index_of(*file));
            self.unchecked.extend(tests);
        }
        let change = Change::from_difference(program, difference, &retyped);
        let concerned =
            (0u32..).zip(&self.files).filter(|(_, file)| file.placed.dependencies.are_changed_by(&change));
        self.unplaced.extend(concerned.map(|(at, _)| at));
        // Links into changed text need new positions.
        let changed: Vec<FileId> =
            difference.files.iter().filter_map(|at| Some(program.files.get(*at as usize)?.id)).collect();
        let reads_changed = |file: &FileState| file.placed.reads.iter().any(|read| changed.contains(read));
        let readers = (0u32..).zip(&self.files).filter(|(_, file)| reads_changed(file));
        self.unplaced.extend(readers.map(|(at, _)| at));
    }

    /// Does the recorded work. Returns `None` if `cancel` is raised.
    pub(super) fn run(
        &mut self,
        statements: &StatementFindings,
        fixes: &FixChecks,
        cancel: &Cancel,
    ) -> Option<CheckedProgram> {
        let check = |at: &u32| {
            let file = self.program.files.get(*at as usize)?;
            Some((*at, statements.check_file(&self.program, &self.types, file, cancel)))
        };
        let checked: Vec<_> = on_all_cores(&self.unchecked, check);
        let mut is_stopped = false;
        for (at, findings) in checked.into_iter().flatten() {
            is_stopped |= findings.is_none();
            if let (Some(findings), Some(file)) = (findings, self.files.get_mut(at as usize)) {
                file.findings = Some(findings);
                self.unchecked.remove(&at);
                self.unplaced.insert(at);
            }
        }
        if is_stopped || cancel.is_cancelled() {
            return None;
        }
        let place = |at: &u32| {
            let placed = (!cancel.is_cancelled()).then(|| self.place(*at, fixes)).flatten();
            Some((*at, placed?))
        };
        let placed: Vec<_> = on_all_cores(&self.unplaced, place);
        for (at, placed) in placed.into_iter().flatten() {
            if let Some(file) = self.files.get_mut(at as usize) {
                file.placed = placed;
                self.unplaced.remove(&at);
            }
        }
        if cancel.is_cancelled() {
            return None;
        }
        let files = || self.program.files.iter().zip(&self.files);
        let rejected = files().flat_map(|(file, known)| {
            known.placed.rejected.iter().map(|rejected| (file.id, rejected.clone()))
        });
        Some(CheckedProgram {
            rejections: rejected.collect(),
            diagnostics: files()
                .map(|(file, known)| (file.id, Arc::clone(&known.placed.diagnostics)))
                .collect(),
        })
    }

    fn place(&self, at: u32, fixes: &FixChecks) -> Option<Placed> {
        let file = self.program.files.get(at as usize)?;
        let of_statements = self.files.get(at as usize)?.findings.as_ref()?;
        let of_program = self.checks.as_ref().map(|checks| checks.of_file(file.id)).unwrap_or_default();
        let mut placer = Placer::checking(&self.program, &self.settings, &self.types, fixes);
        placer.thorough = self.is_thorough;
        let mut unchecked = Placer::new(&self.program, &self.settings);
        let rejected = unchecked.place_rejected(file, of_statements, &of_program);
        let diagnostics = placer.place_all(file, of_statements, of_program).into();
        let Placer { reads, dependencies, .. } = placer;
        Some(Placed { diagnostics, rejected, reads, dependencies })
    }
}

fn indices(program: &Program) -> impl Iterator<Item = u32> + use<> {
    (0u32..).take(program.files.len())
}

/// Processes each number, on several threads if there are many.
fn on_all_cores<T: Send>(numbers: &BTreeSet<u32>, work: impl Fn(&u32) -> T + Sync) -> Vec<T> {
    let numbers: Vec<u32> = numbers.iter().copied().collect();
    parallel::map(&numbers, MIN_FILES_PER_THREAD, work)
}

/// Result of checking a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckedProgram {
    /// The findings of each file, in the order of
    /// [`Program::files`](mangle_engine::program::Program::files).
    pub diagnostics: Vec<(FileId, Arc<[Diagnostic]>)>,
    /// The findings that make the engine reject the program, from
    /// [`rejections`](crate::diagnostics).
    pub rejections: Vec<(FileId, Diagnostic)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;
    use mangle_engine::program::FileSummary;
    use mangle_engine::types::TypeCache;
    use mangle_syntax::syntax::SourceFile;

    /// Checks that exactly the files `placed` are placed again after the first text becomes
    /// `edited`, although all statements stay the same. The result must equal a run from scratch.
    #[track_caller]
    fn check(texts: [&str; 3], edited: &str, placed: &[u32]) {
        let summary =
            |(text, id): (&str, u32)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into())));
        let files: Vec<_> = texts.into_iter().zip(0..).map(summary).collect();
        let before = Program::new(files.clone());
        let after = before.succeed(
            [summary((edited, 0))].into_iter().chain(files.into_iter().skip(1)).collect(),
            &Arc::default(),
        );
        let (settings, mut types, mut last) = (RuleSettings::default(), TypeCache::default(), None);
        let (statements, fixes) = (StatementFindings::new(Registry::of_programs()), FixChecks::default());
        let of_before = ProgramTypes::new(&before, &mut types);
        let run = LastRun::update(&mut last, &before, &of_before, &settings, false);
        let found = run.run(&statements, &fixes, &Cancel::new()).unwrap();
        assert!(
            found
                .diagnostics
                .iter()
                .all(|(_, found)| found.iter().any(|diagnostic| diagnostic.fix.is_some())),
            "no fix: {found:?}"
        );
        let of_after = ProgramTypes::new(&after, &mut types);
        let run = LastRun::update(&mut last, &after, &of_after, &settings, false);
        let again: Vec<u32> = run.unplaced.union(&run.unchecked).copied().collect();
        assert_eq!(again, placed);
        let found = run.run(&statements, &fixes, &Cancel::new());
        let mut new = None;
        let (statements, fixes) = (StatementFindings::new(Registry::of_programs()), FixChecks::default());
        let run = LastRun::update(&mut new, &after, &of_after, &settings, false);
        assert_eq!(found, run.run(&statements, &fixes, &Cancel::new()), "not as found from the start");
    }

    /// Each text has a fix: use a helper in the negation.
    const TEXTS: [&str; 3] = [
        "a(X) :- b(X), !c(X, _).\nk(1).\nd(X) :- b(X), c(X, 2).\n",
        "e(X) :- b(X), !c(X, _).\nb(1).\nc(1, 2).\n",
        "h(X) :- k(X), !c(X, _).\n",
    ];

    #[test]
    fn another_premise_concerns_one_file() {
        // Findings that point into the changed text are placed again; this text has none.
        let texts = [TEXTS[0], TEXTS[1], "h(X) :- b(X), !c(X, _).\n"];
        check(texts, "a(X) :- b(X), !c(X, _).\nk(1).\nd(X) :- b(X), c(X, 1).\n", &[0]);
    }

    #[test]
    fn another_type_concerns_those_who_use_it() {
        check(TEXTS, "a(X) :- b(X), !c(X, _).\nk(\"one\").\nd(X) :- b(X), c(X, 2).\n", &[0, 2]);
    }

    #[test]
    fn a_new_predicate_concerns_one_file() {
        let texts = [TEXTS[0], TEXTS[1], "h(X) :- b(X), !c(X, _).\n"];
        check(texts, "a(X) :- b(X), !c(X, _).\nk(1).\nd(X) :- b(X), c(X, 2).\nnew(1).\n", &[0]);
    }

    #[test]
    fn a_helper_concerns_all_who_negate_what_it_is_about() {
        let edited = "a(X) :- b(X), !c(X, _).\nk(1).\nd(X) :- b(X), c(X, 2).\nany_c(X) :- c(X, _).\n";
        check(TEXTS, edited, &[0, 1, 2]);
    }

    #[test]
    fn a_name_that_a_helper_would_have_concerns_all_who_would_add_it() {
        check(TEXTS, "a(X) :- b(X), !c(X, _).\nk(1).\nd(X) :- b(X), c(X, 2).\nhas_c(1).\n", &[0, 1, 2]);
    }

    #[test]
    fn a_second_rule_of_a_helper_concerns_all_who_use_it() {
        let helper = "any_c(X) :- c(X, _).\n";
        let first = "a(X) :- b(X), !c(X, _).\nk(1).\nd(X) :- b(X), c(X, 2).\n";
        check(
            [&format!("{first}{helper}"), TEXTS[1], TEXTS[2]],
            &format!("{first}{helper}any_c(X) :- k(X).\n"),
            &[0, 1, 2],
        );
    }
}
