//! `fail_on`: from which severity on findings make the command line fail.

use toml_span::Value;

use super::declare::Setting;
use super::keys::Kind;
use super::output::SettingValue;
use super::value::{KeyPath, Reader};
use mangle_syntax::lint::Severity;

/// From which severity on findings make the command line fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of this severity and graver ones.
    AtLeast(Severity),
    /// No finding does.
    Never,
}

impl Default for FailOn {
    fn default() -> Self {
        Self::AtLeast(Severity::Error)
    }
}

impl FailOn {
    /// The words that [`FailOn::parse`] takes.
    pub const WORDS: [&str; 5] = ["error", "warning", "information", "hint", "never"];

    /// Reads one of [`FailOn::WORDS`].
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == "never" { Some(Self::Never) } else { Severity::parse(word).map(Self::AtLeast) }
    }

    /// The word that [`FailOn::parse`] reads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AtLeast(severity) => severity.as_str(),
            Self::Never => "never",
        }
    }

    /// Whether a finding of this severity is a failure.
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
        SettingValue::of(value.as_str())
    }
}
