//! Diagnostics of whole files and programs: configuration files and unreadable files, errors that
//! make the engine reject a program, and the merged diagnostics of all sources.
//!
//! The engine loads a program completely or not at all. Evaluating a rejected program would not
//! predict the behavior of a runtime. The command line and the language server share this module,
//! so their counts are equal.

use rustc_hash::FxHashSet;

use super::evaluation::is_news;
use super::registry;
use mangle_check::diagnostics::{FindingCache, merge_programs, rejections};
use mangle_check::policy_test::TestFile;
use mangle_engine::program::{FileSummary, Program};
use mangle_report::{LoadError, LoadErrors};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Finding, Placement};
use mangle_syntax::text::{Encoding, FileId, LineIndex, TextRange, TextSize};

/// Converts findings with ranges relative to the start of `file` to diagnostics, and applies
/// severities.
#[must_use]
pub fn file_findings(file: FileId, findings: Vec<Finding>, settings: &RuleSettings) -> Vec<Diagnostic> {
    let place = |finding: Finding| {
        let severity = settings.severity_of(&finding)?;
        Some(Placement::new(file, TextSize::new(0), &mut |_, _| None).diagnostic(finding, severity))
    };
    findings.into_iter().filter_map(place).collect()
}

/// Diagnostics of one file by source. At equal places, earlier lists take precedence.
#[derive(Debug, Default)]
pub struct Lists<'d> {
    /// Static checks, one list per program that reports the file.
    pub checks: Vec<&'d [Diagnostic]>,
    /// Evaluations: first without samples, then with each sample by name.
    pub evaluations: Vec<&'d [Diagnostic]>,
    /// Diagnostics of the prompts that include the file, or of the replay of a transcript.
    pub others: Vec<&'d [Diagnostic]>,
}

impl<'d> Lists<'d> {
    /// Returns the deduplicated diagnostics, sorted by start. `summary` is the file as a part of
    /// programs; if missing, evaluations are ignored.
    ///
    /// An unused ignore comment is reported only if no program of the file needs it. Evaluation
    /// findings already covered by a check are omitted ([`is_news`]).
    #[must_use]
    pub fn merged(&self, summary: Option<&FileSummary>) -> Vec<&'d Diagnostic> {
        let mut found = merge_programs(&self.checks);
        let known = found.clone();
        let place = |one: &Diagnostic| (one.rule.code, one.range);
        let mut places: FxHashSet<(&str, TextRange)> = found.iter().map(|one| place(one)).collect();
        let evaluations = summary.into_iter().flat_map(|file| {
            let found = self.evaluations.iter().copied().flatten();
            let known = &known;
            found.filter(move |one| is_news(file, one, known))
        });
        let others = self.others.iter().copied().flatten();
        found.extend(evaluations.chain(others).filter(|one| places.insert(place(one))));
        found.sort_by_key(|one| (one.range.start(), one.range.end()));
        found
    }
}

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
