//! Rules about the size of prompts.

use super::{PromptFinding, Subject, within};
use crate::context::HEADROOM;
use crate::names::quoted;
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt, PromptPart, TokenBudget};
use crate::sections::{LineRole, Mode};
use crate::tokens::Estimator;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static OVER_BUDGET: Rule = rule!("over-budget.md");

pub(super) static HUGE_LINE: Rule = rule!("huge-line.md");

pub(super) static EMPTY_PROMPT: Rule = rule!("empty-prompt.md");

pub(super) static DRIFT: Rule = rule!("drift.md");

/// The behavior of the runtime for an oversized prompt.
const SENT: &str = "the runtime sends all of it, and the service of the model cuts or rejects it";

/// The minimum number of tokens of a line to report.
const HUGE: usize = 200;

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter().filter(|shown| shown.request.part == PromptPart::System) {
        let text = shown.prompt.text();
        if text.is_empty() {
            // A stopped kernel has a finding of its own.
            if shown.stopped().is_some() {
                continue;
            }
            let why = if shown.prompt.mode == Mode::Section {
                "the kernel has no context and no knowledge for the shard"
            } else {
                "no part of the prompt has text"
            };
            let finding = Finding::new(&EMPTY_PROMPT, shown.request.range, "prompt is empty");
            subject.at_header(found, finding.note(format!("{}, {why}", within(shown))));
            continue;
        }
        let tokens = Estimator::Bytes4.count(&text);
        let available = shown.derived.available();
        // An overflow of mandatory atoms has a finding of its own.
        let is_told = shown.prompt.compilation.as_ref().is_some_and(|made| made.mandatory > made.usable);
        let is_held = !is_told && TokenBudget::is_enforced(&shown.request, &shown.derived);
        if is_held && tokens > usize::try_from(available).unwrap_or(usize::MAX) {
            let message = format!("prompt of about {tokens} tokens exceeds its budget of {available}");
            let note = format!(
                "{}, {} of {} tokens are reserved for the answer, and {HEADROOM} stay free",
                within(shown),
                shown.derived.reserved,
                shown.derived.token_budget
            );
            let finding = Finding::new(&OVER_BUDGET, shown.request.range, message);
            subject.at_header(found, finding.note(note).note(SENT));
        }
        over_limits(subject, shown, tokens, found);
        drift(subject, shown, &text, found);
        huge(subject, shown, tokens, found);
    }
}

/// Compares a preview with the captured prompt.
fn drift(subject: &Subject<'_>, shown: &PreviewedPrompt, text: &str, found: &mut Vec<PromptFinding>) {
    let Some(captured) = &shown.request.captured else { return };
    let (same, wanted) = (captured.similarity(text), subject.settings.similarity);
    if same >= wanted {
        return;
    }
    let finding = Finding::new(&DRIFT, captured.range, "captured prompt differs from the preview")
        .note(format!("{}, {same} % of the lines are equal, less than {wanted} %", within(shown)))
        .help("show the lines that differ with `preview --diff`");
    found.push(PromptFinding { file: captured.file, finding });
}

/// Reports prompts that exceed the limits of the shard or of the model in the agent configuration.
fn over_limits(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    tokens: usize,
    found: &mut Vec<PromptFinding>,
) {
    let tokens_u64 = u64::try_from(tokens).unwrap_or(u64::MAX);
    let kind = &shown.request.context.shard_type;
    let context = shown.request.context_tokens().filter(|limit| tokens_u64 > *limit);
    let window =
        shown.request.limits.as_ref().map(|limits| limits.window).filter(|limit| tokens_u64 > *limit);
    let (limit, whose) = match (context, window) {
        (Some(limit), _) => (limit, format!("`max_context_tokens` of {}", quoted(kind))),
        (None, Some(limit)) => (limit, "`max_tokens` of the context window".to_owned()),
        (None, None) => return,
    };
    let range = if shown.request.shard.1.is_empty() { shown.request.range } else { shown.request.shard.1 };
    let message = format!("prompt of about {tokens} tokens exceeds its limit of {limit}");
    let finding = Finding::new(&OVER_BUDGET, range, message)
        .note(format!("{}, the limit is {whose} in `.nerd/config.json`", within(shown)));
    subject.at_header(found, finding.note(SENT));
}

fn huge(subject: &Subject<'_>, shown: &PreviewedPrompt, all: usize, found: &mut Vec<PromptFinding>) {
    let is_list =
        |line: &crate::PromptLine| line.role == LineRole::Text && matches!(line.origin, LineOrigin::Fact(_));
    for (at, line) in shown.prompt.lines().filter(|(_, line)| is_list(line)) {
        let is_base = shown.prompt.sections.get(at).is_some_and(|section| section.kind.as_str() == "base");
        let tokens = Estimator::Bytes4.count(&line.text);
        if is_base || tokens < HUGE || tokens * 5 <= all {
            continue;
        }
        if let Some(OriginPlace::File(file, range)) = subject.common.place(shown, &line.origin) {
            let share = tokens * 100 / all;
            let message = format!("one line is {share} % of the prompt");
            let finding = Finding::new(&HUGE_LINE, range, message).label(format!("about {tokens} tokens"));
            let note = format!("{}, it leaves little room for other lines", within(shown));
            found.push(PromptFinding { file, finding: finding.note(note) });
        }
    }
}
