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

mod answer;
mod baseline;
mod check_comparison;
pub mod comparison;
pub mod conversation;
mod diff;
mod display_limit;
pub mod fleet;
mod github;
pub mod graph;
mod html_page;
mod json;
mod junit;
mod load_errors;
mod part;
pub mod policy_tests;
pub mod prompts;
pub mod proof;
pub mod replay;
pub mod replies;
pub mod reply_grammars;
pub mod rules;
mod sarif;
pub mod sink;
mod sources;
mod summary;
mod text;
mod uri;
pub mod verification;

#[cfg(test)]
mod tests;

pub use answer::{
    AnswerFact, FactDetails, QueryAnswer, StoresOfFact, answers_csv, answers_json, reading_word,
};
pub use baseline::{Baseline, BaselineError, FindingChanges, Identity, finding_changes, new_findings};
pub use check_comparison::{
    CheckComparison, FactChange, FindingChange, UnitFacts, UnitResult, compare_facts,
};
pub use diff::{NamedText, diff, diff_with};
pub use display_limit::{DisplayedFindings, OverflowCounts, shown, shown_in_editor, shown_in_text};
pub use github::{github_command, github_notice};
pub use json::{json_line, json_summary, json_value};
pub use junit::junit;
pub use load_errors::{LoadError, LoadErrors, PROGRAM_LOADS};
pub use part::{FilePart, LinePosition, RECORD};
pub use sarif::{SarifRun, sarif};
pub use sources::{SourceText, Sources};
pub use summary::{CheckSummary, Statistic, count, statistics, statistics_table};
pub use text::text;
pub use uri::{escaped_but, link_uri};

use std::borrow::Cow;

use rayon::prelude::*;

use mangle_syntax::lint::{Applicability, Diagnostic, ResolvedFix};
use mangle_syntax::text::{FileId, compare_paths};
use piggyback::envelope::secrets::{SecretContext, are_shown, secrets};

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

/// The entry with all credentials masked, including parts of secrets in the referenced texts. A fix
/// with a credential is removed, because it would write the mask into the file.
#[must_use]
pub fn redacted<'e>(entry: &'e ReportEntry, sources: &Sources) -> Cow<'e, ReportEntry> {
    if are_shown() {
        return Cow::Borrowed(entry);
    }
    let places = entry.diagnostic.related.iter().map(|place| place.file);
    let files: Vec<FileId> = std::iter::once(entry.file).chain(places).collect();
    let contexts: Vec<&SecretContext> =
        files.iter().filter_map(|file| Some(sources.get(*file)?.secrets())).collect();
    let redact = |text: &str| {
        let mut text = text.to_owned();
        for context in &contexts {
            text = context.redacted(&text).into_owned();
        }
        text
    };
    let mut entry = entry.clone();
    let diagnostic = &mut entry.diagnostic;
    diagnostic.message = redact(&diagnostic.message).into();
    diagnostic.related.iter_mut().for_each(|place| place.message = redact(&place.message).into());
    diagnostic.label = diagnostic.label.as_deref().map(|label| redact(label).into());
    diagnostic.notes.iter_mut().for_each(|note| *note = redact(note).into());
    diagnostic.help = diagnostic.help.as_deref().map(|help| redact(help).into());
    diagnostic.path.iter_mut().for_each(|pointer| *pointer = redact(pointer));
    if let Some(fix) = &mut diagnostic.fix {
        fix.title = redact(&fix.title).into();
        let is_secret =
            |text: &str| !secrets(text).is_empty() || contexts.iter().any(|context| context.occurs_in(text));
        fix.alternative.iter_mut().for_each(|other| other.title = redact(&other.title).into());
        let others = fix.alternative.iter().flat_map(|other| &other.edits);
        if fix.edits.iter().chain(others).any(|edit| is_secret(&edit.text)) {
            diagnostic.help = Some(std::mem::take(&mut fix.title));
            diagnostic.fix = None;
        }
    }
    Cow::Owned(entry)
}

/// `Fix: …` with a remark about the fix, or `Help: …` without a fix.
fn advice(diagnostic: &Diagnostic) -> Option<String> {
    let text = diagnostic.advice()?;
    Some(match &diagnostic.fix {
        Some(fix) => format!("Fix: {text}{}", remark(fix, "")),
        None => format!("Help: {text}"),
    })
}

/// A remark about the applicability of a fix; empty for a safe fix. `warning` is appended for a
/// guess.
fn remark(fix: &ResolvedFix, warning: &str) -> String {
    match (fix.applicability, fix.evidence) {
        (Applicability::Safe, false) => String::new(),
        (Applicability::Unsafe, false) => format!(" (a guess{warning})"),
        (Applicability::Safe, true) => " (edits evidence)".into(),
        (Applicability::Unsafe, true) => format!(" (a guess{warning}; edits evidence)"),
    }
}
