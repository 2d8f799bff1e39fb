//! Order of the answers to a query. The store of the runtime has no order; the default order
//! follows the files.

use std::cmp::Ordering;

use super::Answer;
use mangle_engine::kernel::{CompiledProgram, RuleId};
use mangle_engine::program::Program;
use mangle_syntax::text::{FileId, TextSize};

/// The order of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerOrder {
    /// Facts by file and line, then derived facts by the position of their rule, then by printed
    /// text.
    #[default]
    Sorted,
    /// The order of the store.
    Store,
    /// Shuffled with this seed, to detect results that depend on the order.
    Shuffled(u64),
}

/// The source position of a fact or rule. Facts from the caller sort after facts from files.
pub(super) type AnswerPlace = (bool, Option<(FileId, TextSize)>);

/// The source position of a clause.
pub(super) fn place_of(
    program: &Program,
    compiled: &CompiledProgram,
    rule: RuleId,
) -> Option<(FileId, TextSize)> {
    let rule = compiled.rule(rule)?;
    let item = program.file(rule.file)?.items.get(rule.item as usize)?;
    Some((rule.file, item.start))
}

impl AnswerOrder {
    /// Sorts answers. The first part of each key is true for derived facts.
    pub(super) fn apply(self, mut found: Vec<(AnswerPlace, Answer)>) -> Vec<Answer> {
        match self {
            Self::Store => {}
            Self::Sorted => found.sort_by(compare),
            Self::Shuffled(seed) => {
                found.sort_by(compare);
                shuffle(&mut found, seed);
            }
        }
        found.into_iter().map(|(_, answer)| answer).collect()
    }
}

fn compare((one, first): &(AnswerPlace, Answer), (other, second): &(AnswerPlace, Answer)) -> Ordering {
    // Facts without a position come from the caller. They sort last and keep their order.
    let key = |place: &AnswerPlace| (place.0, place.1.is_none(), place.1);
    let printed = || {
        if one.1.is_none() && !one.0 { Ordering::Equal } else { first.origin.fact.cmp(&second.origin.fact) }
    };
    key(one).cmp(&key(other)).then_with(printed)
}

/// Shuffles a list; the result depends only on the seed.
fn shuffle<T>(list: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..list.len()).rev() {
        // SplitMix64, with the published constants.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        let other = usize::try_from(bits % (last as u64 + 1)).unwrap_or(0);
        list.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_and_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut list: Vec<u32> = (0..20).collect();
            shuffle(&mut list, seed);
            list
        };
        let mut sorted = shuffled(7);
        assert_eq!(shuffled(7), sorted);
        assert_ne!(shuffled(8), sorted);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
