//! `[prompt]`: how the prompts of shards are previewed.

use std::collections::BTreeMap;

use super::Globs;

/// `[prompt]`
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// `[prompt.context_block]`
    pub context_block: ContextBlockSettings,
    /// `tokenizer`
    pub tokenizer: Tokenizer,
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

/// How a prompt is assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PromptMode {
    /// By the prompt compiler, from a corpus of atoms.
    Jit,
    /// Without it.
    #[default]
    Legacy,
    /// The context section alone, which some shards append to a prompt of their own.
    Section,
}

impl PromptMode {
    /// The words that [`PromptMode::parse`] takes.
    pub const WORDS: [&str; 3] = ["jit", "legacy", "section"];

    /// Reads one of [`PromptMode::WORDS`].
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "jit" => Some(Self::Jit),
            "legacy" => Some(Self::Legacy),
            "section" => Some(Self::Section),
            _ => None,
        }
    }

    /// The word that [`PromptMode::parse`] reads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jit => "jit",
            Self::Legacy => "legacy",
            Self::Section => "section",
        }
    }
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tokenizer {
    /// A token for every 4 bytes.
    #[default]
    Bytes4,
    /// A token for every 4 characters.
    Chars4,
    /// OpenAI's `cl100k_base`.
    Cl100k,
    /// OpenAI's `o200k_base`.
    O200k,
}

impl Tokenizer {
    /// The words that [`Tokenizer::parse`] takes.
    pub const WORDS: [&str; 4] = ["bytes4", "chars4", "cl100k", "o200k"];

    /// Reads one of [`Tokenizer::WORDS`].
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Self::Bytes4, Self::Chars4, Self::Cl100k, Self::O200k];
        all.into_iter().find(|tokenizer| tokenizer.as_str() == word)
    }

    /// The word that [`Tokenizer::parse`] reads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bytes4 => "bytes4",
            Self::Chars4 => "chars4",
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
        }
    }
}
