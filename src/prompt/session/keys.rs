//! The keys of session files: what each holds, and whether it shows in a prompt that is assembled without a compiler.

use super::super::texts::Block;

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Texts,
    /// Texts by name.
    TextsByName,
    /// Numbers by name.
    NumbersByName,
    /// A table with these keys.
    Table(&'static [Field]),
    /// A list of such tables.
    Tables(&'static [Field]),
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// The block of the session section that shows it; `None` when none does.
    pub shown: Option<Block>,
}

const fn shown(name: &'static str, shape: Shape, block: Block) -> Field {
    Field { name, shape, shown: Some(block) }
}

const fn unseen(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, shown: None }
}

/// What the session knows.
pub const SESSION: &[Field] = &[
    shown("compressed_history", Shape::Text, Block::History),
    shown("recent_findings", Shape::Texts, Block::Findings),
    shown("recent_actions", Shape::Texts, Block::Actions),
    unseen("active_files", Shape::Texts),
    unseen("extra_context", Shape::TextsByName),
    unseen("ambient", Shape::Table(AMBIENT)),
    shown("dream_mode", Shape::Flag, Block::Dream),
    shown("impacted_files", Shape::Texts, Block::Impacted),
    shown("current_diagnostics", Shape::Texts, Block::Diagnostics),
    unseen("symbol_context", Shape::Texts),
    unseen("dependency_context", Shape::Texts),
    unseen("user_intent", Shape::Table(INTENT)),
    unseen("focus_resolutions", Shape::Texts),
    shown("campaign_active", Shape::Flag, Block::Campaign),
    shown("campaign_phase", Shape::Text, Block::Campaign),
    shown("campaign_goal", Shape::Text, Block::Campaign),
    shown("task_dependencies", Shape::Texts, Block::Campaign),
    unseen("linked_requirements", Shape::Texts),
    shown("git_branch", Shape::Text, Block::Git),
    shown("git_modified_files", Shape::Texts, Block::Git),
    shown("git_recent_commits", Shape::Texts, Block::Git),
    shown("git_unstaged_count", Shape::Number, Block::Git),
    shown("test_state", Shape::Text, Block::Tests),
    shown("failing_tests", Shape::Texts, Block::Tests),
    shown("tdd_retry_count", Shape::Number, Block::Tests),
    shown("prior_shard_outputs", Shape::Tables(PRIOR), Block::Prior),
    shown("knowledge_atoms", Shape::Texts, Block::Knowledge),
    shown("specialist_hints", Shape::Texts, Block::Knowledge),
    shown("reflection_hits", Shape::Texts, Block::Reflection),
    unseen("gathered_knowledge", Shape::Tables(GATHERED)),
    shown("available_tools", Shape::Tables(TOOL), Block::Tools),
    unseen("recent_tool_executions", Shape::Tables(EXECUTION)),
    unseen("allowed_actions", Shape::Texts),
    shown("blocked_actions", Shape::Texts, Block::Safety),
    shown("safety_warnings", Shape::Texts, Block::Safety),
];

/// What a session file holds besides.
pub const BESIDE: &[Field] = &[
    unseen("intent", Shape::Table(INTENT)),
    unseen("campaign_id", Shape::Text),
    unseen("user_input", Shape::Text),
    unseen("results", Shape::Tables(RESULT)),
    unseen("vectors", Shape::NumbersByName),
    unseen("budget", Shape::Table(BUDGET)),
];

/// An intent.
pub const INTENT: &[Field] = &[
    unseen("id", Shape::Text),
    unseen("category", Shape::Text),
    unseen("verb", Shape::Text),
    unseen("target", Shape::Text),
    unseen("constraint", Shape::Text),
];

const AMBIENT: &[Field] = &[
    unseen("active_file", Shape::Text),
    unseen("cursor_line", Shape::Number),
    unseen("selected_text", Shape::Text),
    unseen("diagnostics", Shape::Texts),
];

const PRIOR: &[Field] = &[
    unseen("shard_type", Shape::Text),
    unseen("task", Shape::Text),
    unseen("summary", Shape::Text),
    unseen("timestamp", Shape::Text),
    unseen("success", Shape::Flag),
];

const GATHERED: &[Field] = &[
    unseen("specialist", Shape::Text),
    unseen("topic", Shape::Text),
    unseen("summary", Shape::Text),
    unseen("full_output", Shape::Text),
];

const TOOL: &[Field] =
    &[unseen("name", Shape::Text), unseen("description", Shape::Text), unseen("binary_path", Shape::Text)];

const EXECUTION: &[Field] = &[
    unseen("tool_name", Shape::Text),
    unseen("args", Shape::Text),
    unseen("result", Shape::Text),
    unseen("success", Shape::Flag),
    unseen("timestamp", Shape::Text),
];

const RESULT: &[Field] =
    &[unseen("name", Shape::Text), unseen("ok", Shape::Flag), unseen("detail", Shape::Text)];

const BUDGET: &[Field] = &[unseen("tokens", Shape::Number), unseen("reserved", Shape::Number)];
