//! The computation of diagnostics that is under way.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::host::workspace::SnapshotProgram;
use crate::lsp::message::Basis;
use crate::lsp::push::Audience;
use mangle_syntax::text::Cancel;

/// The computation of diagnostics that is under way.
pub(super) struct DiagnosticsRun {
    /// Which one it is of all.
    pub(super) number: u64,
    pub(super) cancel: Cancel,
    /// What it is computed from.
    pub(super) basis: Basis,
    /// The client that its result is pushed to, if any.
    pub(super) audience: Option<Audience>,
    /// The program that it is at.
    pub(super) current: Current,
}

/// The program that is being diagnosed.
pub(super) type Current = Arc<Mutex<Option<Arc<SnapshotProgram>>>>;

impl DiagnosticsRun {
    /// Whether it was cancelled, and is at none of some programs: what it has found out about one of these
    /// is worth waiting for.
    pub(super) fn is_stopping_elsewhere(&self, programs: &[Arc<SnapshotProgram>]) -> bool {
        let current = self.current.lock();
        let is_there = |at: &Arc<SnapshotProgram>| programs.iter().any(|one| one.succeeds(at));
        self.cancel.is_cancelled() && !current.as_ref().is_some_and(is_there)
    }
}
