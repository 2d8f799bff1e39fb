//! Scheduling of evaluations: one at a time, on a separate thread, after the diagnostics. Replays of
//! open transcripts and property checks in open test files follow on the same thread. An edit cancels
//! all of them, and they restart after a short pause in typing.
//!
//! Programs of open documents and of requests come first. The derived facts of other programs are
//! dropped after their findings are known.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustc_hash::FxHasher;
use tracing::Span;

use super::state::Writer;
use crate::lsp::message::{EvaluationDigest, EvaluationResult, Message, Prerequisite, RequestRefusal};
use crate::lsp::pool::guarded;
use crate::lsp::report::FileReport;
use crate::lsp::view::View;
use mangle_host::other_program;
use mangle_host::workspace::{SnapshotProgram, SnapshotTranscript};
use mangle_syntax::text::Cancel;

/// The time without edits before an unrequested evaluation starts, so that it does not delay
/// diagnostics during typing.
const PAUSE: Duration = Duration::from_millis(50);

impl Writer {
    /// Starts the needed evaluation, unless one is running.
    pub(super) fn evaluate(&mut self) {
        if self.evaluating.is_some()
            || self.workspace.is_loading()
            || self.unevaluable == Some(self.workspace.revision())
        {
            return;
        }
        let is_asked =
            self.questions.iter().any(|question| matches!(question.needs, Prerequisite::Evaluation(_)));
        // Diagnostics have priority because they are always visible.
        if !is_asked && (!self.needs_evaluation || self.running.is_some()) {
            return;
        }
        let Some(view) = self.view() else { return };
        let asked = self.questions.iter().flat_map(|question| tried_for(&question.needs, &view));
        let wanted: Vec<_> = asked.chain(view.snapshot.of_open_documents().iter().cloned()).collect();
        let programs = view.snapshot.programs.iter();
        let others = programs.filter(|program| !wanted.iter().any(|wanted| Arc::ptr_eq(wanted, program)));
        let others: Vec<_> = others.cloned().collect();
        others.iter().for_each(|program| program.forget_evaluation());
        let is_known = |program: &Arc<SnapshotProgram>| program.is_answerable() && program.is_traced();
        let is_all_known = wanted.iter().all(is_known) && view.snapshot.has_checked_atoms();
        let pause = if is_asked { Duration::ZERO } else { PAUSE };
        if !is_all_known || self.is_addition_unseen {
            // Replays and checks of properties use the same thread and restart later.
            self.replaying.iter().chain(&self.verifying).for_each(Cancel::cancel);
            self.start_evaluation(view, wanted, pause);
            return;
        }
        // Replays also concern open documents.
        if self.replay(view.clone()) {
            return;
        }
        let is_missing = |program: &Arc<SnapshotProgram>| {
            view.snapshot.shows_evaluation_of(program) && !(program.is_evaluated() && program.is_traced())
        };
        let missing: Vec<_> = others.into_iter().filter(is_missing).collect();
        self.needs_evaluation = !missing.is_empty();
        if self.needs_evaluation {
            self.start_evaluation_of_others(view, missing);
        } else {
            self.verify(view);
        }
    }

    fn start_evaluation(&mut self, view: View, programs: Vec<Arc<SnapshotProgram>>, pause: Duration) {
        let span =
            tracing::debug_span!("evaluate", revision = view.snapshot.revision, programs = programs.len());
        let address = self.address.clone();
        let compute = move |view: &View, cancel: &Cancel| {
            for program in &programs {
                program.evaluate(cancel);
                // A query does not wait for prompts.
                let _ = address.send(Message::ProgramEvaluated);
            }
            programs.iter().for_each(|program| view.snapshot.trace_prompts(program, cancel));
            view.snapshot.check_atoms(cancel);
            (!cancel.is_cancelled()).then(|| figures(view))
        };
        self.evaluating = Some(self.spawn_after_pause(view, pause, span, compute, Message::Evaluated));
    }

