//! The evaluation of a program, kept from revision to revision as long as its statements are the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::host::tables::Tables;
use crate::ide::evaluation::{Readings, fingerprint};
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::Program;
use mangle_settings::KernelSettings;
use mangle_syntax::memo::Memo;
use mangle_syntax::text::Cancel;

/// How long one reading may take while somebody types, whatever the settings allow.
const LONGEST: Duration = Duration::from_secs(2);

/// How many bytes an evaluation may hold while somebody types.
const MOST_BYTES: usize = 256 << 20;

/// How many bytes the evaluations that are kept may hold together.
const MOST_KEPT: usize = 1 << 30;

/// What an evaluation may hold however much the others do.
const LEAST_BYTES: usize = 4 << 20;

/// Larger evaluations are not kept while the program is evaluated anew.
const LARGE: usize = 32 << 20;

/// How many bytes the evaluations of this process hold.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// A part of [`KEPT`], given back when it is dropped.
#[derive(Debug)]
struct Share(usize);

impl Share {
    fn new(bytes: usize) -> Self {
        KEPT.fetch_add(bytes, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// `limits` for an evaluation while a document is edited: of time, and of memory beside what is kept of other evaluations.
pub fn editor_limits(limits: Limits) -> Limits {
    let bytes = limits.bytes.min(share(KEPT.load(Ordering::Relaxed)));
    Limits { time: limits.time.min(LONGEST), bytes, ..limits }
}

/// How many bytes a reading of a program may hold beside what is kept of others: a quarter of what is left, so that
/// there is something left for the other reading and for further programs.
fn share(kept: usize) -> usize {
    (MOST_KEPT.saturating_sub(kept) / 4).clamp(LEAST_BYTES, MOST_BYTES)
}

/// What is known of a program that was evaluated.
#[derive(Debug)]
pub struct Evaluated {
    /// The program in both readings.
    pub readings: Readings,
    /// What it holds of the memory for all.
    share: Share,
}

/// What an evaluation depends on.
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
    /// The evaluation of the latest revision that has one.
    pub(super) fn latest(&self) -> Option<Arc<Evaluated>> {
        self.0.latest()
    }

    /// The evaluation of a program, if it is one of the same statements with the same settings. Whether tables of facts have
    /// changed since then is not looked up.
    pub(super) fn of(&self, program: &Program, settings: &KernelSettings) -> Option<Arc<Evaluated>> {
        let statements = fingerprint(program);
        self.0.latest_if(|inputs| inputs.statements == statements && inputs.settings == *settings)
    }

    /// Evaluates a program, and keeps what comes of it. `None` when `cancel` was raised meanwhile.
    pub(super) fn evaluate(
        &self,
        program: &Arc<Program>,
        (settings, limits): (&KernelSettings, &dyn Fn() -> Limits),
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
            // What is derived first, and so which proof is shown, is not to depend on what was edited before.
            let fresh =
                || Arc::new(Program::embedded(program.files.to_vec(), Arc::clone(&program.embedding)));
            let program = &if program.is_joined_anew() { Arc::clone(program) } else { fresh() };
            let give = |kernel: &mut Kernel, program: &Program| tables.give(kernel, program, limits);
            let readings = Readings::new(program, settings, limits, &give, cancel)?;
            let share = Share::new(readings.bytes());
            Some(Arc::new(Evaluated { readings, share }))
        })
    }

    /// Forgets a large evaluation before the next one, so that there are never two.
    fn make_room(&self) {
        if self.0.latest().is_some_and(|last| last.share.0 > LARGE) {
            self.0.take();
        }
    }

    /// Forgets it: nobody looks at the program any more.
    pub(super) fn forget(&self) {
        drop_elsewhere(self.0.take());
    }
}

impl Drop for EvaluationCache {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Drops an evaluation on another thread: a large one takes tens of milliseconds, and the thread that owns all state
/// comes by here.
fn drop_elsewhere(evaluated: Option<Arc<Evaluated>>) {
    let Some(evaluated) = evaluated.filter(|evaluated| evaluated.share.0 > LARGE / 8) else { return };
    // Without a thread it is dropped here.
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
        assert_eq!(share(0), MOST_BYTES);
        assert!(kept <= MOST_KEPT + 2 * 100 * LEAST_BYTES, "{kept}");
    }
}
