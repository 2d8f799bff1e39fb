//! The single writer: owns the workspace, takes messages in their order of arrival, hands
//! snapshots to the pool. The only place where anything changes.
//!
//! One computation of diagnostics runs at a time. An edit stops it; the newest state is computed
//! next, for all who wait.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use super::client::{Outbox, Progress};
use super::message::{Diagnosed, Message, Needs, Opened, Question, Refusal, WorkspacePull};
use super::pool::{Panicked, Pool, guarded};
use super::pull;
use super::push::{Audience, Publisher};
use super::session::Session;
use super::settings;
use super::view::{Pulse, Told, View};
use crate::host::workspace::{FileEvent, Scanned, SnapshotProgram, Workspace};
use crate::text::{Cancel, ContentChange};

/// A turn that takes longer is logged: everybody waits for it.
const SLOW_TURN: Duration = Duration::from_millis(50);

/// The writer's state.
pub(super) struct Writer {
    inbox: Receiver<Message>,
    /// For those who work on the writer's behalf.
    address: Sender<Message>,
    outbox: Outbox,
    pool: Pool,
    workspace: Workspace,
    session: Option<Arc<Session>>,
    /// The client takes messages of ours: it said so, or opened a document.
    ready: bool,
    /// The client has pulled the whole workspace, so that it will again.
    pulls_workspace: bool,
    pulse: Arc<Pulse>,
    told: Arc<Told>,
    questions: Vec<Question>,
    pulls: Vec<WorkspacePull>,
    running: Option<Running>,
    publisher: Arc<Mutex<Publisher>>,
    /// The revision whose diagnostics were pushed, or could not be computed.
    pushed: Option<u64>,
    progress: Option<Progress>,
}

/// The computation of diagnostics that is under way.
struct Running {
    cancel: Cancel,
    /// Whom its result is pushed to, if to anybody.
    audience: Option<Audience>,
}

impl Writer {
    pub(super) fn new(
        inbox: Receiver<Message>,
        address: Sender<Message>,
        outbox: Outbox,
        pool: Pool,
    ) -> Self {
        Self {
            inbox,
            address,
            outbox,
            pool,
            workspace: Workspace::new(),
            session: None,
            ready: false,
            pulls_workspace: false,
            pulse: Arc::default(),
            told: Arc::default(),
            questions: Vec::new(),
            pulls: Vec::new(),
            running: None,
            publisher: Arc::default(),
            pushed: None,
            progress: None,
        }
    }

    /// Takes messages until nobody can send any more.
    pub(super) fn run(mut self) {
        loop {
            let message = match self.inbox.try_recv() {
                Ok(message) => message,
                Err(_) => {
                    // The queue is empty: the newest state is worth computing.
                    self.timed("idle", Self::work);
                    match self.inbox.recv() {
                        Ok(message) => message,
                        Err(_) => return,
                    }
                }
            };
            self.timed(message.name(), |writer| writer.take(message));
        }
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
        self.pulse.longest_turn.fetch_max(micros, Ordering::Relaxed);
        if elapsed > SLOW_TURN {
            tracing::warn!(turn = name, milliseconds = elapsed.as_millis(), "slow turn");
        }
    }

    fn take(&mut self, message: Message) {
        let before = self.workspace.revision();
        match message {
            Message::Initialize(session) => self.initialize(session),
            Message::Initialized => self.initialized(),
            Message::Open(document) => self.open(&document),
            Message::Change { path, version, changes } => self.change(&path, version, &changes),
            Message::Lost(path) => self.lost(&path),
            Message::Close(path) => self.workspace.close(&path),
            Message::Files(events) => self.files(events),
            Message::Folders { added, removed } => self.folders(added, &removed),
            Message::Reconfigure(sent) => self.reconfigure(&sent),
            Message::Settings(settings) => self.settings(&settings),
            Message::Ask(question) => self.questions.push(question),
            Message::Pull(pull) => self.pull(pull),
            Message::Cancelled => self.cancelled(),
            Message::Scanned(result) => return self.scanned(result),
            Message::Diagnosed(done) => return self.diagnosed(done),
        }
        if self.workspace.revision() == before {
            self.answer();
        } else {
            self.edited();
        }
    }