    /// Evaluates programs without open documents, for their findings only. Only one of them is in
    /// memory at a time, so that all have the same limits.
    fn start_evaluation_of_others(&mut self, view: View, programs: Vec<Arc<SnapshotProgram>>) {
        let span = tracing::debug_span!(
            "evaluate others",
            revision = view.snapshot.revision,
            programs = programs.len()
        );
        let compute = move |view: &View, cancel: &Cancel| {
            for program in &programs {
                program.evaluate(cancel);
                view.snapshot.trace_prompts(program, cancel);
                program.forget_evaluation();
            }
            (!cancel.is_cancelled()).then(|| figures(view))
        };
        self.evaluating = Some(self.spawn_after_pause(view, PAUSE, span, compute, Message::Evaluated));
    }

    /// Runs a computation on the evaluation thread after `pause` without edits, and sends the
    /// result. Returns its cancellation token.
    fn spawn_after_pause(
        &self,
        view: View,
        pause: Duration,
        span: Span,
        compute: impl FnOnce(&View, &Cancel) -> Option<EvaluationDigest> + Send + 'static,
        message: fn(EvaluationResult) -> Message,
    ) -> Cancel {
        let cancel = Cancel::new();
        let (token, address) = (cancel.clone(), self.address.clone());
        self.evaluator.spawn_later(pause, &cancel, move |began| {
            let compute = || began.then(|| compute(&view, &token)).flatten();
            let result = span.in_scope(|| guarded(compute));
            let _ =
                address.send(message(EvaluationResult { revision: view.snapshot.revision, began, result }));
        });
        cancel
    }

    pub(super) fn evaluated(&mut self, EvaluationResult { revision, began, result }: EvaluationResult) {
        self.evaluating = None;
        self.is_addition_unseen |= began;
        if revision != self.workspace.revision() {
            return;
        }
        match result {
            Ok(Some(figures)) => {
                self.answer();
                if self.evaluation_digest.replace(figures.digest) != Some(figures.digest) {
                    self.refresh_figures();
                }
                self.announce_diagnostics(figures);
            }
            Ok(None) => {}
            Err(panic) => {
                // A panic would repeat.
                self.unevaluable = Some(revision);
                let is_waiting = |needs: &Prerequisite| matches!(needs, Prerequisite::Evaluation(_));
                let questions = std::mem::take(&mut self.questions);
                let (waiting, others) =
                    questions.into_iter().partition(|question| is_waiting(&question.needs));
                self.questions = others;
                let waiting: Vec<_> = waiting;
                waiting
                    .into_iter()
                    .for_each(|question| self.refuse(question, RequestRefusal::Panicked(panic.clone())));
            }
        }
    }

    /// Requests the client to reload displayed evaluation results, if it has requested any before.
    pub(super) fn refresh_figures(&self) {
        let Some(session) = &self.session else { return };
        if session.refresh_lenses && self.writer_status.lensed.load(Ordering::Acquire) {
            self.outbox.refresh_lenses();
        }
        if session.refresh_hints && self.writer_status.hinted.load(Ordering::Acquire) {
            self.outbox.refresh_hints();
        }
    }

    /// Announces diagnostics that result from an evaluation or from replays.
    fn announce_diagnostics(&mut self, figures: EvaluationDigest) {
        let Some(session) = &self.session else { return };
        // Also for clients that pull the workspace: for open documents, they use the document
        // pull.
        if figures.diagnostics && session.pull && session.refresh {
            self.outbox.refresh_diagnostics();
        }
        // A running push or comparison may lack the new diagnostics, because it has an older
        // basis.
        self.additions += 1;
        self.is_addition_unseen = false;
        self.answer_pulls();
    }
}

/// Returns the programs that must be evaluated for a waiting request.
pub(super) fn tried_for(needs: &Prerequisite, view: &View) -> Vec<Arc<SnapshotProgram>> {
    let Prerequisite::Evaluation(path) = needs else { return Vec::new() };
    match path {
        Some(path) => {
            let file = view.snapshot.file_at(path).map(|file| file.id);
            file.into_iter().flat_map(|file| view.snapshot.query_programs(file)).cloned().collect()
        }
        None => {
            let programs = view.snapshot.programs.iter();
            programs.filter(|program| program.single().is_none()).cloned().collect()
        }
    }
}

