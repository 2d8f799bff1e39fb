//! JUnit XML report with one test suite per file.
//!
//! Findings that fail the check are failed tests, and other findings are passed tests with output.
//! A file without findings is one passed test.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use super::sink::xml_line;
use super::{CheckSummary, ReportEntry, Sources, advice, redacted};
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

pub(crate) const FAILURE: &str = "failure";
pub(crate) const ERROR: &str = "error";

/// A file, or another unit with test cases.
#[derive(Default)]
pub(crate) struct JunitSuite {
    pub(crate) name: String,
    pub(crate) properties: Vec<(&'static str, String)>,
    pub(crate) cases: Vec<JunitCase>,
}

#[derive(Default)]
pub(crate) struct JunitCase {
    pub(crate) name: String,
    /// The file of the case.
    pub(crate) class: Option<String>,
    /// The line, from 1.
    pub(crate) line: Option<usize>,
    /// The reason for a failed case.
    pub(crate) problem: Option<JunitProblem>,
    pub(crate) output: Option<String>,
}

#[derive(Default)]
pub(crate) struct JunitProblem {
    /// [`FAILURE`], or [`ERROR`] if the case could not be run.
    pub(crate) tag: &'static str,
    pub(crate) message: String,
    pub(crate) category: Option<&'static str>,
    pub(crate) text: Option<String>,
}

/// Returns the document. `time` is in milliseconds. Texts must be escaped with
/// [`xml`](crate::sink::xml) or [`xml_line`].
pub(crate) fn document(name: &str, time: Option<u64>, suites: &[JunitSuite]) -> String {
    let all = suites.iter().flat_map(|suite| &suite.cases);
    let (tests, failures, errors) = (all.clone().count(), count(all.clone(), FAILURE), count(all, ERROR));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{name}\" tests=\"{tests}\" skipped=\"0\" failures=\"{failures}\" errors=\"{errors}\""
    );
    attribute(&mut out, "time", time.map(|time| format!("{}.{:03}", time / 1000, time % 1000)));
    out.push_str(">\n");
    suites.iter().for_each(|suite| suite.write(&mut out));
    out + "</testsuites>\n"
}

fn count<'c>(cases: impl Iterator<Item = &'c JunitCase>, tag: &str) -> usize {
    cases.filter(|case| case.problem.as_ref().is_some_and(|problem| problem.tag == tag)).count()
}

fn attribute(out: &mut String, name: &str, value: Option<impl Display>) {
    if let Some(value) = value {
        let _ = write!(out, " {name}=\"{value}\"");
    }
}

impl JunitSuite {
    fn write(&self, out: &mut String) {
        let Self { name, properties, cases } = self;
        let (tests, failures, errors) =
            (cases.len(), count(cases.iter(), FAILURE), count(cases.iter(), ERROR));
        let _ = writeln!(
            out,
            "    <testsuite name=\"{name}\" tests=\"{tests}\" skipped=\"0\" errors=\"{errors}\" failures=\"{failures}\">"
        );
        if !properties.is_empty() {
            out.push_str("        <properties>\n");
            for (name, value) in properties {
                let _ = writeln!(out, "            <property name=\"{name}\" value=\"{value}\"/>");
            }
            out.push_str("        </properties>\n");
        }
        cases.iter().for_each(|case| case.write(out));
        out.push_str("    </testsuite>\n");
    }
}

impl JunitCase {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "        <testcase name=\"{}\"", self.name);
        attribute(out, "classname", self.class.as_deref());
        attribute(out, "line", self.line);
        if self.problem.is_none() && self.output.is_none() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        if let Some(JunitProblem { tag, message, category, text }) = &self.problem {
            let _ = write!(out, "            <{tag} message=\"{message}\"");
            attribute(out, "type", *category);
            let _ = match text {
                Some(text) => writeln!(out, ">{text}</{tag}>"),
                None => writeln!(out, "/>"),
            };
        }
        if let Some(output) = &self.output {
            let _ = writeln!(out, "            <system-out>{output}</system-out>");
        }
        out.push_str("        </testcase>\n");
    }
}
