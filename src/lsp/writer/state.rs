//! The data of the writer: its queues and pools, the workspace, and the computations that are running.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::lsp::client::{Outbox, Progress};
use crate::lsp::message::{Basis, Message, PendingRequest, RequestRefusal, WorkspacePull};
use crate::lsp::pool::Pool;
use crate::lsp::report::{Publisher, PushScope};
use crate::lsp::session::ClientSession;
use crate::lsp::view::{PulledDiagnostics, SentTokens, View, WriterStatus};
use crate::lsp::virtual_documents::Watches;
use mangle_host::workspace::{FileEvent, SnapshotProgram, Workspace};
use mangle_settings::{HintSettings, LensSettings};
use mangle_syntax::text::Cancel;

pub(super) struct DiagnosticsRun {
    /// The sequence number of the computation.
    pub(super) number: u64,
    pub(super) cancel: Cancel,
    /// The state that it started from.
    pub(super) basis: Basis,
    /// The client that receives its result by push, if any.
    pub(super) audience: Option<PushScope>,
    /// The program that is being diagnosed.
    pub(super) current: Current,
}

/// The program that is being diagnosed.
pub(super) type Current = Arc<Mutex<Option<Arc<SnapshotProgram>>>>;

impl DiagnosticsRun {
    /// True if it was canceled and is not diagnosing any of these programs. A result about one of
    /// them would be worth waiting for.
    pub(super) fn is_stopping_elsewhere(&self, programs: &[Arc<SnapshotProgram>]) -> bool {
        let current = self.current.lock();
        let is_there = |at: &Arc<SnapshotProgram>| programs.iter().any(|one| one.is_same_program(at));
        self.cancel.is_cancelled() && !current.as_ref().is_some_and(is_there)
    }
}

pub(in crate::lsp) struct Writer {
    pub(super) inbox: Receiver<Message>,
    /// The sender for threads that work for the writer.
    pub(super) address: Sender<Message>,
    pub(super) outbox: Outbox,
    pub(super) pool: Pool,
    /// A separate thread for evaluations, so that nothing waits behind them.
    pub(super) evaluator: Pool,
    pub(super) workspace: Workspace,
    pub(super) session: Option<Arc<ClientSession>>,
    /// True if the client accepts messages: it sent `initialized`, or opened a document.
    pub(super) ready: bool,
    /// True if the client has pulled the whole workspace, and will therefore do so again.
    pub(super) pulls_workspace: bool,
    pub(super) writer_status: Arc<WriterStatus>,
    pub(super) pulled: Arc<PulledDiagnostics>,
    pub(super) tokens: Arc<SentTokens>,
    /// The URIs of additional openings whose text differs from their file's.
    pub(super) diverged_openings: Vec<Arc<str>>,
    pub(super) questions: Vec<PendingRequest>,
    pub(super) pulls: Vec<WorkspacePull>,
    pub(super) running: Option<DiagnosticsRun>,
    /// The number of the canceled computation of diagnostics that has not stopped yet, in
    /// addition to `running`.
    pub(super) stopping: Option<u64>,
    /// The number of started computations of diagnostics.
    pub(super) started: u64,
    pub(super) publisher: Arc<Mutex<Publisher>>,
    /// True if a request at this revision shows evaluation results.
    pub(super) needs_evaluation: bool,
    /// The token that cancels the running evaluation.
    pub(super) evaluating: Option<Cancel>,
    /// The token that cancels the running replays.
    pub(super) replaying: Option<Cancel>,
    /// The token that cancels the running check of properties.
    pub(super) verifying: Option<Cancel>,
    /// The revision of the last evaluation or replay that panicked.
    pub(super) unevaluable: Option<u64>,
    /// The digest of the evaluations at the last refresh request.
    pub(super) evaluation_digest: Option<u64>,
    /// The digest of the replays at the last refresh request.
    pub(super) replay_digest: Option<u64>,
    /// The digest of the properties at the last refresh request.
    pub(super) property_digest: Option<u64>,
    /// The basis of the diagnostics that were pushed, or that could not be computed.
    pub(super) pushed: Option<Basis>,
    /// The number of finished evaluations and replays, which add findings.
    pub(super) additions: u64,
    /// True if an evaluation or replay was canceled or outdated, so that its added findings were
    /// not announced.
    pub(super) is_addition_unseen: bool,
    pub(super) progress: Option<Progress>,
    /// The folders whose incomplete scan was already reported to the user.
    pub(super) limited: FxHashSet<PathBuf>,
    /// True once the user was told that the workspace has too many files to look for transcripts.
    pub(super) warned_of_unexamined: bool,
    pub(super) watches: Watches,
    pub(super) disk_looks: DiskLooks,
    pub(super) hints: HintSettings,
    pub(super) lenses: LensSettings,
    /// The hash of the inputs of inlay hints at the last refresh request.
    pub(super) hinted_for: Option<u64>,
}

