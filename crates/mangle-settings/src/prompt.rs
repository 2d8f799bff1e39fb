//! `[prompt]`: how the prompts of shards are previewed.

use std::collections::BTreeMap;

use super::Globs;
use super::declare::settings;
use super::kinds::{Integer, Text};
use super::templates::{Templates, check_templates};
use super::value::{KeyPath, Reader, ValueError, shorten};
use super::words::words;

settings! {
    /// `[prompt]`
    #[derive(Debug, Clone, PartialEq)]
    pub struct PromptSettings("prompt", check) {
        /// The shards that there are, as `"coder-7 coder"` (id and type), or `"coder"` (a type). Prompts of
        /// others are warned of; without any, which there are is unknown.
        shards: Vec<ShardSetting>;
        /// Texts in place of the built-in ones: by type of shard, or `generic` for all other types, `suffix` for
        /// the envelope instructions, `inception` for the preamble, `reasoning` for what asks for reasons; and by
        /// the names of headings and sentences, as `session.tests`, which
        /// [prompt-files.md](prompt-files.md#templates) lists.
        templates: BTreeMap<String, String> as Templates;
        /// The files with prompt atoms (YAML) that prompts are compiled from.
        atoms: Globs;
        /// How prompts are assembled: `jit` by the prompt compiler from `atoms`, `legacy` without it, `section`
        /// the context section alone. Without it, `jit` where there are atoms, else `legacy`. `--mode` overrides
        /// it.
        mode: Option<PromptMode> => Means("jit where there are atoms, else legacy");
        /// Whether a preamble about the two channels of the protocol is above everything.
        inception: bool;
        /// The request for reasons below everything, for agents that append it: `full` for a `reasoning_trace`
        /// beside a `result`, `short` for a field `reasoning`. Where the envelope instructions are,
        /// `competing-output` says so.
        reasoning: Option<Reasoning> => Means("nothing asks for reasons");
        /// Whether previews add the facts that the runtime would have: `active_shard`, `user_intent` and
        /// `context_budget`. `--no-synthetic` overrides it.
        synthetic: bool = true;
        /// How much of a captured prompt a preview should have in common with it, in percent of their lines.
        /// Below that `drift` says so.
        similarity: u32 as Integer<0, 100> = 90;
        /// Which facts go with a message of the person.
        context_block: ContextBlockSettings;
        /// How tokens are counted: `bytes4` as the prompt compiler estimates them (4 bytes each), `chars4` as the
        /// compressor does (4 characters each), `cl100k` and `o200k` as models of OpenAI really count.
        tokenizer: Tokenizer;
    }
}

settings! {
    /// `[prompt.context_block]`: which facts go with a message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContextBlockSettings("prompt.context_block") {
        /// The predicates whose facts are shown, in this order.
        predicates: Vec<String> = [
            "user_intent",
            "file_topology",
            "test_state",
            "retry_count",
            "diagnostic",
            "task_status",
            "campaign_progress",
        ];
        /// How many facts at most. What `activation(fact, score)` says the least of is left out first.
        max_facts: usize as Integer<0, 100_000> = 60;
        /// How many tokens the facts may be.
        max_tokens: usize as Integer<0, 10_000_000> = 2_000;
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

impl Text for ShardSetting {
    type Value = Self;

    fn parse(text: &str, _: KeyPath) -> Result<Self, ValueError> {
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            [kind] => Ok(Self { id: None, kind: kind.to_owned() }),
            [id, kind] => Ok(Self { id: Some(id.to_owned()), kind: kind.to_owned() }),
            _ => Err(ValueError::new(format!("`{}` is not a shard", shorten(text)))
                .help("write its id and its type, as in `coder-7 coder`, or its type alone")),
        }
    }

    fn print(Self { id, kind }: &Self) -> String {
        id.as_ref().map_or_else(|| kind.clone(), |id| format!("{id} {kind}"))
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

/// Checks the templates with the types of the shards.
fn check(settings: &PromptSettings, reader: &mut Reader<'_>) {
    let types: Vec<&str> = settings.shards.iter().map(|shard| shard.kind.as_str()).collect();
    check_templates(&types, reader);
}
