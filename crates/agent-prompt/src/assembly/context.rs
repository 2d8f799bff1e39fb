//! What the kernel injects: the list of context atoms, and the knowledge of specialists.

use super::request::AssemblyRequest;
use crate::answers::{Answer, Querier};
use crate::context::PromptContext;
use crate::line::PromptLine;
use crate::origin::LineOrigin;
use crate::prompt::Prompt;
use crate::sections::{INJECTED, KNOWLEDGE, Section, SectionKind, SectionSource};
use crate::texts;
use crate::wording::Wording;

/// Whether a fact with this key is meant for a shard: by its id letter for letter, or for all of them.
#[must_use]
pub(crate) fn is_for(key: &str, shard_id: &str) -> bool {
    key == shard_id || key == "*" || key == "/_all"
}

/// Adds the context section, if there is anything for it.
pub(super) fn section(request: &AssemblyRequest<'_>, querier: &mut dyn Querier, prompt: &mut Prompt) {
    let wording = request.wording();
    let lines = injected(request.context, wording, querier, prompt);
    if lines.is_empty() {
        return;
    }
    let mut section = Section::new(SectionKind::Context, SectionSource::Kernel, texts::CONTEXT_TITLE);
    section.push_banner(wording, "context.title");
    section.push_blank();
    section.lines.extend(lines);
    section.push_blank();
    prompt.sections.push(section);
}

/// Context and knowledge, for shards that append them to a prompt of their own.
pub(super) fn for_section_mode(
    request: &AssemblyRequest<'_>,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) {
    let wording = request.wording();
    let lines = injected(request.context, wording, querier, prompt);
    let knowledge = knowledge(request.context, querier, prompt);
    if !lines.is_empty() {
        let mut section = Section::new(SectionKind::Context, SectionSource::Kernel, texts::CONTEXT_TITLE);
        section.lines.extend(lines);
        if !knowledge.is_empty() {
            section.push_blank();
        }
        prompt.sections.push(section);
    }
    if !knowledge.is_empty() {
        let mut section = Section::new(SectionKind::Knowledge, SectionSource::Kernel, texts::KNOWLEDGE_TITLE);
        for (at, (topic, text, answer)) in knowledge.iter().enumerate() {
            if at > 0 {
                section.push_blank();
            }
            let origin = LineOrigin::Fact(answer.held.showing(1));
            section.lines.push(wording.line("knowledge.topic", &[("value", topic)], Some("topic"), origin));
            section.push_text(text, &LineOrigin::Fact(answer.held.showing(2)));
        }
        prompt.sections.push(section);
    }
}

/// A line for each context atom of a shard.
fn injected(
    context: &PromptContext,
    wording: Wording<'_>,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Vec<PromptLine> {
    let answers = querier.query(INJECTED, 2).unwrap_or_else(|why| {
        prompt.failed.push((INJECTED, why));
        Vec::new()
    });
    let line = |answer: &Answer| {
        let text = answer.text(1).filter(|_| is_for(answer.text(0).unwrap_or_default(), &context.shard_id));
        // Without a key that is a text there is nobody to be meant.
        answer.text(0)?;
        let origin = LineOrigin::Fact(answer.held.showing(1));
        Some(wording.line("context.entry", &[("value", text?)], None, origin))
    };
    answers.iter().filter_map(line).collect()
}

/// Topic and text of what specialists know for a shard. Its id must be the shard's, letter for letter.
fn knowledge(
    context: &PromptContext,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Vec<(String, String, Answer)> {
    let answers = querier.query(KNOWLEDGE, 3).unwrap_or_else(|why| {
        prompt.failed.push((KNOWLEDGE, why));
        Vec::new()
    });
    let block = |answer: Answer| {
        answer.text(0).filter(|key| *key == context.shard_id)?;
        let topic = answer.text(1).filter(|topic| !topic.is_empty())?.to_owned();
        let text = answer.text(2).filter(|text| !text.is_empty())?.to_owned();
        Some((topic, text, answer))
    };
    answers.into_iter().filter_map(block).collect()
}
