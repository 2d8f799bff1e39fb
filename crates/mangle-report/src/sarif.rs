//! SARIF 2.1.0 log with one run, for code scanning services and viewers.
//!
//! Columns are in UTF-16 code units, the default for readers that ignore `columnKind`. Paths inside
//! the working folder are relative to `%SRCROOT%`.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::rules::examples;
use super::uri::{file_uri, folder_uri, relative_uri};
use super::{Identity, ReportEntry, Sources, redacted};
use mangle_syntax::lint::{
    Applicability, Diagnostic, FileEdit, RelatedPlace, ResolvedFix, Rule, Severity, address,
};
use mangle_syntax::text::{FileId, TextRange};

/// The required URL of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log, with a line end.
#[must_use]
pub fn sarif(entries: &[ReportEntry], sources: &Sources, run: &SarifRun<'_>) -> String {
    let rules: Vec<_> = run.rules.iter().map(|rule| descriptor(rule)).collect();
    let driver = present(json!({
        "informationUri": address("README.md"),
        "name": "mangle-ls",
        "rules": rules,
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "version": env!("CARGO_PKG_VERSION"),
    }));
    let log = json!({
        "$schema": SCHEMA,
        "runs": [{
            "columnKind": "utf16CodeUnits",
            "invocations": [invocation(run)],
            "newlineSequences": ["\r\n", "\n", "\r"],
            "originalUriBaseIds": { ROOT: { "uri": folder_uri(run.root) } },
            "results": Results { sources, run }.all(entries),
            "tool": { "driver": driver },
        }],
        "version": "2.1.0",
    });
    // Serialization of strings and numbers cannot fail. The fallback is an empty text.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn invocation(run: &SarifRun<'_>) -> Value {
    let notification = |&(path, why): &(&Path, &str)| {
        json!({
            "level": "error",
            "locations": [{ "physicalLocation": { "artifactLocation": artifact(run.root, path) } }],
            "message": message(&format!("This cannot be checked: {why}.")),
        })
    };
    json!({
        "executionSuccessful": run.failures.is_empty(),
        "exitCode": run.exit_code,
        "toolExecutionNotifications": run.failures.iter().map(notification).collect::<Vec<_>>(),
    })
}

/// The base of relative paths.
const ROOT: &str = "%SRCROOT%";

/// The run of a log.
#[derive(Debug)]
pub struct SarifRun<'a> {
    /// The working folder, an absolute path.
    pub root: &'a Path,
    /// All rules, sorted by code.
    pub rules: &'a [&'static Rule],
    /// The inputs that could not be checked: path and reason.
    pub failures: Vec<(&'a Path, &'a str)>,
    /// The exit status of the process.
    pub exit_code: u8,
}

/// The artifact location of an absolute path.
fn artifact(root: &Path, path: &Path) -> Value {
    match path.strip_prefix(root) {
        Ok(below) if !below.as_os_str().is_empty() => {
            json!({ "uri": relative_uri(below), "uriBaseId": ROOT })
        }
        _ => json!({ "uri": file_uri(path) }),
    }
}

/// Removes the null fields of an object.
fn present(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

/// A plain text as a message. SARIF parses `[…](…)` as a link, so brackets are escaped.
fn message(text: &str) -> Value {
    let text = if text.contains("](") {
        text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    } else {
        text.to_owned()
    };
    json!({ "text": text })
}

/// The name of the stable fingerprint: the statement digest, and the number of the finding among
/// equal ones.
const FINGERPRINT: &str = "mangleStatement/v1";

/// The context of results.
struct Results<'a> {
    sources: &'a Sources,
    run: &'a SarifRun<'a>,
}

/// The parts of a finding without a field in SARIF.
fn finding_properties(diagnostic: &Diagnostic) -> Option<Value> {
    let notes: Vec<&str> = diagnostic.notes.iter().map(AsRef::as_ref).collect();
    let help = diagnostic.help.as_deref();
    let notes = (!notes.is_empty()).then_some(notes);
    (notes.is_some() || help.is_some()).then(|| present(json!({ "help": help, "notes": notes })))
}

