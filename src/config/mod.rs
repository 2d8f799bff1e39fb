//! Settings as plain structs, and their reading from the text of a `mangle-ls.toml`.
//!
//! Takes the text of one configuration file and the list of rules that it may configure
//! ([`parse`]); gives [`Settings`] and what is wrong with the file as findings. The keys are
//! declared once, in [`keys`]. Files are found and read by `host`.

mod findings;
mod globs;
pub mod keys;
mod read;
mod rules;
mod select;
mod value;

#[cfg(test)]
mod tests;

pub use findings::{BINARY_FILE, EMPTY_PROGRAM, FILE_TOO_LARGE, INVALID_UTF8, RULES, UNREADABLE_FILE};
pub use globs::Globs;
pub use read::{Parsed, parse};
pub use rules::RuleSettings;

use crate::lint::Severity;
use crate::text::Symbol;

/// The name of the configuration file.
pub const FILE_NAME: &str = "mangle-ls.toml";

/// What a configuration file says; what it leaves out is at its default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// `[[program]]`, in order. Empty: all files below the configuration file are one program.
    pub programs: Vec<ProgramSettings>,
    /// `[rules]`
    pub rules: RuleSettings,
    /// `fail_on`
    pub fail_on: FailOn,
}

/// One `[[program]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramSettings {
    /// What it is called in output. Unset: the name of the folder.
    pub name: Option<String>,
    /// Which files belong to it.
    pub include: Globs,
    /// Which of those do not.
    pub exclude: Globs,
    /// Predicates that the embedding program supplies: name and number of arguments.
    pub host_predicates: Vec<(Symbol, u16)>,
}

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

    /// Whether a finding of this severity is a failure.
    #[must_use]
    pub fn fails(self, severity: Severity) -> bool {
        matches!(self, Self::AtLeast(least) if severity >= least)
    }
}

impl Default for ProgramSettings {
    fn default() -> Self {
        Self {
            name: None,
            include: Globs::all_mangle(),
            exclude: Globs::default(),
            host_predicates: Vec::new(),
        }
    }
}

impl ProgramSettings {
    /// Whether the file at `path`, relative to the configuration file and with `/`, belongs here.
    #[must_use]
    pub fn includes(&self, path: &str) -> bool {
        self.include.matches(path) && !self.exclude.matches(path)
    }
}
