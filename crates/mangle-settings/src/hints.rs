//! `mangle.hints` in the settings of an editor: which words it shows between the words of a program.

use serde_json::Value as Json;
use toml_span::Value;
use toml_span::value::ValueInner;

use super::Vocabulary;
use super::declare::settings;
use super::output::SettingTable as _;
use super::value::TableReader as _;
use super::value::{KeyPath, Reader};
use super::words::words;

settings! {
    /// Which hints are wanted; nothing of it is in a configuration file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct HintSettings("mangle.hints") {
        /// Which arguments are shown with the names of their parameters: none, constants, or all that do not say
        /// it themselves. Of facts in a row the first one has them.
        arguments: ArgumentHints;
        /// Show the inferred types of variables where the body has them first.
        types: bool;
        /// Show what the columns of a predicate without `Decl` hold, at its first clause.
        columns: bool = true;
        /// Show the names of the parameters in `bound […]`.
        bounds: bool;
        /// Mark rules that give nothing with any sample. Without a sample none is marked.
        unfired: bool = true;
    }
}

words! {
    /// Which arguments are named.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ArgumentHints {
        /// None.
        Off = "off",
        /// Constants.
        #[default]
        Constants = "constants",
        /// All, unless they say it themselves.
        All = "all",
    }
}

impl HintSettings {
    /// What an editor says. A value of the wrong kind is ignored.
    #[must_use]
    pub fn of_editor(sent: &Json) -> Self {
        let mut reader = Reader::new("", Self::SECTION, Vocabulary { rules: &[], releases: &[] });
        let mut settings = Self::default();
        for key in Self::SECTION.keys {
            let value = match sent.get(key.name) {
                Some(Json::Bool(flag)) => ValueInner::Boolean(*flag),
                Some(Json::String(word)) => ValueInner::String(word.as_str().into()),
                _ => continue,
            };
            settings.set(KeyPath { section: Self::SECTION, key }, Value::new(value), &mut reader);
        }
        settings
    }
}