    fn initialize(&mut self, session: Session) {
        self.workspace.set_folders(session.folders.clone());
        self.workspace.set_rules(session.settings.clone().unwrap_or_default());
        self.session = Some(Arc::new(session));
    }

    fn initialized(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.ready = true;
        if session.watch_files {
            self.outbox.register_watchers();
        }
        if session.configuration && session.settings.is_none() {
            self.outbox.ask_settings(self.address.clone());
        }
        if !self.workspace.is_loading() {
            return;
        }
        let offered = session.initial_progress.clone();
        self.progress = self.outbox.progress("Loading Mangle policies", offered, session.progress);
    }

    fn open(&mut self, document: &Opened) {
        self.ready = true;
        let Opened { path, uri, language, version, text } = document;
        self.workspace.open(path, uri, language, *version, text);
    }

    fn change(&mut self, path: &std::path::Path, version: i32, changes: &[ContentChange]) {
        let Some(session) = &self.session else { return };
        let was_suspect = self.workspace.is_suspect(path);
        if let Err(error) = self.workspace.change(path, version, changes, session.encoding)
            && !was_suspect
        {
            tracing::warn!(path = %path.display(), version, %error, "an edit does not fit; the document is suspect");
        }
    }

    fn lost(&mut self, path: &std::path::Path) {
        tracing::warn!(path = %path.display(), "an edit cannot be read; the document is suspect");
        self.workspace.distrust(path);
    }

