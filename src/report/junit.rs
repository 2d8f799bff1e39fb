//! JUnit's XML: one test suite a file. A finding that makes the check fail is a failed test, a lesser one a passed
//! test that has something to say, and a file without findings one passed test.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::advice::advice;
use super::redact::redacted;
use super::sink::{xml, xml_document, xml_line};
use super::{CheckSummary, ReportEntry, Sources};
use mangle_syntax::text::FileId;

/// The whole report. `files` are those that were checked, also those without findings; `failures` what could not be
/// checked, as name and reason.
///
/// # Errors
/// When the XML cannot be written; the library has no reason to.
pub fn junit(
    entries: &[ReportEntry],
    files: &[FileId],
    sources: &Sources,
    failures: &[(String, String)],
    summary: &CheckSummary,
) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("mangle-ls");
    report.set_time(std::time::Duration::from_millis(summary.elapsed_ms));
    let mut suites: BTreeMap<(&str, FileId), TestSuite> = BTreeMap::new();
    for file in files.iter().copied().chain(entries.iter().map(|entry| entry.file)) {
        let (name, file) = (sources.name(file), sources.owner(file));
        suites.entry((name, file)).or_insert_with(|| TestSuite::new(xml_line(name)));
    }
    for entry in entries {
        let suite = suites.get_mut(&(sources.name(entry.file), sources.owner(entry.file)));
        if let Some(suite) = suite {
            suite.add_test_case(test_case(entry, sources));
        }
    }
    for mut suite in suites.into_values() {
        if suite.test_cases.is_empty() {
            suite.add_test_case(TestCase::new("check", TestCaseStatus::success()));
        }
        report.add_test_suite(suite);
    }
    report.add_test_suites(failures.iter().map(|(name, why)| unchecked(name, why)));
    report.to_string().map(|written| xml_document(&written))
}

/// The suite of something that could not be checked.
fn unchecked(name: &str, why: &str) -> TestSuite {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(xml_line(why)).set_type("unreadable");
    let mut suite = TestSuite::new(xml_line(name));
    suite.add_test_case(TestCase::new("check", status));
    suite
}

fn test_case(entry: &ReportEntry, sources: &Sources) -> TestCase {
    let entry = &*redacted(entry, sources);
    let diagnostic = &entry.diagnostic;
    let at = sources.place(entry.file, diagnostic.range.start());
    let name = sources.name(entry.file);
    let text = description(entry, sources);
    let mut status = TestCaseStatus::success();
    if entry.fails {
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(xml_line(&diagnostic.message)).set_type(diagnostic.severity.as_str());
        status.set_description(&text);
    }
    let (code, rule) = (diagnostic.rule.code, diagnostic.rule.name);
    let mut case = TestCase::new(format!("{code} {rule} at {}:{}", at.line, at.col), status);
    case.set_classname(xml_line(name));
    case.extra.insert("line".into(), at.line.to_string().into());
    if !entry.fails {
        case.set_system_out(text);
    }
    case
}

/// Everything about an entry as lines of text.
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
    xml(&lines.join("\n"))
}
