#![doc = include_str!("../README.md")]

mod files;
mod findings;
mod globs;
mod hints;
mod kernel;
pub mod keys;
mod max_findings;
mod pattern;
mod phrases;
mod pin;
mod prompt;
mod read;
mod replay;
mod rules;
pub mod schema;
mod select;
mod shape;
mod table;
mod transcripts;
mod value;
mod version;
mod words;

#[cfg(test)]
mod tests;

pub use files::{FilesSettings, ScanLimits};
pub use findings::{
    BINARY_FILE, CONFIG_BAD_VALUE, CONFIG_SYNTAX, DOCUMENT_OUT_OF_SYNC, EMPTY_PROGRAM, FILE_TOO_LARGE,
    INVALID_UTF8, RULES, SCAN_LIMIT, TRANSCRIPT_LEFT_OUT, UNMATCHED_PATTERN, UNREADABLE_FILE,
};
pub use globs::Globs;
pub use hints::{ArgumentHints, HintSettings};
pub use kernel::{FACT_EXTENSIONS, KernelSettings, Reading, instant, instant_text};
pub use max_findings::MaxFindings;
pub use pattern::gate_pattern;
pub use phrases::{PHRASES, Phrase, phrase};
pub use pin::pin_profile;
pub use prompt::{
    ContextBlockSettings, PromptMode, PromptSettings, Reasoning, ShardSetting, TEMPLATE_NAMES, Tokenizer,
};
pub use read::{Parsed, ProgramPlaces, parse};
pub use replay::{AbductionSettings, HypothesisForm, Override, ReplaySettings};
pub use rules::RuleSettings;
pub use select::severities;
pub use shape::{PATTERN_GROUPS, PointerPattern, Step, TranscriptShape};
pub use table::{markdown, markdown_of};
pub use transcripts::{
    AtomSettings, BUILT_IN_CONSUMERS, Caps, Consumer, Container, FullStops, Period, Profile, Select,
    Strictness, TranscriptOverride, TranscriptSettings,
};
pub use version::{EngineVersion, VersionReq};

use mangle_syntax::lint::{Rule, Severity};
use mangle_syntax::text::Symbol;

/// The name of the configuration file.
pub const FILE_NAME: &str = "mangle-ls.toml";

/// What a configuration file may name.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// The rules.
    pub rules: &'a [&'static Rule],
    /// The releases of the engine with their days, the oldest first.
    pub releases: &'a [(&'static str, &'static str)],
}

/// What a configuration file says; what it leaves out is at its default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// `[[program]]`, in order. Empty: all files below the configuration file are one program.
    pub programs: Vec<ProgramSettings>,
    /// `[rules]`
    pub rules: RuleSettings,
    /// `fail_on`
    pub fail_on: FailOn,
    /// `max_findings`
    pub max_findings: MaxFindings,
    /// `[files]`
    pub files: FilesSettings,
    /// `[format]`
    pub format: FormatSettings,
    /// `[kernel]`
    pub kernel: KernelSettings,
    /// `[transcripts]`
    pub transcripts: TranscriptSettings,
    /// `[prompt]`
    pub prompt: PromptSettings,
    /// `[replay]`
    pub replay: ReplaySettings,
    /// `required_version`
    pub required_version: Option<VersionReq>,
}

impl Settings {
    /// Whether this version of the tool is one that the file asks for.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.required_version.as_ref().is_none_or(version::is_this)
    }
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
    /// Which of its files have codeNERD's directives in them.
    pub hybrid: Globs,
    /// Predicates that the embedding program supplies: name and number of arguments.
    pub host_predicates: Vec<(Symbol, u16)>,
    /// The version of the engine that runs it. Unset: the newest.
    pub target: Option<EngineVersion>,
}

/// `[format]`: how files are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatSettings {
    /// How many columns premises and broken arguments are indented.
    pub indent: u32,
    /// Lines are broken only beyond this many columns.
    pub width: u32,
}

impl Default for FormatSettings {
    fn default() -> Self {
        Self { indent: 4, width: 100 }
    }
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

impl Default for ProgramSettings {
    fn default() -> Self {
        Self {
            name: None,
            include: Globs::all_mangle(),
            exclude: Globs::default(),
            hybrid: Globs::default(),
            host_predicates: Vec::new(),
            target: None,
        }
    }
}

impl ProgramSettings {
    /// Whether the file at `path`, relative to the configuration file and with `/`, belongs here.
    #[must_use]
    pub fn includes(&self, path: &str) -> bool {
        self.include.matches(path) && !self.exclude.matches(path)
    }

    /// [`ProgramSettings::includes`] for a file with an ending that `[files] extensions` adds: where `include` is at its
    /// default, it takes such files, too.
    #[must_use]
    pub fn includes_added(&self, path: &str) -> bool {
        let is_default = self.include == Globs::all_mangle();
        (is_default || self.include.matches(path)) && !self.exclude.matches(path)
    }
}