    fn files(&mut self, events: Vec<(PathBuf, FileEvent)>) {
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

    fn scanned(&mut self, result: Result<Scanned, Panicked>) {
        let scanned = result.unwrap_or_else(|panic| {
            tracing::error!(%panic, "the look at the disk failed");
            Scanned::default()
        });
        let different = self.workspace.scanned(scanned);
        for problem in self.workspace.problems() {
            tracing::warn!(path = %problem.path.display(), why = problem.why, "a file cannot be read");
        }
        self.progress = None;
        if different {
            self.stop();
            self.publish_revision();
            if self.ready && self.session.as_ref().is_some_and(|session| session.refresh && session.pull) {
                self.outbox.refresh_diagnostics();
            }
        }
        self.answer();
    }

    /// The client changed something: what was asked before cannot be answered any more.
    fn edited(&mut self) {
        self.stop();
        self.publish_revision();
        for question in std::mem::take(&mut self.questions) {
            self.refuse(question, Refusal::Outdated);
        }
    }

    fn pull(&mut self, pull: WorkspacePull) {
        if !self.pulls_workspace {
            self.pulls_workspace = true;
            // What was pushed so far, the client asks for from now on.
            self.pushed = None;
        }
        self.pulls.push(pull);
    }

    /// The client's settings changed. Some send them along, others want to be asked.
    fn reconfigure(&mut self, sent: &Value) {
        self.workspace.look_for_programs();
        let asks = self.session.as_ref().is_some_and(|session| session.configuration);
        match settings::rules(sent) {
            Some(rules) => self.workspace.set_rules(rules),
            None if asks => self.outbox.ask_settings(self.address.clone()),
            None => {}
        }
    }

    fn settings(&mut self, settings: &Value) {
        self.workspace.set_rules(settings::rules(settings).unwrap_or_default());
    }

    fn audience(&self, session: &Session) -> Audience {
        match (session.pull, self.pulls_workspace) {
            (false, _) => Audience::Listener,
            (true, false) => Audience::DocumentPuller,
            (true, true) => Audience::WorkspacePuller,
        }
    }

    /// Somebody stopped waiting. A computation that nobody waits for any more stops too, unless its
    /// result is to be pushed.
    fn cancelled(&mut self) {
        self.questions.retain(|question| !question.cancel.is_cancelled());
        self.pulls.retain(|pull| !pull.cancel.is_cancelled());
        let audience = self.running.as_ref().and_then(|running| running.audience);
        let is_pushed = audience.is_some_and(|audience| audience != Audience::WorkspacePuller);
        if !is_pushed && self.questions.is_empty() && self.pulls.is_empty() {
            self.stop();
        }
    }

    fn publish_revision(&mut self) {
        self.pulse.revision.store(self.workspace.revision(), Ordering::Release);
    }

    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
        }
    }

    fn refuse(&self, question: Question, refusal: Refusal) {
        let span = question.span.clone();
        span.in_scope(|| self.pool.spawn(move || (question.answer)(Err(refusal))));
    }

    fn view(&mut self) -> Option<View> {
        Some(View {
            session: Arc::clone(self.session.as_ref()?),
            snapshot: self.workspace.snapshot(),
            pulse: Arc::clone(&self.pulse),
            told: Arc::clone(&self.told),
            outbox: self.outbox.clone(),
        })
    }

    /// Answers the questions whose needs are met.
    fn answer(&mut self) {
        self.questions.retain(|question| !question.cancel.is_cancelled());
        if self.questions.is_empty() {
            return;
        }
        let Some(view) = self.view() else { return };
        for question in std::mem::take(&mut self.questions) {
            if self.is_answerable(&question.needs, &view) {
                self.dispatch(question, &view);
            } else {
                self.questions.push(question);
            }
        }
    }

    fn is_answerable(&self, needs: &Needs, view: &View) -> bool {
        let Needs::Diagnostics(path) = needs else { return true };
        if self.workspace.is_loading() || self.workspace.is_unplaced(path) {
            return false;
        }
        programs_of(needs, view).iter().all(|program| program.is_diagnosed())
    }

    fn dispatch(&self, question: Question, view: &View) {
        let view = view.clone();
        question.span.record("revision", view.snapshot.revision);
        let span = question.span.clone();
        span.in_scope(|| {
            self.pool.spawn(move || {
                if !question.cancel.is_cancelled() {
                    (question.answer)(Ok(&view));
                }
            });
        });
    }

    /// Starts what is worth doing now that no message waits.
    fn work(&mut self) {
        if self.session.is_some()
            && let Some(scan) = self.workspace.next_scan()
        {
            let (address, progress) = (self.address.clone(), self.progress.clone());
            self.pool.spawn(move || {
                let report = |done: usize, total: usize| {
                    if let Some(progress) = progress.as_ref().filter(|_| done.is_multiple_of(64)) {
                        let percentage = u32::try_from(done * 100 / total.max(1)).unwrap_or(100);
                        progress.step(format!("{done} of {total} files"), percentage);
                    }
                };
                let _ = address.send(Message::Scanned(guarded(|| scan.run(report))));
            });
        }
        self.diagnose();
    }

    /// Starts the computation that somebody waits for, unless one is running.
    fn diagnose(&mut self) {
        if self.running.is_some() || self.workspace.is_loading() {
            return;
        }
        self.pulls.retain(|pull| !pull.cancel.is_cancelled());
        let revision = self.workspace.revision();
        let pushing = self.ready && self.pushed != Some(revision);
        let pulling = self.pulls.iter().any(|pull| pull.checked != Some(revision));
        let asked = !self.questions.is_empty();
        if !(asked || pushing || pulling) {
            return;
        }
        let Some(view) = self.view() else { return };
        let audience = self.audience(&view.session);
        let tells_of_programs = pushing && audience != Audience::WorkspacePuller;
        // Those who ask for one document do not wait for the rest of the workspace.
        let mut programs: Vec<_> = if asked {
            self.questions.iter().flat_map(|question| programs_of(&question.needs, &view)).collect()
        } else if pulling || tells_of_programs {
            view.snapshot.programs.clone()
        } else {
            Vec::new()
        };
        programs.retain(|program| !program.is_diagnosed());
        self.start(view, programs, (pushing && !asked).then_some(audience));
    }

    fn start(&mut self, view: View, programs: Vec<Arc<SnapshotProgram>>, audience: Option<Audience>) {
        let cancel = Cancel::new();
        self.running = Some(Running { cancel: cancel.clone(), audience });
        let (address, outbox, publisher) =
            (self.address.clone(), self.outbox.clone(), Arc::clone(&self.publisher));
        self.pool.spawn(move || {
            let revision = view.snapshot.revision;
            let span = tracing::debug_span!("diagnose", revision, programs = programs.len());
            let compute = || {
                for program in &programs {
                    program.diagnose(&cancel);
                }
                let audience = audience.filter(|_| !cancel.is_cancelled());
                if let Some(audience) = audience {
                    publisher.lock().publish(&view, audience, &outbox);
                }
                audience.is_some()
            };
            let result = span.in_scope(|| guarded(compute));
            let _ = address.send(Message::Diagnosed(Diagnosed { revision, result }));
        });
    }

    fn diagnosed(&mut self, Diagnosed { revision, result }: Diagnosed) {
        let audience = self.running.take().and_then(|running| running.audience);
        if revision != self.workspace.revision() {
            return;
        }
        let current = self.session.as_ref().map(|session| self.audience(session));
        // What panics once will do so again: nothing more until something changes.
        if result.is_err() || (result == Ok(true) && audience == current) {
            self.pushed = Some(revision);
        }
        if let Err(panic) = result {
            for question in std::mem::take(&mut self.questions) {
                self.refuse(question, Refusal::Panicked(panic.clone()));
            }
            for pull in &mut self.pulls {
                pull.checked = Some(revision);
            }
            return;
        }
        self.answer();
        self.answer_pulls();
    }

    /// Answers the pulls of the whole workspace that have news to hear.
    fn answer_pulls(&mut self) {
        let Some(view) = self.view() else { return };
        if !view.snapshot.programs.iter().all(|program| program.is_diagnosed()) {
            return;
        }
        for pull in std::mem::take(&mut self.pulls) {
            if pull.checked == Some(view.snapshot.revision) {
                self.pulls.push(pull);
            } else {
                self.dispatch_pull(pull, &view);
            }
        }
    }

    /// Computes what a pull has to hear; one without news comes back.
    fn dispatch_pull(&self, mut pull: WorkspacePull, view: &View) {
        let (view, address) = (view.clone(), self.address.clone());
        let span = pull.span.clone();
        span.record("revision", view.snapshot.revision);
        span.in_scope(|| {
            self.pool.spawn(move || {
                if let Some(report) = pull::workspace(&view, &pull.known) {
                    let _ = pull.reply.send(Ok(report));
                } else if !pull.cancel.is_cancelled() {
                    pull.checked = Some(view.snapshot.revision);
                    let _ = address.send(Message::Pull(pull));
                }
            });
        });
    }
}

