//! Scheduling of property checks in open test files: on the evaluation thread, after all other
//! work. An edit cancels them, and they restart after a short pause in typing.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::Writer;
use super::evaluations::{PAUSE, has_outdated_diagnostics};
use crate::lsp::message::{EvaluationDigest, EvaluationResult, Message};
use crate::lsp::view::View;
use mangle_host::other_program;
use mangle_host::workspace::SnapshotProgram;
use mangle_syntax::text::Cancel;

impl Writer {
    /// Starts the needed checks, unless some are running.
    pub(super) fn verify(&mut self, view: View) {
        if self.verifying.is_some() {
            return;
        }
        let wanted: Vec<_> = open_tests(&view).filter(|program| !program.is_verified()).cloned().collect();
        if wanted.is_empty() {
            return;
        }
        let span = tracing::debug_span!("verify", revision = view.snapshot.revision, tests = wanted.len());
        let address = self.address.clone();
        let compute = move |view: &View, cancel: &Cancel| {
            for program in &wanted {
                let mut next = |_: &str| _ = address.send(Message::PropertyChecked);
                view.snapshot.verify(program, &other_program, &mut next, cancel);
            }
            let diagnostics = !cancel.is_cancelled() && has_outdated_diagnostics(view);
            (!cancel.is_cancelled()).then(|| EvaluationDigest { digest: digest(view), diagnostics })
        };
        self.verifying = Some(self.spawn_after_pause(view, PAUSE, span, compute, Message::Verified));
    }

    pub(super) fn properties_checked(
        &mut self,
        EvaluationResult { revision, began, result }: EvaluationResult,
    ) {
        self.verifying = None;
        self.is_addition_unseen |= began;
        if revision != self.workspace.revision() {
            return;
        }
        match result {
            Ok(Some(figures)) => {
                if self.property_digest.replace(figures.digest) != Some(figures.digest) {
                    self.refresh_figures();
                }
                self.announce_diagnostics(figures);
                if let Some(view) = self.view() {
                    self.watches.tell(&view);
                }
            }
            // A requested evaluation has priority on the thread.
            Ok(None) => self.needs_evaluation = true,
            // A panic would repeat.
            Err(_) => self.unevaluable = Some(revision),
        }
    }
}

/// Returns the programs of open policy tests.
fn open_tests(view: &View) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
    let is_open = |program: &&Arc<SnapshotProgram>| {
        let file = program.test().and_then(|file| view.snapshot.file(file));
        file.is_some_and(|file| file.open.is_some())
    };
    view.snapshot.programs.iter().filter(is_open)
}

/// Returns a number that changes when the displayed property results change.
fn digest(view: &View) -> u64 {
    let mut hasher = FxHasher::default();
    for program in open_tests(view) {
        for of in program.known_answers().iter() {
            (of.property.header, of.report.as_ref().map(|report| &report.message)).hash(&mut hasher);
        }
    }
    hasher.finish()
}
