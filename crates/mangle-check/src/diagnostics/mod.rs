//! The diagnostics of a program: runs the checks, places what they find, applies severities and
//! silencing comments.
//!
//! Findings about one statement are kept while the statement and the signatures of the predicates
//! that it mentions stay the same, so that a keystroke costs the checks of one clause. What is known of a file is kept while
//! nothing that its findings depend on is different, so that an edit costs the files that it concerns.

mod checked;
mod last_run;
mod placer;
mod rejections;
#[cfg(test)]
mod rejections_tests;
mod statements;

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::Registry;
use crate::fix_checks::FixChecks;
use crate::program_checks::{ProgramChecks, off};
use crate::suppression::{Suppressions, UNUSED_SUPPRESSION};
pub use checked::CheckedProgram;
use last_run::LastRun;
use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Finding, Rule};
use mangle_syntax::text::{Cancel, FileId, StatementId, TextRange};
use placer::{Placer, order};
pub use rejections::rejections;
use statements::StatementFindings;
pub(crate) use statements::{check_statement, fingerprint};

/// What is kept of a program from one revision to the next: findings, types, and which fixes were found safe.
#[derive(Debug)]
pub struct FindingCache {
    statements: StatementFindings,
    types: Mutex<TypeCache>,
    fixes: FixChecks,
    last: Mutex<Option<LastRun>>,
}

impl FindingCache {
    /// An empty one, for a tool that has these rules.
    #[must_use]
    pub fn new(registry: &'static Registry) -> Self {
        Self {
            statements: StatementFindings::new(registry),
            types: Mutex::default(),
            fixes: FixChecks::default(),
            last: Mutex::default(),
        }
    }

    /// What the relations of `program` hold, with what is kept of its earlier revisions.
    #[must_use]
    pub fn types(&self, program: &Program) -> ProgramTypes {
        ProgramTypes::new(program, &mut self.types.lock())
    }

    /// Forgets a file that left its program.
    pub fn forget(&self, file: FileId) {
        self.statements.forget(file);
    }
}

/// The diagnostics of every file of `program`, sorted by start; files without any have an empty
/// list. In the order of [`Program::files`].
#[must_use]
pub fn diagnostics(
    program: &Program,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let checked = check_unless(&Cancel::new(), program, &cache.types(program), settings, cache);
    owned(checked.unwrap_or_default().diagnostics)
}

fn owned(found: Vec<(FileId, Arc<[Diagnostic]>)>) -> Vec<(FileId, Vec<Diagnostic>)> {
    found.into_iter().map(|(file, found)| (file, found.to_vec())).collect()
}

/// [`diagnostics`] for those who apply fixes: each fix that is safe is known to be, however many there are.
#[must_use]
pub fn diagnostics_for_fixing(
    program: &Program,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let types = cache.types(program);
    let mut last = cache.last.lock();
    let last = LastRun::follow(&mut last, program, &types, (settings, true));
    owned(last.run((&cache.statements, &cache.fixes), &Cancel::new()).unwrap_or_default().diagnostics)
}

