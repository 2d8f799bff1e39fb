//! Scheduling of diagnostics: waiting requests, computations, and delivery to the client.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustc_hash::FxHasher;

use super::evaluations::tried_for;
use super::state::{Current, DiagnosticsRun, Writer};
use crate::lsp::message::{
    DiagnosticsResult, Message, PendingRequest, Prerequisite, RequestRefusal, WorkspacePull,
};
use crate::lsp::pool::guarded;
use crate::lsp::pull;
use crate::lsp::report::PushScope;
use crate::lsp::session::ClientSession;
use crate::lsp::view::View;
use mangle_host::workspace::{Snapshot, SnapshotGrammar, SnapshotProgram, SnapshotTranscript};
use mangle_ide::Analysis;
use mangle_syntax::text::Cancel;

impl Writer {
    fn audience(&self, session: &ClientSession) -> PushScope {
        match (session.pull, self.pulls_workspace) {
            (false, _) => PushScope::All,
            (true, false) => PushScope::ClosedDocuments,
            (true, true) => PushScope::OutsidePrograms,
        }
    }

    /// Handles a canceled request. A computation that no request waits for is also canceled,
    /// unless its result is to be pushed.
    pub(super) fn cancelled(&mut self) {
        self.questions.retain(|question| !question.cancel.is_cancelled());
        self.pulls.retain(|pull| !pull.cancel.is_cancelled());
        let audience = self.running.as_ref().and_then(|running| running.audience);
        let is_pushed = audience.is_some_and(|audience| audience != PushScope::OutsidePrograms);
        if !is_pushed && self.questions.is_empty() && self.pulls.is_empty() {
            self.stop();
        }
    }

    /// Answers the requests whose prerequisites are met.
    pub(super) fn answer(&mut self) {
        self.questions.retain(|question| !question.cancel.is_cancelled());
        if self.questions.is_empty() {
            return;
        }
        let Some(view) = self.view() else { return };
        for question in std::mem::take(&mut self.questions) {
            self.needs_evaluation |= matches!(
                question.needs,
                Prerequisite::KnownEvaluation(_) | Prerequisite::Evaluation(_) | Prerequisite::Diagnostics(_)
            );
            if self.is_answerable(&question.needs, &view) {
                self.dispatch(question, &view);
            } else {
                self.questions.push(question);
            }
        }
    }

    fn is_answerable(&self, needs: &Prerequisite, view: &View) -> bool {
        match needs {
            Prerequisite::Nothing => true,
            Prerequisite::Workspace => !self.workspace.is_loading() && !self.workspace.is_partial(),
            Prerequisite::Place(path)
            | Prerequisite::KnownEvaluation(path)
            | Prerequisite::Diagnostics(path) => {
                !self.workspace.is_loading()
                    && !self.workspace.is_unplaced(path)
                    && DiagnosticsWork::from_prerequisite(needs, view).is_done()
            }
            Prerequisite::Evaluation(path) => {
                !self.workspace.is_loading()
                    && !path.as_ref().is_some_and(|path| self.workspace.is_unplaced(path))
                    && tried_for(needs, view).iter().all(|program| program.is_answerable())
            }
        }
    }

    fn dispatch(&self, question: PendingRequest, view: &View) {
        let view = view.clone();
        question.span.record("revision", view.snapshot.revision);
        let span = question.span.clone();
        let answering = self.disk_looks.answer();
        span.in_scope(|| {
            self.pool.spawn(move || {
                let _answering = answering;
                if !question.cancel.is_cancelled() {
                    (question.answer)(Ok(&view));
                }
            });
        });
    }

