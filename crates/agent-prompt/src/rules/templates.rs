//! Rules about the base of prompts: templates of the kernel.

use super::subject::{PromptFinding, Subject, within};
use crate::assembly::{TEMPLATES, has_envelope, template_for};
use crate::preview::PreviewedPrompt;
use crate::sections::{Mode, SectionKind, SectionSource};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};

/// No template for a type.
pub(super) static TEMPLATE_MISSING: Rule = rule!("template-missing.md");

/// Two templates for a type.
pub(super) static TEMPLATE_DUPLICATE: Rule = rule!("template-duplicate.md");

/// `shard_prompt_base(/coder, "").`
pub(super) static TEMPLATE_EMPTY: Rule = rule!("template-empty.md");

/// A template that has envelope instructions of its own.
pub(super) static DOUBLE_ENVELOPE: Rule = rule!("double-envelope.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    // Where the compiler fails, templates are what is left.
    let has_base = |shown: &&PreviewedPrompt| shown.prompt.mode != Mode::Section && !shown.is_compiled();
    for shown in subject.shown.iter().filter(has_base) {
        of_shard(subject, shown, found);
    }
}

fn of_shard(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    let kind = &shown.wanted.context.shard_type;
    let answers = subject.facts(shown, TEMPLATES, 2);
    let mut templates = answers.iter().filter_map(|answer| template_for(answer, kind));
    let Some((text, first)) = templates.next() else {
        let is_builtin = |section: &crate::Section| {
            section.kind == SectionKind::Base && matches!(section.from, SectionSource::Builtin(_))
        };
        if shown.prompt.sections.iter().any(is_builtin) && !kind.is_empty() {
            let message = format!(
                "The kernel has no template for `{kind}` {}, so a built-in text is its base: add a fact \
                 `shard_prompt_base(/{kind}, \"…\")`.",
                within(shown)
            );
            subject.at_header(found, &TEMPLATE_MISSING, shown.wanted.shard.1, message);
        }
        return;
    };
    let place = subject.place(shown, &first.held, 1);
    if let Some((file, range)) = place {
        let says = if text.is_empty() {
            Some("is empty, which counts as no template at all: a built-in text is used")
        } else if text.trim().is_empty() {
            Some("holds nothing but blanks, and the prompt has no base")
        } else {
            None
        };
        if let Some(says) = says {
            let message = format!("The template for `{kind}` {says} ({}).", within(shown));
            found.push(PromptFinding { file, finding: Finding::new(&TEMPLATE_EMPTY, range, message) });
        }
        if has_envelope(text) && shown.prompt.suffix {
            let message = format!(
                "This template says how to answer, and the runtime appends its envelope instructions all the same {}. Leave \
                 them out here.",
                within(shown)
            );
            found.push(PromptFinding { file, finding: Finding::new(&DOUBLE_ENVELOPE, range, message) });
        }
    }
    for (_, answer) in templates {
        let Some((file, range)) = subject.place(shown, &answer.held, 1) else { continue };
        let message =
            format!("Another template for `{kind}` stands before this one, so this is in no prompt.");
        let mut finding = Finding::new(&TEMPLATE_DUPLICATE, range, message);
        if let Some((before, at)) = place.filter(|(before, _)| *before == file) {
            debug_assert_eq!(before, file);
            finding = finding.related(Span::here(at), "the one that counts");
        }
        let item = subject.program().file(file).and_then(|file| file.items.get(file.item_at(range.start())?));
        if let Some(item) = item.filter(|item| item.statement.clause().is_some_and(|clause| clause.is_fact()))
        {
            let whole = item.statement.range() + item.start;
            finding = finding.fix(Fix::guess("Delete it").replace(whole, ""));
        }
        found.push(PromptFinding { file, finding });
    }
}