/// [`diagnostics`] with the [`rejections`], or `None` once `cancel` is raised. What was found until then is kept in `cache`.
#[must_use]
pub fn check_unless(
    cancel: &Cancel,
    program: &Program,
    types: &ProgramTypes,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Option<CheckedProgram> {
    let mut last = cache.last.lock();
    LastRun::follow(&mut last, program, types, (settings, false))
        .run((&cache.statements, &cache.fixes), cancel)
}

/// The diagnostics of some files of `program`: about single statements, and of what only the whole program shows that
/// which `is_wanted` holds for.
#[must_use]
pub fn diagnostics_of_files(
    program: &Program,
    files: &[FileId],
    settings: &RuleSettings,
    cache: &FindingCache,
    is_wanted: &dyn Fn(&Rule) -> bool,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let (types, goes_on) = (cache.types(program), Cancel::new());
    let wanted: Vec<_> = program.files.iter().filter(|file| files.contains(&file.id)).collect();
    let one = |file: &&Arc<FileSummary>| cache.statements.check_file(program, &types, file, &goes_on);
    let of_statements: Vec<_> = wanted.iter().filter_map(one).collect();
    let of_program = ProgramChecks::new(program, &types, off(settings, is_wanted));
    let mut placer = Placer::checking(program, settings, &types, &cache.fixes);
    let mut all = Vec::with_capacity(of_statements.len());
    for (file, found) in wanted.into_iter().zip(&of_statements) {
        all.push((file.id, placer.place_all(file, found, of_program.of_file(file.id))));
    }
    all
}

/// Places findings about statements of `program` in its files, under its settings and the comments that silence.
#[must_use]
pub fn place(
    program: &Program,
    (settings, registry): (&RuleSettings, &'static Registry),
    findings: &[(FileId, StatementId, Finding)],
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placer = Placer::new(program, settings);
    let mut placed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for (file, statement, finding) in findings {
        let Some(summary) = program.file(*file) else { continue };
        let found = placer.place(summary, Some(*statement), finding.clone());
        placed.entry(*file).or_default().extend(found);
    }
    silenced(program, (settings, registry), placed)
}

/// Places findings whose ranges count from the start of their file, as [`place`] does; the files are of the program.
#[must_use]
pub fn place_in_files(
    program: &Program,
    (settings, registry): (&RuleSettings, &'static Registry),
    findings: Vec<(FileId, Finding)>,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placer = Placer::new(program, settings);
    let mut placed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for (file, finding) in findings {
        let Some(summary) = program.file(file) else { continue };
        let found = placer.place(summary, None, finding);
        placed.entry(file).or_default().extend(found);
    }
    silenced(program, (settings, registry), placed)
}

/// Without what the comments of each file silence, and in order.
fn silenced(
    program: &Program,
    (settings, registry): (&RuleSettings, &'static Registry),
    mut placed: FxHashMap<FileId, Vec<Diagnostic>>,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    for (file, found) in &mut placed {
        if let Some(summary) = program.file(*file) {
            // What is wrong with the comments was said before.
            let _ = Suppressions::of(summary, registry).apply(&summary.text, settings, found);
        }
        found.sort_by(|a, b| order(a).cmp(&order(b)));
    }
    placed
}

/// What was found in one file by each of its programs. Of findings of one rule with one place and one message, the first
/// program's counts, as in the output of a check. That a comment silences nothing is reported only when no program of
/// the file needs it.
#[must_use]
pub fn once<'d>(lists: &[&'d [Diagnostic]]) -> Vec<&'d Diagnostic> {
    if let [only] = lists {
        return only.iter().collect();
    }
    let mut found: Vec<&Diagnostic> = Vec::new();
    // By place and rule, to compare each with few others: the index in `found`, and in how many lists it is.
    let mut known: FxHashMap<(TextRange, &str), Vec<(usize, usize)>> = FxHashMap::default();
    let mut in_lists: Vec<usize> = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        for diagnostic in *list {
            let alike = known.entry((diagnostic.range, diagnostic.rule.code)).or_default();
            let is_same = |known: &&Diagnostic| known.message == diagnostic.message;
            let same = alike.iter_mut().find(|(index, _)| found.get(*index).is_some_and(is_same));
            match same {
                Some((_, last)) if *last == at => {}
                Some((index, last)) => {
                    *last = at;
                    in_lists.get_mut(*index).into_iter().for_each(|count| *count += 1);
                }
                None => {
                    alike.push((found.len(), at));
                    found.push(diagnostic);
                    in_lists.push(1);
                }
            }
        }
    }
    let is_needed = |count: usize, diagnostic: &Diagnostic| {
        diagnostic.rule != &UNUSED_SUPPRESSION || count == lists.len()
    };
    let found = found.into_iter().zip(in_lists).filter(|(diagnostic, count)| is_needed(*count, diagnostic));
    found.map(|(diagnostic, _)| diagnostic).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_syntax::syntax::SourceFile;

    #[test]
    fn a_stopped_check_loses_nothing() {
        let text = "p(X) :- q(X), !r(X, Y).\ns(Z) :- p(Z, Z).\n";
        let summary = || Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let program = Program::new(vec![summary()]);
        let (settings, cache, cancel) =
            (RuleSettings::default(), FindingCache::new(Registry::of_programs()), Cancel::new());
        let before = diagnostics(&program, &settings, &cache);
        let edited = Program::new(vec![summary()]);
        cancel.cancel();
        let types = cache.types(&edited);
        assert_eq!(check_unless(&cancel, &edited, &types, &settings, &cache), None);
        assert_eq!(diagnostics(&edited, &settings, &cache), before);
        assert!(before.iter().any(|(_, found)| !found.is_empty()));
    }
}
