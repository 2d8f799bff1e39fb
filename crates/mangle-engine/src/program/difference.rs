//! Difference between two revisions of a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FileSummary, PredicateId, PredicateInFile, PredicateKey, Program};

/// The identity of a program. Programs of the same line number predicates and files alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Revision {
    line: u64,
    pub(super) number: u64,
}

static LAST: AtomicU64 = AtomicU64::new(0);

impl Revision {
    /// The revision of a program without predecessor.
    pub(super) fn first() -> Self {
        let number = 1 + LAST.fetch_add(1, Ordering::Relaxed);
        Self { line: number, number }
    }

    /// The revision of a successor.
    pub(super) fn next(self) -> Self {
        Self { number: 1 + LAST.fetch_add(1, Ordering::Relaxed), ..self }
    }
}

/// The changes of a program since an earlier revision. All lists are sorted without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The changed files: indexes into [`Program::files`].
    pub files: Vec<u32>,
    /// The predicates with a changed signature, or with statements that were added, removed or
    /// reordered.
    pub touched: Vec<PredicateId>,
    /// The predicates with a changed signature.
    pub signatures: Vec<PredicateId>,
    /// The predicates that were created or removed.
    pub existence: Vec<PredicateId>,
    /// The predicates that have or had rules in a changed file.
    pub heads: Vec<PredicateId>,
}

impl Difference {
    /// Returns the difference between two programs. `None` unless `new` is a successor of `old` or
    /// the same program.
    #[must_use]
    pub fn between(old: &Program, new: &Program) -> Option<Arc<Self>> {
        if old.revision.line != new.revision.line || old.files.len() != new.files.len() {
            return None;
        }
        if old.revision == new.revision {
            return Some(Arc::default());
        }
        let known = new.since.as_ref().filter(|(since, _)| *since == old.revision.number);
        Some(
            known.map_or_else(|| Arc::new(Self::compute(old, new)), |(_, difference)| Arc::clone(difference)),
        )
    }

    pub(super) fn compute(old: &Program, new: &Program) -> Self {
        let mut difference = Self::default();
        let id = |key: &PredicateKey| new.by_key.get(key).or_else(|| new.retired.get(key)).copied();
        for (at, (before, after)) in (0u32..).zip(old.files.iter().zip(new.files.iter())) {
            if Arc::ptr_eq(before, after) {
                continue;
            }
            difference.files.push(at);
            difference.touched.extend(changed_keys(before, after).iter().filter_map(id));
            for file in [before, after] {
                let rules = file.predicates.iter().filter(|(_, there)| !there.rules.is_empty());
                difference.heads.extend(rules.filter_map(|(key, _)| id(key)));
                // A definition may have moved without a change of its statement.
                let keys = file.predicates.iter().filter(|(_, there)| there.defines());
                for id in keys.filter_map(|(key, _)| id(key)) {
                    let (then, now) = (old.predicates.list.get(id.0 as usize), new.get(id));
                    if then.is_none_or(|then| then.fingerprint != now.fingerprint) {
                        difference.signatures.push(id);
                    }
                    if then.is_some_and(super::Predicate::exists) != now.exists() {
                        difference.existence.push(id);
                    }
                }
            }
        }
        difference.touched.extend(&difference.signatures);
        let Self { touched, signatures, existence, heads, .. } = &mut difference;
        for list in [touched, signatures, existence, heads] {
            list.sort_unstable();
            list.dedup();
        }
        difference
    }
}

/// The keys, as written, whose statements differ between `old` and `new`.
fn changed_keys(old: &FileSummary, new: &FileSummary) -> FxHashSet<PredicateKey> {
    let keys = || old.predicates.keys().chain(new.predicates.keys());
    if is_shuffled(old, new) {
        return keys().copied().collect();
    }
    let is_same = |key: &&PredicateKey| match (old.predicates.get(key), new.predicates.get(key)) {
        (Some(before), Some(after)) => is_same((old, before), (new, after)),
        _ => false,
    };
    keys().filter(|key| !is_same(key)).copied().collect()
}

/// True if the common statements are in a different order.
fn is_shuffled(old: &FileSummary, new: &FileSummary) -> bool {
    let places: FxHashMap<_, _> =
        old.items.iter().enumerate().map(|(at, item)| (item.statement.id, at)).collect();
    let common = new.items.iter().filter_map(|item| places.get(&item.statement.id));
    !common.is_sorted()
}

fn is_same(
    (old, before): (&FileSummary, &PredicateInFile),
    (new, after): (&FileSummary, &PredicateInFile),
) -> bool {
    let id = |file: &FileSummary, at: u32| file.items.get(at as usize).map(|item| item.statement.id);
    let lists = |there: &PredicateInFile| [there.declarations.len(), there.facts.len(), there.rules.len()];
    let statements = |file: &FileSummary, there: &PredicateInFile| {
        let all = there.declarations.iter().chain(&there.facts).chain(&there.rules);
        all.map(|&at| id(file, at)).collect::<Vec<_>>()
    };
    let uses = |file: &FileSummary, there: &PredicateInFile| {
        let all = there.uses.iter().map(|used| (id(file, used.item), used.range, used.kind));
        all.collect::<Vec<_>>()
    };
    lists(before) == lists(after)
        && before.annotated_head == after.annotated_head
        && statements(old, before) == statements(new, after)
        && uses(old, before) == uses(new, after)
}
