//! What a session knows, and the files that say it: `NAME.session.yaml`, `NAME.session.json`.
//!
//! Takes the text of a file ([`SessionFile::read`]); gives its values, each with its bytes and its JSON pointer, and
//! what is wrong with the file. Opens no files.

mod budget;
mod json;
pub mod keys;
mod number;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
pub(crate) mod yaml;

use super::Intent;
use super::sourced_text::SourcedText;
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// How a session file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionForm {
    /// YAML: the first document of the file.
    Yaml,
    /// JSON: one value for the whole file.
    Json,
}

impl SessionForm {
    /// The form of a file of this name; `None` for one that is no session file.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// What a session knows. What was not given is empty or `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptSession {
    /// The conversation so far, in short.
    pub compressed_history: SourcedText,
    /// What was found out.
    pub recent_findings: Vec<SourcedText>,
    /// What was done.
    pub recent_actions: Vec<SourcedText>,
    /// Further values by name; the prompt compiler derives tags from them.
    pub extra_context: Vec<(String, SourcedText)>,
    /// Whether nothing may really be done.
    pub dream_mode: bool,
    /// Files that the change concerns.
    pub impacted_files: Vec<SourcedText>,
    /// What depends on the change.
    pub dependency_context: Vec<SourcedText>,
    /// Errors of the build.
    pub current_diagnostics: Vec<SourcedText>,
    /// Whether a campaign runs.
    pub campaign_active: bool,
    /// The phase that the campaign is in.
    pub campaign_phase: SourcedText,
    /// What the campaign is to reach.
    pub campaign_goal: SourcedText,
    /// What it waits for.
    pub task_dependencies: Vec<SourcedText>,
    /// The branch that is checked out.
    pub git_branch: SourcedText,
    /// Files that differ from the branch.
    pub git_modified_files: Vec<SourcedText>,
    /// Its last commits.
    pub git_recent_commits: Vec<SourcedText>,
    /// How many changes are not staged.
    pub git_unstaged_count: Option<Count>,
    /// `/passing`, `/failing`, `/pending` or `/unknown`.
    pub test_state: SourcedText,
    /// The names of tests that fail, each with its place.
    pub failing_tests: Vec<SourcedText>,
    /// How often their repair was tried.
    pub tdd_retry_count: Option<Count>,
    /// What other shards did.
    pub prior_shard_outputs: Vec<PriorShard>,
    /// What is known of the domain.
    pub knowledge_atoms: Vec<SourcedText>,
    /// What specialists advise.
    pub specialist_hints: Vec<SourcedText>,
    /// What is remembered.
    pub reflection_hits: Vec<SourcedText>,
    /// Tools that there are.
    pub available_tools: Vec<Tool>,
    /// What must not be done.
    pub blocked_actions: Vec<SourcedText>,
    /// What is to be minded.
    pub safety_warnings: Vec<SourcedText>,
    /// The keys that were given, with their bytes.
    pub given: Vec<SessionKey>,
}

/// A key that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// The key.
    pub field: &'static keys::SessionField,
    /// The bytes of the key.
    pub range: TextRange,
    /// Whether its value says nothing: an empty text or list, `false`, 0.
    pub is_empty: bool,
}

/// A whole number, and where it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// The number.
    pub value: i64,
    /// Its bytes.
    pub range: TextRange,
}

/// What another shard did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriorShard {
    /// The type of the other shard.
    pub shard_type: SourcedText,
    /// What it had to do.
    pub task: SourcedText,
    /// What came of it.
    pub summary: SourcedText,
    /// Whether it could.
    pub success: bool,
    /// The bytes of the entry.
    pub range: TextRange,
    /// The JSON pointer of the entry in its session file.
    pub pointer: String,
}

/// A tool that there is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tool {
    /// The name of the tool, as the model calls it.
    pub name: SourcedText,
    /// What it does.
    pub description: SourcedText,
    /// Its program; empty when it has none.
    pub binary_path: SourcedText,
    /// The bytes of the entry.
    pub range: TextRange,
    /// The JSON pointer of the entry in its session file.
    pub pointer: String,
}

/// What became of a step, for the articulation prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepResult {
    /// The step.
    pub name: SourcedText,
    /// Whether it could be done.
    pub ok: bool,
    /// What came of it.
    pub detail: SourcedText,
    /// The bytes of the entry.
    pub range: TextRange,
    /// The JSON pointer of the entry in its session file.
    pub pointer: String,
}

/// A session file: its text, what was read of it, and what is wrong with it.
#[derive(Debug, Clone, Default)]
pub struct SessionFile {
    /// What the session knows.
    pub session: PromptSession,
    /// What the person wants, if the file says it.
    pub intent: Option<Intent>,
    /// The campaign; empty when the file does not say.
    pub campaign_id: SourcedText,
    /// What the person said last; empty when the file does not say.
    pub user_input: SourcedText,
    /// What became of the steps of the last turn.
    pub results: Vec<StepResult>,
    /// How well atoms fit, by id, from 0 to 1.
    pub vectors: Vec<(String, f64)>,
    /// The ids of [`SessionFile::vectors`], with their bytes.
    pub scored: Vec<SourcedText>,
    /// The token budget, and the part of it that is reserved.
    pub budget: (Option<u32>, Option<u32>),
    /// What is wrong with the file; ranges count from its start.
    pub findings: Vec<Finding>,
}

impl PromptSession {
    /// The further value of this name, unless it is empty.
    #[must_use]
    pub fn extra(&self, name: &str) -> Option<&str> {
        let found = self.extra_context.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Adds further values, over those of the same names. A `stage` is an `ouroboros_stage` as well, and wins.
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
