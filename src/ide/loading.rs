//! If a program loads, and the errors because of which it does not: every consumer of an evaluation asks this module.
//!
//! The engine takes a program whole or not at all. What is evaluated of a program that it rejects says nothing about a runtime.

use super::registry;
use crate::report::{LoadError, LoadErrors};
use mangle_check::diagnostics::{FindingCache, rejections};
use mangle_check::policy_test::TestFile;
use mangle_engine::program::Program;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Encoding, FileId, LineIndex};

/// The errors because of which a program does not load; `name` gives the names of its files in output.
#[must_use]
pub fn load_errors(program: &Program, name: &dyn Fn(FileId) -> String) -> LoadErrors {
    placed(program, &rejected(program), name)
}

/// The findings because of which a program does not load.
#[must_use]
pub fn rejected(program: &Program) -> Vec<(FileId, Diagnostic)> {
    rejections(program, &FindingCache::new(registry::all()))
}

/// [`load_errors`] of a program with a policy test. The cases of the test are no part of the program: each is one with the rest.
#[must_use]
pub fn load_errors_around_cases(
    program: &Program,
    test: FileId,
    name: &dyn Fn(FileId) -> String,
) -> LoadErrors {
    placed(program, &outside_cases(program, test, rejected(program)), name)
}

/// The findings that are in no case of a policy test.
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

/// Findings in files of a program as errors of loading.
#[must_use]
pub fn placed(
    program: &Program,
    found: &[(FileId, Diagnostic)],
    name: &dyn Fn(FileId) -> String,
) -> LoadErrors {
    let mut indexed: Option<(FileId, LineIndex)> = None;
    let error = |(file, one): &(FileId, Diagnostic)| {
        let text = program.file(*file).map_or("", |file| &file.text);
        // Findings of a file follow each other.
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
