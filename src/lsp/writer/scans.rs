//! Scheduling of scans with messages about their results, and of the detection of changes on disk that
//! the client does not report. A pass of the detection runs after a save, an open or a change of focus.
//! If the client cannot watch files, passes also run while the server is idle.

use std::sync::Arc;
use std::thread;

use super::state::Writer;
use crate::lsp::message::Message;
use crate::lsp::pool::{Panicked, Pool, guarded};
use mangle_host::DiskChanges;
use mangle_host::workspace::{Scan, ScanResult};

impl Writer {
    /// Starts the scan that is due.
    pub(super) fn scan(&mut self) {
        if self.session.is_none() {
            return;
        }
        let Some(scan) = self.workspace.next_scan() else { return };
        let (address, progress) = (self.address.clone(), self.progress.clone());
        let is_aside = scan.is_aside();
        let look = move |scan: Scan| {
            let report = |done: usize, total: usize| {
                if let Some(progress) = progress.as_ref().filter(|_| done.is_multiple_of(64)) {
                    let percentage = u32::try_from(done * 100 / total.max(1)).unwrap_or(100);
                    progress.step(format!("{done} of {total} files"), percentage);
                }
            };
            let _ = address.send(Message::Scanned(Box::new(guarded(|| scan.run(report)))));
        };
        if !is_aside || matches!(self.pool, Pool::Queue(_)) {
            return self.pool.spawn(move || look(scan));
        }
        // Runs on a separate thread, because requests would wait for it in the pool.
        if let Err(error) = thread::Builder::new().name("scan".into()).spawn(move || look(scan)) {
            tracing::error!(%error, "the look at the disk cannot start");
            let _ = self.address.send(Message::Scanned(Box::new(Ok(ScanResult::default()))));
        }
    }

    pub(super) fn scanned(&mut self, result: Result<ScanResult, Panicked>) {
        let scanned = result.unwrap_or_else(|panic| {
            tracing::error!(%panic, "the look at the disk failed");
            ScanResult::default()
        });
        let different = self.workspace.scanned(scanned);
        for problem in self.workspace.problems() {
            tracing::warn!(path = %problem.path.display(), why = problem.why, "a file cannot be read");
        }
        self.warn_of_limits();
        if !self.workspace.is_loading() && !self.workspace.is_partial() {
            self.progress = None;
        }
        if different {
            self.stop();
            self.publish_revision();
            if self.ready && self.session.as_ref().is_some_and(|session| session.refresh && session.pull) {
                self.outbox.refresh_diagnostics();
            }
        }
        self.answer();
    }

    /// Warns once about each incompletely scanned folder.
    fn warn_of_limits(&mut self) {
        for cut in self.workspace.partial_scans() {
            if self.limited.insert(cut.folder.clone()) {
                tracing::warn!(folder = %cut.folder.display(), limit = ?cut.limit, "a scan stopped at a limit");
                let folder = cut.folder.display();
                self.outbox.show_warning(&format!(
                    "`{folder}` {}. Files beyond the limit are not checked. To change that, {}.",
                    cut.reason(),
                    cut.help()
                ));
            }
        }
        let unexamined = self.workspace.unexamined();
        if unexamined > 0 && !std::mem::replace(&mut self.warned_of_unexamined, true) {
            self.outbox.show_warning(&format!(
                "{unexamined} JSON files and logs were not examined for model replies: the workspace has too many. \
                 Select transcripts with `[transcripts] include` in mangle-ls.toml."
            ));
        }
    }

    /// True if the client reports changes of files.
    pub(super) fn is_told_of_files(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.watch_files)
    }

    /// Waits for the next message, and polls the disk meanwhile. Returns `None` after the last
    /// message.
    pub(super) fn next_message(&mut self) -> Option<Message> {
        loop {
            if !self.may_poll() {
                return self.inbox.recv().ok();
            }
            match self.inbox.recv_timeout(self.disk_looks.pause()) {
                Ok(message) => return Some(message),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return None,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => self.poll(),
            }
        }
    }

    /// True if the client does not report changes, and no work is pending. Otherwise, another
    /// message follows.
    pub(super) fn may_poll(&self) -> bool {
        let is_working = self.running.is_some()
            || self.stopping.is_some()
            || self.evaluating.is_some()
            || self.replaying.is_some()
            || self.verifying.is_some();
        self.ready
            && !self.is_told_of_files()
            && !self.disk_looks.is_running()
            && !self.workspace.is_scanning()
            && self.questions.is_empty()
            && !is_working
    }

    /// Starts a pass unless a response is still being computed.
    pub(super) fn poll(&mut self) {
        if Arc::strong_count(&self.disk_looks.answers) == 1 {
            self.start_look(true);
        }
    }

    /// Starts the requested pass after the files were read for the first time.
    pub(super) fn look_at_disk(&mut self) {
        let is_due = self.disk_looks.is_requested && !self.disk_looks.is_running();
        if is_due && !self.workspace.is_loading() && !self.workspace.is_partial() {
            self.disk_looks.is_requested = false;
            self.start_look(false);
        }
    }

    fn start_look(&mut self, is_poll: bool) {
        let look = self.workspace.disk_look();
        self.disk_looks.run(look.cancel().clone(), is_poll);
        let address = self.address.clone();
        self.pool.spawn(move || {
            // During shutdown, the receiver may be dropped.
            let _ = address.send(Message::DiskLooked(guarded(|| look.run())));
        });
    }

    /// Cancels a poll if a message arrives that the client waits for.
    pub(super) fn put_off_poll(&self, message: &Message) {
        let is_urgent =
            matches!(message, Message::Request(_) | Message::Open(_) | Message::Change(_) | Message::Pull(_));
        if let Some(poll) = self.disk_looks.running.as_ref().filter(|look| look.is_poll && is_urgent) {
            poll.cancel.cancel();
        }
    }

    pub(super) fn disk_looked(&mut self, result: Result<DiskChanges, Panicked>) {
        self.disk_looks.running = None;
        match result {
            Ok(changes) => {
                self.disk_looks.set_cost(changes.cost);
                let events = self.workspace.disk_looked(changes);
                if !events.is_empty() {
                    self.files(events);
                }
            }
            Err(panic) => tracing::error!(%panic, "the look for changes on disk failed"),
        }
    }
}
