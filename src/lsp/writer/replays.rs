//! Scheduling of replays of open transcripts: sequentially, on the evaluation thread, when no
//! evaluation is due. An edit cancels them, and they restart after a short pause in typing.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::Writer;
use super::evaluations::{PAUSE, has_outdated_diagnostics};
use crate::lsp::message::{EvaluationDigest, EvaluationResult, Message};
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotTranscript;
use mangle_syntax::text::Cancel;

impl Writer {
    /// Starts the needed replays, unless some are running. Returns true if any are running.
    pub(super) fn replay(&mut self, view: View) -> bool {
        if self.replaying.is_some() {
            return true;
        }
        let open = view.snapshot.transcripts.iter().filter(|transcript| !transcript.is_replayed());
        let wanted: Vec<Arc<SnapshotTranscript>> = open.cloned().collect();
        if wanted.is_empty() {
            return false;
        }
        let span =
            tracing::debug_span!("replay", revision = view.snapshot.revision, transcripts = wanted.len());
        let compute = move |view: &View, cancel: &Cancel| {
            wanted.iter().for_each(|transcript| transcript.replay_for_readers(cancel));
            let diagnostics = !cancel.is_cancelled() && has_outdated_diagnostics(view);
            (!cancel.is_cancelled()).then(|| EvaluationDigest { digest: digest(view), diagnostics })
        };
        self.replaying = Some(self.spawn_after_pause(view, PAUSE, span, compute, Message::Replayed));
        true
    }

    pub(super) fn replayed(&mut self, EvaluationResult { revision, began, result }: EvaluationResult) {
        self.replaying = None;
        self.is_addition_unseen |= began;
        if revision != self.workspace.revision() {
            return;
        }
        match result {
            Ok(Some(figures)) => {
                if self.replay_digest.replace(figures.digest) != Some(figures.digest) {
                    self.refresh_figures();
                }
                self.announce_diagnostics(figures);
            }
            Ok(None) => {}
            // A panic would repeat.
            Err(_) => self.unevaluable = Some(revision),
        }
    }
}

/// Returns a number that changes when the displayed replay results change.
fn digest(view: &View) -> u64 {
    let mut hasher = FxHasher::default();
    for transcript in view.snapshot.transcripts.iter().filter(|one| one.file.open.is_some()) {
        let verdicts = transcript.replayed().verdicts.as_ref();
        (transcript.file.id, verdicts.map(|verdicts| verdicts.digest())).hash(&mut hasher);
    }
    hasher.finish()
}
