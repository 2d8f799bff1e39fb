//! Runtimes: the programs that read the replies of an agent.

mod capabilities;
mod table;

pub use capabilities::{
    ActionIds, CandidateLimits, Cut, Decoding, RuntimeCapabilities, RuntimeReference, ShellCharacters, Sign,
    TypeErrors,
};
pub use table::RUNTIMES;

use std::fmt;
use std::ops::Deref;

use toml_span::Value;

use crate::declare::Setting;
use crate::keys::{Kind, SettingValue};
use crate::value::{KeyPath, Reader};
use table::{DEFAULT, NONE};

/// A reference to a modeled version. It dereferences to the capabilities.
#[derive(Clone, Copy)]
pub struct Runtime(&'static RuntimeReference);

impl Runtime {
    /// Parses the name of a runtime.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|runtime| runtime.name() == name)
    }

    /// All modeled versions, oldest first. The first one stands for no runtime.
    pub fn all() -> impl Iterator<Item = Self> {
        RUNTIMES.iter().map(Self)
    }

    /// The newest version.
    #[must_use]
    pub fn newest() -> Self {
        Self::all().last().unwrap_or_default()
    }

    /// The rules of the protocol without a runtime.
    #[must_use]
    pub fn none() -> Self {
        Self(&NONE)
    }

    /// The name in settings and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.published.name
    }

    /// The table row of the runtime.
    #[must_use]
    pub fn reference(self) -> &'static RuntimeReference {
        self.0
    }

    /// The capabilities.
    #[must_use]
    pub fn capabilities(self) -> &'static RuntimeCapabilities {
        &self.0.capabilities
    }
}

impl Default for Runtime {
    fn default() -> Self {
        Self(&DEFAULT)
    }
}

impl Deref for Runtime {
    type Target = RuntimeCapabilities;

    fn deref(&self) -> &RuntimeCapabilities {
        &self.0.capabilities
    }
}

impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Runtime {}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The runtime that an option or the settings choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuntimeChoice {
    /// The policy determines the runtime.
    #[default]
    Auto,
    /// A fixed runtime.
    Version(Runtime),
}

impl RuntimeChoice {
    /// The accepted words of options and settings, `auto` first.
    pub fn words() -> impl Iterator<Item = &'static str> {
        RuntimeWord::WORDS.into_iter()
    }

    /// Parses `auto` or the name of a runtime.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == "auto" { Some(Self::Auto) } else { Runtime::parse(word).map(Self::Version) }
    }
}

impl From<Option<Runtime>> for RuntimeChoice {
    /// `None` means that the policy determines the runtime.
    fn from(runtime: Option<Runtime>) -> Self {
        runtime.map_or(Self::Auto, Self::Version)
    }
}

/// The name of a runtime, or `auto`.
pub(crate) enum RuntimeWord {}

impl RuntimeWord {
    const WORDS: [&str; RUNTIMES.len() + 1] = {
        let mut words = ["auto"; RUNTIMES.len() + 1];
        let mut at = 0;
        while at < RUNTIMES.len() {
            words[at + 1] = RUNTIMES[at].published.name;
            at += 1;
        }
        words
    };
}

impl Setting<Option<Runtime>> for RuntimeWord {
    const KIND: Kind = Kind::Word(&Self::WORDS);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Option<Runtime>> {
        let parse = |word: &str| if word == "auto" { Some(None) } else { Runtime::parse(word).map(Some) };
        reader.word(value, &at.label(), &Self::WORDS, parse)
    }

    fn output(value: &Option<Runtime>) -> SettingValue {
        value.map_or(SettingValue::Unset, |runtime| SettingValue::new(runtime.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_is_found_by_its_name() {
        for runtime in Runtime::all() {
            assert_eq!(Runtime::parse(runtime.name()), Some(runtime));
        }
        assert_eq!(Runtime::parse("codenerd"), None);
        assert_eq!(
            (Runtime::all().next(), Runtime::all().last()),
            (Some(Runtime::none()), Some(Runtime::newest()))
        );
    }

    #[test]
    fn host_witnesses_are_sorted() {
        assert!(Runtime::all().all(|runtime| runtime.host_witnesses.is_sorted()));
    }

    #[test]
    fn every_capability_differs_between_two_runtimes() {
        let values: Vec<_> = Runtime::all().map(|runtime| runtime.values()).collect();
        for (at, name) in RuntimeCapabilities::NAMES.iter().enumerate() {
            let of_one: Vec<_> = values.iter().map(|values| &values[at]).collect();
            assert!(of_one.iter().any(|value| *value != of_one[0]), "{name} is the same in all runtimes");
        }
    }
}
