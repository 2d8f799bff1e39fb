//! Rules about the reply format that a prompt requests, and about the templates that provide the
//! base of prompts.

use super::patterns::{PATTERNS, Patterns};
use super::{PromptFinding, Subject, elision, within};
use crate::assembly::{TEMPLATES, appends_in_jit_mode, has_envelope, is_structured_only, template_for};
use crate::names::quoted;
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt, PromptPart};
use crate::sections::{LineRole, Mode, PromptLine, SectionKind, SectionSource};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::TextRange;

pub(super) static NO_ENVELOPE_TEXT: Rule = rule!("no-envelope-text.md");

pub(super) static COMPETING_OUTPUT: Rule = rule!("competing-output.md");

pub(super) static STRUCTURED_WITH_ENVELOPE: Rule = rule!("structured-with-envelope.md");

pub(super) static EXAMPLE_WITHOUT_PERIOD: Rule = rule!("example-without-period.md");

pub(super) static TEMPLATE_MISSING: Rule = rule!("template-missing.md");

pub(super) static TEMPLATE_DUPLICATE: Rule = rule!("template-duplicate.md");

pub(super) static TEMPLATE_EMPTY: Rule = rule!("template-empty.md");

pub(super) static DOUBLE_ENVELOPE: Rule = rule!("double-envelope.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter() {
        missing(subject, shown, found);
        reasons(subject, shown, found);
        let is_structured =
            is_structured_only(&shown.request.context.shard_type, shown.request.context.runtime);
        for section in shown.prompt.sections.iter().filter(|section| section.kind != SectionKind::Suffix) {
            for line in section.lines.iter().filter(|line| line.role == LineRole::Text) {
                of_line(subject, shown, line, is_structured, found);
            }
        }
    }
}

/// Reports a prompt that must contain envelope instructions but does not.
fn missing(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let kind = &shown.request.context.shard_type;
    let (prompt, runtime) = (&shown.prompt, shown.request.context.runtime);
    let is_compiled = prompt.mode == Mode::Jit && prompt.fallback.is_none();
    let is_exempt =
        is_structured_only(kind, runtime) || (is_compiled && !appends_in_jit_mode(&shown.request.context));
    if shown.request.part != PromptPart::System || prompt.mode == Mode::Section || prompt.suffix || is_exempt
    {
        return;
    }
    if !has_envelope(&prompt.text(), runtime) {
        let message = format!("prompt of {} has no envelope instructions", quoted(kind));
        let finding = Finding::new(&NO_ENVELOPE_TEXT, shown.request.range, message)
            .note(format!(
                "{}, no text contains `\"control_packet\"`, and the runtime appends none",
                within(shown)
            ))
            .note("a reply without an envelope does not reach the kernel")
            .help("add a mandatory prompt atom of the category `protocol` with the instructions");
        subject.at_header(found, finding);
    }
}

/// Reports a reasoning request that conflicts with the envelope instructions.
fn reasons(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let asks = shown.prompt.sections.iter().any(|section| section.kind == SectionKind::Reasoning);
    if asks && has_envelope(&shown.prompt.text(), shown.request.context.runtime) {
        let message = "`[prompt] reasoning` conflicts with the JSON envelope";
        let finding = Finding::new(&COMPETING_OUTPUT, shown.request.range, message)
            .note(format!("{}, the prompt requests an envelope and an object with reasons", within(shown)))
            .note("an envelope has no fields for reasons, and other objects do not reach the kernel");
        subject.at_header(found, finding);
    }
}

fn of_line(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    line: &PromptLine,
    is_structured: bool,
    found: &mut Vec<PromptFinding>,
) {
    let text = line.value();
    if is_structured && has_envelope(text, shown.request.context.runtime) {
        let message = format!("{} does not answer with envelopes", quoted(&shown.request.context.shard_type));
        let finding = draft(&STRUCTURED_WITH_ENVELOPE, message)
            .label("describes an envelope")
            .note(format!("{}, the runtime reads the answer as another structure", within(shown)));
        report(subject, shown, line, finding, found);
    }
    if let Some(form) = other_form(text).filter(|_| shown.prompt.suffix) {
        let finding = draft(&COMPETING_OUTPUT, "output format conflicts with the JSON envelope".to_owned())
            .label(format!("requests {form}"))
            .note(format!("{}, an answer that is not an envelope does not reach the kernel", within(shown)));
        report(subject, shown, line, finding, found);
    }
    if let Some(update) = update_without_period(text) {
        let message = format!("update {} of an example has no full stop", quoted(&update));
        let finding = draft(&EXAMPLE_WITHOUT_PERIOD, message).note(format!(
            "{}, a model copies the example, and the runtime ignores its updates",
            within(shown)
        ));
        report(subject, shown, line, finding, found);
    }
}

fn draft(rule: &'static Rule, message: String) -> Finding {
    Finding::new(rule, TextRange::default(), message)
}

