//! Rules about facts in prompts.

use super::subject::{PromptFinding, Subject, within};
use crate::answers::{Answer, Arg};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::line::{LineRole, PromptLine};
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt};
use crate::sections::SectionKind;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::TextRange;

pub(super) static PRED_UNDECLARED: Rule = rule!("pred-undeclared.md");

pub(super) static SHORT_FACT: Rule = rule!("short-fact.md");

pub(super) static MULTILINE_ATOM: Rule = rule!("multiline-atom.md");

pub(super) static DIRECTIVE_IN_DATA: Rule = rule!("directive-in-data.md");

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    short_heads(subject, found);
    for at in 0..subject.shown.len() {
        let Some(shown) = subject.shown.get(at) else { continue };
        undeclared(subject, shown, found);
        numbers(subject, shown, found);
        let session = subject.sessions.get(at).copied().flatten();
        for (section, line) in shown.prompt.lines().filter(|(_, line)| line.role == LineRole::Text) {
            let Some(section) = shown.prompt.sections.get(section) else { continue };
            let kind = &section.kind;
            if *kind == SectionKind::Context && line.value().contains('\n') {
                let finding = draft(&MULTILINE_ATOM, "context atom has several lines")
                    .note(format!("{}, only its first line is an entry of the list", within(shown)));
                report(subject, shown, line, session, finding, found);
            }
            let is_data =
                matches!(kind, SectionKind::Context | SectionKind::Knowledge | SectionKind::Session);
            if let Some((what, effect)) = suspicious(line.value()).filter(|_| is_data) {
                let finding = draft(&DIRECTIVE_IN_DATA, &format!("data contains {what}"))
                    .note(format!("{}, {effect}", within(shown)));
                report(subject, shown, line, session, finding, found);
            }
        }
    }
}

fn draft(rule: &'static Rule, message: &str) -> Finding {
    Finding::new(rule, TextRange::default(), message)
}

/// Reports a finding at the source of the value of a line.
fn report(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    line: &PromptLine,
    session: Option<mangle_syntax::text::FileId>,
    finding: Finding,
    found: &mut Vec<PromptFinding>,
) {
    let place = match subject.common.place(shown, &line.origin) {
        Some(OriginPlace::File(file, range)) => Some((file, range)),
        Some(OriginPlace::Session(range)) => session.map(|file| (file, range)),
        Some(OriginPlace::Header(range)) => subject.sample().map(|file| (file, range)),
        None => None,
    };
    // A fact from the caller has no file, so the finding is reported at the preview.
    let place = place.or_else(|| match &line.origin {
        LineOrigin::Fact(_) => subject.sample().map(|file| (file, shown.request.range)),
        _ => None,
    });
    found.extend(place.map(|(file, range)| PromptFinding { file, finding: Finding { range, ..finding } }));
}

/// The phrase that makes a text look like an instruction, and its effect.
fn suspicious(text: &str) -> Option<(&'static str, &'static str)> {
    const OBEYED: &str = "a model may obey it like its instructions";
    let folded = text.to_lowercase();
    let marks = ["<|im_start|>", "<|im_end|>", "[inst]", "<system>", "</system>", "### system", "<|system|>"];
    let orders = [
        "ignore previous",
        "ignore all previous",
        "ignore the above",
        "disregard previous",
        "disregard all previous",
    ];
    let roles = ["system:", "assistant:", "user:"];
    if ["\"control_packet\"", "\"surface_response\"", "\"mangle_updates\""]
        .iter()
        .any(|key| folded.contains(key))
    {
        Some(("keys of an envelope", OBEYED))
    } else if text.contains("{{") && text.contains("}}") {
        Some(("a placeholder", "the prompt compiler replaces it"))
    } else if marks.iter().any(|mark| folded.contains(mark))
        || roles.iter().any(|role| folded.trim_start().starts_with(role))
    {
        Some(("the mark of a role", OBEYED))
    } else if orders.iter().any(|order| folded.contains(order)) {
        Some(("an order to ignore instructions", OBEYED))
    } else {
        None
    }
}

fn undeclared(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    // Templates and specialist knowledge are optional.
    if shown.unknown.iter().any(|unknown| unknown == INJECTED) {
        let range =
            if shown.request.shard.0.is_empty() { shown.request.range } else { shown.request.shard.0 };
        let finding =
            Finding::new(&PRED_UNDECLARED, range, format!("`{INJECTED}` is not declared or defined"))
                .note(format!("{}, the prompt queries it with 2 arguments and finds nothing", within(shown)))
                .help("declare it in the schemas");
        subject.at_header(found, finding);
    }
}

/// Reports clauses with too few arguments in the head.
fn short_heads(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for (name, least) in [(INJECTED, 2), (TEMPLATES, 2), (KNOWLEDGE, 3)] {
        let program = subject.program();
        for head in subject.heads(name, 0).filter(|head| head.clause.head.args.len() < least) {
            debug_assert!(program.file(head.file.id).is_some());
            let message = format!("`{name}` has {} of {least} arguments", head.clause.head.args.len());
            let one = head.found(&SHORT_FACT, usize::MAX, message);
            found.push(one.note("prompts silently ignore it"));
        }
    }
}

/// Reports facts with values that are not text in text arguments.
fn numbers(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    for (name, read) in [(INJECTED, 2), (TEMPLATES, 2), (KNOWLEDGE, 3)] {
        if name == TEMPLATES && shown.is_compiled() {
            continue;
        }
        for answer in subject.facts(shown, name, read) {
            let is_printed = shown.request.context.runtime.printed_arguments;
            let is_text = |at: &usize| match answer.args.get(*at) {
                Some(Arg::Text(_)) => true,
                Some(Arg::Number(_) | Arg::Float(_)) => shown.is_compiled() || is_printed,
                Some(Arg::Other(_)) => is_printed,
                _ => false,
            };
            let Some(at) = (0..read).find(|at| !is_text(at)) else { continue };
            let Some((file, range)) = place(subject, shown, &answer, at) else { continue };
            let what = match answer.args.get(at) {
                Some(Arg::Other(_)) if !shown.is_compiled() => "prompts read an empty text there",
                _ => "prompts silently ignore the fact",
            };
            let message = format!("argument {} of `{name}` is not text", at + 1);
            let finding = Finding::new(&SHORT_FACT, range, message).note(what).help("write a string");
            found.push(PromptFinding { file, finding });
        }
    }
}

fn place(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    answer: &Answer,
    at: usize,
) -> Option<(mangle_syntax::text::FileId, TextRange)> {
    subject.place(shown, &answer.origin, at)
}
