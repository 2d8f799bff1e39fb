//! Merged diagnostics of a file: static checks of all its programs, evaluations, and other sources.
//!
//! The command line and the language server share this module, so their counts are equal.

use rustc_hash::FxHashSet;

use super::evaluation::is_news;
use mangle_check::diagnostics::merge_programs;
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::TextRange;

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
