//! The open transcripts: which documents are some, under which settings, and with which programs.

use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

use super::file::SnapshotFile;
use super::programs::Identity;
use super::snapshot::SnapshotProgram;
use crate::config::{RuleSettings, TranscriptSettings};
use crate::host::transcripts::is_included;
use crate::host::{Project, TranscriptFile, relative};
use crate::ide::file_findings::file_findings;
use crate::ide::transcripts::{Entry, MangleText, Opened, Records};
use crate::lint::{Diagnostic, Finding};
use crate::text::{Cancel, FileId, TextSize};

/// The languages that transcripts are written in, as editors call them.
const LANGUAGES: [&str; 8] =
    ["json", "jsonc", "jsonl", "jsonlines", "ndjson", "markdown", "plaintext", "log"];

/// The ends of names of files that transcripts are kept in.
const EXTENSIONS: [&str; 8] = ["json", "jsonl", "ndjson", "md", "markdown", "txt", "log", "out"];

/// Whether a document of this name and language can be a transcript.
pub(super) fn can_be(path: &Path, language: &str) -> bool {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    let is_known = |end: String| EXTENSIONS.contains(&end.as_str());
    path.is_absolute() && (LANGUAGES.contains(&language) || extension.is_some_and(is_known))
}

/// Whether some settings that are known make a file a transcript; if so, the disk is worth a look.
pub(super) fn may_be(path: &Path, projects: &[Project]) -> bool {
    let by_default = is_included(&TranscriptSettings::default().include, &relative(Path::new("/"), path));
    let around = projects.iter().filter(|project| path.starts_with(&project.root));
    let mut around =
        around.map(|project| (&project.settings.transcripts.include, relative(&project.root, path)));
    by_default || around.any(|(include, path)| is_included(include, &path))
}

/// A transcript, and its last snapshot.
#[derive(Debug)]
pub(super) struct TranscriptState {
    pub(super) file: FileId,
    settings: Arc<TranscriptSettings>,
    rules: Arc<RuleSettings>,
    /// The programs whose declarations hold for it.
    programs: Vec<Identity>,
    kept: Arc<Mutex<Option<Arc<Records>>>>,
    last: Option<Arc<SnapshotTranscript>>,
}

impl TranscriptState {
    pub(super) fn new(found: &TranscriptFile, programs: Vec<Identity>, rules: RuleSettings) -> Self {
        let (file, settings) = (found.file, Arc::clone(&found.settings));
        Self { file, settings, rules: rules.into(), programs, kept: Arc::default(), last: None }
    }

    /// This transcript as the successor of `old`. Gives whether nothing is different.
    pub(super) fn succeed(&mut self, old: Self) -> bool {
        let reads_alike = self.settings == old.settings;
        if reads_alike {
            self.kept = old.kept;
            self.settings = old.settings;
        }
        let same = reads_alike && self.rules == old.rules && self.programs == old.programs;
        if same {
            (self.rules, self.last) = (old.rules, old.last);
        }
        same
    }

