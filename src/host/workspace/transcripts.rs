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
use crate::envelope::atoms::Declarations;
use crate::envelope::{Catalogue, Context};
use crate::host::transcripts::{embedding, is_included};
use crate::host::{Project, TranscriptFile, relative};
use crate::ide::transcripts::{Judge, MangleText, Opened, Records, diagnostics_of};
use crate::lint::Diagnostic;
use crate::program::Program;
use crate::text::{Cancel, FileId, TextRange, TextSize};
use crate::transcript::Limits;

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
    tools: Option<Arc<Catalogue>>,
    limits: Arc<Limits>,
    kept: Arc<Mutex<Option<Arc<Records>>>>,
    knowledge: Arc<Mutex<Option<Arc<Known>>>>,
    last: Option<Arc<SnapshotTranscript>>,
}

impl TranscriptState {
    pub(super) fn new(
        found: &TranscriptFile,
        programs: Vec<Identity>,
        rules: RuleSettings,
        tools: Option<Arc<Catalogue>>,
        limits: Arc<Limits>,
    ) -> Self {
        let (file, settings) = (found.file, Arc::clone(&found.settings));
        let (kept, knowledge) = Default::default();
        Self { file, settings, rules: rules.into(), programs, tools, limits, kept, knowledge, last: None }
    }

    /// This transcript as the successor of `old`. Gives whether nothing is different.
    pub(super) fn succeed(&mut self, old: Self) -> bool {
        let reads_alike = self.settings == old.settings;
        if reads_alike {
            self.kept = old.kept;
            self.settings = old.settings;
        }
        self.knowledge = old.knowledge;
        let same = reads_alike
            && self.rules == old.rules
            && self.programs == old.programs
            && self.tools == old.tools
            && self.limits == old.limits;
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
            tools: self.tools.clone(),
            limits: Arc::clone(&self.limits),
            kept: Arc::clone(&self.kept),
            knowledge: Arc::clone(&self.knowledge),
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
    tools: Option<Arc<Catalogue>>,
    limits: Arc<Limits>,
    knowledge: Arc<Mutex<Option<Arc<Known>>>>,
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
                Some(before) => before.after(text),
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
        let known = self.known();
        let context = Context {
            declarations: known.declarations.as_ref(),
            tools: self.tools.as_deref(),
            ..Context::new(&self.settings)
        };
        let text = records.text().as_bytes();
        let judge = Judge { rules: &self.rules, context, limits: &self.limits, programs: &known.programs };
        let name = self.file.path.to_string_lossy();
        for entry in records.transcript().entries() {
            if cancel.is_cancelled() {
                return None;
            }
            let _ = entry.checked(text, &context, known.key);
        }
        Some(diagnostics_of(self.file.id, &name, records.transcript(), text, judge, known.key))
    }

    /// What the programs declare, found out once for all revisions with the same programs.
    fn known(&self) -> Arc<Known> {
        let mut kept = self.knowledge.lock();
        let same = |known: &&Arc<Known>| {
            let mut pairs = known.of.iter().zip(&self.programs);
            known.of.len() == self.programs.len() && pairs.all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if let Some(known) = kept.as_ref().filter(same) {
            return Arc::clone(known);
        }
        let known = Arc::new(Known::new(&self.programs, self.tools.as_ref()));
        *kept = Some(Arc::clone(&known));
        known
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

    /// The Mangle at an offset of the file: where its record starts, it, and the offset in it.
    #[must_use]
    pub fn mangle_at(&self, offset: TextSize) -> Option<(TextSize, &MangleText, TextSize)> {
        let records = self.records();
        let in_records = records.touching(TextRange::empty(offset)).find_map(|entry| {
            let inside = offset.checked_sub(entry.start)?;
            let mut texts = records.mangle(entry, &self.settings);
            texts.find_map(|text| Some((entry.start, text, text.to_derived(inside)?)))
        });
        let start = TextSize::new(0);
        let mut fences = records.fences().iter();
        in_records.or_else(|| fences.find_map(|text| Some((start, text, text.to_derived(offset)?))))
    }
}

/// What transcripts are judged by that go with some programs.
#[derive(Debug)]
pub(super) struct Known {
    of: Vec<Arc<SnapshotProgram>>,
    /// The programs as one: an atom is known if one of them declares it.
    programs: Vec<Arc<Program>>,
    declarations: Option<Declarations>,
    /// A number that changes with whatever a record is judged by.
    key: u64,
}

impl Known {
    fn new(of: &[Arc<SnapshotProgram>], tools: Option<&Arc<Catalogue>>) -> Self {
        let program = match of {
            [] => None,
            [one] => Some(Arc::clone(one.program())),
            several => Some(joined(several)),
        };
        let declarations = program.as_deref().map(Declarations::of).filter(|known| !known.is_empty());
        let mut hasher = FxHasher::default();
        program.as_ref().map(|program| (program.environment(), program.vocabulary())).hash(&mut hasher);
        let hypotheses = declarations.iter().flat_map(|known| known.hypotheses());
        hypotheses.for_each(|(text, _)| text.hash(&mut hasher));
        tools.map(|tools| &tools.tools).hash(&mut hasher);
        let programs = program.into_iter().collect();
        Self { of: of.to_vec(), programs, declarations, key: hasher.finish() }
    }
}

/// Several programs as one.
fn joined(programs: &[Arc<SnapshotProgram>]) -> Arc<Program> {
    let mut files: Vec<_> = programs.iter().flat_map(|program| &program.files).collect();
    files.sort_unstable_by_key(|file| file.id);
    files.dedup_by_key(|file| file.id);
    let embeddings = programs.iter().map(|program| &*program.embedding);
    let summaries = files.into_iter().map(|file| Arc::clone(file.summary())).collect();
    Arc::new(Program::embedded(summaries, embedding(embeddings).into()))
}
