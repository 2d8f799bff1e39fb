//! The order of proposals, and which of them are sent when there are very many.

use super::{Completion, LIMIT};

/// Something that may become an item: its name, and how likely it is.
pub(super) struct Candidate<T> {
    pub(super) name: String,
    pub(super) score: f64,
    pub(super) of: T,
}

/// Of very many candidates those that can be among the items that are sent, so that no more are worked out. Also
/// says whether any were left out.
pub(super) fn sift<T>(mut all: Vec<Candidate<T>>, typed: &str) -> (Vec<Candidate<T>>, bool) {
    if all.len() <= LIMIT {
        return (all, false);
    }
    all.retain(|candidate| is_meant(&candidate.name, typed));
    all.sort_by(|a, b| {
        let begins = begins(&b.name, typed).cmp(&begins(&a.name, typed));
        begins.then_with(|| b.score.total_cmp(&a.score)).then_with(|| a.name.cmp(&b.name))
    });
    let cut = all.len() > LIMIT;
    all.truncate(LIMIT);
    (all, cut || !typed.is_empty())
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
