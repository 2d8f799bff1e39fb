//! Settings tables that an editor sends as JSON: inlay hints and code lenses.

use serde_json::Value as Json;
use toml_span::Value;
use toml_span::value::ValueInner;

use super::Vocabulary;
use super::declare::{settings, words};
use super::value::{KeyPath, Reader, TableReader};

impl HintSettings {
    /// Reads the settings that an editor sends. Values of the wrong kind are ignored.
    #[must_use]
    pub fn from_editor(sent: &Json) -> Self {
        read(sent)
    }
}

impl LensSettings {
    /// Reads the settings that an editor sends. Values of the wrong kind are ignored.
    #[must_use]
    pub fn from_editor(sent: &Json) -> Self {
        read(sent)
    }
}

fn read<T: TableReader>(sent: &Json) -> T {
    let mut reader = Reader::new("", T::SECTION, Vocabulary { rules: &[] });
    let mut settings = T::default();
    for key in T::SECTION.keys {
        let value = match sent.get(key.name) {
            Some(Json::Bool(flag)) => ValueInner::Boolean(*flag),
            Some(Json::String(word)) => ValueInner::String(word.as_str().into()),
            _ => continue,
        };
        settings.set(KeyPath { section: T::SECTION, key }, Value::new(value), &mut reader);
    }
    settings
}

settings! {
    /// The inlay hints to show. These settings belong to the editor, not to a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct HintSettings("mangle.hints") {
        /// Show parameter names as inlay hints: for no arguments, for constants only, or for all arguments
        /// without an obvious name. In a run of consecutive facts, only the first shows hints.
        arguments: ArgumentHints;
        /// Show the inferred types of variables at their first occurrence in the body.
        types: bool;
        /// Show the inferred types of the columns of a predicate without `Decl`, at its first clause.
        columns: bool = true;
        /// Show the names of the parameters in `bound […]`.
        bounds: bool;
        /// Mark rules without solutions in any sample. Without samples, no rule is marked.
        unfired: bool = true;
    }
}

words! {
    /// The arguments that are shown with parameter names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ArgumentHints {
        /// None.
        Off = "off",
        /// Constants.
        #[default]
        Constants = "constants",
        /// All arguments without an obvious name.
        All = "all",
    }
}

settings! {
    /// The code lenses to show. These settings belong to the editor, not to a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LensSettings("mangle.lenses") {
        /// Show lenses above all rules and predicates, even without solutions.
        all: bool;
    }
}
