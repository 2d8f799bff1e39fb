//! One list of diagnostics for a file: from the checks of its programs, their evaluations, and what else was found.
//!
//! The command line and the editor merge here, so that a count is the same in both.

use rustc_hash::FxHashSet;

use super::evaluation::is_news;
use mangle_check::diagnostics::once;
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::TextRange;

/// What was found in one file, list by list. Of findings at one place, those of the first list count.
#[derive(Debug, Default)]
pub struct Lists<'d> {
    /// Of the checks, a list for each program that reports the file.
    pub checks: Vec<&'d [Diagnostic]>,
    /// Of the evaluations: of the programs with their own facts alone, then with each sample, by its name.
    pub evaluations: Vec<&'d [Diagnostic]>,
    /// Of the prompts that the file is a part of, or of the replay of a transcript.
    pub others: Vec<&'d [Diagnostic]>,
}

impl<'d> Lists<'d> {
    /// The diagnostics of the file, sorted by start, each once. `summary` is the file as a part of programs; without it
    /// evaluations count for nothing.
    ///
    /// A comment that silences nothing is reported if no program of the file needs it. What an evaluation finds is left out
    /// where a check already says the same ([`is_news`]).
    #[must_use]
    pub fn merged(&self, summary: Option<&FileSummary>) -> Vec<&'d Diagnostic> {
        let mut found = once(&self.checks);
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
