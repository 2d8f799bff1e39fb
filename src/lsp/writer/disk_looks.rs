//! Detection of changes on disk that the client does not report. A pass runs after a save, an open
//! or a change of focus. If the client cannot watch files, passes also run while the server is
//! idle.

use std::sync::Arc;
use std::time::Duration;

use super::Writer;
use crate::lsp::message::Message;
use crate::lsp::pool::{Panicked, guarded};
use mangle_host::DiskChanges;
use mangle_syntax::text::Cancel;

/// The minimum time without messages before the server polls.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// The ratio of the pause to the duration of a poll. Polling takes at most 1 % of a core.
const PAUSE_PER_COST: u32 = 99;

/// The requested and running passes.
#[derive(Debug, Default)]
pub(super) struct DiskLooks {
    is_requested: bool,
    running: Option<RunningLook>,
    /// The duration of the last pass.
    cost: Duration,
    /// Cloned by each response that is being computed.
    answers: Arc<()>,
}

#[derive(Debug)]
struct RunningLook {
    cancel: Cancel,
    /// False if the pass was caused by an action of the client.
    is_poll: bool,
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

impl Writer {
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
