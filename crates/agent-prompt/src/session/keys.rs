//! Keys of session files: value types, and the section of a prompt without the compiler that shows
//! them.

use super::super::texts::Block;

/// The value type of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One text, possibly empty.
    Text,
    /// An integer.
    Number,
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Texts,
    /// A map from names to texts.
    TextsByName,
    /// A map from names to integers.
    NumbersByName,
    /// A table with these keys.
    Table(&'static [SessionField]),
    /// A number of tokens, or a table with these keys.
    Budget(&'static [SessionField]),
    /// A list of tables with these keys.
    Tables(&'static [SessionField]),
}

impl Shape {
    /// The expected value as text.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a whole number",
            Self::Flag => "`true` or `false`",
            Self::Texts => "a list of texts",
            Self::TextsByName => "texts by name",
            Self::NumbersByName => "numbers by name",
            Self::Table(_) => "a table of keys and values",
            Self::Budget(_) => "a number of tokens or a table like `{tokens: 300, reserved: 30}`",
            Self::Tables(_) => "a list of tables",
        }
    }
}

/// A key of a session file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionField {
    /// The name of the key.
    pub name: &'static str,
    /// The type of the value.
    pub shape: Shape,
    /// The purpose of the key, in one sentence.
    pub doc: &'static str,
    /// The block of the session section that shows the value; `None` if no block does.
    pub shown: Option<Block>,
}

const fn shown(name: &'static str, shape: Shape, block: Block, doc: &'static str) -> SessionField {
    SessionField { name, shape, doc, shown: Some(block) }
}

const fn unseen(name: &'static str, shape: Shape, doc: &'static str) -> SessionField {
    SessionField { name, shape, doc, shown: None }
}

/// Common wrong keys with the correct keys, including keys of nested tables.
pub(crate) const SYNONYMS: &[(&str, &str)] = &[
    ("history", "compressed_history"),
    ("conversation", "compressed_history"),
    ("summary", "compressed_history"),
    ("errors", "current_diagnostics"),
    ("build_errors", "current_diagnostics"),
    ("lint_errors", "current_diagnostics"),
    ("tests", "failing_tests"),
    ("failed_tests", "failing_tests"),
    ("retries", "tdd_retry_count"),
    ("retry_count", "tdd_retry_count"),
    ("branch", "git_branch"),
    ("commits", "git_recent_commits"),
    ("modified_files", "git_modified_files"),
    ("unstaged", "git_unstaged_count"),
    ("tools", "available_tools"),
    ("warnings", "safety_warnings"),
    ("blocked", "blocked_actions"),
    ("forbidden_actions", "blocked_actions"),
    ("dream", "dream_mode"),
    ("simulation", "dream_mode"),
    ("phase", "campaign_phase"),
    ("goal", "campaign_goal"),
    ("blocked_by", "task_dependencies"),
    ("hints", "specialist_hints"),
    ("message", "user_input"),
    ("user_message", "user_input"),
    ("input", "user_input"),
    ("scores", "vectors"),
    ("vector_scores", "vectors"),
    ("token_budget", "budget"),
    ("tokens", "budget"),
    ("outcomes", "results"),
    // Keys of nested tables.
    ("step", "name"),
    ("tool", "name"),
    ("status", "ok"),
    ("success", "ok"),
    ("succeeded", "ok"),
    ("ok", "success"),
    ("message", "detail"),
    ("outcome", "detail"),
    ("output", "detail"),
    ("text", "detail"),
    ("error", "detail"),
    ("result", "summary"),
    ("type", "shard_type"),
    ("shard", "shard_type"),
    ("path", "binary_path"),
    ("binary", "binary_path"),
    ("total", "tokens"),
    ("limit", "tokens"),
    ("max", "tokens"),
    ("max_tokens", "tokens"),
    ("action", "verb"),
    ("file", "target"),
    ("constraints", "constraint"),
];

