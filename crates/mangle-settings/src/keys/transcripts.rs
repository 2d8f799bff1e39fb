//! The keys of `[transcripts]` and of the tables in it.

use super::{Key, Kind, Section};
use crate::{Container, Period, Select, Strictness};

/// The words for a version of the protocol.
const PROFILES: [&str; 7] = ["auto", "1.1", "1.1-bnf", "1.2", "1.2-go", "current", "1.3-draft"];

/// What a wrong type of an argument is.
const TYPE_WORDS: [&str; 2] = ["warning", "error"];

/// The largest number that a limit may be.
const MOST: i64 = 1_000_000_000;

/// `[transcripts]`
pub const TRANSCRIPTS: Section = Section {
    name: "transcripts",
    keys: &[
        Key {
            name: "include",
            kind: Kind::Globs,
            default: "[\"**/transcripts/**\", \"**/*.piggyback.{json,jsonl,ndjson,md,txt,log}\"]",
            doc: "Which files are transcripts; each of them also with `.gz` or `.zst` behind its name. Policies and \
                  configuration files never are.",
        },
        Key {
            name: "profile",
            kind: Kind::Word(&PROFILES),
            default: "\"auto\"",
            doc: "The version of the protocol that envelopes are written in; `auto` finds it out. `--profile` overrides it.",
        },
        Key {
            name: "consumer",
            kind: Kind::Text,
            default: "\"open\"",
            doc: "Who takes the updates, and so which predicates are let through: `open`, `session`, `planner`, \
                  `perception`, `compressor`, or one of `[transcripts.consumers]`. `--consumer` overrides it. What a \
                  consumer refuses is an error only where one is named.",
        },
        Key {
            name: "strict",
            kind: Kind::Word(&Strictness::WORDS),
            default: "\"struct\"",
            doc: "How strictly the shape of an envelope is judged: `struct` as the runtime's types do, `simple` as its \
                  small schema does, `schema` as its strict schema does, with every member and no other.",
        },
        Key {
            name: "require_valid_json",
            kind: Kind::Flag,
            default: "false",
            doc: "Whether the runtime runs in its strict mode, in which a reply without a valid envelope is an error.",
        },
        Key {
            name: "envelope_select",
            kind: Kind::Word(&Select::WORDS),
            default: "\"runtime\"",
            doc: "Which of several envelopes in one reply counts: the one that the runtime takes, the last, the first; \
                  `error`: there must not be several.",
        },
        Key {
            name: "container",
            kind: Kind::Word(&Container::WORDS),
            default: "",
            doc: "The shape of the files; without it, it is found out. `--container` overrides it.",
        },
        Key {
            name: "turn_separator",
            kind: Kind::Pattern,
            default: "",
            doc: "A regular expression for the lines between the turns of raw text. Without it, lines as `=== …`, \
                  `--- turn 3`, `User:` and `Assistant:` are.",
        },
        Key {
            name: "tools",
            kind: Kind::File,
            default: "",
            doc: "A catalogue of the tools that may be requested: JSON, a list of `{\"name\", \"parameters\"}` whose \
                  parameters are a JSON schema. Without it, any tool may be.",
        },
        Key {
            name: "specialists",
            kind: Kind::Texts,
            default: "",
            doc: "The agents that may be asked for knowledge. Without it, any may be.",
        },
        Key {
            name: "success_phrases",
            kind: Kind::Texts,
            default: "[\"done\", \"deleted\", \"fixed\", \"completed\", \"finished\", \
                      \"removed\", \"erased\", \"created\", \"wrote\", \"saved\", \"updated\", \"applied\", \"renamed\", \
                      \"moved\", \"committed\", \"pushed\", \"merged\", \"reverted\", \"installed\", \"deployed\", \"published\", \
                      \"uploaded\", \"restarted\", \
                      \"okay, deleting\", \"ok, deleting\", \
                      \"okay, removing\", \"ok, removing\", \"deleting…\", \"removing…\", \"erasing…\", \"overwriting…\", \
                      \"writing…\", \"creating…\", \"updating…\", \"applying…\", \"fixing…\", \"committing…\", \"pushing…\", \
                      \"merging…\", \"installing…\", \"deploying…\"]",
            doc: "What a surface says when it claims that something is done, or is being done already. A phrase that ends in \
                  `…` fits where its sentence ends in an ellipsis: `deleting…` fits `Deleting old files...`.",
        },
        Key {
            name: "target_compression_ratio",
            kind: Kind::Decimal(1, 1_000_000),
            default: "",
            doc: "How many tokens of conversation a token of state should stand for; without it, 100. Only where it is set does \
                  `ratio-inverse` look at single turns.",
        },
        Key {
            name: "min_trace_words",
            kind: Kind::Number(0, 10_000),
            default: "50",
            doc: "A reasoning trace of fewer words is said to be thin.",
        },
        Key {
            name: "closed_limit",
            kind: Kind::Number(0, MOST),
            default: "4194304",
            doc: "Up to so many bytes, the language server also looks at a transcript that is not open in the editor; larger ones are \
                  left to `check`. 0: only at open ones.",
        },
        Key {
            name: "atoms",
            kind: Kind::Table,
            default: "",
            doc: "What updates look like, and which predicates no reply may assert.",
        },
        Key { name: "caps", kind: Kind::Table, default: "", doc: "The limits of the runtime." },
        Key {
            name: "consumers",
            kind: Kind::Named,
            default: "",
            doc: "Consumers of updates besides those that are built in.",
        },
        Key {
            name: "shape",
            kind: Kind::Tables,
            default: "",
            doc: "Where the turns are in transcripts of a format that is not built in. The first shape that finds a \
                  text in a record counts, before the formats that are built in.",
        },
        Key {
            name: "override",
            kind: Kind::Tables,
            default: "",
            doc: "What is different for some transcripts. Of several that fit a file, later ones win.",
        },
    ],
};

