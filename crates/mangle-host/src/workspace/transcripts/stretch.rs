//! Excerpts of transcripts that are too large to hold in memory. An excerpt is read from disk on
//! request and treated as a small transcript.

use std::io;
use std::sync::Arc;

use super::SnapshotTranscript;
use crate::FileText;
use crate::transcripts::{Stretch, StretchRequest, StretchTarget, read_stretch};
use crate::workspace::SnapshotFile;
use mangle_ide::conversation::window::{ConversationWindow, WindowStart, window_from};
use mangle_ide::file_findings::Lists;
use mangle_ide::replays::TranscriptVerdicts;
use mangle_ide::transcripts::{Records, TranscriptView, diagnostics_of};
use mangle_settings::TranscriptSettings;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::Cancel;
use piggyback::transcript::NO_REPLY_FOUND;

/// The note above a stretch that does not start at the beginning of the file.
const EXCERPT_NOTE: &str = "A stretch of a large file: verdicts, and findings that depend on turns before it, are those of \
                     `mangle-ls replay` and `mangle-ls check`.";

/// An excerpt of a transcript on disk.
#[derive(Debug)]
pub struct DiskStretch {
    /// The excerpt as a file. Line numbers start at 0 in the excerpt.
    pub file: Arc<SnapshotFile>,
    /// The number of lines before the excerpt.
    pub lines: u32,
    pub window: ConversationWindow,
    /// The findings in the excerpt.
    pub found: Vec<Diagnostic>,
    /// The number of its first record.
    pub number: u64,
    /// The number of the record after the excerpt.
    pub after: Option<u64>,
}

impl SnapshotTranscript {
    /// Reads an excerpt from disk. Returns `None` if canceled.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn stretch(
        &self,
        target: StretchTarget,
        count: usize,
        cancel: &Cancel,
    ) -> io::Result<Option<DiskStretch>> {
        let known = self.memos.starts.all();
        let (path, settings) = (&*self.file.path, &*self.settings);
        let request = StretchRequest { path, settings, target, count, known: &known, cancel };
        let read = read_stretch(request)?;
        if cancel.is_cancelled() {
            return Ok(None);
        }
        self.memos.starts.add(&read.start);
        if let Some(after) = &read.after {
            self.memos.starts.add(after);
        }
        Ok(Some(self.shown(read, cancel)))
    }

    fn shown(&self, read: Stretch, cancel: &Cancel) -> DiskStretch {
        let settings =
            TranscriptSettings { container: read.container, ..TranscriptSettings::clone(&self.settings) };
        let name = self.file.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let records = Records::read(read.text.as_str().into(), &name, &settings);
        let known = self.known();
        let judge = self.judge(&known);
        let mut found = diagnostics_of(self.file.id, &records, judge, known.key, &self.fenced);
        let is_first = read.start.number == 1;
        let is_all = is_first && read.after.is_none();
        found.retain(|one| is_all || one.rule != &NO_REPLY_FOUND);
        let replayed = if is_first { self.replayed_stretch(&records, cancel) } else { None };
        let (verdicts, of_replay) = replayed.unzip();
        let of_replay = of_replay.unwrap_or_default();
        let all = Lists { checks: vec![&found], others: vec![&of_replay], ..Lists::default() }.merged(None);
        let found: Vec<Diagnostic> = all.into_iter().cloned().collect();
        let opened = TranscriptView {
            declarations: known.declarations.as_ref(),
            verdicts: verdicts.as_ref(),
            ..TranscriptView::new(&records, &settings)
        };
        let note = if is_first { None } else { Some(EXCERPT_NOTE) };
        let start = WindowStart { number: read.start.number, answers: read.start.answers, note };
        let window = window_from(opened, &found, 0, usize::MAX, start);
        let text = FileText { text: Arc::clone(records.text()), findings: Vec::new() };
        DiskStretch {
            file: Arc::new(SnapshotFile::transcript(self.file.id, Arc::clone(&self.file.path), text)),
            lines: read.start.lines,
            window,
            found,
            number: read.start.number,
            after: read.after.map(|after| after.number),
        }
    }

    /// Returns the replay results of the first records of the file.
    fn replayed_stretch(
        &self,
        records: &Records,
        cancel: &Cancel,
    ) -> Option<(TranscriptVerdicts, Vec<Diagnostic>)> {
        if self.refusal().is_some() {
            return None;
        }
        let (known, of) = (self.known(), self.programs.first()?);
        let constitution = known.constitution(&of.inputs.settings, cancel)?;
        let judge = self.judge(&known);
        let verdicts =
            self.verdicts_of(records, (&constitution, judge, &of.inputs.settings.kernel), cancel)?;
        let verdicts = Arc::new(verdicts).in_records(records);
        let found = verdicts.diagnostics(self.file.id, records, judge);
        Some((verdicts, found))
    }
}
