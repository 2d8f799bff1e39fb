//! The evaluation of a program, kept from revision to revision as long as its statements are the same.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::config::KernelSettings;
use crate::host::tables::Tables;
use crate::ide::evaluation::{Readings, fingerprint};
use crate::kernel::{Kernel, Limits};
use crate::program::Program;
use crate::text::Cancel;

/// How long one reading may take while somebody types, whatever the settings allow.
pub(super) const LONGEST: Duration = Duration::from_secs(2);

/// How many bytes an evaluation may hold while somebody types.
pub(super) const MOST_BYTES: usize = 256 << 20;

/// What is known of a program that was evaluated.
#[derive(Debug)]
pub struct Evaluated {
    /// The program in both readings.
    pub readings: Readings,
    /// The [`Tables::stamp`] of the tables that went with it.
    tables: u64,
}

/// The last evaluation of a program.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Option<Arc<Evaluated>>>);

impl Kept {
    /// The evaluation of the latest revision that has one.
    pub(super) fn last(&self) -> Option<Arc<Evaluated>> {
        self.0.lock().clone()
    }

    /// The evaluation of a program, if it is one with the same statements.
    pub(super) fn of(&self, program: &Program) -> Option<Arc<Evaluated>> {
        self.last().filter(|kept| kept.readings.fingerprint == fingerprint(program))
    }

    /// Evaluates a program, and keeps what comes of it. `None` when `cancel` was raised meanwhile.
    pub(super) fn evaluate(
        &self,
        program: &Arc<Program>,
        settings: &KernelSettings,
        tables: &Tables,
        cancel: &Cancel,
    ) -> Option<Arc<Evaluated>> {
        let stamp = tables.stamp();
        if let Some(known) = self.of(program).filter(|known| known.tables == stamp) {
            return Some(known);
        }
        let limits = Limits::of(settings);
        let limits = Limits { time: limits.time.min(LONGEST), bytes: limits.bytes.min(MOST_BYTES), ..limits };
        let give = |kernel: &mut Kernel, program: &Program| tables.give(kernel, program, limits);
        let readings = Readings::new(program, settings, limits, &give, cancel)?;
        let evaluated = Arc::new(Evaluated { readings, tables: stamp });
        *self.0.lock() = Some(Arc::clone(&evaluated));
        Some(evaluated)
    }

    /// Forgets it: nobody looks at the program any more.
    pub(super) fn forget(&self) {
        *self.0.lock() = None;
    }
}
