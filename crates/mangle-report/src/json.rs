//! JSON lines: one object for each diagnostic, and one for the summary. The order of members is
//! fixed.

use serde::Serialize;
use serde_json::Value;

use super::{CheckSummary, ReportEntry, Sources, Statistic, redacted};
use mangle_syntax::lint::{Applicability, Diagnostic, RelatedPlace, ResolvedFix};
use mangle_syntax::text::{FileId, TextSize};

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    code: &'a str,
    rule: &'a str,
    severity: &'a str,
    message: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    start: u64,
    end: u64,
    /// The chain of JSON pointers to the text inside a transcript; empty for a policy.
    path: &'a [String],
    /// The label of the primary range.
    label: Option<&'a str>,
    /// The other labels.
    related: Vec<Related<'a>>,
    /// The consequence or the reason.
    notes: Vec<&'a str>,
    /// The help for a finding without a fix.
    help: Option<&'a str>,
    fix: Option<Fix<'a>>,
}

#[derive(Serialize)]
struct Related<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    applicability: &'static str,
    /// True if the fix edits a captured transcript, which requires `--fix-transcripts`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    evidence: bool,
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    file: &'a str,
    start: u64,
    end: u64,
    text: &'a str,
}

#[derive(Serialize)]
struct Last<'a> {
    summary: &'a CheckSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<&'a [Statistic]>,
}

#[must_use]
pub fn json_value(file: FileId, diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let entry = ReportEntry { file, diagnostic: diagnostic.clone(), fails: false };
    serde_json::from_str(&json_line(&entry, sources)).unwrap_or_default()
}

/// A diagnostic as one line of JSON, without a line end.
#[must_use]
pub fn json_line(entry: &ReportEntry, sources: &Sources) -> String {
    let entry = redacted(entry, sources);
    let (file, diagnostic) = (entry.file, &entry.diagnostic);
    let place = |offset: TextSize| sources.place(file, offset);
    let (start, end) = (place(diagnostic.range.start()), place(diagnostic.range.end()));
    to_string(&Line {
        file: sources.name(file),
        code: diagnostic.rule.code,
        rule: diagnostic.rule.name,
        severity: diagnostic.severity.as_str(),
        message: &diagnostic.message,
        line: start.line,
        column: start.col,
        end_line: end.line,
        end_column: end.col,
        start: sources.offset(file, diagnostic.range.start()),
        end: sources.offset(file, diagnostic.range.end()),
        path: &diagnostic.path,
        label: diagnostic.label.as_deref(),
        related: diagnostic.related.iter().map(|place| related(place, sources)).collect(),
        notes: diagnostic.notes.iter().map(AsRef::as_ref).collect(),
        help: diagnostic.help.as_deref(),
        fix: diagnostic.fix.as_ref().map(|resolved| fix(resolved, sources)),
    })
}

/// The summary line, without a line end. `statistics` adds counts by rule.
#[must_use]
pub fn json_summary(summary: &CheckSummary, statistics: Option<&[Statistic]>) -> String {
    to_string(&Last { summary, statistics })
}

fn related<'a>(place: &'a RelatedPlace, sources: &'a Sources) -> Related<'a> {
    let at = sources.place(place.file, place.range.start());
    Related { file: sources.name(place.file), line: at.line, column: at.col, message: &place.message }
}

fn fix<'a>(resolved: &'a ResolvedFix, sources: &'a Sources) -> Fix<'a> {
    let name = |file: FileId| sources.name(file);
    Fix {
        title: &resolved.title,
        applicability: match resolved.applicability {
            Applicability::Safe => "safe",
            Applicability::Unsafe => "unsafe",
        },
        evidence: resolved.evidence,
        edits: resolved
            .edits
            .iter()
            .map(|edit| Edit {
                file: name(edit.file),
                start: sources.offset(edit.file, edit.range.start()),
                end: sources.offset(edit.file, edit.range.end()),
                text: &edit.text,
            })
            .collect(),
    }
}

/// Serialization of strings and numbers cannot fail. The fallback is an empty line.
fn to_string(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