/// `[transcripts.atoms]`
pub const ATOMS: Section = Section {
    name: "transcripts.atoms",
    keys: &[
        Key {
            name: "trailing_period",
            kind: Kind::WordOrFlag(&Period::WORDS),
            default: "",
            doc: "Whether the runtime needs a full stop at the end of an update to keep it; `true` is `\"required\"`, `false` is `\"optional\"`. Without it, what the version of the protocol says.",
        },
        Key {
            name: "types",
            kind: Kind::Word(&TYPE_WORDS),
            default: "\"warning\"",
            doc: "How grave an argument is that does not have the declared type.",
        },
        Key {
            name: "allow_escaped_metachars",
            kind: Kind::Flag,
            default: "false",
            doc: "Whether an escape in a string of an update may stand for one of `` ` ``, `$`, `;` and `|`.",
        },
        Key {
            name: "protected",
            kind: Kind::Texts,
            default: "",
            doc: "Predicates that no reply may assert, in place of the built-in list.",
        },
        Key {
            name: "protected_extra",
            kind: Kind::Texts,
            default: "[]",
            doc: "Predicates that no reply may assert, beside those of `protected` or of the built-in list.",
        },
        Key {
            name: "sensitive",
            kind: Kind::Texts,
            default: "",
            doc: "Predicates that shape prompts, which no reply may assert, in place of the built-in list.",
        },
    ],
};

/// `[transcripts.caps]`
pub const CAPS: Section = Section {
    name: "transcripts.caps",
    keys: &[
        Key {
            name: "allow_markdown_wrapped",
            kind: Kind::Flag,
            default: "true",
            doc: "Whether the runtime takes fences off that stand around an envelope.",
        },
        limit("max_surface_length", "50000", "Bytes of a surface; what is longer is cut. 0: no limit."),
        limit(
            "max_depth",
            "200",
            "How deep braces nest before the search for envelopes in mixed text gives one up.",
        ),
        limit("max_candidate", "5242880", "Bytes of an envelope in mixed text; larger ones are not seen."),
        limit("max_updates", "2000", "Updates of a reply; those behind are lost."),
        limit("max_update_length", "1000", "Bytes of an update; a longer one is dropped."),
        limit("max_memory_operations", "500", "Memory operations of a reply; those behind are lost."),
        limit("max_reasoning_trace", "50000", "Bytes of a reasoning trace; what is longer is cut."),
        limit("max_tool_requests", "20", "Tool requests of a reply; those behind are lost."),
        limit("max_knowledge_requests", "20", "Knowledge requests of a reply; those behind are lost."),
    ],
};