impl Writer {
    pub(in crate::lsp) fn new(
        inbox: Receiver<Message>,
        address: Sender<Message>,
        outbox: Outbox,
        pool: Pool,
        evaluator: Pool,
    ) -> Self {
        Self {
            inbox,
            address,
            outbox,
            pool,
            evaluator,
            workspace: Workspace::new(),
            session: None,
            ready: false,
            pulls_workspace: false,
            writer_status: Arc::default(),
            pulled: Arc::default(),
            tokens: Arc::default(),
            diverged_openings: Vec::new(),
            questions: Vec::new(),
            pulls: Vec::new(),
            running: None,
            stopping: None,
            started: 0,
            publisher: Arc::default(),
            needs_evaluation: false,
            evaluating: None,
            replaying: None,
            verifying: None,
            unevaluable: None,
            evaluation_digest: None,
            replay_digest: None,
            property_digest: None,
            pushed: None,
            additions: 0,
            is_addition_unseen: false,
            progress: None,
            limited: FxHashSet::default(),
            warned_of_unexamined: false,
            watches: Watches::default(),
            disk_looks: DiskLooks::default(),
            hints: HintSettings::default(),
            lenses: LensSettings::default(),
            hinted_for: None,
        }
    }

    /// Returns the current basis of diagnostics.
    pub(super) fn basis(&self) -> Basis {
        Basis { revision: self.workspace.revision(), additions: self.additions }
    }

    pub(super) fn publish_revision(&mut self) {
        self.writer_status.revision.store(self.workspace.revision(), Ordering::Release);
    }

    pub(super) fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
        }
        for under_way in self.evaluating.iter().chain(&self.replaying).chain(&self.verifying) {
            under_way.cancel();
        }
    }

    pub(super) fn files(&mut self, events: Vec<(PathBuf, FileEvent)>) {
        if let Some(view) = self.view() {
            self.watches.files_changed(events.iter().map(|(path, _)| path.as_path()), &view);
        }
        for (path, event) in events {
            self.workspace.file_event(&path, event);
        }
    }

    pub(super) fn view(&mut self) -> Option<View> {
        Some(View {
            session: Arc::clone(self.session.as_ref()?),
            snapshot: self.workspace.snapshot(),
            writer_status: Arc::clone(&self.writer_status),
            pulled: Arc::clone(&self.pulled),
            tokens: Arc::clone(&self.tokens),
            outbox: self.outbox.clone(),
            hints: self.hints,
            lenses: self.lenses,
            asked: OnceLock::new(),
        })
    }

    pub(super) fn refuse(&self, question: PendingRequest, refusal: RequestRefusal) {
        let span = question.span.clone();
        span.in_scope(|| self.pool.spawn(move || (question.answer)(Err(refusal))));
    }
}

/// The requested and running passes.
#[derive(Debug, Default)]
pub(super) struct DiskLooks {
    pub(super) is_requested: bool,
    pub(super) running: Option<RunningLook>,
    /// The duration of the last pass.
    cost: Duration,
    /// Cloned by each response that is being computed.
    pub(super) answers: Arc<()>,
}

#[derive(Debug)]
pub(super) struct RunningLook {
    pub(super) cancel: Cancel,
    /// False if the pass was caused by an action of the client.
    pub(super) is_poll: bool,
}

impl DiskLooks {
    /// Requests a pass.
    pub(super) fn request(&mut self) {
        self.is_requested = true;
    }

    /// Returns a token to hold while a request is answered.
    pub(super) fn answer(&self) -> Arc<()> {
        Arc::clone(&self.answers)
    }

    /// Records a running pass.
    pub(super) fn run(&mut self, cancel: Cancel, is_poll: bool) {
        self.running = Some(RunningLook { cancel, is_poll });
    }

    /// True while a pass is running.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Sets the duration of the last pass.
    pub(super) fn set_cost(&mut self, cost: Duration) {
        self.cost = cost;
    }

    /// The time without messages after which the server polls.
    pub(super) fn pause(&self) -> Duration {
        SHORTEST_PAUSE.max(self.cost.saturating_mul(PAUSE_PER_COST))
    }
}

/// The minimum time without messages before the server polls.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// The ratio of the pause to the duration of a poll. Polling takes at most 1 % of a core.
const PAUSE_PER_COST: u32 = 99;
