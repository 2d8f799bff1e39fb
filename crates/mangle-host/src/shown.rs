//! Versions and stores of a program in output.

use std::fmt;

use serde::Serialize;

use super::versions::{ProgramVersions, VersionChoice};
use mangle_report::sink::terminal;
use mangle_settings::Stores;

/// The effective versions of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownVersions {
    pub engine: ShownVersion,
    pub runtime: ShownVersion,
}

/// An effective version, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownVersion {
    pub version: &'static str,
    /// The modeled version whose behavior applies, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'static str>,
    reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl ShownVersions {
    #[must_use]
    pub fn new(versions: &ProgramVersions) -> Self {
        let (engine, runtime) = (&versions.engine, &versions.runtime);
        let (name, like) = (engine.version.name.as_str(), engine.version.reference.published.name);
        Self {
            engine: ShownVersion { like: (like != name).then_some(like), ..ShownVersion::new(engine, name) },
            runtime: ShownVersion::new(runtime, runtime.version.name()),
        }
    }

    /// Formats lines for people, each with the prefix `indent`.
    #[must_use]
    pub fn text(&self, indent: &str) -> String {
        format!("{indent}engine   {}{indent}runtime  {}", self.engine.text(indent), self.runtime.text(indent))
    }
}

impl ShownVersion {
    fn new<T>(choice: &VersionChoice<T>, version: &'static str) -> Self {
        Self { version, like: None, reason: choice.reason.clone(), notes: choice.notes.clone() }
    }

    fn text(&self, indent: &str) -> String {
        let mut out = format!("{}\n", terminal(&self.to_string()));
        for note in &self.notes {
            out.push_str(&format!("{indent}         note: {}\n", terminal(note)));
        }
        out
    }
}

impl fmt::Display for ShownVersion {
    /// Writes the version and the reason, without notes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.version)?;
        if let Some(like) = self.like {
            write!(f, ", which behaves as {like}")?;
        }
        write!(f, " ({})", self.reason)
    }
}

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