    /// The transcript with this text and these programs.
    pub(super) fn at(
        &mut self,
        files: &FxHashMap<FileId, Arc<SnapshotFile>>,
        programs: &dyn Fn(&Identity) -> Option<Arc<SnapshotProgram>>,
    ) -> Option<Arc<SnapshotTranscript>> {
        let file = files.get(&self.file).filter(|file| file.open.is_some())?;
        let programs: Vec<_> = self.programs.iter().filter_map(programs).collect();
        let same = |last: &&Arc<SnapshotTranscript>| {
            let mut pairs = last.programs.iter().zip(&programs);
            Arc::ptr_eq(&last.file, file)
                && last.programs.len() == programs.len()
                && pairs.all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if let Some(last) = self.last.as_ref().filter(same) {
            return Some(Arc::clone(last));
        }
        let transcript = Arc::new(SnapshotTranscript {
            file: Arc::clone(file),
            settings: Arc::clone(&self.settings),
            programs,
            rules: Arc::clone(&self.rules),
            kept: Arc::clone(&self.kept),
            records: OnceLock::new(),
            diagnostics: OnceLock::new(),
        });
        self.last = Some(Arc::clone(&transcript));
        Some(transcript)
    }
}

/// An open transcript as it was at some revision; shared by all revisions in which it is the same.
#[derive(Debug)]
pub struct SnapshotTranscript {
    /// The document.
    pub file: Arc<SnapshotFile>,
    /// The settings that hold for it, overrides applied.
    pub settings: Arc<TranscriptSettings>,
    /// The programs whose declarations hold for it.
    pub programs: Vec<Arc<SnapshotProgram>>,
    rules: Arc<RuleSettings>,
    /// The records of the revision that was read last, whichever that is.
    kept: Arc<Mutex<Option<Arc<Records>>>>,
    records: OnceLock<Arc<Records>>,
    diagnostics: OnceLock<Arc<[Diagnostic]>>,
}

impl SnapshotTranscript {
    /// Its records.
    pub fn records(&self) -> &Arc<Records> {
        self.records.get_or_init(|| {
            let before = self.kept.lock().clone();
            let name = self.file.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let text = Arc::clone(self.file.text());
            let records = Arc::new(match before {
                Some(before) => before.after(text, &name, &self.settings),
                None => Records::read(text, &name, &self.settings),
            });
            *self.kept.lock() = Some(Arc::clone(&records));
            records
        })
    }

    /// Computes the diagnostics, unless somebody has already. Does nothing when `cancel` is raised meanwhile.
    pub fn diagnose(&self, cancel: &Cancel) {
        if !self.is_diagnosed()
            && let Some(found) = self.find(cancel)
        {
            let _ = self.diagnostics.set(found.into());
        }
    }

    fn find(&self, cancel: &Cancel) -> Option<Vec<Diagnostic>> {
        let records = self.records();
        let key = self.environment();
        let mut found: Vec<Finding> = records.findings().to_vec();
        for entry in records.list() {
            if cancel.is_cancelled() {
                return None;
            }
            let of_record = entry.kept.checked(key, || self.check(entry));
            found.extend(of_record.iter().map(|finding| moved(finding, entry.start)));
        }
        let mut found = file_findings(self.file.id, found, &self.rules);
        found.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
        Some(found)
    }

    fn check(&self, entry: &Entry) -> Vec<Finding> {
        entry.kept.findings.clone()
    }

    /// A number that changes with what the findings of a record depend on beside its bytes.
    fn environment(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for program in &self.programs {
            program.program().environment().hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether [`SnapshotTranscript::diagnose`] has been through.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.diagnostics.get().is_some()
    }

    /// The diagnostics, sorted by start; empty before [`SnapshotTranscript::diagnose`].
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get().map_or(&[], |found| found)
    }

    /// It as features see it.
    pub fn opened(&self) -> Opened<'_> {
        Opened { records: self.records(), settings: &self.settings }
    }

    /// The Mangle at an offset of the file: where it is, and the offset in it.
    #[must_use]
    pub fn mangle_at(&self, offset: TextSize) -> Option<(&Entry, &MangleText, TextSize)> {
        let records = self.records();
        let around = crate::text::TextRange::empty(offset);
        records.touching(around).find_map(|entry| {
            let inside = offset.checked_sub(entry.start)?;
            let text =
                records.mangle(entry, &self.settings).find(|text| text.range().contains_inclusive(inside))?;
            Some((entry, text, text.embedded.map.to_derived(inside)?))
        })
    }
}

/// A finding of a record as one of the file.
fn moved(finding: &Finding, start: TextSize) -> Finding {
    let mut finding = finding.clone();
    finding.range += start;
    for related in &mut finding.related {
        related.span.range += start;
    }
    for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
        edit.span.range += start;
    }
    finding
}
