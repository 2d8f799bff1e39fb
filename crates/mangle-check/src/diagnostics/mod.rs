//! Diagnostics of a program: runs the checks, places their findings in files, and applies
//! severities and suppression comments.
//!
//! Findings about a statement are cached until the statement or the signatures of its predicates
//! change, so a keystroke costs the checks of one clause. Results of a file are cached until an
//! input of its findings changes.

mod last_run;
mod placer;
mod statements;

pub use last_run::CheckedProgram;
pub(crate) use statements::{check_statement, fingerprint};

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::Registry;
use crate::fix_checks::FixChecks;
use crate::program_checks::{ProgramChecks, may_reject, off};
use crate::suppression::{Suppressions, UNUSED_SUPPRESSION};
use last_run::LastRun;
use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Finding, Rule};
use mangle_syntax::parallel;
use mangle_syntax::text::{Cancel, FileId, StatementId, TextRange};
use placer::{Placer, order};
use statements::StatementFindings;

/// Results that are kept between revisions of a program: findings, types, and the safety of fixes.
#[derive(Debug)]
pub struct FindingCache {
    statements: StatementFindings,
    types: Mutex<TypeCache>,
    fixes: FixChecks,
    last: Mutex<Option<LastRun>>,
}

impl FindingCache {
    /// Creates an empty cache for a tool with these rules.
    #[must_use]
    pub fn new(registry: &'static Registry) -> Self {
        Self {
            statements: StatementFindings::new(registry),
            types: Mutex::default(),
            fixes: FixChecks::default(),
            last: Mutex::default(),
        }
    }

    /// The types of `program`, based on the cached types of earlier revisions.
    #[must_use]
    pub fn types(&self, program: &Program) -> ProgramTypes {
        ProgramTypes::new(program, &mut self.types.lock())
    }

    /// Removes a file that left its program.
    pub fn forget(&self, file: FileId) {
        self.statements.forget(file);
    }
}

/// The diagnostics of every file of `program`, sorted by start. Files are in the order of
/// [`Program::files`]; files without findings have an empty list.
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

/// Like [`diagnostics`], but checks the safety of every fix without a limit on the work. For tools
/// that apply fixes.
#[must_use]
pub fn diagnostics_for_fixing(
    program: &Program,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let types = cache.types(program);
    let mut last = cache.last.lock();
    let last = LastRun::update(&mut last, program, &types, settings, true);
    owned(last.run(&cache.statements, &cache.fixes, &Cancel::new()).unwrap_or_default().diagnostics)
}

/// [`diagnostics`] with the [`rejections`]. Returns `None` if `cancel` is raised; partial results
/// stay in `cache`.
#[must_use]
pub fn check_unless(
    cancel: &Cancel,
    program: &Program,
    types: &ProgramTypes,
    settings: &RuleSettings,
    cache: &FindingCache,
) -> Option<CheckedProgram> {
    let mut last = cache.last.lock();
    LastRun::update(&mut last, program, types, settings, false).run(&cache.statements, &cache.fixes, cancel)
}

/// The diagnostics of some files of `program`: all findings about single statements, and the
/// whole-program findings of rules that `is_wanted` selects.
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

/// Places findings about statements of `program` in its files, and applies settings and suppression
/// comments.
#[must_use]
pub fn place(
    program: &Program,
    settings: &RuleSettings,
    registry: &'static Registry,
    findings: &[(FileId, StatementId, Finding)],
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placer = Placer::new(program, settings);
    let mut placed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for (file, statement, finding) in findings {
        let Some(summary) = program.file(*file) else { continue };
        let found = placer.place(summary, Some(*statement), finding.clone());
        placed.entry(*file).or_default().extend(found);
    }
    silenced(program, settings, registry, placed)
}

/// Places findings whose ranges are relative to their file, like [`place`]. The files must belong
/// to the program.
#[must_use]
pub fn place_in_files(
    program: &Program,
    settings: &RuleSettings,
    registry: &'static Registry,
    findings: Vec<(FileId, Finding)>,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let mut placer = Placer::new(program, settings);
    let mut placed: FxHashMap<FileId, Vec<Diagnostic>> = FxHashMap::default();
    for (file, finding) in findings {
        let Some(summary) = program.file(file) else { continue };
        let found = placer.place(summary, None, finding);
        placed.entry(file).or_default().extend(found);
    }
    silenced(program, settings, registry, placed)
}

/// Removes suppressed findings and sorts the rest.
fn silenced(
    program: &Program,
    settings: &RuleSettings,
    registry: &'static Registry,
    mut placed: FxHashMap<FileId, Vec<Diagnostic>>,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    for (file, found) in &mut placed {
        if let Some(summary) = program.file(*file) {
            // Findings about the comments were already reported.
            let _ = Suppressions::parse(summary, registry).apply(&summary.text, settings, found);
        }
        found.sort_by(|a, b| order(a).cmp(&order(b)));
    }
    placed
}

/// Merges the findings of one file from each of its programs. For findings with the same rule,
/// range and message, the first one is kept. An unused suppression comment is reported only if
/// every program reports it.
#[must_use]
pub fn merge_programs<'d>(lists: &[&'d [Diagnostic]]) -> Vec<&'d Diagnostic> {
    if let [only] = lists {
        return only.iter().collect();
    }
    let mut found: Vec<&Diagnostic> = Vec::new();
    // By range and rule, so that few findings are compared: the index in `found`, and the last list
    // that has it.
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

/// Minimum number of files per thread.
const MIN_FILES_PER_THREAD: usize = 8;

/// The findings that make the engine reject a program, or that mark a part that `mangle-ls` cannot
/// parse. Sorted by the order of [`Program::files`] and by position. A program without such
/// findings loads.
///
/// Settings that disable rules and suppression comments have no effect. Fixes are not checked.
///
/// ```
/// use std::sync::Arc;
/// use mangle_check::Registry;
/// use mangle_check::diagnostics::{FindingCache, rejections};
/// use mangle_engine::program::{FileSummary, Program};
/// use mangle_syntax::syntax::SourceFile;
/// use mangle_syntax::text::FileId;
///
/// let source = SourceFile::parse("open(D) :- dor(D).\ndoor(/front).\n".into());
/// let program = Program::new(vec![Arc::new(FileSummary::new(FileId(0), &source))]);
/// let found = rejections(&program, &FindingCache::new(Registry::of_programs()));
/// assert_eq!(found[0].1.message.as_str(), "undefined predicate `dor/1`");
/// ```
#[must_use]
pub fn rejections(program: &Program, cache: &FindingCache) -> Vec<(FileId, Diagnostic)> {
    let (types, settings, goes_on) = (cache.types(program), RuleSettings::default(), Cancel::new());
    let files: Vec<&FileSummary> = program.files.iter().map(AsRef::as_ref).collect();
    let of_statements = parallel::map(&files, MIN_FILES_PER_THREAD, |file| {
        cache.statements.check_file(program, &types, file, &goes_on)
    });
    let of_program = ProgramChecks::new(program, &types, off(&settings, &may_reject));
    let mut placer = Placer::new(program, &settings);
    let mut all = Vec::new();
    for (file, found) in files.into_iter().zip(of_statements) {
        let Some(found) = found else { continue };
        let rejected = placer.place_rejected(file, &found, &of_program.of_file(file.id));
        all.extend(rejected.into_iter().map(|rejected| (file.id, rejected)));
    }
    all
}

#[cfg(test)]
mod rejections_tests;

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
