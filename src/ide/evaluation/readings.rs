//! A program in both readings, side by side: what the engine makes of it, and what is written.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Evaluation, cut, fingerprint};
use mangle_engine::kernel::{Clock, Compiled, Kernel, Limits, compile, compile_beside};
use mangle_engine::program::{PredicateKey, Program};
use mangle_settings::{KernelSettings, Reading};
use mangle_syntax::text::Cancel;

/// Predicates with more facts than this are compared by number alone.
const MOST_COMPARED: usize = 2_000;

/// How many facts of each side are shown.
const SHOWN: usize = 3;

/// A program evaluated in both readings.
#[derive(Debug)]
pub struct Readings {
    /// The program's [`fingerprint`].
    pub fingerprint: u64,
    /// The reading that the settings want shown.
    pub wanted: Reading,
    go: Evaluation,
    written: Evaluation,
    /// What was compared already.
    compared: Mutex<FxHashMap<PredicateKey, Option<Difference>>>,
}

/// In what the readings differ about a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// How many facts the engine has.
    pub go: usize,
    /// How many there are as it is written.
    pub written: usize,
    /// The first of those that only the engine has.
    pub only_go: Vec<String>,
    /// The first of those that there are only as it is written.
    pub only_written: Vec<String>,
}

impl Readings {
    /// Evaluates a program under `settings`, no further than `limits`, with the facts that `give` adds to its own; `None`
    /// when `cancel` was raised meanwhile. Both readings share the limit of memory: the one that is not shown has what
    /// the other leaves.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        settings: &KernelSettings,
        limits: Limits,
        give: &dyn Fn(&mut Kernel, &Program),
        cancel: &Cancel,
    ) -> Option<Self> {
        // The same instant for both: what differs is the reading alone.
        let clock = Clock::of(settings);
        let evaluate = |compiled: &Arc<Compiled>, bytes| {
            let limits = Limits { bytes, ..limits };
            Evaluation::new(program, Arc::clone(compiled), limits, clock, give, cancel)
        };
        let compiled_go = compile(program, Reading::Engine);
        let compiled_written = compile_beside(program, Reading::Intended, &compiled_go);
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
            wanted: settings.reading,
            go,
            written,
            compared: Mutex::default(),
        })
    }

    /// A number that changes with what is shown of it: how many facts there are, and which rules gave how many.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.go.digest(), self.written.digest()).hash(&mut hasher);
        hasher.finish()
    }

    /// How many bytes both readings take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.go.bytes() + self.written.bytes()
    }

    /// The evaluation in one reading.
    #[must_use]
    pub fn of(&self, reading: Reading) -> &Evaluation {
        match reading {
            Reading::Engine => &self.go,
            Reading::Intended => &self.written,
        }
    }

    /// The evaluation that the settings want shown.
    #[must_use]
    pub fn shown(&self) -> &Evaluation {
        self.of(self.wanted)
    }

    /// The evaluation in the other reading.
    #[must_use]
    pub fn other(&self) -> &Evaluation {
        match self.wanted {
            Reading::Engine => &self.written,
            Reading::Intended => &self.go,
        }
    }

    /// What the engine finds of a predicate and the text does not say, and the other way round.
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
        let counts = (self.go.rows(key, 0)?.count, self.written.rows(key, 0)?.count);
        let compared = counts.0.max(counts.1) <= MOST_COMPARED;
        if !compared && counts.0 == counts.1 {
            return None;
        }
        let (go, written) = match compared {
            true => (self.go.facts(key), self.written.facts(key)),
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
        (!is_same).then_some(Difference { go: counts.0, written: counts.1, only_go, only_written })
    }
}
