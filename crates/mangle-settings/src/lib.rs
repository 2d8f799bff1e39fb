#![doc = include_str!("../README.md")]

mod declare;
mod editor;
mod findings;
mod globs;
mod kernel;
pub mod keys;
mod kinds;
mod pattern;
mod phrases;
mod program;
mod prompt;
mod protocol;
mod read;
mod replay;
mod rules;
pub mod schema;
mod settings;
mod shape;
mod stores;
mod tables;
mod transcripts;
mod value;
pub mod versions;

#[cfg(test)]
mod tests;

pub use editor::{ArgumentHints, HintSettings, LensSettings};
pub use findings::{
    BINARY_FILE, CONFIG_BAD_VALUE, CONFIG_SYNTAX, CONFIG_UNKNOWN_KEY, CONFIG_UNKNOWN_RULE,
    DOCUMENT_OUT_OF_SYNC, EMPTY_PROGRAM, FILE_TOO_LARGE, INVALID_UTF8, REQUIRED_VERSION, RULES, SCAN_LIMIT,
    TRANSCRIPT_LEFT_OUT, UNMATCHED_PATTERN, UNREADABLE_FILE,
};
pub use globs::Globs;
pub use kernel::{EngineChoice, FACT_EXTENSIONS, KernelSettings, Reading, format_timestamp, parse_timestamp};
pub use keys::{Rows, SettingTable, SettingValue};
pub use pattern::gate_pattern;
pub use phrases::{PHRASES, Phrase, phrase};
pub use program::ProgramSettings;
pub use prompt::{
    ContextBlockSettings, PromptMode, PromptSettings, Reasoning, ShardSetting, TEMPLATE_NAMES, Tokenizer,
};
pub use protocol::{
    BUILT_IN_CONSUMERS, Consumer, Container, Period, Profile, Select, Strictness, TypeSeverity,
};
pub use read::{ParsedConfig, parse, pin_profile};
pub use replay::{AbductionSettings, HypothesisForm, Override, ReplaySettings};
pub use rules::{RuleSettings, severities};
pub use schema::{list_item, markdown, section_markdown};
pub use settings::{FailOn, MaxFindings, Settings, VersionReq};
pub use shape::{PATTERN_GROUPS, PointerPattern, Step, TranscriptShape};
pub use stores::{BUILT_IN_STORES, MAX_STORES, StoreSet, Stores};
pub use tables::{
    DecodingSettings, FilesSettings, FormatSettings, RuntimeSettings, SolverChoice, VerifySettings,
};
pub use transcripts::{AtomSettings, Caps, PeriodRequirement, TranscriptOverride, TranscriptSettings};
pub use versions::EngineVersion;
pub use versions::runtime::{Runtime, RuntimeChoice};

use mangle_syntax::lint::Rule;
use mangle_syntax::text::TextRange;

/// The name of the configuration file.
pub const FILE_NAME: &str = "mangle-ls.toml";

/// The names that a configuration file can use.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// The available rules.
    pub rules: &'a [&'static Rule],
}

/// Source ranges of a `[[program]]`, relative to the start of the file.
#[derive(Debug, Clone, Default)]
pub struct ProgramRanges {
    /// The `include` key, or the first line of the table.
    pub start: TextRange,
    /// Each pattern of [`ProgramSettings::include`]. Empty for the default.
    pub include: Vec<TextRange>,
    /// Each pattern of [`ProgramSettings::hybrid`].
    pub hybrid: Vec<TextRange>,
}
