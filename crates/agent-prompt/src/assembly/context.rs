//! Context and intent sections: injected context atoms, specialist knowledge, and the user's
//! request.

use super::{AssemblyRequest, Prompt, clamp};
use crate::answers::{Answer, Querier};
use crate::context::PromptContext;
use crate::origin::{LineOrigin, SourcedText};
use crate::sections::{INJECTED, KNOWLEDGE, PromptLine, Section, SectionKind, SectionSource, Wording};
use crate::session::Intent;
use crate::texts;
use piggyback::envelope::runtime::go_quoted;

/// True if a fact with this key applies to a shard: the exact id or a wildcard.
#[must_use]
pub(crate) fn is_for(key: &str, shard_id: &str) -> bool {
    key == shard_id || key == "*" || key == "/_all"
}

/// Adds the context section if it has lines.
pub(super) fn section(request: &AssemblyRequest<'_>, querier: &mut dyn Querier, prompt: &mut Prompt) {
    let wording = request.wording();
    let mut lines = injected(request.context, wording, querier, prompt);
    if request.context.runtime.context_by_pattern {
        bounded(&mut lines, request, wording);
    }
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

/// Adds context and knowledge for shards that append them to their own prompt.
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
            let origin = LineOrigin::Fact(answer.origin.showing(1));
            section.lines.push(wording.line("knowledge.topic", &[("value", topic)], Some("topic"), origin));
            section.push_text(text, &LineOrigin::Fact(answer.origin.showing(2)));
        }
        prompt.sections.push(section);
    }
}

/// The label in truncation marks.
const ROW: &str = "injectable_context row";

/// Sorts lines, removes duplicates and truncates to the limits of the runtime.
fn bounded(lines: &mut Vec<PromptLine>, request: &AssemblyRequest<'_>, wording: Wording<'_>) {
    let runtime = request.context.runtime;
    lines.sort_by(|one, other| one.value().cmp(other.value()));
    lines.dedup_by(|one, other| one.value() == other.value());
    let (all, limit) = (lines.len(), runtime.context_rows_cap.unwrap_or(usize::MAX));
    lines.truncate(limit);
    for line in &mut *lines {
        let text = clamp::head(line.value(), runtime.context_row_cap, ROW);
        *line = wording.line("context.entry", &[("value", &text)], None, line.origin.clone());
    }
    if all > limit {
        let text = format!("{} {} of {all} {ROW}s] …", clamp::MARK, all - limit);
        lines.push(PromptLine::plain(text, LineOrigin::builtin("context.cut")));
    }
}

/// The facts for a shard and for all shards.
fn facts(context: &PromptContext, querier: &mut dyn Querier, prompt: &mut Prompt) -> Vec<Answer> {
    if !context.runtime.context_by_pattern {
        return querier.query(INJECTED, 2).unwrap_or_else(|why| {
            prompt.failed.push((INJECTED, why));
            Vec::new()
        });
    }
    let (mut found, mut failed) = (Vec::new(), None);
    let mut ids = vec![context.shard_id.as_str()];
    ids.extend(["*", "/_all"].into_iter().filter(|id| *id != context.shard_id));
    for id in ids {
        match querier.query(&format!("{INJECTED}({}, _)", go_quoted(id)), 2) {
            Ok(answers) => found.extend(answers),
            Err(why) => failed = Some(why),
        }
    }
    if let Some(why) = failed.filter(|_| found.is_empty()) {
        prompt.failed.push((INJECTED, why));
    }
    found
}

/// One line for each context atom of a shard.
fn injected(
    context: &PromptContext,
    wording: Wording<'_>,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Vec<PromptLine> {
    let runtime = context.runtime;
    let line = |answer: &Answer| {
        let is_meant = runtime.context_by_pattern
            || is_for(answer.text(0).unwrap_or_default(), &context.shard_id) && answer.text(0).is_some();
        let text = answer.read(1, runtime).filter(|_| is_meant)?;
        let origin = LineOrigin::Fact(answer.origin.showing(1));
        Some(wording.line("context.entry", &[("value", &text)], None, origin))
    };
    facts(context, querier, prompt).iter().filter_map(line).collect()
}

/// Topics and texts of specialist knowledge for a shard. Ids must match exactly.
fn knowledge(
    context: &PromptContext,
    querier: &mut dyn Querier,
    prompt: &mut Prompt,
) -> Vec<(String, String, Answer)> {
    let query = match context.runtime.context_by_pattern {
        true => format!("{KNOWLEDGE}({}, _, _)", go_quoted(&context.shard_id)),
        false => KNOWLEDGE.to_owned(),
    };
    let answers = querier.query(&query, 3).unwrap_or_else(|why| {
        prompt.failed.push((KNOWLEDGE, why));
        Vec::new()
    });
    let block = |answer: Answer| {
        if !context.runtime.context_by_pattern {
            answer.text(0).filter(|key| *key == context.shard_id)?;
        }
        let topic = answer.read(1, context.runtime).filter(|topic| !topic.is_empty())?;
        let text = answer.read(2, context.runtime).filter(|text| !text.is_empty())?;
        Some((topic, text, answer))
    };
    answers.into_iter().filter_map(block).collect()
}

pub(super) fn intent_section(intent: &Intent, wording: Wording<'_>) -> Section {
    let mut section = Section::new(SectionKind::Intent, SectionSource::Intent, "INTENT");
    section.push_banner(wording, "intent.title");
    let parts = [
        ("id", "intent.id", &intent.id),
        ("category", "intent.category", &intent.category),
        ("verb", "intent.verb", &intent.verb),
        ("target", "intent.target", &intent.target),
        ("constraint", "intent.constraint", &intent.constraint),
    ];
    for (part, phrase, said) in parts {
        // Only the constraint is omitted if it is empty.
        if part != "constraint" || !said.is_empty() {
            let value = [("value", said.as_str())];
            section.lines.push(wording.line(phrase, &value, Some(part), intent_origin(part, said)));
        }
    }
    section.push_blank();
    section
}

fn intent_origin(part: &'static str, said: &SourcedText) -> LineOrigin {
    LineOrigin::Intent { part, source: said.source, pointer: said.pointer.clone(), range: said.range }
}
