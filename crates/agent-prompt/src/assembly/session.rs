//! Session section: one block for each kind of session data, with a blank line and a heading before
//! it.

use super::clamp;
use super::clamp::SessionLine;
use crate::origin::{LineOrigin, SourcedText};
use crate::sections::{PromptLine, Section, SectionKind, SectionSource, Wording};
use crate::session::{Count, PriorShard, PromptSession, Tool};
use crate::texts::Block;
use mangle_settings::Runtime;
use mangle_syntax::text::{TextRange, text_len};

/// Tags of texts that are exempt from the line limit of the runtime.
const UNTRUNCATED_TAGS: [&str; 3] = ["branch", "phase", "binary"];

/// The conversation is omitted without a mark from this number of bytes.
pub(crate) const HISTORY: usize = 1_500;

/// The section; `None` if it has no content.
pub(super) fn section(session: &PromptSession, wording: Wording<'_>, runtime: Runtime) -> Option<Section> {
    let mut writer = Writer { wording, runtime, lines: Vec::new(), block: Block::Dream };
    writer.dream(session);
    if runtime.safety_first {
        writer.safety(session);
    }
    writer.list(Block::Diagnostics, "session.diagnostic", &session.current_diagnostics);
    writer.tests(session);
    writer.list(Block::Findings, "session.finding", &session.recent_findings);
    writer.list(Block::Reflection, "session.hit", &session.reflection_hits);
    writer.list(Block::Impacted, "session.file", &session.impacted_files);
    if runtime.dependency_block {
        writer.list(Block::Dependencies, "session.dependency", &session.dependency_context);
    }
    writer.git(session);
    writer.campaign(session);
    writer.prior(&session.prior_shard_outputs);
    writer.list(Block::Actions, "session.action", &session.recent_actions);
    writer.knowledge(session);
    writer.tools(&session.available_tools);
    if !runtime.safety_first {
        writer.safety(session);
    }
    writer.history(&session.compressed_history);
    if writer.lines.is_empty() {
        return None;
    }
    let mut section = Section::new(SectionKind::Session, SectionSource::Session, "SESSION");
    section.push_banner(wording, "session.title");
    section.lines.extend(clamp::session(writer.lines, runtime.prompt_block_cap));
    section.push_blank();
    Some(section)
}

/// The label in truncation marks.
const LINE: &str = "session context line";

struct Writer<'t> {
    wording: Wording<'t>,
    runtime: Runtime,
    lines: Vec<SessionLine>,
    block: Block,
}

