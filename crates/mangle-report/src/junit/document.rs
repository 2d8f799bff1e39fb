//! JUnit XML document with suites and cases.
//!
//! Texts must be escaped with [`xml`](crate::sink::xml) or
//! [`xml_line`](crate::sink::xml_line).

use std::fmt::{Display, Write as _};

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

/// Returns the document. `time` is in milliseconds.
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
