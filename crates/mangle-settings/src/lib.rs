#![doc = include_str!("../README.md")]

mod consumers;
mod declare;
mod decoding;
mod editor;
mod engine_choice;
mod fail_on;
mod files;
mod findings;
mod format;
mod globs;
mod hints;
mod kernel;
pub mod keys;
mod kinds;
mod lenses;
mod markdown;
mod max_findings;
mod output;
mod pattern;
mod phrases;
mod pin;
mod program;
mod program_ranges;
mod prompt;
mod protocol;
mod read;
mod replay;
mod rules;
mod runtime;
pub mod schema;
mod select;
mod settings;
mod shape;
mod stores;
mod templates;
mod transcripts;
mod value;
mod verify;
mod version;
pub mod versions;
mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

pub use consumers::{BUILT_IN_CONSUMERS, Consumer};
pub use decoding::DecodingSettings;
pub use engine_choice::EngineChoice;
pub use fail_on::FailOn;
pub use files::FilesSettings;
pub use findings::{
    BINARY_FILE, CONFIG_BAD_VALUE, CONFIG_SYNTAX, CONFIG_UNKNOWN_KEY, CONFIG_UNKNOWN_RULE,
    DOCUMENT_OUT_OF_SYNC, EMPTY_PROGRAM, FILE_TOO_LARGE, INVALID_UTF8, REQUIRED_VERSION, RULES, SCAN_LIMIT,
    TRANSCRIPT_LEFT_OUT, UNMATCHED_PATTERN, UNREADABLE_FILE,
};
pub use format::FormatSettings;
pub use globs::Globs;
pub use hints::{ArgumentHints, HintSettings};
pub use kernel::{FACT_EXTENSIONS, KernelSettings, Reading, format_timestamp, parse_timestamp};
pub use lenses::LensSettings;
pub use markdown::{list_item, markdown, section_markdown};
pub use max_findings::MaxFindings;
pub use output::{Rows, SettingTable, SettingValue};
pub use pattern::gate_pattern;
pub use phrases::{PHRASES, Phrase, phrase};
pub use pin::pin_profile;
pub use program::ProgramSettings;
pub use program_ranges::ProgramRanges;
pub use prompt::{ContextBlockSettings, PromptMode, PromptSettings, Reasoning, ShardSetting, Tokenizer};
pub use protocol::{Container, Period, Profile, Select, Strictness, TypeSeverity};
pub use read::{ParsedConfig, parse};
pub use replay::{AbductionSettings, HypothesisForm, Override, ReplaySettings};
pub use rules::{RuleSettings, severities};
pub use runtime::RuntimeSettings;
pub use settings::Settings;
pub use shape::{PATTERN_GROUPS, PointerPattern, Step, TranscriptShape};
pub use stores::{BUILT_IN_STORES, MAX_STORES, StoreSet, Stores};
pub use templates::TEMPLATE_NAMES;
pub use transcripts::{AtomSettings, Caps, PeriodRequirement, TranscriptOverride, TranscriptSettings};
pub use verify::{SolverChoice, VerifySettings};
pub use version::VersionReq;
pub use versions::EngineVersion;
pub use versions::runtime::{Runtime, RuntimeChoice};
pub use vocabulary::Vocabulary;

/// The name of the configuration file.
pub const FILE_NAME: &str = "mangle-ls.toml";
