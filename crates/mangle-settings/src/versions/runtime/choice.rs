//! The choice of a runtime in options and settings.

use toml_span::Value;

use super::{RUNTIMES, Runtime};
use crate::declare::Setting;
use crate::keys::Kind;
use crate::output::SettingValue;
use crate::value::{KeyPath, Reader};

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
