//! The single writer: owns the workspace, processes messages in order of arrival, and passes
//! snapshots to the pool. All state changes happen here.
//!
//! At most one computation of diagnostics runs at a time. An edit cancels it, and the newest state
//! is computed next for all waiting requests.

mod diagnostics;
mod diagnostics_run;
mod disk_looks;
mod evaluations;
mod replays;
mod scans;
mod suspects;
#[cfg(test)]
mod tests;
mod verification;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use serde_json::Value;

use super::client::{Outbox, Progress};
use super::from_proto::DocumentName;
use super::message::{Basis, Message, OpenedDocument, PendingRequest, RequestRefusal, WorkspacePull};
use super::pool::{Pool, guarded};
use super::push::Publisher;
use super::sent_tokens::SentTokens;
use super::session::ClientSession;
use super::view::{PulledDiagnostics, WriterStatus};
use super::virtual_documents::Watches;
use super::{capabilities, settings};
use diagnostics_run::DiagnosticsRun;
use disk_looks::DiskLooks;
use mangle_host::workspace::{FileEvent, Workspace};
use mangle_settings::{HintSettings, LensSettings};
use mangle_syntax::text::Cancel;

/// A longer turn is logged, because all requests wait for it.
const SLOW_TURN: Duration = Duration::from_millis(50);

pub(super) struct Writer {
    inbox: Receiver<Message>,
    /// The sender for threads that work for the writer.
    address: Sender<Message>,
    outbox: Outbox,
    pool: Pool,
    /// A separate thread for evaluations, so that nothing waits behind them.
    evaluator: Pool,
    workspace: Workspace,
    session: Option<Arc<ClientSession>>,
    /// True if the client accepts messages: it sent `initialized`, or opened a document.
    ready: bool,
    /// True if the client has pulled the whole workspace, and will therefore do so again.
    pulls_workspace: bool,
    writer_status: Arc<WriterStatus>,
    pulled: Arc<PulledDiagnostics>,
    tokens: Arc<SentTokens>,
    /// The URIs of additional openings whose text differs from their file's.
    diverged_openings: Vec<Arc<str>>,
    questions: Vec<PendingRequest>,
    pulls: Vec<WorkspacePull>,
    running: Option<DiagnosticsRun>,
    /// The number of the canceled computation of diagnostics that has not stopped yet, in
    /// addition to `running`.
    stopping: Option<u64>,
    /// The number of started computations of diagnostics.
    started: u64,
    publisher: Arc<Mutex<Publisher>>,
    /// True if a request at this revision shows evaluation results.
    needs_evaluation: bool,
    /// The token that cancels the running evaluation.
    evaluating: Option<Cancel>,
    /// The token that cancels the running replays.
    replaying: Option<Cancel>,
    /// The token that cancels the running check of properties.
    verifying: Option<Cancel>,
    /// The revision of the last evaluation or replay that panicked.
    unevaluable: Option<u64>,
    /// The digest of the evaluations at the last refresh request.
    evaluation_digest: Option<u64>,
    /// The digest of the replays at the last refresh request.
    replay_digest: Option<u64>,
    /// The digest of the properties at the last refresh request.
    property_digest: Option<u64>,
    /// The basis of the diagnostics that were pushed, or that could not be computed.
    pushed: Option<Basis>,
    /// The number of finished evaluations and replays, which add findings.
    additions: u64,
    /// True if an evaluation or replay was canceled or outdated, so that its added findings were
    /// not announced.
    is_addition_unseen: bool,
    progress: Option<Progress>,
    /// The folders whose incomplete scan was already reported to the user.
    limited: FxHashSet<PathBuf>,
    /// True once the user was told that the workspace has too many files to look for transcripts.
    warned_of_unexamined: bool,
    watches: Watches,
    disk_looks: DiskLooks,
    hints: HintSettings,
    lenses: LensSettings,
    /// The hash of the inputs of inlay hints at the last refresh request.
    hinted_for: Option<u64>,
}

