//! The keys of session files: what each holds, and whether it shows in a prompt that is assembled without a compiler.

use super::super::texts::Block;

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One text, which may be empty.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Texts,
    /// A map from names to texts.
    TextsByName,
    /// A map from names to whole numbers.
    NumbersByName,
    /// A table with these keys.
    Table(&'static [SessionField]),
    /// The number of tokens, or a table with these keys.
    Budget(&'static [SessionField]),
    /// A list of such tables.
    Tables(&'static [SessionField]),
}

impl Shape {
    /// What belongs there, in words.
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

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionField {
    /// The key.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// What the key is for, in one sentence.
    pub doc: &'static str,
    /// The block of the session section that shows it; `None` when none does.
    pub shown: Option<Block>,
}

const fn shown(name: &'static str, shape: Shape, block: Block, doc: &'static str) -> SessionField {
    SessionField { name, shape, doc, shown: Some(block) }
}

const fn unseen(name: &'static str, shape: Shape, doc: &'static str) -> SessionField {
    SessionField { name, shape, doc, shown: None }
}

/// Words that people write for keys of session files, and of the tables in them.
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
    // In the tables.
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

/// What the session knows.
pub const SESSION: &[SessionField] = &[
    shown(
        "compressed_history",
        Shape::Text,
        Block::History,
        "the conversation so far, in short; from 1500 bytes on the runtime leaves it out",
    ),
    shown("recent_findings", Shape::Texts, Block::Findings, "what was found out"),
    shown("recent_actions", Shape::Texts, Block::Actions, "what was done"),
    unseen("active_files", Shape::Texts, "files that are open"),
    unseen(
        "extra_context",
        Shape::TextsByName,
        "further values; `language`, `framework(s)`, `build_layer`, `init_phase`, `northstar_phase`, `ouroboros_stage` select prompt atoms",
    ),
    unseen("ambient", Shape::Table(AMBIENT), "what the editor shows"),
    shown("dream_mode", Shape::Flag, Block::Dream, "whether nothing may really be done"),
    shown(
        "impacted_files",
        Shape::Texts,
        Block::Impacted,
        "files that the change concerns; more than ten are a `large_refactor`",
    ),
    shown("current_diagnostics", Shape::Texts, Block::Diagnostics, "errors of the build"),
    unseen("symbol_context", Shape::Texts, "symbols around the change"),
    unseen("dependency_context", Shape::Texts, "what depends on the change"),
    unseen("user_intent", Shape::Table(INTENT), "the intent as the runtime keeps it; prompts show `intent`"),
    unseen("focus_resolutions", Shape::Texts, "what words of the message were resolved to"),
    shown(
        "campaign_active",
        Shape::Flag,
        Block::Campaign,
        "whether a campaign runs; without it the keys of campaigns show nothing",
    ),
    shown("campaign_phase", Shape::Text, Block::Campaign, "its phase"),
    shown("campaign_goal", Shape::Text, Block::Campaign, "its goal"),
    shown("task_dependencies", Shape::Texts, Block::Campaign, "what it waits for"),
    unseen("linked_requirements", Shape::Texts, "requirements of the task"),
    shown("git_branch", Shape::Text, Block::Git, "the branch"),
    shown(
        "git_modified_files",
        Shape::Texts,
        Block::Git,
        "changed files, shown as a number beside a branch or commits",
    ),
    shown("git_recent_commits", Shape::Texts, Block::Git, "the last commits"),
    shown(
        "git_unstaged_count",
        Shape::Number,
        Block::Git,
        "changes that are not staged; more than twenty are `high_churn`",
    ),
    shown("test_state", Shape::Text, Block::Tests, "`/passing`, `/failing`, `/pending` or `/unknown`"),
    shown("failing_tests", Shape::Texts, Block::Tests, "tests that fail"),
    shown("tdd_retry_count", Shape::Number, Block::Tests, "how often their repair was tried"),
    shown("prior_shard_outputs", Shape::Tables(PRIOR), Block::Prior, "what other shards did"),
    shown("knowledge_atoms", Shape::Texts, Block::Knowledge, "what is known of the domain"),
    shown("specialist_hints", Shape::Texts, Block::Knowledge, "what specialists advise"),
    shown("reflection_hits", Shape::Texts, Block::Reflection, "what is remembered of earlier work"),
    unseen("gathered_knowledge", Shape::Tables(GATHERED), "what was looked up"),
    shown("available_tools", Shape::Tables(TOOL), Block::Tools, "tools that there are"),
    unseen("recent_tool_executions", Shape::Tables(EXECUTION), "what tools did"),
    unseen("allowed_actions", Shape::Texts, "what may be done"),
    shown("blocked_actions", Shape::Texts, Block::Safety, "what must not be done"),
    shown("safety_warnings", Shape::Texts, Block::Safety, "what to mind"),
];

/// What a session file holds besides.
pub const BESIDE: &[SessionField] = &[
    unseen("intent", Shape::Table(INTENT), "what the person wants; the header of the kernel counts more"),
    unseen("campaign_id", Shape::Text, "the campaign"),
    unseen("user_input", Shape::Text, "the message, for `--part turn` and `--compressed`"),
    unseen("results", Shape::Tables(RESULT), "outcomes of steps, for `--part articulation`"),
    unseen(
        "vectors",
        Shape::NumbersByName,
        "what a search found: ids of prompt atoms with scores from 0 to 1",
    ),
    unseen(
        "budget",
        Shape::Budget(BUDGET),
        "the tokens that a prompt may have: `300`, or `{tokens: 300, reserved: 30}`; without `reserved` 8000 are reserved for the answer, or a tenth of a smaller budget",
    ),
];

/// The keys of an intent.
pub const INTENT: &[SessionField] = &[
    unseen("id", Shape::Text, "its id"),
    unseen("category", Shape::Text, "`/query`, `/mutation` or `/instruction`"),
    unseen("verb", Shape::Text, "what is to be done: `/fix`"),
    unseen("target", Shape::Text, "to what"),
    unseen("constraint", Shape::Text, "under which condition"),
];

const AMBIENT: &[SessionField] = &[
    unseen("active_file", Shape::Text, "the file in front"),
    unseen("cursor_line", Shape::Number, "the line of the cursor"),
    unseen("selected_text", Shape::Text, "what is selected"),
    unseen("diagnostics", Shape::Texts, "problems that it shows"),
];

const PRIOR: &[SessionField] = &[
    unseen("shard_type", Shape::Text, "the type of the shard"),
    unseen("task", Shape::Text, "what it had to do"),
    unseen("summary", Shape::Text, "what came of it"),
    unseen("timestamp", Shape::Text, "when"),
    unseen("success", Shape::Flag, "whether it succeeded"),
];

const GATHERED: &[SessionField] = &[
    unseen("specialist", Shape::Text, "who knows it"),
    unseen("topic", Shape::Text, "what it is about"),
    unseen("summary", Shape::Text, "what came of it"),
    unseen("full_output", Shape::Text, "the whole answer"),
];

const TOOL: &[SessionField] = &[
    unseen("name", Shape::Text, "its name"),
    unseen("description", Shape::Text, "what it does"),
    unseen("binary_path", Shape::Text, "its program"),
];

const EXECUTION: &[SessionField] = &[
    unseen("tool_name", Shape::Text, "the tool"),
    unseen("args", Shape::Text, "its arguments"),
    unseen("result", Shape::Text, "what it gave"),
    unseen("success", Shape::Flag, "whether it succeeded"),
    unseen("timestamp", Shape::Text, "when"),
];

const RESULT: &[SessionField] = &[
    unseen("name", Shape::Text, "its name"),
    unseen("ok", Shape::Flag, "whether the step succeeded"),
    unseen("detail", Shape::Text, "what came of it"),
];

const BUDGET: &[SessionField] = &[
    unseen("tokens", Shape::Number, "the whole budget"),
    unseen("reserved", Shape::Number, "what of it is kept for the answer"),
];
