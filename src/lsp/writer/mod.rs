//! The single writer: owns the workspace, processes messages in order of arrival, and passes
//! snapshots to the pool. All state changes happen here.
//!
//! At most one computation of diagnostics runs at a time. An edit cancels it, and the newest state
//! is computed next for all waiting requests.

mod diagnostics;
mod evaluations;
mod scans;
mod state;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;
use tower_lsp::ls_types::Uri;

use super::body::{Loss, LostDocument};
use super::from_proto::DocumentName;
use super::message::{DocumentChange, Message, OpenedDocument, RequestRefusal, WorkspacePull};
use super::pool::guarded;
use super::session::ClientSession;
use super::{capabilities, from_proto, session};
use mangle_settings::{HintSettings, LensSettings};

pub(super) use self::state::Writer;

/// A longer turn is logged, because all requests wait for it.
const SLOW_TURN: Duration = Duration::from_millis(50);

impl Writer {
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
        self.want_hints(session::hint_settings(sent));
        self.want_lenses(session::lens_settings(sent));
        match session::rule_settings(sent) {
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
        self.want_hints(session::hint_settings(settings));
        self.want_lenses(session::lens_settings(settings));
        self.workspace.set_rules(session::rule_settings(settings).unwrap_or_default());
    }

    /// Requests the client's settings, which arrive as a message. During shutdown, the receiver
    /// may be dropped.
    fn ask_settings(&self) {
        let writer = self.address.clone();
        self.outbox.ask_settings(move |settings| drop(writer.send(Message::Settings(settings))));
    }

    /// Handles `shutdown`.
    fn shut_down(&mut self) {
        self.stop();
        self.workspace.stop_scan();
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

    pub(super) fn change(&mut self, changed: &DocumentChange) {
        let Some(encoding) = self.session.as_ref().map(|session| session.encoding) else { return };
        let DocumentChange { path, uri, version, changes } = changed;
        self.workspace.activate(uri);
        let was_suspect = self.workspace.is_suspect(path);
        let result = self.workspace.change_sent(path, uri, *version, changes, encoding);
        if let Err(error) = result
            && !was_suspect
        {
            tracing::warn!(path = %path.display(), version, %error, "an edit does not fit; the document is suspect");
            self.warn_of(path, "does not fit its text");
        }
    }

    /// Processes the effects of a lost message.
    pub(super) fn lost(&mut self, loss: &Loss) {
        if loss.files {
            self.workspace.look_for_programs();
        }
        let mut is_unknown = loss.unknown;
        for document in &loss.documents {
            is_unknown |= !self.lost_document(document);
        }
        if !is_unknown {
            return;
        }
        let documents = self.workspace.mark_all_suspect();
        if documents > 0 {
            tracing::warn!(documents, "a message cannot be read; the open documents are suspect");
            self.outbox.show_warning(&format!(
                "A message of the editor could not be read. It may have been an edit of any open document. Close the \
                 {documents} open documents and open them again. Until then, mangle-ls shows no findings in them and \
                 does not format, rename or fix them."
            ));
        }
    }

    /// Processes a lost text. Returns true if the document is known.
    fn lost_document(&mut self, LostDocument { uri, is_opening, is_certain }: &LostDocument) -> bool {
        let Ok(parsed) = uri.parse::<Uri>() else { return false };
        let path = from_proto::document_path(&parsed);
        self.workspace.activate(uri);
        let is_news = match self.workspace.is_open(&path) {
            true => self.workspace.mark_suspect(&path),
            false if *is_opening => self.workspace.lose_opening(&path, uri),
            // The URI may also be damaged.
            false => return *is_certain,
        };
        if is_news {
            tracing::warn!(path = %path.display(), "an edit cannot be read; the document is suspect");
            self.warn_of(&path, "could not be read");
        }
        true
    }

    fn warn_of(&self, path: &Path, what: &str) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        self.outbox.show_warning(&format!(
            "An edit of `{name}` {what}. Close the document and open it again. {HELP}"
        ));
    }
}

/// The recommendation in the message.
const HELP: &str = "Until then, mangle-ls shows no findings in it and does not format, rename or fix it.";
