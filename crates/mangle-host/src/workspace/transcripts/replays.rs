//! Replays of transcripts against their policies: on request, and cached results for open
//! transcripts.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{ReplayInputs, SnapshotTranscript};
use crate::workspace::transcripts::Replayed;
use agent_replay::{Constitution, Prefill, ReplayOptions};
use mangle_engine::kernel::Clock;
use mangle_ide::replays::{MAX_BYTES, Verdicts};
use mangle_ide::transcripts::{Records, TranscriptContext};
use mangle_settings::KernelSettings;
use mangle_syntax::memo::Identity;
use mangle_syntax::text::Cancel;

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
            self.verdicts_of(records, (constitution, judge, kernel), cancel).map(Arc::new)
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
    pub(super) fn verdicts_of(
        &self,
        records: &Records,
        (constitution, judge, kernel): (&Constitution, TranscriptContext<'_>, &KernelSettings),
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
}
