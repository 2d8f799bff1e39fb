//! Load errors: errors that make the engine reject a whole program. All consumers of evaluations
//! use this module.
//!
//! The engine loads a program completely or not at all. Evaluating a rejected program would not
//! predict the behavior of a runtime.

use super::registry;
use mangle_check::diagnostics::{FindingCache, rejections};
use mangle_check::policy_test::TestFile;
use mangle_engine::program::Program;
use mangle_report::{LoadError, LoadErrors};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Encoding, FileId, LineIndex};

/// Returns the load errors of a program. `name` returns the display names of its files.
#[must_use]
pub fn load_errors(program: &Program, name: &dyn Fn(FileId) -> String) -> LoadErrors {
    to_load_errors(program, &load_findings(program), name)
}

/// Returns the findings that prevent loading.
#[must_use]
pub fn load_findings(program: &Program) -> Vec<(FileId, Diagnostic)> {
    rejections(program, &FindingCache::new(registry::all()))
}

/// [`load_errors`] of a program with a policy test. The test cases are excluded: each case is a
/// separate program together with the rest.
#[must_use]
pub fn load_errors_around_cases(
    program: &Program,
    test: FileId,
    name: &dyn Fn(FileId) -> String,
) -> LoadErrors {
    to_load_errors(program, &outside_cases(program, test, load_findings(program)), name)
}

/// Returns the findings outside of the cases of a policy test.
#[must_use]
pub fn outside_cases(
    program: &Program,
    test: FileId,
    mut found: Vec<(FileId, Diagnostic)>,
) -> Vec<(FileId, Diagnostic)> {
    let cases = program.file(test).map(|file| TestFile::read(file)).unwrap_or_default();
    found.retain(|(file, one)| *file != test || cases.case_at(one.range.start()).is_none());
    found
}

/// Converts findings to load errors.
#[must_use]
pub fn to_load_errors(
    program: &Program,
    found: &[(FileId, Diagnostic)],
    name: &dyn Fn(FileId) -> String,
) -> LoadErrors {
    let mut indexed: Option<(FileId, LineIndex)> = None;
    let error = |(file, one): &(FileId, Diagnostic)| {
        let text = program.file(*file).map_or("", |file| &file.text);
        // Findings are grouped by file.
        let lines = match indexed.take().filter(|(of, _)| of == file) {
            Some((_, lines)) => lines,
            None => LineIndex::new(text),
        };
        let place = lines.line_col(text, one.range.start(), Encoding::Utf32);
        indexed = Some((*file, lines));
        LoadError {
            file: name(*file),
            line: place.line as usize + 1,
            column: place.col as usize + 1,
            code: one.rule.code,
            message: one.message.to_string(),
            engine: program.embedding.engine.name.to_string(),
            names_engine: false,
        }
    };
    LoadErrors::new(found.iter().map(error).collect())
}
