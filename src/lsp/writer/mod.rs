//! The single writer: owns the workspace, takes messages in their order of arrival, hands
//! snapshots to the pool. The only place where anything changes.
//!
//! One computation of diagnostics runs at a time. An edit stops it; the newest state is computed
//! next, for all who wait.

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
use super::message::{Basis, Message, OpenedDocument, Question, RequestRefusal, WorkspacePull};
use super::pool::{Pool, guarded};
use super::push::Publisher;
use super::sent_tokens::SentTokens;
use super::session::ClientSession;
use super::view::{PulledDiagnostics, WriterStatus};
use super::virtual_documents::Watches;
use super::{capabilities, settings};
use crate::host::workspace::{FileEvent, Workspace};
use diagnostics_run::DiagnosticsRun;
use disk_looks::DiskLooks;
use mangle_settings::{HintSettings, LensSettings};
use mangle_syntax::text::Cancel;

/// A turn that takes longer is logged: everybody waits for it.
const SLOW_TURN: Duration = Duration::from_millis(50);

pub(super) struct Writer {
    inbox: Receiver<Message>,
    /// For those who work on the writer's behalf.
    address: Sender<Message>,
    outbox: Outbox,
    pool: Pool,
    /// For evaluations alone, so that nobody waits behind one.
    evaluator: Pool,
    workspace: Workspace,
    session: Option<Arc<ClientSession>>,
    /// The client takes messages of ours: it said so, or opened a document.
    ready: bool,
    /// The client has pulled the whole workspace, so that it will again.
    pulls_workspace: bool,
    writer_status: Arc<WriterStatus>,
    pulled: Arc<PulledDiagnostics>,
    tokens: Arc<SentTokens>,
    /// The URIs of further openings of files whose text is another one.
    further: Vec<Arc<str>>,
    questions: Vec<Question>,
    pulls: Vec<WorkspacePull>,
    running: Option<DiagnosticsRun>,
    /// The computation of diagnostics that was cancelled and has not stopped yet, beside `running`.
    stopping: Option<u64>,
    /// How many computations of diagnostics were started.
    started: u64,
    publisher: Arc<Mutex<Publisher>>,
    /// Somebody has asked, at this revision, for something that shows what follows from programs.
    wants_figures: bool,
    /// Raised to stop the evaluation that is under way.
    evaluating: Option<Cancel>,
    /// Raised to stop the replays that are under way.
    replaying: Option<Cancel>,
    /// Raised to stop the check of properties that is under way.
    verifying: Option<Cancel>,
    /// The revision that could not be evaluated, or whose transcripts could not be replayed.
    unevaluable: Option<u64>,
    /// What was shown of evaluations when the client was last asked to look.
    figured: Option<u64>,
    /// The same of replays.
    judged: Option<u64>,
    /// The same of properties.
    verified: Option<u64>,
    /// The basis of the diagnostics that were pushed, or could not be computed.
    pushed: Option<Basis>,
    /// How many evaluations and replays have ended and added what they know.
    additions: u64,
    /// An evaluation or a replay was stopped, or was of an older revision: what it had added by then was not shown.
    is_addition_unseen: bool,
    progress: Option<Progress>,
    /// The folders of which the user was told that only a part is scanned.
    limited: FxHashSet<PathBuf>,
    /// True once the user was told that the workspace has too many files to look for transcripts.
    warned_of_unexamined: bool,
    watches: Watches,
    disk_looks: DiskLooks,
    /// Which inlay hints are wanted.
    hints: HintSettings,
    /// Which lenses are wanted.
    lenses: LensSettings,
    /// What the inlay hints depended on when the client was last asked to look.
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
            further: Vec::new(),
            questions: Vec::new(),
            pulls: Vec::new(),
            running: None,
            stopping: None,
            started: 0,
            publisher: Arc::default(),
            wants_figures: false,
            evaluating: None,
            replaying: None,
            verifying: None,
            unevaluable: None,
            figured: None,
            judged: None,
            verified: None,
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

    /// Takes messages until the connection ends.
    pub(super) fn run(mut self) {
        loop {
            let message = match self.inbox.try_recv() {
                Ok(message) => message,
                Err(_) => {
                    // The queue is empty: the newest state is worth computing.
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

    /// Takes the messages that wait and then starts what is worth doing, for a server on one thread. Gives how many there were.
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

    /// Runs one turn. A panic in it is logged; the state is whole again for the next one, because
    /// every change of it is one assignment.
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
            // A client that knows no more than that something may have changed.
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
            Message::Ask(question) => self.questions.push(question),
            Message::Pull(pull) => self.pull(pull),
            Message::Cancelled => self.cancelled(),
            // Whoever waits for it is answered below.
            Message::Tried => {}
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

    /// The client changed something: what was asked before cannot be answered any more.
    fn edited(&mut self) {
        self.stop();
        self.refresh_further();
        // Who shows figures asks again; nothing is evaluated at every key for those who do not.
        self.wants_figures = false;
        self.publish_revision();
        for question in std::mem::take(&mut self.questions) {
            self.refuse(question, RequestRefusal::Outdated);
        }
    }

    /// Asks the client to pull again where the text of a further opening became another one than that of its file, or
    /// the same.
    fn refresh_further(&mut self) {
        if !self.workspace.has_further() && self.further.is_empty() {
            return;
        }
        let snapshot = self.workspace.snapshot();
        let openings = snapshot.further_openings().into_iter().filter(|opening| !opening.is_same);
        let further =
            openings.filter_map(|opening| Some(Arc::clone(&opening.file.open.as_ref()?.uri))).collect();
        let is_pulled = self.session.as_ref().is_some_and(|session| session.refresh && session.pull);
        if std::mem::replace(&mut self.further, further) != self.further && is_pulled {
            self.outbox.refresh_diagnostics();
        }
    }

    fn pull(&mut self, pull: WorkspacePull) {
        if !self.pulls_workspace {
            self.pulls_workspace = true;
            // What was pushed so far, the client asks for from now on.
            self.pushed = None;
        }
        self.wants_figures = true;
        self.pulls.push(pull);
    }

    /// The client's settings changed. Some send them along, others want to be asked.
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

    /// Takes over which inlay hints are wanted; those that are shown go when others are.
    fn want_hints(&mut self, wanted: Option<HintSettings>) {
        let Some(wanted) = wanted.filter(|wanted| *wanted != self.hints) else { return };
        self.hints = wanted;
        if self.session.as_ref().is_some_and(|session| session.refresh_hints) {
            self.outbox.refresh_hints();
        }
    }

    /// Takes over which lenses are wanted, likewise.
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

    /// Asks the client for its settings, which come as a message. At the very end there may be nobody to take it.
    fn ask_settings(&self) {
        let writer = self.address.clone();
        self.outbox.ask_settings(move |settings| drop(writer.send(Message::Settings(settings))));
    }

    /// What diagnostics are made from now.
    fn basis(&self) -> Basis {
        Basis { revision: self.workspace.revision(), additions: self.additions }
    }

    fn publish_revision(&mut self) {
        self.writer_status.revision.store(self.workspace.revision(), Ordering::Release);
    }

    /// Nothing will be asked any more.
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

    /// Starts what is worth doing now that no message waits.
    fn work(&mut self) {
        // Also after a turn that failed half way: what is computed for a revision that nobody knows of counts as outdated.
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
