//! Compares the answers of an implementation with a suite.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value};

use super::agreement::agrees;
use super::answer;
use super::case::Expectation;
use super::kind::Kind;
use super::read::read;

/// The number of differences and of problems that a report shows.
const MAX_SHOWN: usize = 20;

/// The results of one part of one version.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    /// Answers that agree.
    pub(crate) agree: usize,
    /// Answers that differ.
    pub(crate) differ: usize,
    /// Recorded results without an answer.
    pub(crate) unanswered: usize,
    /// Recorded results that are a defect of the recorded program. They are not compared.
    pub(crate) disputed: usize,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The results by kind, version and part.
    pub(crate) counts: BTreeMap<(Kind, String, &'static str), Count>,
    /// The differences, one text each.
    pub(crate) differences: Vec<String>,
    /// Lines of the suite or the answers that could not be used.
    pub(crate) problems: Vec<String>,
}

/// Compares answers (JSON lines) with the suite in a folder.
///
/// # Errors
///
/// If the folder is not an exported suite.
pub(crate) fn compare(suite: &Path, answers: &[u8]) -> Result<Report> {
    let mut suite = read(suite)?;
    let mut report = Report { problems: std::mem::take(&mut suite.problems), ..Report::default() };
    let answers = answer::read(answers, &suite, &mut report.problems);
    for (kind, cases) in &suite.cases {
        for (id, case) in cases {
            for (version, expectation) in &case.expected {
                let answer = answers.get(&(*kind, version.clone(), id.clone()));
                report.add(*kind, id, version, expectation, answer);
            }
        }
    }
    Ok(report)
}

impl Report {
    /// True if all answers agree, none is missing and every line was understood.
    pub(crate) fn is_complete(&self) -> bool {
        let agrees = |count: &Count| count.differ == 0 && count.unanswered == 0;
        self.problems.is_empty() && self.counts.values().all(agrees)
    }

    fn add(
        &mut self,
        kind: Kind,
        id: &str,
        version: &str,
        expectation: &Expectation,
        answer: Option<&Map<String, Value>>,
    ) {
        for part in kind.parts() {
            let Some(expected) = expectation.get(*part) else { continue };
            let count = self.counts.entry((kind, version.to_owned(), part)).or_default();
            if expectation.get("disputed").and_then(|parts| parts.get(part)).is_some() {
                count.disputed += 1;
                continue;
            }
            match answer.and_then(|answer| answer.get(*part)) {
                None => count.unanswered += 1,
                Some(answer) if agrees(kind, part, expected, answer) => count.agree += 1,
                Some(answer) => {
                    count.differ += 1;
                    self.differences.push(format!(
                        "{} {id}, {version}, {part}:\n  expected {expected}\n  answered {answer}",
                        kind.name()
                    ));
                }
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, texts) in [("differences", &self.differences), ("problems", &self.problems)] {
            for text in texts.iter().take(MAX_SHOWN) {
                writeln!(out, "{text}")?;
            }
            if let Some(more) = texts.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
                writeln!(out, "{more} more {title}")?;
            }
        }
        let (mut agree, mut compared) = (BTreeMap::new(), BTreeMap::new());
        for ((kind, version, part), count) in &self.counts {
            let total = count.agree + count.differ + count.unanswered;
            *agree.entry(version).or_insert(0) += count.agree;
            *compared.entry(version).or_insert(0) += total;
            write!(out, "{:<11} {version:<17} {part:<10} {} of {total} agree", kind.name(), count.agree)?;
            for (number, word) in [(count.unanswered, "unanswered"), (count.disputed, "disputed")] {
                if number > 0 {
                    write!(out, ", {number} {word}")?;
                }
            }
            writeln!(out)?;
        }
        for (version, agree) in agree {
            writeln!(out, "{version}: {agree} of {} results agree", compared.get(version).unwrap_or(&0))?;
        }
        Ok(())
    }
}
