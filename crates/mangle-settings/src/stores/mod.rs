//! Fact stores, for runtimes that evaluate a policy once per store: each predicate is assigned to a
//! store.

mod builtin;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use mangle_syntax::text::Symbol;

pub use builtin::BUILT_IN_STORES;
pub(super) use table::StoreTable;

/// The key of predicates whose facts are in every store.
const SHARED: &str = "shared";

/// The key for the name of the default store.
const DEFAULT: &str = "default";

/// Maximum number of stores in a configuration, including the default store.
pub const MAX_STORES: usize = 32;

/// A set of stores, one bit for each index into [`Stores::names`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct StoreSet(u32);

impl StoreSet {
    /// A set with one store. Empty if the index exceeds [`MAX_STORES`].
    #[must_use]
    pub fn one(store: usize) -> Self {
        let bit = u32::try_from(store).ok().and_then(|store| 1u32.checked_shl(store));
        Self(bit.unwrap_or(0))
    }

    /// A set with the first `count` stores.
    #[must_use]
    pub fn first(count: usize) -> Self {
        (0..count).map(Self::one).fold(Self::default(), Self::union)
    }

    /// Stores that are in at least one of the sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Stores that are in both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The stores of this set that `other` lacks.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if the set has no store.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if the set has this store.
    #[must_use]
    pub fn contains(self, store: usize) -> bool {
        !self.intersection(Self::one(store)).is_empty()
    }

    /// The indices of the stores, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_STORES).filter(move |store| self.contains(*store))
    }
}

/// The owner of the facts of a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    /// The store with this index.
    Store(usize),
    /// Every store.
    Shared,
}

/// The stores of a runtime and the predicates of each store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stores {
    /// The configuration value that selected the stores. `None` for a table.
    word: Option<&'static str>,
    /// The names of the stores, the default store first.
    names: Vec<Symbol>,
    owners: BTreeMap<Symbol, Owner>,
}

impl Stores {
    /// Creates a single store, `default`, for the facts of all predicates.
    #[must_use]
    pub fn new(default: &str) -> Self {
        Self { word: None, names: vec![Symbol::new(default)], owners: BTreeMap::new() }
    }

    /// The names of the stores, the default store first.
    #[must_use]
    pub fn names(&self) -> &[Symbol] {
        &self.names
    }

    /// The name of a store.
    #[must_use]
    pub fn name(&self, store: usize) -> &'static str {
        self.names.get(store).map_or("", |name| name.as_str())
    }

    /// All stores.
    #[must_use]
    pub fn all(&self) -> StoreSet {
        StoreSet::first(self.names.len())
    }

    /// The stores that contain the facts of a predicate: its owner, every store, or the default
    /// store.
    #[must_use]
    pub fn keepers(&self, predicate: Symbol) -> StoreSet {
        match self.owners.get(&predicate) {
            Some(Owner::Store(store)) => StoreSet::one(*store),
            Some(Owner::Shared) => self.all(),
            None => StoreSet::one(0),
        }
    }

    /// True if the configuration assigns the predicate to a store.
    #[must_use]
    pub fn names_predicate(&self, predicate: Symbol) -> bool {
        self.owners.contains_key(&predicate)
    }

    /// The names of stores, for messages: `` `policy` and `world` ``.
    #[must_use]
    pub fn listed(&self, stores: StoreSet) -> String {
        let quoted: Vec<String> = stores.iter().map(|store| format!("`{}`", self.name(store))).collect();
        match quoted.split_last() {
            None => "none".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        }
    }

    /// The index of a store, which is added if it is new. `None` if [`MAX_STORES`] is exceeded.
    fn store(&mut self, name: &str) -> Option<usize> {
        let name = Symbol::new(name);
        let known = self.names.iter().position(|known| *known == name);
        known.or_else(|| {
            (self.names.len() < MAX_STORES).then(|| {
                self.names.push(name);
                self.names.len() - 1
            })
        })
    }

    /// Sets the owner of a predicate.
    ///
    /// # Errors
    /// Returns the name of the existing owner.
    fn set_owner(&mut self, predicate: &str, owner: Owner) -> Result<(), &'static str> {
        let predicate = Symbol::new(predicate);
        match self.owners.get(&predicate) {
            Some(known) if *known != owner => Err(match known {
                Owner::Store(store) => self.name(*store),
                Owner::Shared => SHARED,
            }),
            _ => {
                self.owners.insert(predicate, owner);
                Ok(())
            }
        }
    }

    /// The predicates with this owner, sorted.
    fn owned_by(&self, owner: Owner) -> Vec<&'static str> {
        let owned = self.owners.iter().filter(|(_, of)| **of == owner);
        let mut owned: Vec<_> = owned.map(|(predicate, _)| predicate.as_str()).collect();
        owned.sort_unstable();
        owned
    }
}
