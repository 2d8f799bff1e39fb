//! The cached evaluation of a program, reused in later revisions while its statements are
//! unchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::samples::Tables;
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::Program;
use mangle_ide::evaluation::{Readings, fingerprint};
use mangle_settings::KernelSettings;
use mangle_syntax::memo::Memo;
use mangle_syntax::text::Cancel;

/// The time limit of one reading during editing. Overrides larger limits of the settings.
const EDITING_TIME_LIMIT: Duration = Duration::from_secs(2);

/// In bytes: the memory limit of one evaluation during editing.
const MAX_EVALUATION_BYTES: usize = 256 << 20;

/// In bytes: the memory limit of all cached evaluations together.
const MAX_CACHED_BYTES: usize = 1 << 30;

/// In bytes: the minimum budget of an evaluation, regardless of other evaluations.
const MIN_EVALUATION_BYTES: usize = 4 << 20;

/// In bytes: a larger evaluation is dropped before the program is evaluated again.
const MIN_EVICTED_BYTES: usize = 32 << 20;

/// The memory of all evaluations in this process, in bytes.
static CACHED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// A share of [`CACHED_BYTES`], which is released on drop.
#[derive(Debug)]
struct Share(usize);

impl Share {
    fn new(bytes: usize) -> Self {
        CACHED_BYTES.fetch_add(bytes, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        CACHED_BYTES.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Restricts `limits` for an evaluation during editing: a time limit, and a memory limit that
/// accounts for cached evaluations.
pub fn editor_limits(limits: Limits) -> Limits {
    let bytes = limits.bytes.min(share(CACHED_BYTES.load(Ordering::Relaxed)));
    Limits { time: limits.time.min(EDITING_TIME_LIMIT), bytes, ..limits }
}

/// Returns the memory limit in bytes of one reading of a program: a quarter of the free budget.
/// The rest is for the second reading and for further programs.
fn share(kept: usize) -> usize {
    (MAX_CACHED_BYTES.saturating_sub(kept) / 4).clamp(MIN_EVALUATION_BYTES, MAX_EVALUATION_BYTES)
}

/// The result of an evaluation.
#[derive(Debug)]
pub struct Evaluated {
    /// The results of both readings of the program.
    pub readings: Readings,
    /// The reserved memory.
    share: Share,
}

#[derive(Debug, Clone, PartialEq)]
struct EvaluationInputs {
    /// [`fingerprint`] of the program.
    statements: u64,
    settings: KernelSettings,
    /// [`Tables::stamp`].
    tables: u64,
}

/// The last evaluation of a program.
#[derive(Debug, Default)]
pub(super) struct EvaluationCache(Memo<EvaluationInputs, Arc<Evaluated>>);

impl EvaluationCache {
    /// Returns the newest available evaluation, possibly of an earlier revision.
    pub(super) fn latest(&self) -> Option<Arc<Evaluated>> {
        self.0.latest()
    }

    /// Returns the evaluation if it has the same statements and settings. Does not check if fact
    /// tables have changed since then.
    pub(super) fn get(&self, program: &Program, settings: &KernelSettings) -> Option<Arc<Evaluated>> {
        let statements = fingerprint(program);
        self.0.latest_if(|inputs| inputs.statements == statements && inputs.settings == *settings)
    }

    /// Evaluates a program and caches the result. Returns `None` if canceled.
    pub(super) fn evaluate(
        &self,
        program: &Arc<Program>,
        settings: &KernelSettings,
        limits: &dyn Fn() -> Limits,
        tables: &Tables,
        cancel: &Cancel,
    ) -> Option<Arc<Evaluated>> {
        let inputs = EvaluationInputs {
            statements: fingerprint(program),
            settings: settings.clone(),
            tables: tables.stamp(),
        };
        if self.0.current(&inputs).is_none() {
            self.make_room();
        }
        self.0.get(inputs, |_| {
            let limits = limits();
            // The derivation order, and therefore the reported proof, must not depend on earlier
            // edits.
            let fresh =
                || Arc::new(Program::embedded(program.files.to_vec(), Arc::clone(&program.embedding)));
            let program = &if program.is_joined_anew() { Arc::clone(program) } else { fresh() };
            let give = |kernel: &mut Kernel, program: &Program| tables.add_facts(kernel, program, limits);
            let readings = Readings::new(program, settings, limits, &give, cancel)?;
            let share = Share::new(readings.bytes());
            Some(Arc::new(Evaluated { readings, share }))
        })
    }

    /// Drops a large evaluation before the next one, so that two never exist at the same time.
    fn make_room(&self) {
        if self.0.latest().is_some_and(|last| last.share.0 > MIN_EVICTED_BYTES) {
            self.0.take();
        }
    }

    /// Drops the cached evaluation of a program that is no longer viewed.
    pub(super) fn forget(&self) {
        drop_elsewhere(self.0.take());
    }
}

impl Drop for EvaluationCache {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Drops an evaluation on another thread. Dropping a large one takes tens of milliseconds, which
/// would block the thread that owns the state.
fn drop_elsewhere(evaluated: Option<Arc<Evaluated>>) {
    let Some(evaluated) = evaluated.filter(|evaluated| evaluated.share.0 > MIN_EVICTED_BYTES / 8) else {
        return;
    };
    // If no thread can be created, the evaluation is dropped here.
    let _ = std::thread::Builder::new().name("drop".to_owned()).spawn(move || drop(evaluated));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_share_the_memory() {
        let mut kept = 0;
        for _ in 0..100 {
            kept += 2 * share(kept);
        }
        assert_eq!(share(0), MAX_EVALUATION_BYTES);
        assert!(kept <= MAX_CACHED_BYTES + 2 * 100 * MIN_EVALUATION_BYTES, "{kept}");
    }
}
