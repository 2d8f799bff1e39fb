//! The keys of `[prompt]` and of the tables in it.

use super::{Key, Kind, Section};
use crate::{PromptMode, Reasoning, Tokenizer};

/// `[prompt]`
pub const PROMPT: Section = Section {
    name: "prompt",
    keys: &[
        Key {
            name: "shards",
            kind: Kind::Texts,
            default: "[]",
            doc: "The shards that there are, as `\"coder-7 coder\"` (id and type), or `\"coder\"` (a type). Prompts of \
                  others are warned of; without any, nobody knows which there are.",
        },
        Key {
            name: "templates",
            kind: Kind::TextsByName,
            default: "",
            doc: "Texts in place of the built-in ones: by type of shard, or `generic` for all other types, `suffix` for \
                  the envelope instructions, `inception` for the preamble, \
                  `reasoning` for what asks for reasons; and by the names of headings and sentences, as `session.tests`, which \
                  [prompt-files.md](prompt-files.md#templates) lists.",
        },
        Key {
            name: "atoms",
            kind: Kind::Globs,
            default: "[]",
            doc: "The files with prompt atoms (YAML) that prompts are compiled from.",
        },
        Key {
            name: "mode",
            kind: Kind::Word(&PromptMode::WORDS),
            default: "",
            doc: "How prompts are assembled: `jit` by the prompt compiler from `atoms`, `legacy` without it, `section` the \
                  context section alone. Without it, `jit` where there are atoms, else `legacy`. `--mode` overrides it.",
        },
        Key {
            name: "inception",
            kind: Kind::Flag,
            default: "false",
            doc: "Whether a preamble about the two channels of the protocol stands above everything.",
        },
        Key {
            name: "reasoning",
            kind: Kind::Word(&Reasoning::WORDS),
            default: "",
            doc: "What asks for reasons below everything, for agents that append it: `full` for a `reasoning_trace` beside a \
                  `result`, `short` for a member `reasoning`. Where the envelope instructions are, `competing-output` says so.",
        },
        Key {
            name: "synthetic",
            kind: Kind::Flag,
            default: "true",
            doc: "Whether previews add the facts that the runtime would have: `active_shard`, `user_intent` and \
                  `context_budget`. `--no-synthetic` overrides it.",
        },
        Key {
            name: "similarity",
            kind: Kind::Number(0, 100),
            default: "90",
            doc: "How much of a captured prompt a preview should have in common with it, in percent of their lines. Below \
                  that `drift` says so.",
        },
        Key {
            name: "context_block",
            kind: Kind::Table,
            default: "",
            doc: "Which facts go with a message of the person.",
        },
        Key {
            name: "tokenizer",
            kind: Kind::Word(&Tokenizer::WORDS),
            default: "\"bytes4\"",
            doc: "How tokens are counted: `bytes4` as the prompt compiler estimates them (4 bytes each), `chars4` as the \
                  compressor does (4 characters each), `cl100k` and `o200k` as models of OpenAI really count.",
        },
    ],
};

/// `[prompt.context_block]`
pub const CONTEXT_BLOCK: Section = Section {
    name: "prompt.context_block",
    keys: &[
        Key {
            name: "predicates",
            kind: Kind::Texts,
            default: "[\"user_intent\", \"file_topology\", \"test_state\", \"retry_count\", \"diagnostic\", \"task_status\", \
                      \"campaign_progress\"]",
            doc: "The predicates whose facts are shown, in this order.",
        },
        Key {
            name: "max_facts",
            kind: Kind::Number(0, 100_000),
            default: "60",
            doc: "How many facts at most. What `activation(fact, score)` says the least of is left out first.",
        },
        Key {
            name: "max_tokens",
            kind: Kind::Number(0, 10_000_000),
            default: "2000",
            doc: "How many tokens the facts may be.",
        },
    ],
};