impl Results<'_> {
    /// A result for each entry.
    fn all(&self, entries: &[ReportEntry]) -> Vec<Value> {
        let mut seen: FxHashMap<Identity, u32> = FxHashMap::default();
        let result = |entry: &ReportEntry| {
            let identity = Identity::new(entry, self.sources, self.sources.name(entry.file).into());
            let fingerprint = identity.statement;
            let nth = seen.entry(identity).or_default();
            *nth += 1;
            self.result(entry, format!("{fingerprint:016x}:{nth}"))
        };
        entries.iter().map(result).collect()
    }

    fn result(&self, entry: &ReportEntry, fingerprint: String) -> Value {
        let entry = &*redacted(entry, self.sources);
        let diagnostic = &entry.diagnostic;
        let related: Vec<_> = diagnostic.related.iter().map(|place| self.related(place)).collect();
        present(json!({
            "fixes": diagnostic.fix.as_ref().map(|fix| [self.fix(fix)]),
            "level": level(diagnostic.severity),
            "locations": [present(json!({
                "message": diagnostic.label.as_deref().map(message),
                "physicalLocation": self.place(entry.file, diagnostic.range),
            }))],
            "message": message(&diagnostic.message),
            "partialFingerprints": { FINGERPRINT: fingerprint },
            "properties": finding_properties(diagnostic),
            "relatedLocations": (!related.is_empty()).then_some(related),
            "ruleId": diagnostic.rule.code,
            "ruleIndex": self.run.rules.iter().position(|rule| *rule == diagnostic.rule),
        }))
    }

    fn artifact(&self, file: FileId) -> Value {
        artifact(self.run.root, self.sources.get(file).map_or(Path::new(""), |source| source.path()))
    }

    fn place(&self, file: FileId, range: TextRange) -> Value {
        present(json!({ "artifactLocation": self.artifact(file), "region": self.region(file, range) }))
    }

    /// `None` for a file without a known text, for example an unreadable file.
    fn region(&self, file: FileId, range: TextRange) -> Option<Value> {
        let source = self.sources.get(file).filter(|source| !source.is_unknown())?;
        let (start, end) = (source.place_utf16(range.start()), source.place_utf16(range.end()));
        Some(json!({
            "endColumn": end.col,
            "endLine": end.line,
            "startColumn": start.col,
            "startLine": start.line,
        }))
    }

    fn related(&self, place: &RelatedPlace) -> Value {
        json!({ "message": message(&place.message), "physicalLocation": self.place(place.file, place.range) })
    }

    fn fix(&self, fix: &ResolvedFix) -> Value {
        let applicability = match fix.applicability {
            Applicability::Safe => "safe",
            Applicability::Unsafe => "unsafe",
        };
        let files = fix.edits.chunk_by(|a, b| a.file == b.file);
        json!({
            "artifactChanges": files.map(|edits| self.change(edits)).collect::<Vec<_>>(),
            "description": message(&fix.title),
            "properties": present(json!({
                "applicability": applicability,
                "evidence": fix.evidence.then_some(true),
            })),
        })
    }

    /// The edits of one file.
    fn change(&self, edits: &[FileEdit]) -> Value {
        let file = edits.first().map_or(FileId(u32::MAX), |edit| edit.file);
        let replacement = |edit: &FileEdit| {
            let region = self.region(file, edit.range);
            // An empty file has a single position.
            let region =
                region.unwrap_or_else(|| json!({ "endColumn": 1, "startColumn": 1, "startLine": 1 }));
            let text = (!edit.text.is_empty()).then(|| json!({ "text": edit.text.as_str() }));
            present(json!({ "deletedRegion": region, "insertedContent": text }))
        };
        json!({
            "artifactLocation": self.artifact(file),
            "replacements": edits.iter().map(replacement).collect::<Vec<_>>(),
        })
    }
}

/// The level of a severity. SARIF has three levels.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn descriptor(rule: &Rule) -> Value {
    present(json!({
        "defaultConfiguration": configuration(rule),
        "fullDescription": { "text": rule.rationale },
        "help": help(rule),
        "helpUri": rule.address(),
        "id": rule.code,
        "name": rule.name,
        "properties": rule_properties(rule),
        "shortDescription": { "text": rule.summary },
    }))
}

fn configuration(rule: &Rule) -> Value {
    present(json!({ "enabled": rule.severity.is_some(), "level": rule.severity.map(level) }))
}

/// The group as a tag, and the severity in the terms of code scanning services.
fn rule_properties(rule: &Rule) -> Value {
    let severity = match rule.severity {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Information | Severity::Hint) | None => "recommendation",
    };
    json!({ "tags": [rule.group.as_str()], "problem.severity": severity })
}

/// The help text from the rule page.
fn help(rule: &Rule) -> Value {
    let examples = examples(rule, "Wrong", rule.bad) + &examples(rule, "Right", rule.good);
    let markdown = format!("{}\n\n{examples}", rule.rationale.trim());
    json!({ "markdown": markdown.trim_end(), "text": rule.rationale.trim() })
}
