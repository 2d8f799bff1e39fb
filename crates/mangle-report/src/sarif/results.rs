//! SARIF results of findings.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::rules::level;
use super::run::{SarifRun, artifact, message, present};
use crate::redact::redacted;
use crate::{Identity, ReportEntry, Sources};
use mangle_syntax::lint::{Applicability, Diagnostic, FileEdit, RelatedPlace, ResolvedFix};
use mangle_syntax::text::{FileId, TextRange};

/// The name of the stable fingerprint: the statement digest, and the number of the finding among
/// equal ones.
const FINGERPRINT: &str = "mangleStatement/v1";

/// The context of results.
pub(super) struct Results<'a> {
    pub(super) sources: &'a Sources,
    pub(super) run: &'a SarifRun<'a>,
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
    pub(super) fn all(&self, entries: &[ReportEntry]) -> Vec<Value> {
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