    /// Starts the computation that a request or the client needs, unless one is running.
    ///
    /// If a canceled computation has not stopped yet, only the work for requests is started, on
    /// another thread. A keystroke then does not wait for the stop. At most two computations run
    /// at the same time.
    pub(super) fn diagnose(&mut self) {
        let is_stopping = self.running.as_ref().is_some_and(|running| running.cancel.is_cancelled());
        let is_busy = self.running.is_some() && !(is_stopping && self.stopping.is_none());
        if is_busy || self.workspace.is_loading() {
            return;
        }
        self.pulls.retain(|pull| !pull.cancel.is_cancelled());
        let basis = Some(self.basis());
        let pushing = self.ready && self.pushed != basis;
        let pulling = self.pulls.iter().any(|pull| pull.checked != basis);
        if self.questions.is_empty() && !(pushing || pulling) {
            return;
        }
        let Some(view) = self.view() else { return };
        let audience = self.audience(&view.session);
        let tells_of_programs = pushing && audience != PushScope::OutsidePrograms;
        // Requests for one document do not wait for the rest of the workspace.
        let mut asked_for = DiagnosticsWork::default();
        self.questions
            .iter()
            .for_each(|question| asked_for.and(DiagnosticsWork::from_prerequisite(&question.needs, &view)));
        let asked = !asked_for.is_empty();
        let is_beside = is_stopping || self.stopping.is_some();
        let must_wait =
            self.running.as_ref().is_some_and(|running| !running.is_stopping_elsewhere(&asked_for.programs));
        if must_wait || !(asked || (pushing || pulling) && !is_beside) {
            return;
        }
        if let Some(running) = self.running.take() {
            self.stopping = Some(running.number);
        }
        let mut work = if asked {
            asked_for
        } else if pulling || tells_of_programs {
            DiagnosticsWork::all(&view)
        } else {
            DiagnosticsWork::default()
        };
        work.programs.retain(|program| !program.is_diagnosed());
        work.transcripts.retain(|transcript| !transcript.is_diagnosed());
        work.grammars.retain(|grammar| !grammar.is_diagnosed());
        self.start(view, work, (pushing && !asked).then_some(audience));
    }

    fn start(&mut self, view: View, work: DiagnosticsWork, audience: Option<PushScope>) {
        let cancel = Cancel::new();
        self.started += 1;
        let number = self.started;
        let current = Current::default();
        self.running = Some(DiagnosticsRun {
            number,
            cancel: cancel.clone(),
            basis: self.basis(),
            audience,
            current: Arc::clone(&current),
        });
        let (address, outbox, publisher) =
            (self.address.clone(), self.outbox.clone(), Arc::clone(&self.publisher));
        self.pool.spawn(move || {
            let revision = view.snapshot.revision;
            let span = tracing::debug_span!("diagnose", revision, programs = work.programs.len());
            let compute = || {
                work.run(&cancel, &current);
                let audience = audience.filter(|_| !cancel.is_cancelled());
                audience.is_some_and(|audience| publisher.lock().publish(&view, audience, &outbox))
            };
            let result = span.in_scope(|| guarded(compute));
            let _ = address.send(Message::Diagnosed(DiagnosticsResult { number, revision, result }));
        });
    }

    pub(super) fn diagnosed(&mut self, DiagnosticsResult { number, revision, result }: DiagnosticsResult) {
        if self.stopping.take_if(|stopping| *stopping == number).is_some() {
            return;
        }
        let Some(running) = self.running.take() else { return };
        if revision != self.workspace.revision() {
            return;
        }
        let current = self.session.as_ref().map(|session| self.audience(session));
        // A panic would repeat, so nothing is computed until something changes.
        if result.is_err() || (result == Ok(true) && running.audience == current) {
            self.pushed = Some(running.basis);
        }
        if let Err(panic) = result {
            for question in std::mem::take(&mut self.questions) {
                self.refuse(question, RequestRefusal::Panicked(panic.clone()));
            }
            let basis = Some(self.basis());
            self.pulls.iter_mut().for_each(|pull| pull.checked = basis);
            return;
        }
        self.needs_evaluation |= result == Ok(true);
        self.refresh_hints();
        self.answer();
        self.answer_pulls();
    }

    /// Requests the client to reload inlay hints, if a change may affect the hints of other
    /// documents.
    fn refresh_hints(&mut self) {
        if !self.writer_status.hinted.load(Ordering::Acquire)
            || !self.session.as_ref().is_some_and(|session| session.refresh_hints)
        {
            return;
        }
        let Some(view) = self.view() else { return };
        let programs = &view.snapshot.programs;
        if !programs.iter().all(|program| program.is_diagnosed()) {
            return;
        }
        let mut hasher = FxHasher::default();
        for program in programs {
            (program.program().environment(), program.types().environment()).hash(&mut hasher);
        }
        let before = self.hinted_for.replace(hasher.finish());
        if before.is_some_and(|before| Some(before) != self.hinted_for) {
            self.outbox.refresh_hints();
        }
    }

