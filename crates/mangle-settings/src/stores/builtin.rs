//! Stores of known runtimes, loaded from data files.

use super::{DEFAULT, Owner, SHARED, Stores};

/// The names of the built-in sets of stores.
pub const BUILT_IN_STORES: [&str; 1] = ["codenerd"];

const CODENERD: &str = include_str!("codenerd.txt");

impl Stores {
    /// Returns the built-in stores with this name.
    #[must_use]
    pub fn built_in(word: &str) -> Option<Self> {
        let [codenerd] = BUILT_IN_STORES;
        (word == codenerd).then(|| Self { word: Some(codenerd), ..from_data(CODENERD) })
    }
}

/// Parses a data file. An unindented line names a store, and indented lines list its predicates.
fn from_data(data: &str) -> Stores {
    let lines = data.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut stores = Stores::new("");
    let mut owner = Owner::Store(0);
    for line in lines {
        let mut words = line.split_whitespace();
        if !line.starts_with(' ') {
            owner = match (words.next().unwrap_or_default(), words.next()) {
                (DEFAULT, Some(name)) => {
                    stores = Stores::new(name);
                    Owner::Store(0)
                }
                (SHARED, _) => Owner::Shared,
                (name, _) => Owner::Store(stores.store(name).unwrap_or(0)),
            };
            continue;
        }
        for predicate in words {
            // Safe to ignore: a test checks that no predicate of the data files has two owners.
            let _ = stores.set_owner(predicate, owner);
        }
    }
    stores
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::text::Symbol;

    #[test]
    fn codenerd_has_seven_owners_and_shared_facts() {
        let stores = Stores::built_in("codenerd").unwrap();
        let names: Vec<_> = stores.names().iter().map(|name| name.as_str()).collect();
        assert_eq!(names, ["cortex", "routing", "world", "tools", "policy", "campaign", "prompts"]);
        let keepers = |predicate: &str| stores.keepers(Symbol::new(predicate));
        assert_eq!(stores.listed(keepers("pending_action")), "`policy`");
        assert_eq!(stores.listed(keepers("signed_approval")), "`cortex`");
        assert_eq!(keepers("user_intent"), stores.all());
        let words = CODENERD.lines().filter(|line| line.starts_with(' ')).flat_map(str::split_whitespace);
        assert_eq!(words.count(), stores.owners.len());
        assert_eq!(Stores::built_in("codenrd"), None);
    }
}