fn report(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    line: &PromptLine,
    finding: Finding,
    found: &mut Vec<PromptFinding>,
) {
    if !matches!(line.origin, LineOrigin::Fact(_) | LineOrigin::Atom { .. }) {
        return;
    }
    if let Some(OriginPlace::File(file, range)) = subject.common.place(shown, &line.origin) {
        found.push(PromptFinding { file, finding: Finding { range, ..finding } });
    }
}

/// The reply format that a text requests, if it is not JSON.
fn other_form(text: &str) -> Option<String> {
    Some(PATTERNS.as_ref()?.other_form.captures(text)?.get(1)?.as_str().to_owned())
}

/// The first update of an example without a final period.
fn update_without_period(text: &str) -> Option<String> {
    let Patterns { update_list, update, .. } = PATTERNS.as_ref()?;
    let inner = update_list.captures_iter(text).filter_map(|found| found.get(1));
    let updates = inner.flat_map(|inner| update.captures_iter(inner.as_str()));
    let texts = updates.filter_map(|found| Some(found.get(1)?.as_str().trim().to_owned()));
    let is_open =
        |update: &String| update.contains('(') && !update.ends_with('.') && !elision::is_in_atom(update);
    texts.into_iter().find(is_open)
}

pub(super) fn check_templates(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    // Templates are used if the compiler fails.
    let has_base = |shown: &&PreviewedPrompt| shown.prompt.mode != Mode::Section && !shown.is_compiled();
    for shown in subject.shown.iter().filter(has_base) {
        of_shard(subject, shown, found);
    }
}

fn of_shard(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let kind = &shown.request.context.shard_type;
    let answers = subject.facts(shown, TEMPLATES, 2);
    let mut templates =
        answers.iter().filter_map(|answer| template_for(answer, kind, shown.request.context.runtime));
    let Some((text, first)) = templates.next() else {
        let is_builtin = |section: &crate::Section| {
            section.kind == SectionKind::Base && matches!(section.from, SectionSource::Builtin(_))
        };
        if shown.prompt.sections.iter().any(is_builtin) && !kind.is_empty() {
            let message = format!("no template for shard type {}", quoted(kind));
            let finding = Finding::new(&TEMPLATE_MISSING, shown.request.shard.1, message)
                .note(format!("{}, a built-in text is the base of the prompt", within(shown)))
                .help(format!("add a fact `shard_prompt_base(/{kind}, \"…\")`"));
            subject.at_header(found, finding);
        }
        return;
    };
    let place = subject.place(shown, &first.origin, 1);
    if let Some((file, range)) = place {
        let empty = if text.is_empty() {
            Some(("empty", "it counts as missing, and a built-in text is the base"))
        } else if text.trim().is_empty() {
            Some(("blank", "the prompt has no base"))
        } else {
            None
        };
        if let Some((state, effect)) = empty {
            let message = format!("template for {} is {state}", quoted(kind));
            let finding = Finding::new(&TEMPLATE_EMPTY, range, message);
            let note = format!("{}, {effect}", within(shown));
            found.push(PromptFinding { file, finding: finding.note(note) });
        }
        if has_envelope(&text, shown.request.context.runtime) && shown.prompt.suffix {
            let finding = Finding::new(&DOUBLE_ENVELOPE, range, "template repeats the envelope instructions")
                .note(format!("{}, the runtime appends its own after any template", within(shown)))
                .help("leave them out of the template");
            found.push(PromptFinding { file, finding });
        }
    }
    for (_, answer) in templates {
        let Some((file, range)) = subject.place(shown, &answer.origin, 1) else { continue };
        let message = format!("duplicate template for {}", quoted(kind));
        let mut finding = Finding::new(&TEMPLATE_DUPLICATE, range, message)
            .note("only the first template of a type is used; this one is in no prompt");
        if let Some((before, at)) = place.filter(|(before, _)| *before == file) {
            debug_assert_eq!(before, file);
            finding = finding.related(Span::here(at), "template that is used");
        }
        let item = subject.program().file(file).and_then(|file| file.items.get(file.item_at(range.start())?));
        if let Some(item) = item.filter(|item| item.statement.clause().is_some_and(|clause| clause.is_fact()))
        {
            let whole = item.statement.range() + item.start;
            finding = finding.fix(Fix::guess("delete this template").replace(whole, ""));
        }
        found.push(PromptFinding { file, finding });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found() {
        assert_eq!(
            update_without_period("x \"mangle_updates\": [\"a(/b).\", \"c(1)\"]"),
            Some("c(1)".to_owned())
        );
        assert_eq!(update_without_period("mangle_updates: [\"...\"], [\"p(1)\"]"), None);
        assert_eq!(update_without_period("mangle_updates: [\"task_status(...)\", \"p(…)\"]"), None);
        let in_text = "mangle_updates: [\"note(\\\"Retrying...\\\", /b)\"]";
        assert_eq!(update_without_period(in_text), Some("note(\\\"Retrying...\\\", /b)".to_owned()));
        assert_eq!(other_form("Always respond strictly in YAML."), Some("YAML".to_owned()));
        assert_eq!(other_form("Return whole files. Markdown is fine."), None);
    }
}
