//! Report formats: text with excerpts, JSON lines, SARIF, JUnit, GitHub workflow commands and
//! counts.
//!
//! Also filters known findings with a baseline or an older version of the program. Submodules
//! format rules ([`rules`]), predicate graphs ([`graph`]), sessions ([`fleet`], [`replay`]), query
//! answers ([`QueryAnswer`]) and policy tests ([`policy_tests`]).
//!
//! The input is diagnostics with locations and their texts ([`Sources`]); the output is strings.
//! The module performs no IO.

#![allow(missing_docs, reason = "the items are public for the program and its tests, not for others")]

mod advice;
mod answer;
mod baseline;
mod check_comparison;
mod compare;
pub mod comparison;
pub mod conversation;
mod diff;
mod display_limit;
mod excerpt;
mod excerpt_text;
pub mod fleet;
mod github;
pub mod graph;
mod guard;
mod html_page;
mod identity;
mod json;
mod junit;
mod load_errors;
mod overflow;
mod part;
pub mod policy_tests;
pub mod prompts;
pub mod proof;
mod redact;
pub mod replay;
pub mod replies;
pub mod reply_grammars;
pub mod rule_survey;
pub mod rules;
mod sarif;
pub mod sink;
mod sources;
mod statistics;
mod summary;
mod text;
mod uri;
pub mod verification;

#[cfg(test)]
mod tests;

pub use answer::{
    AnswerFact, FactDetails, QueryAnswer, StoresOfFact, answers_csv, answers_json, reading_word,
};
pub use baseline::{Baseline, BaselineError};
pub use check_comparison::{
    CheckComparison, FactChange, FindingChange, UnitFacts, UnitResult, compare_facts,
};
pub use compare::{FindingChanges, finding_changes, new_findings};
pub use diff::{diff, diff_with};
pub use display_limit::{DisplayedFindings, shown, shown_in_editor, shown_in_text};
pub use github::{github_command, github_notice};
pub use identity::Identity;
pub use json::{json_line, json_summary, json_value};
pub use junit::junit;
pub use load_errors::{LoadError, LoadErrors, PROGRAM_LOADS};
pub use overflow::OverflowCounts;
pub use part::{FilePart, LinePosition, RECORD};
pub use redact::redacted;
pub use sarif::{SarifRun, sarif};
pub use sources::{SourceText, Sources};
pub use statistics::{Statistic, statistics, statistics_table};
pub use summary::{CheckSummary, count};
pub use text::text;
pub use uri::{escaped_but, link_uri};

use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, compare_paths};
use rayon::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportEntry {
    pub file: FileId,
    pub diagnostic: Diagnostic,
    /// True if the finding fails the check.
    pub fails: bool,
}

/// Sorts entries in output order (path components, start, end, code), and removes duplicates, for
/// example of a file in two programs.
pub fn sort(entries: &mut Vec<ReportEntry>, sources: &Sources) {
    fn key<'a>(entry: &'a ReportEntry, sources: &'a Sources) -> impl Ord + use<'a> {
        let ReportEntry { file, diagnostic, .. } = entry;
        let (range, rule) = (diagnostic.range, diagnostic.rule);
        let offset = |offset| sources.offset(*file, offset);
        let (start, end) = (offset(range.start()), offset(range.end()));
        (sources.name(*file), start, end, rule.code, diagnostic.message.as_str())
    }
    entries.par_sort_by(|a, b| {
        let names = compare_paths(sources.name(a.file), sources.name(b.file));
        names.then_with(|| key(a, sources).cmp(&key(b, sources)))
    });
    entries.dedup_by(|later, first| {
        let is_same = key(later, sources) == key(first, sources);
        first.fails |= is_same && later.fails;
        is_same
    });
}
