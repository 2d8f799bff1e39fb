//! A program evaluated in both readings: as executed by the engine, and as written (intended).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Evaluation, cut, fingerprint};
use mangle_engine::kernel::{Clock, CompiledProgram, Kernel, Limits, compile, compile_sharing};
use mangle_engine::program::{PredicateKey, Program};
use mangle_settings::{KernelSettings, Reading};
use mangle_syntax::text::Cancel;

/// Maximum number of facts of a predicate for a comparison by content. Larger predicates are
/// compared by count.
const MAX_COMPARED: usize = 2_000;

/// Maximum number of facts shown per side.
const SHOWN: usize = 3;

#[derive(Debug)]
pub struct Readings {
    /// The [`fingerprint`] of the program.
    pub fingerprint: u64,
    /// The reading selected in the settings.
    pub selected: Reading,
    engine: Evaluation,
    intended: Evaluation,
    /// Cached differences.
    compared: Mutex<FxHashMap<PredicateKey, Option<Difference>>>,
}

/// Difference between the readings of a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Number of facts in the engine reading.
    pub engine: usize,
    /// Number of facts in the intended reading.
    pub intended: usize,
    /// First facts that exist only in the engine reading.
    pub only_go: Vec<String>,
    /// First facts that exist only in the intended reading.
    pub only_written: Vec<String>,
}

impl Readings {
    /// Evaluates a program under `settings` and `limits`, with additional facts from `give`. `None`
    /// if cancelled. Both readings share the memory limit: the secondary reading gets the remaining
    /// memory.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        settings: &KernelSettings,
        limits: Limits,
        give: &dyn Fn(&mut Kernel, &Program),
        cancel: &Cancel,
    ) -> Option<Self> {
        // The same instant for both readings, so that only the reading differs.
        let clock = Clock::from_settings(settings);
        let evaluate = |compiled: &Arc<CompiledProgram>, bytes| {
            let limits = Limits { bytes, ..limits };
            Evaluation::new(program, Arc::clone(compiled), limits, clock, give, cancel)
        };
        let compiled_go = compile(program, Reading::Engine);
        let compiled_written = compile_sharing(program, Reading::Intended, &compiled_go);
        let (first, second) = match settings.reading {
            Reading::Engine => (&compiled_go, &compiled_written),
            Reading::Intended => (&compiled_written, &compiled_go),
        };
        let shown = evaluate(first, limits.bytes)?;
        let other = evaluate(second, limits.bytes.saturating_sub(shown.bytes()))?;
        let (go, written) = match settings.reading {
            Reading::Engine => (shown, other),
            Reading::Intended => (other, shown),
        };
        Some(Self {
            fingerprint: fingerprint(program),
            selected: settings.reading,
            engine: go,
            intended: written,
            compared: Mutex::default(),
        })
    }

    /// Hash of the visible results: the number of facts, and the number of facts per rule.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.engine.digest(), self.intended.digest()).hash(&mut hasher);
        hasher.finish()
    }

    /// Memory used by both readings, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.engine.bytes() + self.intended.bytes()
    }

    #[must_use]
    pub fn get(&self, reading: Reading) -> &Evaluation {
        match reading {
            Reading::Engine => &self.engine,
            Reading::Intended => &self.intended,
        }
    }

    /// The evaluation in the selected reading.
    #[must_use]
    pub fn shown(&self) -> &Evaluation {
        self.get(self.selected)
    }

    #[must_use]
    pub fn other(&self) -> &Evaluation {
        match self.selected {
            Reading::Engine => &self.intended,
            Reading::Intended => &self.engine,
        }
    }

    /// Returns the difference between the readings of a predicate. `None` if they are equal.
    #[must_use]
    pub fn difference(&self, key: PredicateKey) -> Option<Difference> {
        if let Some(known) = self.compared.lock().get(&key) {
            return known.clone();
        }
        let difference = self.compare(key);
        self.compared.lock().insert(key, difference.clone());
        difference
    }

    fn compare(&self, key: PredicateKey) -> Option<Difference> {
        let counts = (self.engine.rows(key, 0)?.count, self.intended.rows(key, 0)?.count);
        let compared = counts.0.max(counts.1) <= MAX_COMPARED;
        if !compared && counts.0 == counts.1 {
            return None;
        }
        let (go, written) = match compared {
            true => (self.engine.facts(key), self.intended.facts(key)),
            false => (Vec::new(), Vec::new()),
        };
        let without = |some: &[String], others: &[String]| -> Vec<String> {
            let others: FxHashSet<_> = others.iter().collect();
            some.iter()
                .filter(|fact| !others.contains(fact))
                .take(SHOWN)
                .map(|fact| cut(fact.clone()))
                .collect()
        };
        let (only_go, only_written) = (without(&go, &written), without(&written, &go));
        let is_same = counts.0 == counts.1 && only_go.is_empty() && only_written.is_empty();
        (!is_same).then_some(Difference { engine: counts.0, intended: counts.1, only_go, only_written })
    }
}
