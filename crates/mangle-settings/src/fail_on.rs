//! `fail_on`: the lowest severity of findings that makes a command fail.

use toml_span::Value;

use super::declare::Setting;
use super::keys::Kind;
use super::output::SettingValue;
use super::value::{KeyPath, Reader};
use mangle_syntax::lint::Severity;

/// The lowest severity of findings that makes a command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// Fail if a finding has at least this severity.
    AtLeast(Severity),
    /// Never fail because of findings.
    Never,
}

impl Default for FailOn {
    fn default() -> Self {
        Self::AtLeast(Severity::Error)
    }
}

impl FailOn {
    /// The words that [`FailOn::parse`] accepts.
    pub const WORDS: [&str; 5] = ["error", "warning", "information", "hint", "never"];

    /// Parses one of [`FailOn::WORDS`].
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == "never" { Some(Self::Never) } else { Severity::parse(word).map(Self::AtLeast) }
    }

    /// The word that [`FailOn::parse`] accepts for this value.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AtLeast(severity) => severity.as_str(),
            Self::Never => "never",
        }
    }

    /// True if a finding of this severity is a failure.
    #[must_use]
    pub fn fails(self, severity: Severity) -> bool {
        matches!(self, Self::AtLeast(least) if severity >= least)
    }
}

impl Setting<Self> for FailOn {
    const KIND: Kind = Kind::Word(&Self::WORDS);

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        reader.word(value, &at.label(), &Self::WORDS, Self::parse)
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::new(value.as_str())
    }
}
