//! Texts about sets of stores.

use mangle_settings::{StoreSet, Stores};

/// Maximum length of a label, in characters.
const LABEL: usize = 40;

/// A label for a predicate with facts in these stores.
pub(super) fn only_in(stores: &Stores, set: StoreSet) -> String {
    let named = format!("only in {}", stores.listed(set));
    if named.chars().count() <= LABEL { named } else { format!("only in {} stores", set.iter().count()) }
}
