//! `[prompt]`: how the prompts of shards are previewed.

use std::collections::BTreeMap;

use super::Globs;
use super::words::words;

/// The names of the templates that have a built-in text: parts of prompts, and types of shards.
pub const TEMPLATE_NAMES: [&str; 8] =
    ["suffix", "inception", "reasoning", "generic", "coder", "tester", "reviewer", "researcher"];

/// `[prompt]`
#[derive(Debug, Clone, PartialEq)]
pub struct PromptSettings {
    /// `shards`: those that there are.
    pub shards: Vec<ShardSetting>,
    /// `[prompt.templates]`: texts in place of the built-in ones, by name.
    pub templates: BTreeMap<String, String>,
    /// `atoms`: the files with prompt atoms.
    pub atoms: Globs,
    /// `mode`; unset is `jit` where there are atoms, else `legacy`.
    pub mode: Option<PromptMode>,
    /// `inception`: whether the preamble about the two channels stands above everything.
    pub inception: bool,
    /// `reasoning`: whether what asks for reasons stands below everything, and which of the two.
    pub reasoning: Option<Reasoning>,
    /// `synthetic`: whether previews add the facts that the runtime would have.
    pub synthetic: bool,
    /// `similarity`: how much of a captured prompt a preview should have, in percent.
    pub similarity: u32,
    /// `[prompt.context_block]`
    pub context_block: ContextBlockSettings,
    /// `tokenizer`
    pub tokenizer: Tokenizer,
}

impl Default for PromptSettings {
    fn default() -> Self {
        Self {
            shards: Vec::new(),
            templates: BTreeMap::new(),
            atoms: Globs::default(),
            mode: None,
            inception: false,
            reasoning: None,
            synthetic: true,
            similarity: 90,
            context_block: ContextBlockSettings::default(),
            tokenizer: Tokenizer::default(),
        }
    }
}

/// A shard that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardSetting {
    /// Its id; `None` where only the type is known.
    pub id: Option<String>,
    /// Its type.
    pub kind: String,
}

/// `[prompt.context_block]`: which facts go with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextBlockSettings {
    /// `predicates`, in the order in which they are shown.
    pub predicates: Vec<String>,
    /// `max_facts`
    pub max_facts: usize,
    /// `max_tokens`
    pub max_tokens: usize,
}

impl Default for ContextBlockSettings {
    fn default() -> Self {
        let predicates = [
            "user_intent",
            "file_topology",
            "test_state",
            "retry_count",
            "diagnostic",
            "task_status",
            "campaign_progress",
        ];
        Self { predicates: predicates.map(String::from).into(), max_facts: 60, max_tokens: 2_000 }
    }
}

words! {
    /// How a prompt is assembled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum PromptMode {
        /// By the prompt compiler, from a corpus of atoms.
        Jit = "jit",
        /// Without it.
        #[default]
        Legacy = "legacy",
        /// The context section alone, which some shards append to a prompt of their own.
        Section = "section",
    }
}

words! {
    /// What asks a shard for its reasons.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Reasoning {
        /// At length, beside a `result`.
        Full = "full",
        /// In a few words.
        Short = "short",
    }
}

words! {
    /// How tokens are counted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Tokenizer {
        /// A token for every 4 bytes.
        #[default]
        Bytes4 = "bytes4",
        /// A token for every 4 characters.
        Chars4 = "chars4",
        /// OpenAI's `cl100k_base`.
        Cl100k = "cl100k",
        /// OpenAI's `o200k_base`.
        O200k = "o200k",
    }
}
