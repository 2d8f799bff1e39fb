//! Findings that make the engine reject a program.

use super::FindingCache;
use super::placer::Placer;
use crate::program_checks::{ProgramChecks, may_reject, off};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::parallel;
use mangle_syntax::text::{Cancel, FileId};

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
