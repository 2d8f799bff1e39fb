//! The order of proposals, and which of them are sent when there are very many.

use super::{Completion, LIMIT};
use mangle_syntax::text::LetterSet;

/// Collects what may become an item, by name. Of very many, only what was typed may mean is kept, so that no more is worked
/// out.
pub(super) struct Sieve<'t, T> {
    typed: &'t str,
    letters: LetterSet,
    candidates: Vec<(&'static str, T)>,
    is_full: bool,
}

impl<'t, T> Sieve<'t, T> {
    pub(super) fn new(typed: &'t str) -> Self {
        Self { typed, letters: LetterSet::of(typed), candidates: Vec::new(), is_full: false }
    }

    /// Whether a candidate may be kept whose whole name, its package included, has these letters.
    pub(super) fn may_let_through(&self, letters: LetterSet) -> bool {
        !self.is_full || letters.may_hold(self.letters)
    }

    /// Whether a candidate of this name would be kept.
    pub(super) fn lets_through(&self, name: &str) -> bool {
        !self.is_full || is_meant(name, self.typed)
    }

    pub(super) fn add(&mut self, name: &'static str, of: T) {
        self.candidates.push((name, of));
        if !self.is_full && self.candidates.len() > LIMIT {
            self.is_full = true;
            self.candidates.retain(|(name, _)| is_meant(name, self.typed));
        }
    }

    /// The likeliest candidates with how likely each is, going by `score`. Also says whether any were left out.
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

/// The likeliest items, and whether any were left out. As long as all fit, all are sent whatever was typed:
/// editors filter themselves, and deleting a letter then needs no second question.
pub(super) fn best(mut items: Vec<Completion>, typed: &str) -> (Vec<Completion>, bool) {
    let order = |a: &Completion, b: &Completion| {
        b.score.total_cmp(&a.score).then_with(|| a.label.cmp(&b.label)).then_with(|| a.kind.cmp(&b.kind))
    };
    items.sort_by(order);
    // The same word twice helps nobody; the likelier stays.
    let mut known = rustc_hash::FxHashSet::default();
    items.retain(|item| known.insert((item.label.clone(), item.signature.clone())));
    if items.len() <= LIMIT {
        return (items, false);
    }
    items.retain(|item| is_meant(&item.label, typed));
    // Of too many, those that begin with what was typed.
    items.sort_by_key(|item| !begins(&item.label, typed));
    let cut = items.len() > LIMIT;
    items.truncate(LIMIT);
    // Also incomplete without a cut: what was filtered away may be wanted when letters are deleted.
    (items, cut || !typed.is_empty())
}

fn begins(label: &str, typed: &str) -> bool {
    label.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed))
}

/// Whether the typed letters occur in the label in this order, in either case.
fn is_meant(label: &str, typed: &str) -> bool {
    let mut letters = label.chars().map(|letter| letter.to_ascii_lowercase());
    typed.chars().all(|wanted| {
        let wanted = wanted.to_ascii_lowercase();
        letters.any(|letter| letter == wanted)
    })
}