/// The programs that must be diagnosed for a question.
fn programs_of(needs: &Needs, view: &View) -> Vec<Arc<SnapshotProgram>> {
    let Needs::Diagnostics(path) = needs else { return Vec::new() };
    let id = view.snapshot.id(path);
    id.into_iter().flat_map(|id| view.snapshot.programs_of(id)).cloned().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::mpsc;

    use tower_lsp::LspService;

    use super::*;
    use crate::lsp::server::Server;
    use crate::lsp::transport::Output;

    fn writer() -> Writer {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (address, inbox) = mpsc::channel();
        let mut client = None;
        let _ = LspService::new(|handle| {
            client = Some(handle);
            Server::new(address.clone())
        });
        let outbox = Outbox::new(client.unwrap(), Output::new().0, runtime.handle().clone());
        Writer::new(inbox, address, outbox, Pool::new().unwrap())
    }

    fn question() -> (Question, Cancel) {
        let cancel = Cancel::new();
        let needs = Needs::Diagnostics("/a.mg".into());
        let span = tracing::Span::none();
        (Question { needs, cancel: cancel.clone(), span, answer: Box::new(|_| {}) }, cancel)
    }

    #[test]
    fn work_stops_when_the_last_one_who_waits_for_it_leaves() {
        let mut writer = writer();
        let work = Cancel::new();
        writer.running = Some(Running { cancel: work.clone(), audience: None });
        let ((first, leaves), (second, leaves_too)) = (question(), question());
        writer.questions.extend([first, second]);
        leaves.cancel();
        writer.take(Message::Cancelled);
        assert!(!work.is_cancelled());
        leaves_too.cancel();
        writer.take(Message::Cancelled);
        assert!(work.is_cancelled());
    }

    #[test]
    fn work_for_the_public_goes_on() {
        let mut writer = writer();
        let work = Cancel::new();
        writer.running = Some(Running { cancel: work.clone(), audience: Some(Audience::Listener) });
        let (asked, leaves) = question();
        writer.questions.push(asked);
        leaves.cancel();
        writer.take(Message::Cancelled);
        assert!(writer.questions.is_empty() && !work.is_cancelled());
    }

    #[test]
    fn a_turn_that_panics_is_survived() {
        let mut writer = writer();
        writer.timed("test", |_| panic!("on purpose"));
        writer.take(Message::Reconfigure(Value::Null));
        assert!(writer.workspace.next_scan().is_some());
    }
}
