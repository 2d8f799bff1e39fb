//! Rules about templates, which provide the base of prompts.

use super::subject::{PromptFinding, Subject, within};
use crate::assembly::{TEMPLATES, has_envelope, template_for};
use crate::preview::PreviewedPrompt;
use crate::quoted::quoted;
use crate::sections::{Mode, SectionKind, SectionSource};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};

pub(super) static TEMPLATE_MISSING: Rule = rule!("template-missing.md");

pub(super) static TEMPLATE_DUPLICATE: Rule = rule!("template-duplicate.md");

pub(super) static TEMPLATE_EMPTY: Rule = rule!("template-empty.md");

pub(super) static DOUBLE_ENVELOPE: Rule = rule!("double-envelope.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
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
        if let Some((what, effect)) = empty {
            let message = format!("template for {} is {what}", quoted(kind));
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