    /// Answers the workspace pulls that have changed diagnostics.
    pub(super) fn answer_pulls(&mut self) {
        let Some(view) = self.view() else { return };
        if !DiagnosticsWork::all(&view).is_done() {
            return;
        }
        for pull in std::mem::take(&mut self.pulls) {
            if pull.checked == Some(self.basis()) {
                self.pulls.push(pull);
            } else {
                self.dispatch_pull(pull, &view);
            }
        }
    }

    /// Computes the response to a pull. A pull without changes is returned to the queue.
    fn dispatch_pull(&self, mut pull: WorkspacePull, view: &View) {
        let (view, address, basis) = (view.clone(), self.address.clone(), self.basis());
        let span = pull.span.clone();
        span.record("revision", view.snapshot.revision);
        span.in_scope(|| {
            self.pool.spawn(move || {
                match pull::workspace(&view, &pull.known) {
                    Ok(Some(report)) => {
                        let _ = pull.reply.send(report);
                    }
                    Ok(None) if !pull.cancel.is_cancelled() => {
                        pull.checked = Some(basis);
                        let _ = address.send(Message::Pull(pull));
                    }
                    Ok(None) => {}
                    // Nothing is sent to the handler, so the client receives an error response.
                    Err(error) => tracing::error!(%error, "a report cannot be written as JSON"),
                }
            });
        });
    }
}

/// The programs, transcripts and grammars to diagnose.
#[derive(Debug, Default)]
struct DiagnosticsWork {
    programs: Vec<Arc<SnapshotProgram>>,
    transcripts: Vec<Arc<SnapshotTranscript>>,
    grammars: Vec<Arc<SnapshotGrammar>>,
}

impl DiagnosticsWork {
    /// The work for the whole workspace.
    fn all(view: &View) -> Self {
        let Snapshot { programs, transcripts, grammars, .. } = &*view.snapshot;
        Self { programs: programs.clone(), transcripts: transcripts.clone(), grammars: grammars.clone() }
    }

    /// The work for a request: the programs of a document and the open transcripts that use their
    /// declarations, or the transcript or grammar itself.
    fn from_prerequisite(needs: &Prerequisite, view: &View) -> Self {
        let Prerequisite::Diagnostics(path) = needs else { return Self::default() };
        let Some(id) = view.snapshot.file_at(path).map(|file| file.id) else { return Self::default() };
        let programs: Vec<_> = view.snapshot.programs_of(id).cloned().collect();
        let is_judged_by = |transcript: &&Arc<SnapshotTranscript>| {
            let is_open = transcript.file.open.is_some();
            transcript.file.id == id
                || is_open && transcript.programs.iter().any(|of| contains(&programs, of))
        };
        let transcripts = view.snapshot.transcripts.iter().filter(is_judged_by).cloned().collect();
        let grammars = view.snapshot.grammar(id).into_iter().cloned().collect();
        Self { programs, transcripts, grammars }
    }

    fn and(&mut self, other: Self) {
        self.programs.extend(other.programs);
        self.transcripts.extend(other.transcripts);
        self.grammars.extend(other.grammars);
    }

    fn is_empty(&self) -> bool {
        self.programs.is_empty() && self.transcripts.is_empty() && self.grammars.is_empty()
    }

    fn is_done(&self) -> bool {
        self.programs.iter().all(|program| program.is_diagnosed())
            && self.transcripts.iter().all(|transcript| transcript.is_diagnosed())
            && self.grammars.iter().all(|grammar| grammar.is_diagnosed())
    }

    fn run(&self, cancel: &Cancel, current: &Current) {
        for program in &self.programs {
            *current.lock() = Some(Arc::clone(program));
            program.diagnose(cancel);
        }
        *current.lock() = None;
        self.transcripts.iter().for_each(|transcript| transcript.diagnose(cancel));
        for grammar in self.grammars.iter().take_while(|_| !cancel.is_cancelled()) {
            let _ = grammar.diagnostics();
        }
    }
}

fn contains(programs: &[Arc<SnapshotProgram>], program: &Arc<SnapshotProgram>) -> bool {
    programs.iter().any(|one| Arc::ptr_eq(one, program))
}