/// The keys of session data.
pub const SESSION: &[SessionField] = &[
    shown(
        "compressed_history",
        Shape::Text,
        Block::History,
        "a summary of the conversation; the runtime omits it if it has 1500 bytes or more",
    ),
    shown("recent_findings", Shape::Texts, Block::Findings, "findings so far"),
    shown("recent_actions", Shape::Texts, Block::Actions, "actions so far"),
    unseen("active_files", Shape::Texts, "open files"),
    unseen(
        "extra_context",
        Shape::TextsByName,
        "additional values; `language`, `framework(s)`, `build_layer`, `init_phase`, `northstar_phase`, `ouroboros_stage` select prompt atoms",
    ),
    unseen("ambient", Shape::Table(AMBIENT), "the state of the editor"),
    shown("dream_mode", Shape::Flag, Block::Dream, "true for a simulation, without real actions"),
    shown(
        "impacted_files",
        Shape::Texts,
        Block::Impacted,
        "files affected by the change; more than ten mean `large_refactor`",
    ),
    shown("current_diagnostics", Shape::Texts, Block::Diagnostics, "build errors"),
    unseen("symbol_context", Shape::Texts, "symbols near the change"),
    unseen("dependency_context", Shape::Texts, "code that depends on the change"),
    unseen("user_intent", Shape::Table(INTENT), "the intent in the runtime; prompts show `intent` instead"),
    unseen("focus_resolutions", Shape::Texts, "resolved references in the message"),
    shown(
        "campaign_active",
        Shape::Flag,
        Block::Campaign,
        "true during a campaign; otherwise the other campaign keys are not shown",
    ),
    shown("campaign_phase", Shape::Text, Block::Campaign, "phase of the campaign"),
    shown("campaign_goal", Shape::Text, Block::Campaign, "goal of the campaign"),
    shown("task_dependencies", Shape::Texts, Block::Campaign, "tasks that block the campaign"),
    unseen("linked_requirements", Shape::Texts, "requirements of the task"),
    shown("git_branch", Shape::Text, Block::Git, "current branch"),
    shown(
        "git_modified_files",
        Shape::Texts,
        Block::Git,
        "changed files, shown as a number next to the branch or commits",
    ),
    shown("git_recent_commits", Shape::Texts, Block::Git, "latest commits"),
    shown(
        "git_unstaged_count",
        Shape::Number,
        Block::Git,
        "number of unstaged changes; more than twenty mean `high_churn`",
    ),
    shown("test_state", Shape::Text, Block::Tests, "`/passing`, `/failing`, `/pending` or `/unknown`"),
    shown("failing_tests", Shape::Texts, Block::Tests, "failing tests"),
    shown("tdd_retry_count", Shape::Number, Block::Tests, "number of repair attempts"),
    shown("prior_shard_outputs", Shape::Tables(PRIOR), Block::Prior, "results of other shards"),
    shown("knowledge_atoms", Shape::Texts, Block::Knowledge, "knowledge about the domain"),
    shown("specialist_hints", Shape::Texts, Block::Knowledge, "advice from specialists"),
    shown("reflection_hits", Shape::Texts, Block::Reflection, "memories of earlier work"),
    unseen("gathered_knowledge", Shape::Tables(GATHERED), "gathered knowledge from specialists"),
    shown("available_tools", Shape::Tables(TOOL), Block::Tools, "available tools"),
    unseen("recent_tool_executions", Shape::Tables(EXECUTION), "latest tool calls"),
    unseen("allowed_actions", Shape::Texts, "permitted actions"),
    shown("blocked_actions", Shape::Texts, Block::Safety, "forbidden actions"),
    shown("safety_warnings", Shape::Texts, Block::Safety, "safety warnings"),
];

/// The other keys of a session file.
pub const OTHER_KEYS: &[SessionField] = &[
    unseen("intent", Shape::Table(INTENT), "the intent of the user; the header of the kernel overrides it"),
    unseen("campaign_id", Shape::Text, "id of the campaign"),
    unseen("user_input", Shape::Text, "the user's message, for `--part turn` and `--compressed`"),
    unseen("results", Shape::Tables(RESULT), "results of steps, for `--part articulation`"),
    unseen("vectors", Shape::NumbersByName, "search results: ids of prompt atoms with scores from 0 to 1"),
    unseen(
        "budget",
        Shape::Budget(BUDGET),
        "maximum tokens of a prompt, for example `300` or `{tokens: 300, reserved: 30}`",
    ),
];

/// The keys of an intent.
pub const INTENT: &[SessionField] = &[
    unseen("id", Shape::Text, "id of the intent"),
    unseen("category", Shape::Text, "`/query`, `/mutation` or `/instruction`"),
    unseen("verb", Shape::Text, "the requested action, for example `/fix`"),
    unseen("target", Shape::Text, "target of the action"),
    unseen("constraint", Shape::Text, "constraint on the action"),
];

const AMBIENT: &[SessionField] = &[
    unseen("active_file", Shape::Text, "the active file"),
    unseen("cursor_line", Shape::Number, "line of the cursor"),
    unseen("selected_text", Shape::Text, "selected text"),
    unseen("diagnostics", Shape::Texts, "problems shown in the editor"),
];

const PRIOR: &[SessionField] = &[
    unseen("shard_type", Shape::Text, "type of the shard"),
    unseen("task", Shape::Text, "task of the shard"),
    unseen("summary", Shape::Text, "summary of the result"),
    unseen("timestamp", Shape::Text, "time of the result"),
    unseen("success", Shape::Flag, "true if it succeeded"),
];

const GATHERED: &[SessionField] = &[
    unseen("specialist", Shape::Text, "the specialist that answered"),
    unseen("topic", Shape::Text, "topic of the answer"),
    unseen("summary", Shape::Text, "summary of the result"),
    unseen("full_output", Shape::Text, "complete answer"),
];

const TOOL: &[SessionField] = &[
    unseen("name", Shape::Text, "name of the tool"),
    unseen("description", Shape::Text, "description of the tool"),
    unseen("binary_path", Shape::Text, "path of the program"),
];

const EXECUTION: &[SessionField] = &[
    unseen("tool_name", Shape::Text, "name of the tool"),
    unseen("args", Shape::Text, "arguments of the call"),
    unseen("result", Shape::Text, "result of the call"),
    unseen("success", Shape::Flag, "true if it succeeded"),
    unseen("timestamp", Shape::Text, "time of the call"),
];

const RESULT: &[SessionField] = &[
    unseen("name", Shape::Text, "name of the step"),
    unseen("ok", Shape::Flag, "true if the step succeeded"),
    unseen("detail", Shape::Text, "details of the result"),
];

const BUDGET: &[SessionField] = &[
    unseen("tokens", Shape::Number, "total budget"),
    unseen(
        "reserved",
        Shape::Number,
        "tokens reserved for the answer; default: 8000, or a tenth of a smaller budget",
    ),
];
