//! Findings as SARIF's results.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Location, PhysicalLocation, PropertyBag, Region,
    Replacement, Result, ResultLevel,
};

use super::run::{SarifRun, artifact, message};
use crate::report::redact::redacted;
use crate::report::{Identity, ReportEntry, Sources};
use mangle_syntax::lint::{Applicability, FileEdit, RelatedPlace, ResolvedFix, Severity};
use mangle_syntax::text::{FileId, TextRange};

/// The fingerprint that stays while lines move: the number of the statement, and which of its findings of that rule it
/// is.
const FINGERPRINT: &str = "mangleStatement/v1";

/// What results are made with.
pub(super) struct Results<'a> {
    pub(super) sources: &'a Sources,
    pub(super) run: &'a SarifRun<'a>,
}

impl Results<'_> {
    /// A result for each entry.
    pub(super) fn all(&self, entries: &[ReportEntry]) -> Vec<Result> {
        let mut seen: FxHashMap<Identity, u32> = FxHashMap::default();
        let result = |entry: &ReportEntry| {
            let identity = Identity::of(entry, self.sources, self.sources.name(entry.file).into());
            let fingerprint = identity.statement;
            let nth = seen.entry(identity).or_default();
            *nth += 1;
            self.result(entry, format!("{fingerprint:016x}:{nth}"))
        };
        entries.iter().map(result).collect()
    }

    fn result(&self, entry: &ReportEntry, fingerprint: String) -> Result {
        let entry = &*redacted(entry, self.sources);
        let diagnostic = &entry.diagnostic;
        let level = match diagnostic.severity {
            Severity::Error => ResultLevel::Error,
            Severity::Warning => ResultLevel::Warning,
            Severity::Information | Severity::Hint => ResultLevel::Note,
        };
        let mut result = Result::builder()
            .rule_id(diagnostic.rule.code)
            .level(level)
            .message(message(&diagnostic.message))
            .locations(vec![self.location(entry.file, diagnostic.range)])
            .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint)]))
            .build();
        let index = self.run.rules.iter().position(|rule| *rule == diagnostic.rule);
        result.rule_index = index.and_then(|index| i64::try_from(index).ok());
        if !diagnostic.related.is_empty() {
            result.related_locations =
                Some(diagnostic.related.iter().map(|place| self.related(place)).collect());
        }
        result.fixes = diagnostic.fix.as_ref().map(|fix| vec![self.fix(fix)]);
        result
    }

    fn artifact(&self, file: FileId) -> ArtifactLocation {
        artifact(self.run.root, self.sources.get(file).map_or(Path::new(""), |source| source.path()))
    }

    fn location(&self, file: FileId, range: TextRange) -> Location {
        let mut place = PhysicalLocation::builder().artifact_location(self.artifact(file)).build();
        place.region = self.region(file, range);
        Location::builder().physical_location(place).build()
    }

    /// `None` for a file whose text is not known, such as one that cannot be read.
    fn region(&self, file: FileId, range: TextRange) -> Option<Region> {
        let source = self.sources.get(file).filter(|source| !source.is_unknown())?;
        let (start, end) = (source.place_utf16(range.start()), source.place_utf16(range.end()));
        let region = Region::builder()
            .start_line(start.line)
            .start_column(start.col)
            .end_line(end.line)
            .end_column(end.col)
            .build();
        Some(region)
    }

    fn related(&self, place: &RelatedPlace) -> Location {
        let mut location = self.location(place.file, place.range);
        location.message = Some(message(&place.message));
        location
    }

    fn fix(&self, fix: &ResolvedFix) -> Fix {
        let applicability = match fix.applicability {
            Applicability::Safe => "safe",
            Applicability::Unsafe => "unsafe",
        };
        let mut more = BTreeMap::from([("applicability".to_owned(), applicability.into())]);
        if fix.evidence {
            more.insert("evidence".to_owned(), true.into());
        }
        let files = fix.edits.chunk_by(|a, b| a.file == b.file);
        Fix::builder()
            .description(message(&fix.title))
            .artifact_changes(files.map(|edits| self.change(edits)).collect::<Vec<_>>())
            .properties(PropertyBag::builder().additional_properties(more).build())
            .build()
    }

    /// The edits of one file.
    fn change(&self, edits: &[FileEdit]) -> ArtifactChange {
        let file = edits.first().map_or(FileId(u32::MAX), |edit| edit.file);
        let replacement = |edit: &FileEdit| {
            let region = self.region(file, edit.range);
            // An empty file has one place.
            let region = region
                .unwrap_or_else(|| Region::builder().start_line(1).start_column(1).end_column(1).build());
            let mut replacement = Replacement::builder().deleted_region(region).build();
            if !edit.text.is_empty() {
                replacement.inserted_content =
                    Some(ArtifactContent::builder().text(edit.text.as_str()).build());
            }
            replacement
        };
        ArtifactChange::builder()
            .artifact_location(self.artifact(file))
            .replacements(edits.iter().map(replacement).collect::<Vec<_>>())
            .build()
    }
}
