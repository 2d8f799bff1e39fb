//! The engine that `[kernel] engine` chooses.

use toml_span::Value;

use super::declare::Setting;
use super::keys::Kind;
use super::output::SettingValue;
use super::value::{KeyPath, Reader, ValueError, shorten};
use super::versions::{EngineVersion, engine_names};
use mangle_syntax::text::listed;

/// The word for an engine that the program's surroundings decide.
pub(super) const AUTO: &str = "auto";

/// The engine that a program is checked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// The surroundings of the program decide.
    #[default]
    Auto,
    /// This one.
    Version(EngineVersion),
}

impl EngineChoice {
    /// Reads `auto` or an engine.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == AUTO { Some(Self::Auto) } else { EngineVersion::parse(word).map(Self::Version) }
    }

    /// The engine; `detected` if none is named.
    #[must_use]
    pub fn or(self, detected: EngineVersion) -> EngineVersion {
        match self {
            Self::Auto => detected,
            Self::Version(version) => version,
        }
    }

    /// The word in the configuration.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Auto => AUTO,
            Self::Version(version) => version.name.as_str(),
        }
    }
}

impl Setting<Self> for EngineChoice {
    const KIND: Kind = Kind::Engine;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        let (word, span) = reader.string(value, &at.label())?;
        let choice = Self::parse(&word);
        if choice.is_none() {
            let names: Vec<&str> = std::iter::once(AUTO).chain(engine_names()).collect();
            let error = ValueError::new(format!("unknown engine version `{}`", shorten(&word)))
                .note(format!("the versions are {}", listed(names.iter().copied())))
                .note("a day such as `2026-06-30` is the engine of that day");
            reader.bad_value_near(span, error, &word, names);
        }
        choice
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::of(value.as_str())
    }
}
