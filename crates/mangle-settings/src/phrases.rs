//! Named headings and sentences that the prompt assembly adds itself. `[prompt.templates]` replaces
//! them, so that prompts of another runtime version match word by word.

/// A heading or a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phrase {
    /// The key in `[prompt.templates]`.
    pub name: &'static str,
    /// The built-in text, with placeholders such as `{value}`.
    pub text: &'static str,
    /// The part of the prompt that contains the phrase.
    pub place: &'static str,
}

impl Phrase {
    /// The placeholders: the words in braces of the text.
    pub fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        placeholders_of(self.text)
    }
}

/// The words in braces of a text.
pub(super) fn placeholders_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(word, _)| word);
    words
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
}

const fn entry(name: &'static str, text: &'static str, place: &'static str) -> Phrase {
    Phrase { name, text, place }
}

/// All phrases, in the order of their occurrence in prompts.
pub const PHRASES: &[Phrase] = &[
    entry(
        "banner.rule",
        "// ----------------------------------------------------------------",
        "above and below the title of a banner",
    ),
    entry("context.title", "// KERNEL CONTEXT", "title of the kernel context, in a banner"),
    entry(
        "context.compiled",
        "// KERNEL CONTEXT",
        "title of the kernel context in a compiled prompt, without a banner",
    ),
    entry("context.entry", "- {value}", "a line of the kernel context"),
    entry(
        "knowledge.compiled",
        "// SPECIALIST KNOWLEDGE",
        "title of specialist knowledge, in a compiled prompt",
    ),
    entry("knowledge.topic", "## {value}", "a topic of specialist knowledge"),
    entry("session.title", "// SESSION", "title of the session, in a banner"),
    entry("session.dream", "SIMULATION", "`dream_mode`"),
    entry(
        "session.dream_text",
        "Nothing is carried out now. Say what you would do, and do none of it.",
        "below `session.dream`",
    ),
    entry("session.diagnostics", "BUILD AND LINT ERRORS (fix these first):", "`current_diagnostics`"),
    entry("session.diagnostic", "  {value}", "an error"),
    entry("session.tests", "TESTS ARE FAILING", "`failing_tests`, or `test_state: /failing`"),
    entry("session.retry", "  Repairs tried: {value}", "`tdd_retry_count`"),
    entry("session.test", "  - {value}", "a test"),
    entry("session.findings", "FOUND SO FAR:", "`recent_findings`"),
    entry("session.finding", "  - {value}", "a finding"),
    entry("session.reflection", "FROM EARLIER WORK:", "`reflection_hits`"),
    entry("session.hit", "  - {value}", "a memory of earlier work"),
    entry("session.impacted", "FILES CONCERNED:", "`impacted_files`"),
    entry("session.file", "  - {value}", "a file"),
    entry("session.dependencies", "WHAT DEPENDS ON THE CHANGE:", "`dependency_context`, for newer runtimes"),
    entry("session.dependency", "  - {value}", "an entry of `dependency_context`"),
    entry("session.git", "REPOSITORY:", "`git_branch` or `git_recent_commits`"),
    entry("session.branch", "  Branch: {value}", "`git_branch`"),
    entry("session.unstaged", "  Changes not staged: {value}", "`git_unstaged_count`"),
    entry("session.modified", "  Files changed: {value}", "the number of `git_modified_files`"),
    entry("session.modified_file", "    - {value}", "a file of `git_modified_files`, for newer runtimes"),
    entry("session.commits", "  Last commits:", "above `git_recent_commits`"),
    entry("session.commit", "    - {value}", "a commit"),
    entry("session.campaign", "CAMPAIGN:", "`campaign_active`"),
    entry("session.phase", "  Phase: {value}", "`campaign_phase`"),
    entry("session.goal", "  Goal: {value}", "`campaign_goal`"),
    entry("session.blocked_by", "  Waits for: {value}", "`task_dependencies`"),
    entry("session.prior", "RESULTS OF OTHER SHARDS:", "`prior_shard_outputs`"),
    entry(
        "session.output",
        "  [{shard}] {outcome}: {task} - {summary}",
        "an output; `{outcome}` is `SUCCESS` or `FAILED`",
    ),
    entry("session.actions", "DONE SO FAR:", "`recent_actions`"),
    entry("session.action", "  - {value}", "an action"),
    entry("session.knowledge", "WHAT IS KNOWN HERE:", "`knowledge_atoms` or `specialist_hints`"),
    entry("session.atom", "  - {value}", "a knowledge atom"),
    entry("session.hint", "  - HINT: {value}", "a hint"),
    entry("session.tools", "TOOLS:", "`available_tools`"),
    entry("session.tool", "  - {name}: {description}", "a tool"),
    entry("session.binary", "    Program: {value}", "`binary_path` of a tool"),
    entry("session.safety", "LIMITS:", "`blocked_actions` or `safety_warnings`"),
    entry("session.blocked", "  BLOCKED: {value}", "a blocked action"),
    entry("session.warning", "  WARNING: {value}", "a warning"),
    entry("session.history", "THE CONVERSATION IN SHORT:", "`compressed_history`"),
    entry("intent.title", "// INTENT", "title of the intent, in a banner"),
    entry("intent.id", "Intent: {value}", "id of the intent"),
    entry("intent.category", "Category: {value}", "category of the intent"),
    entry("intent.verb", "Verb: {value}", "verb of the intent"),
    entry("intent.target", "Target: {value}", "target of the intent"),
    entry("intent.constraint", "Constraint: {value}", "constraint of the intent"),
    entry("turn.state", "STATE", "heading of the facts of a turn"),
    entry("turn.message", "MESSAGE", "heading of the message"),
    entry("turn.answer", "ANSWER WITH", "heading of the requested form of the answer"),
    entry("turn.request", "one Piggyback object ({profile})", "requested form of the answer"),
    entry(
        "compressed.title",
        "CONTEXT after turn {turn} ({time}), {tokens} tokens",
        "above a compressed input",
    ),
    entry(
        "compressed.first",
        "CONTEXT before the first turn, {tokens} tokens",
        "above a compressed input before the first turn",
    ),
    entry("compressed.core", "CORE FACTS", "heading of core facts"),
    entry("compressed.active", "ACTIVE FACTS", "heading of active facts"),
    entry("compressed.history", "HISTORY", "heading of older turns"),
    entry("compressed.turns", "turns {first} to {last}", "range of the older turns"),
    entry("compressed.recent", "RECENT TURNS", "heading of the last turns"),
    entry("compressed.turn", "turn {turn} ({time})", "a recent turn"),
    entry(
        "articulation.role",
        "You put what was done into words, on both channels: for the person, and for the logic store.",
        "above the results of a request to put them into words",
    ),
    entry("articulation.results", "RESULTS", "heading of the results"),
    entry("articulation.result", "- {name}: {outcome}{detail}", "a result; `{outcome}` is `ok` or `failed`"),
    entry("articulation.requirements", "REQUIREMENTS", "heading of the requirements"),
    entry(
        "articulation.requirement",
        "- Tell the person how things stand, failures included.\n\
         - State every change as a ground fact in mangle_updates.\n\
         - Name the facts to promote or to forget in memory_operations.\n\
         - The control part is never shown to the person.\n\
         - Answer with JSON only.",
        "the requirements, a line each",
    ),
];

/// Finds a phrase by name.
#[must_use]
pub fn phrase(name: &str) -> Option<&'static Phrase> {
    PHRASES.iter().find(|phrase| phrase.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_have_a_group() {
        for Phrase { name, .. } in PHRASES {
            let others = PHRASES.iter().filter(|other| other.name == *name);
            assert_eq!((others.count(), name.split('.').count()), (1, 2), "{name}");
        }
    }
}
