//! The engine version selected by `[kernel] engine`.

use toml_span::Value;

use super::declare::Setting;
use super::keys::Kind;
use super::output::SettingValue;
use super::value::{KeyPath, Reader, ValueError, shorten};
use super::versions::{EngineVersion, engine_names};
use mangle_syntax::text::listed;

/// The value that derives the engine from the files around the program.
pub(super) const AUTO: &str = "auto";

/// The engine version used to check a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// The engine is derived from the files around the program.
    #[default]
    Auto,
    /// A fixed engine version.
    Version(EngineVersion),
}

impl EngineChoice {
    /// Parses `auto` or the name of an engine version.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == AUTO { Some(Self::Auto) } else { EngineVersion::parse(word).map(Self::Version) }
    }

    /// Returns the selected engine, or `detected` for `auto`.
    #[must_use]
    pub fn or(self, detected: EngineVersion) -> EngineVersion {
        match self {
            Self::Auto => detected,
            Self::Version(version) => version,
        }
    }

    /// The value in the configuration.
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
        SettingValue::new(value.as_str())
    }
}
