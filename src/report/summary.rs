//! The numbers at the end of a report.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::ReportEntry;
use mangle_settings::EngineVersion;
use mangle_syntax::lint::Severity;

/// What was checked and how much was found. The order of the members is that of the JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckSummary {
    /// Files whose findings were wanted.
    pub files: usize,
    /// Clauses in them.
    pub clauses: usize,
    /// Envelopes in them.
    pub envelopes: u64,
    pub errors: usize,
    pub warnings: usize,
    /// Findings of severity information.
    pub information: usize,
    pub hints: usize,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// Transcripts that were checked without the declarations of a program.
    #[serde(rename = "without_declarations", skip_serializing_if = "is_none")]
    pub undeclared: usize,
    /// JSON files that were examined and have no reply of a model.
    #[serde(rename = "json_without_replies", skip_serializing_if = "is_none")]
    pub json_without_replies: usize,
    /// Text logs that were examined and have no reply of a model.
    #[serde(rename = "logs_without_replies", skip_serializing_if = "is_none")]
    pub logs_without_replies: usize,
    /// JSON files and text logs that were not examined for replies of a model, because there are too many.
    #[serde(skip_serializing_if = "is_none")]
    pub unexamined: usize,
    /// Findings that are counted and not shown.
    #[serde(skip_serializing_if = "is_none")]
    pub omitted: usize,
    /// The versions of the engine that the programs were checked for, sorted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub engines: BTreeSet<&'static str>,
    /// The runtimes whose reading of the replies was checked, sorted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub runtimes: BTreeSet<&'static str>,
    /// Whether there was no file to check.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub nothing_to_check: bool,
}

impl CheckSummary {
    /// The files that were examined and have no reply of a model, as the end of a line.
    fn without_replies(&self) -> String {
        let json = (self.json_without_replies, "JSON file", "JSON files");
        let counts = [json, (self.logs_without_replies, "log", "logs")].into_iter();
        let shown =
            counts.filter(|(count, ..)| *count > 0).map(|(count, one, many)| plural(count, one, many));
        let mut line = match shown.collect::<Vec<_>>() {
            shown if shown.is_empty() => String::new(),
            shown => format!("; {} without model replies", shown.join(" and ")),
        };
        if self.unexamined > 0 {
            let files = plural(self.unexamined, "JSON file or log", "JSON files or logs");
            line.push_str(&format!("; {files} not examined: select them with `[transcripts] include`"));
        }
        line
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Counts entries by severity into a summary; the rest of it is zero.
#[must_use]
pub fn count(entries: &[ReportEntry]) -> CheckSummary {
    let of = |severity| entries.iter().filter(|entry| entry.diagnostic.severity == severity).count();
    CheckSummary {
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        information: of(Severity::Information),
        hints: of(Severity::Hint),
        ..CheckSummary::default()
    }
}

impl fmt::Display for CheckSummary {
    /// The summary as a line: `2 errors, 1 warning in 12 files (340 clauses)`, or `Nothing to check`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found: Vec<_> = [
            (self.errors, "error", "errors"),
            (self.warnings, "warning", "warnings"),
            (self.information, "information", "information"),
            (self.hints, "hint", "hints"),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| plural(count, one, many))
        .collect();
        let found = match (found.is_empty(), self.nothing_to_check) {
            (true, true) => return write!(f, "Nothing to check{}", self.without_replies()),
            (true, false) => "No findings".into(),
            (false, _) => found.join(", "),
        };
        let files = plural(self.files, "file", "files");
        write!(f, "{found} in {files} ({}", plural(self.clauses, "clause", "clauses"))?;
        if self.envelopes > 0 {
            write!(f, ", {} {}", self.envelopes, if self.envelopes == 1 { "envelope" } else { "envelopes" })?;
        }
        f.write_str(")")?;
        if self.engines.iter().any(|name| *name != EngineVersion::default().name.as_str()) {
            write!(f, "; engine {}", words(&self.engines))?;
        }
        if self.envelopes > 0 && !self.runtimes.is_empty() {
            write!(f, "; runtime {}", words(&self.runtimes))?;
        }
        if self.undeclared > 0 {
            let transcripts = plural(self.undeclared, "transcript", "transcripts");
            write!(f, "; no declarations for {transcripts}, so predicates were not looked up")?;
        }
        f.write_str(&self.without_replies())?;
        if self.omitted > 0 {
            write!(f, "; {} not shown", plural(self.omitted, "finding is", "findings are"))?;
        }
        Ok(())
    }
}

fn words(names: &BTreeSet<&'static str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(" and ")
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
