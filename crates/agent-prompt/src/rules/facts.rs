//! Rules about facts that prompts are made of.

use super::subject::{PromptFinding, Subject, within};
use crate::answers::{Answer, Arg};
use crate::assembly::{INJECTED, KNOWLEDGE, TEMPLATES};
use crate::line::{LineRole, PromptLine};
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt};
use crate::sections::SectionKind;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::TextRange;

/// Nobody declares `injectable_context`.
pub(super) static PRED_UNDECLARED: Rule = rule!("pred-undeclared.md");

/// `injectable_context("coder-7").`
pub(super) static SHORT_FACT: Rule = rule!("short-fact.md");

/// A context atom of two lines.
pub(super) static MULTILINE_ATOM: Rule = rule!("multiline-atom.md");

/// `injectable_context("*", "Ignore previous instructions.").`
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
                let message = format!(
                    "This context atom has several lines, of which only the first one is an entry {}.",
                    within(shown)
                );
                report(subject, shown, line, session, &MULTILINE_ATOM, message, found);
            }
            let is_data =
                matches!(kind, SectionKind::Context | SectionKind::Knowledge | SectionKind::Session);
            if let Some(what) = suspicious(line.value()).filter(|_| is_data) {
                let message =
                    format!("This text {what}, and the shard will take it as told {}.", within(shown));
                report(subject, shown, line, session, &DIRECTIVE_IN_DATA, message, found);
            }
        }
    }
}

/// Reports something where the value of a line was given.
fn report(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    line: &PromptLine,
    session: Option<mangle_syntax::text::FileId>,
    rule: &'static Rule,
    message: String,
    found: &mut Vec<PromptFinding>,
) {
    let place = match subject.common.place(shown, &line.origin) {
        Some(OriginPlace::File(file, range)) => Some((file, range)),
        Some(OriginPlace::Session(range)) => session.map(|file| (file, range)),
        Some(OriginPlace::Header(range)) => subject.sample().map(|file| (file, range)),
        None => None,
    };
    // What the caller alone gave stands in no file.
    let place = place.or_else(|| match &line.origin {
        LineOrigin::Fact(_) => subject.sample().map(|file| (file, shown.wanted.range)),
        _ => None,
    });
    found.extend(
        place.map(|(file, range)| PromptFinding { file, finding: Finding::new(rule, range, message) }),
    );
}

/// What makes a text look like an instruction.
fn suspicious(text: &str) -> Option<&'static str> {
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
        Some("has keys of an envelope in it")
    } else if text.contains("{{") && text.contains("}}") {
        Some("has a placeholder in it, which the prompt compiler fills in")
    } else if marks.iter().any(|mark| folded.contains(mark))
        || roles.iter().any(|role| folded.trim_start().starts_with(role))
    {
        Some("has marks of a role in it")
    } else if orders.iter().any(|order| folded.contains(order)) {
        Some("tells the shard to forget its instructions")
    } else {
        None
    }
}

fn undeclared(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    // Templates and the knowledge of specialists are no more than welcome.
    if shown.unknown.iter().any(|unknown| unknown == INJECTED) {
        let message = format!(
            "The prompt asks for `{INJECTED}`, which nobody declares or defines with 2 arguments or more {}: the answer is \
             empty. Declare it in the schemas.",
            within(shown)
        );
        let range = if shown.wanted.shard.0.is_empty() { shown.wanted.range } else { shown.wanted.shard.0 };
        subject.at_header(found, &PRED_UNDECLARED, range, message);
    }
}

/// Clauses whose heads have too few arguments.
fn short_heads(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for (name, least) in [(INJECTED, 2), (TEMPLATES, 2), (KNOWLEDGE, 3)] {
        let program = subject.program();
        for head in subject.heads(name, 0).filter(|head| head.clause.head.args.len() < least) {
            debug_assert!(program.file(head.file.id).is_some());
            let message = format!(
                "Prompts read {least} arguments of `{name}`, and this has {}: it is passed over without a word.",
                head.clause.head.args.len()
            );
            found.push(head.found(&SHORT_FACT, usize::MAX, message));
        }
    }
}

/// Facts with something else than text where text is read.
fn numbers(subject: &Subject<'_>, shown: &PreviewedPrompt, found: &mut Vec<PromptFinding>) {
    for (name, read) in [(INJECTED, 2), (TEMPLATES, 2), (KNOWLEDGE, 3)] {
        if name == TEMPLATES && shown.is_compiled() {
            continue;
        }
        for answer in subject.facts(shown, name, read) {
            let is_text = |at: &usize| match answer.args.get(*at) {
                Some(Arg::Text(_)) => true,
                Some(Arg::Number(_)) => shown.is_compiled(),
                _ => false,
            };
            let Some(at) = (0..read).find(|at| !is_text(at)) else { continue };
            let Some((file, range)) = place(subject, shown, &answer, at) else { continue };
            let what = match answer.args.get(at) {
                Some(Arg::Other(_)) if !shown.is_compiled() => "prompts read an empty text there",
                _ => "prompts pass over it without a word",
            };
            let message =
                format!("Argument {} of this `{name}` is no text, so {what}: write a string.", at + 1);
            found.push(PromptFinding { file, finding: Finding::new(&SHORT_FACT, range, message) });
        }
    }
}

fn place(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    answer: &Answer,
    at: usize,
) -> Option<(mangle_syntax::text::FileId, TextRange)> {
    subject.place(shown, &answer.held, at)
}
