//! A program evaluated in both readings: as executed by the engine, and as written (intended). Also
//! the truth of a ground atom in an evaluation, with a one-line explanation.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Evaluation, PlaceNames, cut, fingerprint};
use mangle_engine::kernel::{
    Clock, CompiledProgram, Ground, Kernel, Limits, Miss, Obstacle, Proof, RuleId, compile, compile_sharing,
    evaluate,
};
use mangle_engine::program::{FileSummary, PredicateId, PredicateKey, Program};
use mangle_report::sink::code_span;
use mangle_settings::{KernelSettings, Reading};
use mangle_syntax::syntax::ast::{Atom, Clause};
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

/// Maximum number of premises or rules in an explanation.
const NAMED: usize = 3;

/// Truth of a ground atom, with a one-line explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomTruth {
    pub holds: bool,
    /// Explanation as the end of a sentence, at most one line. Empty if no explanation is
    /// available.
    pub because: String,
}

impl Evaluation {
    /// Returns the truth of a ground atom in `file`. The ranges of the atom refer to `text`. `None`
    /// for atoms with variables, built-ins, unknown predicates, and predicates that are deferred or
    /// external.
    #[must_use]
    pub fn holds(
        &self,
        file: &FileSummary,
        atom: &Atom,
        text: &str,
        places: PlaceNames<'_>,
    ) -> Option<AtomTruth> {
        let predicate = self.program.id(self.program.meaning(file, mangle_engine::program::key_of(atom)))?;
        let signature = &self.program.get(predicate).signature;
        if atom.is_builtin() || signature.deferred || signature.external {
            return None;
        }
        let mut model = self.model.write();
        let mut wanted = Vec::with_capacity(atom.args.len());
        for term in &atom.args {
            let value = evaluate(term, text, &mut model.values, Some(&self.clock)).ok().flatten()?;
            wanted.push(value);
        }
        // For a temporal predicate, any interval matches.
        let fits = |tuple: &[_]| tuple.get(..wanted.len()) == Some(wanted.as_slice());
        let relation = model.relation(predicate)?;
        let number = (0u32..).zip(relation.tuples()).find(|(_, tuple)| fits(tuple)).map(|(number, _)| number);
        Some(match number {
            Some(number) => {
                let proof = model.explain(&self.compiled, self.clock, predicate, number);
                AtomTruth { holds: true, because: self.why(&proof, places) }
            }
            None => {
                let wanted: Vec<_> = wanted.into_iter().map(Some).collect();
                let misses = model.why_not(&self.compiled, self.clock, predicate, &wanted);
                AtomTruth { holds: false, because: self.why_not(&misses, predicate, places) }
            }
        })
    }

    fn why(&self, proof: &Proof, places: PlaceNames<'_>) -> String {
        let Some(root) = proof.nodes.first() else { return String::new() };
        if root.rule == RuleId::ASSERTED {
            return "a fact of the sample".to_owned();
        }
        let place = self.place(root.rule, places);
        let clause = self.evaluated(root.rule).and_then(|(_, item)| item.statement.clause());
        let is_fact = clause.is_some_and(Clause::is_fact);
        if is_fact {
            return format!("a fact at {place}");
        }
        let grounds = root.steps.iter().map(|step| match &step.ground {
            Ground::Fact(at) => {
                let fact = proof.nodes.get(*at).map_or_else(String::new, |node| cut(node.fact.clone()));
                code_span(&fact)
            }
            Ground::Absent(fact) => format!("no {}", code_span(&cut(fact.clone()))),
            Ground::Dropped(text) => format!("{}, which the engine ignores", code_span(&cut(text.clone()))),
            Ground::Holds(text) => code_span(&cut(text.clone())),
            Ground::Rows { count, .. } => format!("a group of {count}"),
        });
        let grounds: Vec<_> = grounds.collect();
        let mut said = format!("by the rule at {place}");
        if !grounds.is_empty() {
            said.push_str(" from ");
            said.push_str(&grounds.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "));
        }
        if grounds.len() > NAMED {
            said.push_str(&format!(" and {} more", grounds.len() - NAMED));
        }
        said
    }

    /// The rule that came closest is unknown, so the first few rules are named.
    fn why_not(&self, misses: &[Miss], predicate: PredicateId, places: PlaceNames<'_>) -> String {
        if misses.is_empty() {
            let has_rules = self.program.get(predicate).signature.has_rules;
            let says = if has_rules {
                "no rule derives it"
            } else {
                "this fact does not exist, and the predicate has no rules"
            };
            return says.to_owned();
        }
        let of = |miss: &Miss| {
            let place = self.place(miss.rule, places);
            match &miss.obstacle {
                Obstacle::Head { argument, has } => {
                    format!("{place} derives {} as argument {}", code_span(&cut(has.clone())), argument + 1)
                }
                Obstacle::Premise { asked, .. } if asked.starts_with('!') => {
                    format!("{place} requires {}", code_span(&cut(asked.clone())))
                }
                Obstacle::Premise { asked, .. } => {
                    format!("{place} finds no {}", code_span(&cut(asked.clone())))
                }
                Obstacle::Groups { .. } => format!("{place} has no matching group"),
                Obstacle::TooMany => format!("{place} has too many combinations to check"),
            }
        };
        let mut said: Vec<_> = misses.iter().take(NAMED).map(of).collect();
        if misses.len() > NAMED {
            said.push(format!("{} more rules do not derive it", misses.len() - NAMED));
        }
        said.join("; ")
    }
}
