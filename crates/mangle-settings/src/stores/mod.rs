//! Fact stores, for runtimes that evaluate a policy once per store: each predicate is assigned to a
//! store.

mod builtin;

pub use builtin::BUILT_IN_STORES;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use toml_span::value::Table;
use toml_span::{Span, Value};

use super::declare::Setting;
use super::keys::{Kind, SettingValue};
use super::value::{KeyPath, Reader, ValueError, shorten};
use mangle_syntax::text::{Symbol, listed};

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

/// The name of the default store if the table does not define it.
const UNNAMED_DEFAULT: &str = "main";

pub(super) enum StoreTable {}

impl Setting<Arc<Stores>> for StoreTable {
    const KIND: Kind = Kind::Stores(&BUILT_IN_STORES);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Arc<Stores>> {
        let span = value.span;
        if let Some(word) = value.as_str().map(str::to_owned) {
            return built_in(reader, &word, span).map(Arc::new);
        }
        let table = reader.table(value, &format!("{}, or the name of a runtime", at.label()))?;
        Some(Arc::new(from_table(reader, span, table)))
    }

    fn output(stores: &Arc<Stores>) -> SettingValue {
        SettingValue::new(stores.word.map_or_else(|| stores.json(), Json::from))
    }
}

fn built_in(reader: &mut Reader<'_>, word: &str, span: Span) -> Option<Stores> {
    let stores = Stores::built_in(word);
    if stores.is_none() {
        let error = ValueError::new(format!("unknown stores `{}`", shorten(word)))
            .note(format!("the known runtimes are {}", listed(BUILT_IN_STORES)))
            .note("a table `[runtime.stores]` lists the predicates of each store");
        reader.bad_value_near(span, error, word, BUILT_IN_STORES);
    }
    stores
}

fn from_table(reader: &mut Reader<'_>, span: Span, mut table: Table<'_>) -> Stores {
    let default = table.remove(DEFAULT).and_then(|value| name(reader, value));
    let mut stores = Stores::new(default.as_deref().unwrap_or(UNNAMED_DEFAULT));
    let mut surplus = 0;
    for (key, value) in table {
        let owner = match &*key.name {
            SHARED => Some(Owner::Shared),
            name if name.trim().is_empty() => {
                reader.bad_value(key.span, ValueError::new("store has an empty name"));
                continue;
            }
            name => stores.store(name).map(Owner::Store),
        };
        let predicates = reader.strings(value, &format!("the store `{}`", shorten(&key.name)));
        match owner {
            Some(owner) => add(reader, &mut stores, owner, predicates),
            None => surplus += 1,
        }
    }
    if surplus > 0 {
        let headline = format!("{surplus} stores too many");
        let note = format!("a configuration has at most {MAX_STORES} stores; the others are ignored");
        reader.bad_value(span, ValueError::new(headline).note(note));
    }
    stores
}

/// Reads the name of the default store.
fn name(reader: &mut Reader<'_>, value: Value<'_>) -> Option<String> {
    let (name, span) = reader.string(value, "`default`")?;
    if name.trim().is_empty() || name == SHARED {
        let headline = format!("unusable name `{}` for the default store", shorten(&name));
        reader.bad_value(span, ValueError::new(headline).note("it is the name of one store"));
        return None;
    }
    Some(name)
}

fn add(reader: &mut Reader<'_>, stores: &mut Stores, owner: Owner, predicates: Vec<(String, Span)>) {
    for (predicate, span) in predicates {
        if !is_predicate(&predicate) {
            let headline = format!("`{}` is not a name of a predicate", shorten(&predicate));
            let help = "write its name without arity, as in `pending_action`";
            reader.bad_value(span, ValueError::new(headline).help(help));
        } else if let Err(other) = stores.set_owner(&predicate, owner) {
            let headline = format!("predicate `{}` is in two stores", shorten(&predicate));
            let note = format!("`{other}` has it already, and keeps it");
            reader.bad_value(span, ValueError::new(headline).note(note));
        }
    }
}

/// True if the text is a predicate name, optionally with a package.
fn is_predicate(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
    text.starts_with(char::is_lowercase) && text.chars().all(is_part)
}

impl Stores {
    /// Converts the stores to the table that defines them.
    fn json(&self) -> Json {
        let mut table = Map::new();
        table.insert(DEFAULT.to_owned(), self.name(0).into());
        let mut insert = |name: &str, owner| {
            let owned = self.owned_by(owner);
            if !owned.is_empty() {
                table.insert(name.to_owned(), owned.into());
            }
        };
        insert(SHARED, Owner::Shared);
        (0..self.names.len()).for_each(|store| insert(self.name(store), Owner::Store(store)));
        Json::Object(table)
    }
}

#[cfg(test)]
mod tests;
