//! Session data and session files (`NAME.session.yaml`, `NAME.session.json`).
//!
//! [`SessionFile::read`] parses the text of a file. Each value has its range and JSON pointer;
//! problems are findings. This module opens no files.

pub mod keys;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

use super::origin::SourcedText;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// The format of a session file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionForm {
    /// YAML: the first document of the file.
    Yaml,
    /// JSON: one value for the whole file.
    Json,
}

impl SessionForm {
    /// The format for a file name; `None` if the extension is not a format of session files.
    #[must_use]
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The data of a session. Missing values are empty or `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptSession {
    /// The summary of the conversation.
    pub compressed_history: SourcedText,
    /// Recent findings of the agent.
    pub recent_findings: Vec<SourcedText>,
    /// Recent actions of the agent.
    pub recent_actions: Vec<SourcedText>,
    /// Additional values by name. The prompt compiler derives tags from them.
    pub extra_context: Vec<(String, SourcedText)>,
    /// True in dream mode: no real actions are allowed.
    pub dream_mode: bool,
    /// The files that the change affects.
    pub impacted_files: Vec<SourcedText>,
    /// The dependents of the change.
    pub dependency_context: Vec<SourcedText>,
    /// The build errors.
    pub current_diagnostics: Vec<SourcedText>,
    /// True if a campaign is active.
    pub campaign_active: bool,
    /// The phase of the campaign.
    pub campaign_phase: SourcedText,
    /// The goal of the campaign.
    pub campaign_goal: SourcedText,
    /// The dependencies of the current task.
    pub task_dependencies: Vec<SourcedText>,
    /// The current git branch.
    pub git_branch: SourcedText,
    /// The files that differ from the branch.
    pub git_modified_files: Vec<SourcedText>,
    /// The last commits of the branch.
    pub git_recent_commits: Vec<SourcedText>,
    /// The number of unstaged changes.
    pub git_unstaged_count: Option<Count>,
    /// `/passing`, `/failing`, `/pending` or `/unknown`.
    pub test_state: SourcedText,
    /// The names of failing tests.
    pub failing_tests: Vec<SourcedText>,
    /// The number of repair attempts.
    pub tdd_retry_count: Option<Count>,
    /// The results of other shards.
    pub prior_shard_outputs: Vec<PriorShard>,
    /// Knowledge about the domain.
    pub knowledge_atoms: Vec<SourcedText>,
    /// Hints of specialists.
    pub specialist_hints: Vec<SourcedText>,
    /// Remembered reflections.
    pub reflection_hits: Vec<SourcedText>,
    /// The available tools.
    pub available_tools: Vec<Tool>,
    /// The forbidden actions.
    pub blocked_actions: Vec<SourcedText>,
    /// The safety warnings.
    pub safety_warnings: Vec<SourcedText>,
    /// The keys in the file, with their ranges.
    pub given: Vec<SessionKey>,
}

/// A key in a session file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// The declaration of the key.
    pub field: &'static keys::SessionField,
    /// The range of the key.
    pub range: TextRange,
    /// True if the value is an empty text, an empty list, `false` or 0.
    pub is_empty: bool,
}

/// An integer with its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// The number.
    pub value: i64,
    /// The range of the number.
    pub range: TextRange,
}

/// A result of another shard.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriorShard {
    /// The type of the other shard.
    pub shard_type: SourcedText,
    /// The task of the shard.
    pub task: SourcedText,
    /// The summary of the result.
    pub summary: SourcedText,
    /// True if the task succeeded.
    pub success: bool,
    /// The range of the entry.
    pub range: TextRange,
    /// The JSON pointer of the entry in its session file.
    pub pointer: String,
}

/// An available tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tool {
    /// The name of the tool in model calls.
    pub name: SourcedText,
    /// The description of the tool.
    pub description: SourcedText,
    /// The path of the executable; empty without one.
    pub binary_path: SourcedText,
    /// The range of the entry.
    pub range: TextRange,
    /// The JSON pointer of the entry in its session file.
    pub pointer: String,
}

/// The result of a step, for the articulation prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepResult {
    /// The name of the step.
    pub name: SourcedText,
    /// True if the step succeeded.
    pub ok: bool,
    /// The details of the result.
    pub detail: SourcedText,
    /// The range of the entry.
    pub range: TextRange,
    /// The JSON pointer of the entry in its session file.
    pub pointer: String,
}

/// A parsed session file with its findings.
#[derive(Debug, Clone, Default)]
pub struct SessionFile {
    /// The session data.
    pub session: PromptSession,
    /// The user's intent, if given.
    pub intent: Option<Intent>,
    /// The campaign id; empty if not given.
    pub campaign_id: SourcedText,
    /// The last message of the user; empty if not given.
    pub user_input: SourcedText,
    /// The results of the steps of the last turn.
    pub results: Vec<StepResult>,
    /// The search scores of atoms by id, from 0 to 1.
    pub vectors: Vec<(String, f64)>,
    /// The ids of [`SessionFile::vectors`] with their ranges.
    pub scored: Vec<SourcedText>,
    /// The token budget, and the reserved tokens.
    pub budget: (Option<u32>, Option<u32>),
    /// The findings about the file. Ranges count from its start.
    pub findings: Vec<Finding>,
}

impl PromptSession {
    /// The additional value with this name, unless it is empty.
    #[must_use]
    pub fn extra(&self, name: &str) -> Option<&str> {
        let found = self.extra_context.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Sets additional values and replaces values with the same names. A `stage` also sets
    /// `ouroboros_stage`, and has priority over it.
    pub(super) fn add_extra(&mut self, values: &[(&'static str, String)]) {
        let mut set = |name: &str, value: &str| {
            self.extra_context.retain(|(key, _)| key != name);
            self.extra_context.push((name.to_owned(), SourcedText::by_caller(value)));
        };
        values.iter().for_each(|(name, value)| set(name, value));
        let stage = values.iter().find(|(name, _)| *name == "stage");
        if let Some((_, stage)) = stage {
            set("ouroboros_stage", stage);
        }
    }
}

/// The user's intent as classified by perception.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intent {
    /// The id in facts about the intent.
    pub id: SourcedText,
    /// `/query`, `/mutation` or `/instruction`.
    pub category: SourcedText,
    /// The requested action, for example `/fix`.
    pub verb: SourcedText,
    /// The target of the verb: a file, a symbol or a topic.
    pub target: SourcedText,
    /// The constraint; empty for none.
    pub constraint: SourcedText,
}
