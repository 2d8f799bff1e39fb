//! Ranking and truncation of completion items.

use super::{Completion, LIMIT};
use mangle_syntax::text::LetterSet;

/// Collector of completion candidates by name. If the number of candidates exceeds [`LIMIT`], only
/// matches of the typed text are kept, which limits further work.
pub(super) struct CandidateCollector<'t, T> {
    typed: &'t str,
    letters: LetterSet,
    candidates: Vec<(&'static str, T)>,
    is_full: bool,
}

impl<'t, T> CandidateCollector<'t, T> {
    pub(super) fn new(typed: &'t str) -> Self {
        Self { typed, letters: LetterSet::from_word(typed), candidates: Vec::new(), is_full: false }
    }

    /// True if a candidate may be kept whose qualified name consists of these letters.
    pub(super) fn may_let_through(&self, letters: LetterSet) -> bool {
        !self.is_full || letters.may_hold(self.letters)
    }

    /// True if a candidate with this name would be kept.
    pub(super) fn accepts(&self, name: &str) -> bool {
        !self.is_full || is_meant(name, self.typed)
    }

    pub(super) fn add(&mut self, name: &'static str, of: T) {
        self.candidates.push((name, of));
        if !self.is_full && self.candidates.len() > LIMIT {
            self.is_full = true;
            self.candidates.retain(|(name, _)| is_meant(name, self.typed));
        }
    }

    /// Returns the candidates with the highest `score`, and true if the result is incomplete.
    pub(super) fn best(self, score: impl Fn(&'static str, &T) -> f64) -> (Vec<(&'static str, T, f64)>, bool) {
        let Self { typed, candidates, is_full, .. } = self;
        let scored = candidates.into_iter().map(|(name, of)| {
            let score = score(name, &of);
            (name, of, score)
        });
        let mut all: Vec<_> = scored.collect();
        if !is_full {
            return (all, false);
        }
        let order = |(a, _, of_a): &(&str, T, f64), (b, _, of_b): &(&str, T, f64)| {
            let begins = begins(b, typed).cmp(&begins(a, typed));
            begins.then_with(|| of_b.total_cmp(of_a)).then_with(|| a.cmp(b))
        };
        let is_cut = all.len() > LIMIT;
        if is_cut {
            all.select_nth_unstable_by(LIMIT, order);
            all.truncate(LIMIT);
        }
        all.sort_by(order);
        (all, is_cut || !typed.is_empty())
    }
}

/// Returns the likeliest items, and true if the result is incomplete. If all items fit, all are
/// returned regardless of the typed text: editors filter them, and deleting a letter needs no
/// second request.
pub(super) fn best(mut items: Vec<Completion>, typed: &str) -> (Vec<Completion>, bool) {
    let order = |a: &Completion, b: &Completion| {
        b.score.total_cmp(&a.score).then_with(|| a.label.cmp(&b.label)).then_with(|| a.kind.cmp(&b.kind))
    };
    items.sort_by(order);
    // Of duplicate items, the likelier is kept.
    let mut known = rustc_hash::FxHashSet::default();
    items.retain(|item| known.insert((item.label.clone(), item.signature.clone())));
    if items.len() <= LIMIT {
        return (items, false);
    }
    items.retain(|item| is_meant(&item.label, typed));
    // Items that start with the typed text come first.
    items.sort_by_key(|item| !begins(&item.label, typed));
    let cut = items.len() > LIMIT;
    items.truncate(LIMIT);
    // Incomplete even without truncation: the filtered items may match again after a letter is
    // deleted.
    (items, cut || !typed.is_empty())
}

fn begins(label: &str, typed: &str) -> bool {
    label.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed))
}

/// True if the label contains the typed letters in this order, ignoring case.
fn is_meant(label: &str, typed: &str) -> bool {
    let mut letters = label.chars().map(|letter| letter.to_ascii_lowercase());
    typed.chars().all(|wanted| {
        let wanted = wanted.to_ascii_lowercase();
        letters.any(|letter| letter == wanted)
    })
}
