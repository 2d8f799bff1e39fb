//! The running computation of diagnostics.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::lsp::message::Basis;
use crate::lsp::push::PushScope;
use mangle_host::workspace::SnapshotProgram;
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