impl Writer<'_> {
    fn begin(&mut self, block: Block) {
        self.block = block;
        self.push("", PromptLine::layout(""));
        self.heading(&format!("session.{}", block.as_str()));
    }

    fn push(&mut self, phrase: &str, line: PromptLine) {
        let line = PromptLine { block: Some(self.block), ..line };
        self.lines.push(SessionLine { label: clamp::label_len(phrase, &line), line });
    }

    /// The text, truncated to the line limit of the runtime.
    fn cut(&self, text: &str) -> String {
        clamp::head(text, self.runtime.prompt_line_cap, LINE)
    }

    fn heading(&mut self, phrase: &str) {
        for (at, line) in self.wording.heading(phrase).into_iter().enumerate() {
            // The heading of the runtime is a single line with its own length.
            self.push(if at == 0 { phrase } else { "none" }, line);
        }
    }

    fn said(&mut self, tag: &'static str, phrase: &str, said: &SourcedText) {
        let text =
            if UNTRUNCATED_TAGS.contains(&tag) { said.as_str().to_owned() } else { self.cut(said.as_str()) };
        let line = self.wording.line(phrase, &[("value", &text)], Some(tag), LineOrigin::session(said));
        self.push(phrase, line);
    }

    fn shown(
        &mut self,
        tag: &'static str,
        phrase: &str,
        values: &[(&str, &str)],
        pointer: &str,
        range: TextRange,
    ) {
        let origin = LineOrigin::Session { pointer: pointer.to_owned(), range };
        let line = self.wording.line(phrase, values, Some(tag), origin);
        self.push(phrase, line);
    }

    fn positive(&mut self, tag: &'static str, phrase: &str, count: Option<Count>, pointer: &str) {
        if let Some(count) = count.filter(|count| count.value > 0) {
            self.shown(tag, phrase, &[("value", &count.value.to_string())], pointer, count.range);
        }
    }

    /// Adds a block that consists of one list.
    fn list(&mut self, block: Block, phrase: &str, entries: &[SourcedText]) {
        if !entries.is_empty() {
            self.begin(block);
            entries.iter().for_each(|entry| self.said("line", phrase, entry));
        }
    }

    fn dream(&mut self, session: &PromptSession) {
        if session.dream_mode {
            self.begin(Block::Dream);
            self.heading("session.dream_text");
            self.push("", PromptLine::layout(""));
        }
    }

    /// Shown if tests fail or if failing tests are listed, independent of the state.
    fn tests(&mut self, session: &PromptSession) {
        if session.test_state.as_str() != "/failing" && session.failing_tests.is_empty() {
            return;
        }
        self.begin(Block::Tests);
        self.positive("retry", "session.retry", session.tdd_retry_count, "/tdd_retry_count");
        session.failing_tests.iter().for_each(|test| self.said("test", "session.test", test));
    }

    /// Shown for a branch or commits, and in some runtimes for changed files.
    fn git(&mut self, session: &PromptSession) {
        let has_files = session.git_unstaged_count.is_some_and(|count| count.value > 0)
            || !session.git_modified_files.is_empty();
        if session.git_branch.is_empty()
            && session.git_recent_commits.is_empty()
            && !(self.runtime.git_files && has_files)
        {
            return;
        }
        self.begin(Block::Git);
        if !session.git_branch.is_empty() {
            self.said("branch", "session.branch", &session.git_branch);
        }
        self.positive("unstaged", "session.unstaged", session.git_unstaged_count, "/git_unstaged_count");
        if let Some(first) = session.git_modified_files.first() {
            let last = session.git_modified_files.last().unwrap_or(first);
            let range = first.range.cover(last.range);
            let count = session.git_modified_files.len().to_string();
            self.shown("modified", "session.modified", &[("value", &count)], "/git_modified_files", range);
            if self.runtime.git_files {
                let files = &session.git_modified_files;
                files.iter().for_each(|file| self.said("modified_file", "session.modified_file", file));
            }
        }
        if !session.git_recent_commits.is_empty() {
            self.heading("session.commits");
            session
                .git_recent_commits
                .iter()
                .for_each(|commit| self.said("commit", "session.commit", commit));
        }
    }

    fn campaign(&mut self, session: &PromptSession) {
        if !session.campaign_active {
            return;
        }
        self.begin(Block::Campaign);
        if !session.campaign_phase.is_empty() {
            self.said("phase", "session.phase", &session.campaign_phase);
        }
        if !session.campaign_goal.is_empty() {
            self.said("goal", "session.goal", &session.campaign_goal);
        }
        if let Some(first) = session.task_dependencies.first() {
            let names: Vec<_> = session.task_dependencies.iter().map(SourcedText::as_str).collect();
            let last = session.task_dependencies.last().unwrap_or(first);
            let range = first.range.cover(last.range);
            let names = names.join(", ");
            self.shown("blocked_by", "session.blocked_by", &[("value", &names)], "/task_dependencies", range);
        }
    }

    fn prior(&mut self, outputs: &[PriorShard]) {
        if !outputs.is_empty() {
            self.begin(Block::Prior);
        }
        for prior in outputs {
            let outcome = if prior.success { "SUCCESS" } else { "FAILED" };
            let (kind, task, summary) =
                (prior.shard_type.as_str(), prior.task.as_str(), prior.summary.as_str());
            let (task, summary) = (self.cut(task), self.cut(summary));
            let values = [("shard", kind), ("outcome", outcome), ("task", &task), ("summary", &summary)];
            self.shown("line", "session.output", &values, &prior.pointer, prior.range);
        }
    }

    fn knowledge(&mut self, session: &PromptSession) {
        if session.knowledge_atoms.is_empty() && session.specialist_hints.is_empty() {
            return;
        }
        self.begin(Block::Knowledge);
        session.knowledge_atoms.iter().for_each(|atom| self.said("line", "session.atom", atom));
        session.specialist_hints.iter().for_each(|hint| self.said("hint", "session.hint", hint));
    }

    fn tools(&mut self, tools: &[Tool]) {
        if !tools.is_empty() {
            self.begin(Block::Tools);
        }
        for tool in tools {
            let description = self.cut(tool.description.as_str());
            let values = [("name", tool.name.as_str()), ("description", &description)];
            self.shown("tool", "session.tool", &values, &tool.pointer, tool.range);
            if !tool.binary_path.is_empty() {
                self.said("binary", "session.binary", &tool.binary_path);
            }
        }
    }

    fn safety(&mut self, session: &PromptSession) {
        if session.blocked_actions.is_empty() && session.safety_warnings.is_empty() {
            return;
        }
        self.begin(Block::Safety);
        session.blocked_actions.iter().for_each(|action| self.said("blocked", "session.blocked", action));
        session.safety_warnings.iter().for_each(|warning| self.said("warning", "session.warning", warning));
    }

    fn history(&mut self, history: &SourcedText) {
        if history.is_empty() || history.text.len() >= HISTORY {
            return;
        }
        self.begin(Block::History);
        for line in history.text.split('\n') {
            let value = TextRange::up_to(text_len(line));
            let line = PromptLine::plain(line, LineOrigin::session(history));
            self.push("session.text", PromptLine { tag: Some("text"), value, ..line });
        }
    }
}