/// Returns the summary of a finished evaluation.
fn figures(view: &View) -> EvaluationDigest {
    let mut hasher = FxHasher::default();
    for program in view.snapshot.of_open_documents() {
        program.evaluated().map(|evaluated| evaluated.readings.digest()).hash(&mut hasher);
    }
    EvaluationDigest { digest: hasher.finish(), diagnostics: has_outdated_diagnostics(view) }
}

/// True if the client has outdated diagnostics of an open document.
fn has_outdated_diagnostics(view: &View) -> bool {
    // Documents that are not diagnosed yet will be sent as a whole.
    let is_known = |file| {
        let transcript = view.snapshot.transcript(file);
        transcript.is_none_or(|transcript| transcript.is_diagnosed())
            && view.snapshot.programs_of(file).all(|program| program.is_diagnosed())
    };
    let mut open = view.snapshot.files().filter(|file| file.open.is_some() && is_known(file.id));
    open.any(|file| view.pulled.is_outdated(file.id, FileReport::new(view, file).id().fingerprint))
}

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
            (!cancel.is_cancelled())
                .then(|| EvaluationDigest { digest: digest_of_replays(view), diagnostics })
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
fn digest_of_replays(view: &View) -> u64 {
    let mut hasher = FxHasher::default();
    for transcript in view.snapshot.transcripts.iter().filter(|one| one.file.open.is_some()) {
        let verdicts = transcript.replayed().verdicts.as_ref();
        (transcript.file.id, verdicts.map(|verdicts| verdicts.digest())).hash(&mut hasher);
    }
    hasher.finish()
}

impl Writer {
    /// Starts the needed checks, unless some are running.
    fn verify(&mut self, view: View) {
        if self.verifying.is_some() {
            return;
        }
        let wanted: Vec<_> = open_tests(&view).filter(|program| !program.is_verified()).cloned().collect();
        if wanted.is_empty() {
            return;
        }
        let span = tracing::debug_span!("verify", revision = view.snapshot.revision, tests = wanted.len());
        let address = self.address.clone();
        let compute = move |view: &View, cancel: &Cancel| {
            for program in &wanted {
                let mut next = |_: &str| _ = address.send(Message::PropertyChecked);
                view.snapshot.verify(program, &other_program, &mut next, cancel);
            }
            let diagnostics = !cancel.is_cancelled() && has_outdated_diagnostics(view);
            (!cancel.is_cancelled())
                .then(|| EvaluationDigest { digest: digest_of_properties(view), diagnostics })
        };
        self.verifying = Some(self.spawn_after_pause(view, PAUSE, span, compute, Message::Verified));
    }

    pub(super) fn properties_checked(
        &mut self,
        EvaluationResult { revision, began, result }: EvaluationResult,
    ) {
        self.verifying = None;
        self.is_addition_unseen |= began;
        if revision != self.workspace.revision() {
            return;
        }
        match result {
            Ok(Some(figures)) => {
                if self.property_digest.replace(figures.digest) != Some(figures.digest) {
                    self.refresh_figures();
                }
                self.announce_diagnostics(figures);
                if let Some(view) = self.view() {
                    self.watches.tell(&view);
                }
            }
            // A requested evaluation has priority on the thread.
            Ok(None) => self.needs_evaluation = true,
            // A panic would repeat.
            Err(_) => self.unevaluable = Some(revision),
        }
    }
}

/// Returns the programs of open policy tests.
fn open_tests(view: &View) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
    let is_open = |program: &&Arc<SnapshotProgram>| {
        let file = program.test().and_then(|file| view.snapshot.file(file));
        file.is_some_and(|file| file.open.is_some())
    };
    view.snapshot.programs.iter().filter(is_open)
}

/// Returns a number that changes when the displayed property results change.
fn digest_of_properties(view: &View) -> u64 {
    let mut hasher = FxHasher::default();
    for program in open_tests(view) {
        for of in program.known_answers().iter() {
            (of.property.header, of.report.as_ref().map(|report| &report.message)).hash(&mut hasher);
        }
    }
    hasher.finish()
}