impl Writer {
    pub(super) fn new(
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

    /// Processes messages until the connection ends.
    pub(super) fn run(mut self) {
        loop {
            let message = match self.inbox.try_recv() {
                Ok(message) => message,
                Err(_) => {
                    // The queue is empty, so the newest state is worth computing.
                    self.timed("idle", Self::work);
                    match self.next_message() {
                        Some(message) => message,
                        None => return,
                    }
                }
            };
            if matches!(message, Message::Leave) {
                return self.stop();
            }
            self.timed(message.name(), |writer| writer.take(message));
        }
    }

    /// Processes the waiting messages and then starts useful work, for a server on one thread.
    /// Returns the number of messages.
    pub(super) fn take_waiting(&mut self) -> usize {
        let mut taken = 0;
        while let Ok(message) = self.inbox.try_recv() {
            taken += 1;
            self.timed(message.name(), |writer| writer.take(message));
        }
        if taken > 0 {
            self.timed("idle", Self::work);
        }
        taken
    }

    /// Runs one turn. A panic is logged. The state stays consistent, because every change is one
    /// assignment.
    fn timed(&mut self, name: &'static str, turn: impl FnOnce(&mut Self)) {
        let start = Instant::now();
        if guarded(|| turn(self)).is_err() {
            tracing::error!(turn = name, "a turn of the writer failed");
        }
        let elapsed = start.elapsed();
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        self.writer_status.longest_turn.fetch_max(micros, Ordering::Relaxed);
        if elapsed > SLOW_TURN {
            tracing::warn!(turn = name, milliseconds = elapsed.as_millis(), "slow turn");
        }
    }

    fn take(&mut self, message: Message) {
        let before = self.workspace.revision();
        self.put_off_poll(&message);
        match message {
            Message::Initialize(session) => self.initialize(session),
            Message::Initialized => self.initialized(),
            Message::Open(document) => self.open(&document),
            Message::Change(changed) => self.change(&changed),
            Message::Lost(loss) => self.lost(&loss),
            Message::Close(document) => self.close(&document),
            Message::LookAtDisk => self.disk_looks.request(),
            Message::DiskLooked(result) => self.disk_looked(result),
            // Some clients only report that something may have changed.
            Message::Files(events) if events.is_empty() => self.disk_looks.request(),
            Message::Files(events) => self.files(events),
            Message::Folders { added, removed } => self.folders(added, &removed),
            Message::Reconfigure(sent) => self.reconfigure(&sent),
            Message::Settings(settings) => self.settings(&settings),
            Message::Watch(watch) => {
                if let Some(view) = self.view() {
                    self.watches.add(watch, &view);
                }
            }
            Message::Request(question) => self.questions.push(question),
            Message::Pull(pull) => self.pull(pull),
            Message::Cancelled => self.cancelled(),
            // The waiting requests are answered below.
            Message::ProgramEvaluated => {}
            Message::ShutDown => self.shut_down(),
            Message::Scanned(result) => return self.scanned(*result),
            Message::Diagnosed(done) => return self.diagnosed(done),
            Message::Evaluated(done) => return self.evaluated(done),
            Message::Replayed(done) => return self.replayed(done),
            Message::PropertyChecked => return self.refresh_figures(),
            Message::Verified(done) => return self.properties_checked(done),
            Message::Leave => return,
        }
        if self.workspace.revision() == before {
            self.answer();
        } else {
            self.edited();
        }
    }

    fn initialize(&mut self, session: ClientSession) {
        self.workspace.set_folders(session.folders.clone());
        self.workspace.set_rules(session.settings.clone().unwrap_or_default());
        self.hints = session.hints.unwrap_or_default();
        self.lenses = session.lenses.unwrap_or_default();
        self.session = Some(Arc::new(session));
    }

    fn initialized(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.ready = true;
        if session.watch_files {
            self.outbox.register_watchers(capabilities::watchers());
        }
        if session.configuration && session.settings.is_none() {
            self.ask_settings();
        }
        if !self.workspace.is_loading() {
            return;
        }
        let offered = session.initial_progress.clone();
        self.progress = self.outbox.progress("Loading Mangle policies", offered, session.progress);
    }

    fn open(&mut self, document: &OpenedDocument) {
        self.ready = true;
        let OpenedDocument { path, uri, language, version, text, halves } = document;
        self.workspace.open(path, uri, language, *version, text);
        self.workspace.opened_with(uri, text, halves);
        if !self.is_told_of_files() {
            self.disk_looks.request();
        }
    }

    fn close(&mut self, document: &DocumentName) {
        if self.workspace.close_at(&document.uri, &document.path) {
            self.watches.close(&document.path);
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

    fn folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let mut folders: Vec<_> = self.workspace.folders().to_vec();
        folders.retain(|folder| !removed.contains(folder) && !added.contains(folder));
        folders.extend(added);
        self.workspace.set_folders(folders);
    }

    /// Handles an edit: earlier requests can no longer be answered.
    fn edited(&mut self) {
        self.stop();
        self.refresh_further();
        // Clients that show evaluation results request them again. For others, keystrokes cause no
        // evaluation.
        self.needs_evaluation = false;
        self.publish_revision();
        for question in std::mem::take(&mut self.questions) {
            self.refuse(question, RequestRefusal::Outdated);
        }
    }

    /// Requests the client to pull again if an additional opening became different from its file,
    /// or equal.
    fn refresh_further(&mut self) {
        if !self.workspace.has_duplicates() && self.diverged_openings.is_empty() {
            return;
        }
        let snapshot = self.workspace.snapshot();
        let openings = snapshot.further_openings().into_iter().filter(|opening| !opening.is_same);
        let further =
            openings.filter_map(|opening| Some(Arc::clone(&opening.file.open.as_ref()?.uri))).collect();
        let is_pulled = self.session.as_ref().is_some_and(|session| session.refresh && session.pull);
        if std::mem::replace(&mut self.diverged_openings, further) != self.diverged_openings && is_pulled {
            self.outbox.refresh_diagnostics();
        }
    }

    fn pull(&mut self, pull: WorkspacePull) {
        if !self.pulls_workspace {
            self.pulls_workspace = true;
            // The client now pulls the diagnostics that were pushed before.
            self.pushed = None;
        }
        self.needs_evaluation = true;
        self.pulls.push(pull);
    }

    /// Handles changed settings. Some clients include them in the notification, others must be
    /// requested.
    fn reconfigure(&mut self, sent: &Value) {
        self.workspace.look_for_programs();
        let asks = self.session.as_ref().is_some_and(|session| session.configuration);
        self.want_hints(settings::hints(sent));
        self.want_lenses(settings::lenses(sent));
        match settings::rules(sent) {
            Some(rules) => self.workspace.set_rules(rules),
            None if asks => self.ask_settings(),
            None => {}
        }
    }

    /// Sets the inlay hint settings, and refreshes displayed hints if they changed.
    fn want_hints(&mut self, wanted: Option<HintSettings>) {
        let Some(wanted) = wanted.filter(|wanted| *wanted != self.hints) else { return };
        self.hints = wanted;
        if self.session.as_ref().is_some_and(|session| session.refresh_hints) {
            self.outbox.refresh_hints();
        }
    }

    /// Sets the code lens settings, and refreshes displayed lenses if they changed.
    fn want_lenses(&mut self, wanted: Option<LensSettings>) {
        let Some(wanted) = wanted.filter(|wanted| *wanted != self.lenses) else { return };
        self.lenses = wanted;
        if self.session.as_ref().is_some_and(|session| session.refresh_lenses) {
            self.outbox.refresh_lenses();
        }
    }

    fn settings(&mut self, settings: &Value) {
        self.want_hints(settings::hints(settings));
        self.want_lenses(settings::lenses(settings));
        self.workspace.set_rules(settings::rules(settings).unwrap_or_default());
    }

    /// Requests the client's settings, which arrive as a message. During shutdown, the receiver
    /// may be dropped.
    fn ask_settings(&self) {
        let writer = self.address.clone();
        self.outbox.ask_settings(move |settings| drop(writer.send(Message::Settings(settings))));
    }

    /// Returns the current basis of diagnostics.
    fn basis(&self) -> Basis {
        Basis { revision: self.workspace.revision(), additions: self.additions }
    }

    fn publish_revision(&mut self) {
        self.writer_status.revision.store(self.workspace.revision(), Ordering::Release);
    }

    /// Handles `shutdown`.
    fn shut_down(&mut self) {
        self.stop();
        self.workspace.stop_scan();
    }

    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
        }
        for under_way in self.evaluating.iter().chain(&self.replaying).chain(&self.verifying) {
            under_way.cancel();
        }
    }

    /// Starts useful work when no message is waiting.
    fn work(&mut self) {
        // Also after a turn that failed halfway: a computation for an unpublished revision is
        // treated as outdated.
        self.publish_revision();
        if self.watches.is_due(self.workspace.revision())
            && let Some(view) = self.view()
        {
            self.watches.tell(&view);
        }
        self.look_at_disk();
        self.scan();
        self.diagnose();
        self.evaluate();
    }
}
