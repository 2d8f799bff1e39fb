//! Scheduling of scans, and messages about their results.

use std::thread;

use super::Writer;
use crate::lsp::message::Message;
use crate::lsp::pool::{Panicked, Pool, guarded};
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
}
