#![doc = include_str!("../README.md")]

mod consumers;
mod declare;
mod fail_on;
mod files;
mod findings;
mod format;
mod globs;
mod hints;
mod kernel;
pub mod keys;
mod kinds;
mod max_findings;
mod output;
mod pattern;
mod phrases;
mod pin;
mod program;
mod prompt;
mod protocol;
mod read;
mod replay;
mod rules;
pub mod schema;
mod select;
mod shape;
mod table;
mod templates;
mod transcripts;
mod value;
mod version;
mod words;

#[cfg(test)]
mod tests;

pub use consumers::{BUILT_IN_CONSUMERS, Consumer};
pub use declare::SettingTable;
pub use fail_on::FailOn;
pub use files::FilesSettings;
pub use findings::{
    BINARY_FILE, CONFIG_BAD_VALUE, CONFIG_SYNTAX, DOCUMENT_OUT_OF_SYNC, EMPTY_PROGRAM, FILE_TOO_LARGE,
    INVALID_UTF8, RULES, SCAN_LIMIT, TRANSCRIPT_LEFT_OUT, UNMATCHED_PATTERN, UNREADABLE_FILE,
};
pub use format::FormatSettings;
pub use globs::Globs;
pub use hints::{ArgumentHints, HintSettings};
pub use kernel::{FACT_EXTENSIONS, KernelSettings, Reading, instant, instant_text};
pub use max_findings::MaxFindings;
pub use output::{Rows, SettingValue};
pub use pattern::gate_pattern;
pub use phrases::{PHRASES, Phrase, phrase};
pub use pin::pin_profile;
pub use program::{ProgramPlaces, ProgramSettings};
pub use prompt::{ContextBlockSettings, PromptMode, PromptSettings, Reasoning, ShardSetting, Tokenizer};
pub use protocol::{Container, Period, Profile, Select, Strictness, TypeSeverity};
pub use read::{Parsed, parse};
pub use replay::{AbductionSettings, HypothesisForm, Override, ReplaySettings};
pub use rules::RuleSettings;
pub use select::severities;
pub use shape::{PATTERN_GROUPS, PointerPattern, Step, TranscriptShape};
pub use table::{markdown, markdown_of};
pub use templates::TEMPLATE_NAMES;
pub use transcripts::{AtomSettings, Caps, FullStops, TranscriptOverride, TranscriptSettings};
pub use version::{EngineVersion, VersionReq};

use declare::settings;
use kinds::Tables;
use mangle_syntax::lint::Rule;

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

settings! {
    /// What a configuration file says; what it leaves out is at its default.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings("", version::check_required) {
        /// From which severity on findings make `check` end with exit status 1. `--fail-on` overrides it.
        fail_on: FailOn;
        /// How many findings of one rule in one file are shown in text, in annotations and in editors; 0 shows
        /// all. JSON, SARIF and JUnit have all findings, and counts and the exit status are about all.
        /// `--max-findings` overrides it.
        max_findings: MaxFindings;
        /// Which versions of mangle-ls may check this project, as `">=0.1, <0.3"`; `"0.1"` means 0.1 and what is
        /// compatible with it. Any other version says so in one finding, and `check` ends with exit status 2.
        required_version: Option<VersionReq> => Means("any");
        /// The programs: which files are analysed together. Without any, all files below the configuration file
        /// are one program.
        programs "program": Vec<ProgramSettings> as Tables;
        /// How grave the findings of which rules are.
        rules: RuleSettings;
        /// Which files are Mangle, and how many are scanned.
        files: FilesSettings;
        /// How `mangle-ls fmt` and the editor lay files out.
        format: FormatSettings;
        /// With which facts, how far and in which reading programs are evaluated.
        kernel: KernelSettings;
        /// Which files are transcripts of agents, how the replies in them are read, and what is expected of them.
        transcripts: TranscriptSettings;
        /// How the prompts of shards are previewed.
        prompt: PromptSettings;
        /// How the constitution is asked about captured sessions, and what its predicates are called.
        replay: ReplaySettings;
    }
}

impl Settings {
    /// Whether this version of the tool is one that the file asks for.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.required_version.as_ref().is_none_or(version::is_this)
    }
}
