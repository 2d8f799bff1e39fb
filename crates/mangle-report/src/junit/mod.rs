//! JUnit XML report with one test suite per file.
//!
//! Findings that fail the check are failed tests, and other findings are passed tests with output.
//! A file without findings is one passed test.

mod document;

use std::collections::BTreeMap;

pub(super) use self::document::{ERROR, FAILURE, JunitCase, JunitProblem, JunitSuite, document};
use super::advice::advice;
use super::redact::redacted;
use super::sink::xml_line;
use super::{CheckSummary, ReportEntry, Sources};
use mangle_syntax::text::FileId;

/// The report. `files` are all checked files; `failures` are the names of inputs that could not be
/// checked, with reasons.
#[must_use]
pub fn junit(
    entries: &[ReportEntry],
    files: &[FileId],
    sources: &Sources,
    failures: &[(String, String)],
    summary: &CheckSummary,
) -> String {
    let mut suites: BTreeMap<(&str, FileId), Vec<JunitCase>> = BTreeMap::new();
    for file in files.iter().copied().chain(entries.iter().map(|entry| entry.file)) {
        suites.entry((sources.name(file), sources.owner(file))).or_default();
    }
    for entry in entries {
        let suite = suites.entry((sources.name(entry.file), sources.owner(entry.file)));
        suite.or_default().push(test_case(entry, sources));
    }
    let checked = suites.into_iter().map(|((name, _), mut cases)| {
        if cases.is_empty() {
            cases.push(whole_file(None));
        }
        JunitSuite { name: xml_line(name), cases, ..JunitSuite::default() }
    });
    let suites: Vec<_> = checked.chain(failures.iter().map(|(name, why)| unchecked(name, why))).collect();
    document("mangle-ls", Some(summary.elapsed_ms), &suites)
}

/// The suite of an input that could not be checked.
fn unchecked(name: &str, why: &str) -> JunitSuite {
    let (message, category) = (xml_line(why), Some("unreadable"));
    let problem = JunitProblem { tag: ERROR, message, category, text: None };
    JunitSuite { name: xml_line(name), cases: vec![whole_file(Some(problem))], ..JunitSuite::default() }
}

fn whole_file(problem: Option<JunitProblem>) -> JunitCase {
    JunitCase { name: "check".to_owned(), problem, ..JunitCase::default() }
}

fn test_case(entry: &ReportEntry, sources: &Sources) -> JunitCase {
    let entry = &*redacted(entry, sources);
    let diagnostic = &entry.diagnostic;
    let at = sources.place(entry.file, diagnostic.range.start());
    let text = description(entry, sources);
    let (code, rule) = (diagnostic.rule.code, diagnostic.rule.name);
    let case = JunitCase {
        name: format!("{code} {rule} at {}:{}", at.line, at.col),
        class: Some(xml_line(sources.name(entry.file))),
        line: Some(at.line as usize),
        ..JunitCase::default()
    };
    if !entry.fails {
        return JunitCase { output: Some(text), ..case };
    }
    let problem = JunitProblem {
        tag: FAILURE,
        message: xml_line(&diagnostic.message),
        category: Some(diagnostic.severity.as_str()),
        text: Some(text),
    };
    JunitCase { problem: Some(problem), ..case }
}

/// The details of an entry as lines of text.
fn description(entry: &ReportEntry, sources: &Sources) -> String {
    let diagnostic = &entry.diagnostic;
    let place = |file, offset| {
        let at = sources.place(file, offset);
        format!("{}:{}:{}", xml_line(sources.name(file)), at.line, at.col)
    };
    let first = place(entry.file, diagnostic.range.start());
    let mut lines = vec![format!("{first}: {}: {}", diagnostic.severity, xml_line(&diagnostic.message))];
    lines.extend(diagnostic.notes.iter().map(|note| format!("Note: {}", xml_line(note))));
    for related in &diagnostic.related {
        lines.push(format!("{}: {}", place(related.file, related.range.start()), xml_line(&related.message)));
    }
    lines.extend(advice(diagnostic).map(|advice| xml_line(&advice)));
    lines.join("\n")
}
