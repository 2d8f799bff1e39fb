//! `[prompt]`: settings for previews of the prompts of agent roles (shards).

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
        /// The shards: `"coder-7 coder"` (id and type), or `"coder"` (a type). Prompts of other shards get a
        /// warning, unless the list is empty.
        shards: Vec<ShardSetting>;
        /// Texts that replace the built-in ones. Names: a type of shard, `generic` (all other types),
        /// `suffix` (envelope instructions), `inception` (preamble), `reasoning` (request for reasons), or a
        /// [heading or sentence](prompt-files.md#templates) such as `session.tests`.
        templates: BTreeMap<String, String> as Templates;
        /// The YAML files with the prompt atoms of the prompt compiler.
        atoms: Globs;
        /// The way to assemble prompts: `jit` with the prompt compiler, from `atoms`; `legacy` without the
        /// compiler; `section` for the context section only. Default: `jit` with `atoms`, otherwise `legacy`.
        /// `--mode` overrides it.
        mode: Option<PromptMode> => Means("jit with prompt atoms, otherwise legacy");
        /// Add a preamble about the two channels of the protocol at the top.
        inception: bool;
        /// Add a request for reasons at the end, for agents that do so: `full` for a `reasoning_trace` beside
        /// a `result`, `short` for a field `reasoning`. With envelope instructions, `competing-output`
        /// reports a conflict.
        reasoning: Option<Reasoning> => Means("no request for reasons");
        /// Add the facts that the runtime would have to previews: `active_shard`, `user_intent` and
        /// `context_budget`. `--no-synthetic` overrides it.
        synthetic: bool = true;
        /// Minimum percentage of common lines of a captured prompt and its preview. `drift` reports a lower
        /// share.
        similarity: u32 as Integer<0, 100> = 90;
        /// The facts that accompany a message of the user.
        context_block: ContextBlockSettings;
        /// The method to count tokens. `bytes4`: 4 bytes each, as in the prompt compiler. `chars4`: 4
        /// characters each, as in the compressor. `cl100k` and `o200k`: exact for models of OpenAI.
        tokenizer: Tokenizer;
    }
}

settings! {
    /// `[prompt.context_block]`: the facts that accompany a message.
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
        /// Maximum number of facts. Facts with the lowest score in `activation(fact, score)` are omitted
        /// first.
        max_facts: usize as Integer<0, 100_000> = 60;
        /// Maximum number of tokens of the facts.
        max_tokens: usize as Integer<0, 10_000_000> = 2_000;
    }
}

/// An agent role (shard) of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardSetting {
    /// The id of the role. `None` if only the type is known.
    pub id: Option<String>,
    /// The type of the role.
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
    /// The way to assemble a prompt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum PromptMode {
        /// With the prompt compiler, from a corpus of atoms.
        Jit = "jit",
        /// Without the prompt compiler.
        #[default]
        Legacy = "legacy",
        /// Only the context section, which some shards append to a prompt of their own.
        Section = "section",
    }
}

words! {
    /// The request for reasons in a prompt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Reasoning {
        /// At length, beside a `result`.
        Full = "full",
        /// In a few words.
        Short = "short",
    }
}

words! {
    /// The method to count tokens.
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

/// Checks the templates against the types of the roles.
fn check(settings: &PromptSettings, reader: &mut Reader<'_>) {
    let types: Vec<&str> = settings.shards.iter().map(|shard| shard.kind.as_str()).collect();
    check_templates(&types, reader);
}
