//! The stores of a program in output.

use mangle_settings::Stores;
use serde::Serialize;

use mangle_report::sink::terminal;

/// The names of the stores, the default store first. Empty if the runtime has one store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ShownStores(Vec<String>);

impl ShownStores {
    #[must_use]
    pub fn new(stores: Option<&Stores>) -> Self {
        let names = stores.map(Stores::names).unwrap_or_default();
        Self(names.iter().map(ToString::to_string).collect())
    }

    /// True if the runtime has one store.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of stores and their names on one line, or `None` if the runtime has one
    /// store.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let (default, others) = self.0.split_first()?;
        let names: Vec<_> =
            std::iter::once(format!("{default} (default)")).chain(others.iter().cloned()).collect();
        let count = match self.0.len() {
            1 => "1 store".to_owned(),
            count => format!("{count} stores"),
        };
        Some(terminal(&format!("{count}: {}", names.join(", "))).to_string())
    }
}