const fn limit(name: &'static str, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind: Kind::Number(0, MOST), default, doc }
}

/// `[transcripts.consumers.NAME]`
pub const CONSUMERS: Section = Section {
    name: "transcripts.consumers",
    keys: &[
        Key {
            name: "predicates",
            kind: Kind::Texts,
            default: "[]",
            doc: "The predicates that it takes. With no `prefixes` either, it takes all.",
        },
        Key {
            name: "prefixes",
            kind: Kind::Texts,
            default: "[]",
            doc: "Beginnings of predicates that it takes.",
        },
        Key {
            name: "max_updates",
            kind: Kind::Number(0, MOST),
            default: "2000",
            doc: "How many updates of a reply it looks at, blank ones included.",
        },
        Key {
            name: "protected",
            kind: Kind::Flag,
            default: "true",
            doc: "Whether it refuses protected predicates.",
        },
    ],
};

/// `[[transcripts.shape]]`
pub const SHAPE: Section = Section {
    name: "transcripts.shape",
    keys: &[
        Key { name: "name", kind: Kind::Text, default: "", doc: "What the shape is called." },
        Key {
            name: "glob",
            kind: Kind::Globs,
            default: "",
            doc: "Which transcripts it is for: a list of globs. Without it, all.",
        },
        Key {
            name: "records",
            kind: Kind::Pointer,
            default: "\"\"",
            doc: "The turns of a JSON record: a JSON pointer in which `*` means every element, as `\"/entries/*\"`. Without \
                  it, a record is one turn.",
        },
        Key {
            name: "role",
            kind: Kind::Pointer,
            default: "",
            doc: "Who speaks, from the turn on. Without it, the model.",
        },
        Key {
            name: "text",
            kind: Kind::PointerOrPointers,
            default: "",
            doc: "What is said, from the turn on: the first pointer that leads to something. Several strings are one \
                  text; JSON in a string is read, too. A dot in a key separates keys, so that `\"/llm.output\"` also \
                  finds nested objects.",
        },
        Key {
            name: "session",
            kind: Kind::Pointer,
            default: "",
            doc: "The session that a turn belongs to, from the turn on.",
        },
        Key { name: "time", kind: Kind::Pointer, default: "", doc: "When a turn was, from the turn on." },
        Key {
            name: "assistant",
            kind: Kind::Texts,
            default: "[]",
            doc: "Roles that mean the model, beside `assistant`, `model`, `ai` and the like.",
        },
        Key {
            name: "pattern",
            kind: Kind::Pattern,
            default: "",
            doc: "For plain text, in place of pointers: a regular expression for the line that begins a turn. Its groups \
                  `role`, `text`, `time` and `session` say what is what; a text that ends with its line goes on until \
                  the next turn.",
        },
    ],
};

/// `[[transcripts.override]]`
pub const OVERRIDE: Section = Section {
    name: "transcripts.override",
    keys: &[
        Key {
            name: "glob",
            kind: Kind::GlobOrGlobs,
            default: "",
            doc: "Which transcripts: a glob, or a list of them.",
        },
        Key { name: "profile", kind: Kind::Word(&PROFILES), default: "", doc: "As `transcripts.profile`." },
        Key { name: "consumer", kind: Kind::Text, default: "", doc: "As `transcripts.consumer`." },
        Key {
            name: "container",
            kind: Kind::Word(&Container::WORDS),
            default: "",
            doc: "As `transcripts.container`.",
        },
        Key {
            name: "strict",
            kind: Kind::Word(&Strictness::WORDS),
            default: "",
            doc: "As `transcripts.strict`.",
        },
        Key {
            name: "require_valid_json",
            kind: Kind::Flag,
            default: "",
            doc: "As `transcripts.require_valid_json`.",
        },
    ],
};
