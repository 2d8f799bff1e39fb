//! Requests about one transcript: replays against its policies, its records as a conversation, and
//! excerpts of files that are too large to hold in memory.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::SnapshotFile;
use super::transcript::{ReplayInputs, Replayed, SnapshotTranscript};
use crate::FileText;
use crate::transcripts::{Stretch, StretchRequest, StretchTarget, read_stretch};
use agent_replay::{Constitution, Prefill, ReplayOptions};
use mangle_engine::kernel::Clock;
use mangle_ide::conversation::window::{ConversationWindow, WindowStart, window, window_from};
use mangle_ide::file_findings::Lists;
use mangle_ide::replays::{MAX_BYTES, TranscriptVerdicts, Verdicts};
use mangle_ide::transcripts::{Records, TranscriptContext, TranscriptView, diagnostics_of};
use mangle_settings::{KernelSettings, TranscriptSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::Identity;
use mangle_syntax::text::Cancel;
use piggyback::transcript::NO_REPLY_FOUND;

/// Held during a replay on request. Background replays do not hold it, so that they block no
/// request.
static REPLAYING: Mutex<()> = Mutex::new(());

impl SnapshotTranscript {
    /// Passes the policies of the transcript and the context for its findings to `see`. The
    /// policies are compiled and evaluated once for all revisions with the same policies. One
    /// replay runs at a time.
    ///
    /// Returns `None` if no policies exist, or if canceled.
    pub fn replay<T>(
        &self,
        cancel: &Cancel,
        see: impl FnOnce(&Constitution, TranscriptContext<'_>, &KernelSettings) -> T,
    ) -> Option<T> {
        let _one = REPLAYING.lock();
        self.replay_beside(cancel, see)
    }

    fn replay_beside<T>(
        &self,
        cancel: &Cancel,
        see: impl FnOnce(&Constitution, TranscriptContext<'_>, &KernelSettings) -> T,
    ) -> Option<T> {
        if self.is_document || self.is_left_out() || self.refusal().is_some() {
            return None;
        }
        let (known, of) = (self.known(), self.programs.first()?);
        let constitution = known.constitution(&of.inputs.settings, cancel)?;
        Some(see(&constitution, self.judge(&known), &of.inputs.settings.kernel))
    }

    /// Returns the message that a policy does not load, so that nothing is permitted or denied,
    /// with the first error.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        self.programs.iter().find_map(|program| program.refusal())
    }

    /// Replays an open transcript for its viewers, if the result is not known yet. Changes nothing
    /// if canceled.
    pub fn replay_for_readers(&self, cancel: &Cancel) {
        if self.is_replayed() {
            return;
        }
        let (records, context) = (self.records(), self.known());
        let inputs = ReplayInputs {
            records: Identity(Arc::clone(records)),
            context: Identity(context),
            rules: Arc::clone(&self.rules),
            limits: Arc::clone(&self.limits),
        };
        let of = |constitution: &Constitution, judge: TranscriptContext<'_>, kernel: &KernelSettings| {
            self.verdicts_of(records, constitution, judge, kernel, cancel).map(Arc::new)
        };
        let compute = |_| {
            let verdicts = self.replay_beside(cancel, of).flatten();
            (!cancel.is_cancelled()).then_some(verdicts)
        };
        if let Some(verdicts) = self.memos.verdicts.get(inputs, compute) {
            let replayed = verdicts.map(|verdicts| self.placed(&verdicts)).unwrap_or_default();
            let _ = self.replayed.set(replayed);
        }
    }

    /// Returns the replay results of records. Returns `None` if canceled.
    fn verdicts_of(
        &self,
        records: &Records,
        constitution: &Constitution,
        judge: TranscriptContext<'_>,
        kernel: &KernelSettings,
        cancel: &Cancel,
    ) -> Option<Verdicts> {
        let options = ReplayOptions {
            transcript: &self.settings,
            runtime: judge.limits,
            clock: Clock::from_settings(kernel),
            abduce: false,
            show_permits: false,
            coverage: false,
            until: None,
            end: None,
            prefill: &Prefill::default(),
            cancel,
        };
        Verdicts::replay(records, constitution, judge, options)
    }

    /// Returns the replay results at their current positions.
    fn placed(&self, verdicts: &Arc<Verdicts>) -> Replayed {
        let (records, known) = (self.records(), self.known());
        let verdicts = verdicts.in_records(records);
        let diagnostics = verdicts.diagnostics(self.file.id, records, self.judge(&known));
        Replayed { verdicts: Some(verdicts), diagnostics }
    }

    /// True if [`SnapshotTranscript::replay_for_readers`] has completed or has nothing to do.
    #[must_use]
    pub fn is_replayed(&self) -> bool {
        let is_wanted = self.file.open.is_some()
            && !self.is_document
            && !self.programs.is_empty()
            && self.file.text().len() <= MAX_BYTES;
        !is_wanted || self.replayed.get().is_some()
    }

    /// Returns the replay results. Until they are known, returns the last results of the unchanged
    /// records.
    pub fn replayed(&self) -> &Replayed {
        self.replayed.get().unwrap_or_else(|| {
            self.carried.get_or_init(|| {
                let last = self.memos.verdicts.latest().flatten().filter(|_| self.refusal().is_none());
                last.map_or_else(Replayed::default, |last| self.placed(&last))
            })
        })
    }

    /// True if [`SnapshotTranscript::replayed`] applies to the current transcript and policies.
    #[must_use]
    pub fn is_replay_current(&self) -> bool {
        self.replayed.get().is_some()
    }

    /// Returns the records from an index on, with the findings of `check` and of a replay. Returns
    /// `None` if canceled.
    pub fn conversation(
        &self,
        first: usize,
        count: usize,
        cancel: &Cancel,
    ) -> Option<Arc<ConversationWindow>> {
        self.diagnose(cancel);
        self.replay_for_readers(cancel);
        if cancel.is_cancelled() {
            return None;
        }
        let key = (first, count, self.replayed.get().is_some());
        let mut last = self.conversation.0.lock();
        if let Some((_, shown)) = last.as_ref().filter(|(known, _)| *known == key) {
            return Some(Arc::clone(shown));
        }
        let found: Vec<Diagnostic> = self.findings().into_iter().cloned().collect();
        let shown = Arc::new(self.with_policies(|opened| window(opened, &found, first, count)));
        *last = Some((key, Arc::clone(&shown)));
        Some(shown)
    }

    /// Returns the known findings of `check` and of a replay, sorted by start.
    #[must_use]
    pub fn findings(&self) -> Vec<&Diagnostic> {
        let others = vec![&*self.replayed().diagnostics];
        Lists { checks: vec![self.diagnostics()], others, ..Lists::default() }.merged(None)
    }
}

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
        let verdicts = self.verdicts_of(records, &constitution, judge, &of.inputs.settings.kernel, cancel)?;
        let verdicts = Arc::new(verdicts).in_records(records);
        let found = verdicts.diagnostics(self.file.id, records, judge);
        Some((verdicts, found))
    }
}
