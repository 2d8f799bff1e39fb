//! The headings and sentences that the assembly of a prompt writes itself, by name. `[prompt.templates]` puts other texts
//! in their place, so that a prompt of another version of the runtime can be matched word by word.

/// A heading or a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phrase {
    /// Its name in `[prompt.templates]`.
    pub name: &'static str,
    /// The built-in text.
    pub text: &'static str,
    /// What is filled in, as `{value}`.
    pub holes: &'static [&'static str],
    /// Where it stands.
    pub place: &'static str,
}

const fn heading(name: &'static str, text: &'static str, place: &'static str) -> Phrase {
    Phrase { name, text, holes: &[], place }
}

const fn line(name: &'static str, text: &'static str, place: &'static str) -> Phrase {
    Phrase { name, text, holes: &["value"], place }
}

const fn filled(
    name: &'static str,
    text: &'static str,
    holes: &'static [&'static str],
    place: &'static str,
) -> Phrase {
    Phrase { name, text, holes, place }
}

/// All of them, in the order in which they stand in prompts.
pub const PHRASES: &[Phrase] = &[
    heading(
        "banner.rule",
        "// ----------------------------------------------------------------",
        "above and below the title of a banner",
    ),
    heading("context.title", "// KERNEL CONTEXT", "title of what the kernel injects, in a banner"),
    heading("context.compiled", "// KERNEL CONTEXT", "the same in a compiled prompt, without a banner"),
    line("context.entry", "- {value}", "a line that the kernel injects"),
    heading(
        "knowledge.compiled",
        "// SPECIALIST KNOWLEDGE",
        "title of what specialists know, in a compiled prompt",
    ),
    line("knowledge.topic", "## {value}", "a topic that specialists know of"),
    heading("session.title", "// SESSION", "title of the session, in a banner"),
    heading("session.dream", "SIMULATION", "`dream_mode`"),
    heading(
        "session.dream_text",
        "Nothing is carried out now. Say what you would do, and do none of it.",
        "below `session.dream`",
    ),
    heading("session.diagnostics", "BUILD AND LINT ERRORS (mend these first):", "`current_diagnostics`"),
    line("session.diagnostic", "  {value}", "an error"),
    heading("session.tests", "TESTS ARE FAILING", "`failing_tests`, or `test_state: /failing`"),
    line("session.retry", "  Repairs tried: {value}", "`tdd_retry_count`"),
    line("session.test", "  - {value}", "a test"),
    heading("session.findings", "FOUND SO FAR:", "`recent_findings`"),
    line("session.finding", "  - {value}", "a finding"),
    heading("session.reflection", "FROM EARLIER WORK:", "`reflection_hits`"),
    line("session.hit", "  - {value}", "what is remembered"),
    heading("session.impacted", "FILES CONCERNED:", "`impacted_files`"),
    line("session.file", "  - {value}", "a file"),
    heading("session.git", "REPOSITORY:", "`git_branch` or `git_recent_commits`"),
    line("session.branch", "  Branch: {value}", "`git_branch`"),
    line("session.unstaged", "  Changes not staged: {value}", "`git_unstaged_count`"),
    line("session.modified", "  Files changed: {value}", "the number of `git_modified_files`"),
    heading("session.commits", "  Last commits:", "above `git_recent_commits`"),
    line("session.commit", "    - {value}", "a commit"),
    heading("session.campaign", "CAMPAIGN:", "`campaign_active`"),
    line("session.phase", "  Phase: {value}", "`campaign_phase`"),
    line("session.goal", "  Goal: {value}", "`campaign_goal`"),
    line("session.blocked_by", "  Waits for: {value}", "`task_dependencies`"),
    heading("session.prior", "RESULTS OF OTHER SHARDS:", "`prior_shard_outputs`"),
    filled(
        "session.output",
        "  [{shard}] {outcome}: {task} - {summary}",
        &["shard", "outcome", "task", "summary"],
        "an output; its outcome is `SUCCESS` or `FAILED`",
    ),
    heading("session.actions", "DONE SO FAR:", "`recent_actions`"),
    line("session.action", "  - {value}", "an action"),
    heading("session.knowledge", "WHAT IS KNOWN HERE:", "`knowledge_atoms` or `specialist_hints`"),
    line("session.atom", "  - {value}", "a knowledge atom"),
    line("session.hint", "  - HINT: {value}", "a hint"),
    heading("session.tools", "TOOLS:", "`available_tools`"),
    filled("session.tool", "  - {name}: {description}", &["name", "description"], "a tool"),
    line("session.binary", "    Program: {value}", "`binary_path` of a tool"),
    heading("session.safety", "LIMITS:", "`blocked_actions` or `safety_warnings`"),
    line("session.blocked", "  BLOCKED: {value}", "a blocked action"),
    line("session.warning", "  WARNING: {value}", "a warning"),
    heading("session.history", "THE CONVERSATION IN SHORT:", "`compressed_history`"),
    heading("intent.title", "// INTENT", "title of the intent, in a banner"),
    line("intent.id", "Intent: {value}", "its id"),
    line("intent.category", "Category: {value}", "its category"),
    line("intent.verb", "Verb: {value}", "its verb"),
    line("intent.target", "Target: {value}", "its target"),
    line("intent.constraint", "Constraint: {value}", "its constraint"),
    heading("turn.state", "STATE", "heading of the facts of a turn"),
    heading("turn.message", "MESSAGE", "heading of the message"),
    heading("turn.answer", "ANSWER WITH", "heading of what a turn is to be answered with"),
    filled(
        "turn.request",
        "one Piggyback object ({profile})",
        &["profile"],
        "what a turn is to be answered with",
    ),
    filled(
        "compressed.title",
        "CONTEXT after turn {turn} ({time}), {tokens} tokens",
        &["turn", "time", "tokens"],
        "above a compressed input",
    ),
    filled(
        "compressed.first",
        "CONTEXT before the first turn, {tokens} tokens",
        &["tokens"],
        "the same before the first turn",
    ),
    heading("compressed.core", "CORE FACTS", "heading of core facts"),
    heading("compressed.active", "ACTIVE FACTS", "heading of facts that matter now"),
    heading("compressed.history", "HISTORY", "heading of older turns"),
    filled("compressed.turns", "turns {first} to {last}", &["first", "last"], "which turns are older"),
    heading("compressed.recent", "RECENT TURNS", "heading of the last turns"),
    filled("compressed.turn", "turn {turn} ({time})", &["turn", "time"], "one of the last turns"),
    heading(
        "articulation.role",
        "You put what was done into words, on both channels: for the person, and for the logic store.",
        "above results that are put into words",
    ),
    heading("articulation.results", "RESULTS", "heading of the results"),
    filled(
        "articulation.result",
        "- {name}: {outcome}{detail}",
        &["name", "outcome", "detail"],
        "a result; its outcome is `ok` or `failed`",
    ),
    heading("articulation.requirements", "REQUIREMENTS", "heading of the requirements"),
    heading(
        "articulation.requirement",
        "- Tell the person how things stand, failures included.\n\
         - State every change as a ground fact in mangle_updates.\n\
         - Name the facts to promote or to forget in memory_operations.\n\
         - The control part is never shown to the person.\n\
         - Answer with JSON only.",
        "the requirements, a line each",
    ),
];

/// The phrase of this name.
#[must_use]
pub fn phrase(name: &str) -> Option<&'static Phrase> {
    PHRASES.iter().find(|phrase| phrase.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_texts_have_their_placeholders() {
        for Phrase { name, text, holes, .. } in PHRASES {
            assert!(holes.iter().all(|hole| text.contains(&format!("{{{hole}}}"))), "{name}");
            let others = PHRASES.iter().filter(|other| other.name == *name);
            assert_eq!((others.count(), name.split('.').count()), (1, 2), "{name}");
        }
    }
}
