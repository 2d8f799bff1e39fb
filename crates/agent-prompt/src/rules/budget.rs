//! Rules about the size of prompts.

use super::subject::{PromptFinding, Subject, within};
use crate::derived_context::HEADROOM;
use crate::line::LineRole;
use crate::origin::LineOrigin;
use crate::preview::{OriginPlace, PreviewedPrompt, PromptPart};
use crate::sections::Mode;
use crate::tokens::Estimator;
use mangle_syntax::lint::{Finding, Rule, rule};

/// More tokens than there may be.
pub(super) static OVER_BUDGET: Rule = rule!("over-budget.md");

/// A fact that is a fifth of the prompt.
pub(super) static HUGE_LINE: Rule = rule!("huge-line.md");

/// A section that holds nothing.
pub(super) static EMPTY_PROMPT: Rule = rule!("empty-prompt.md");

/// The runtime sent something else.
pub(super) static DRIFT: Rule = rule!("drift.md");

/// From how many tokens on a line can be too long.
const HUGE: usize = 200;

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    for shown in subject.shown.iter().filter(|shown| shown.wanted.part == PromptPart::System) {
        let text = shown.prompt.text();
        if text.is_empty() {
            // Of a kernel that stopped it is said that there is none.
            if shown.stopped().is_some() {
                continue;
            }
            let why = if shown.prompt.mode == Mode::Section {
                "the kernel injects nothing and knows nothing for the shard"
            } else {
                "there is no text at all"
            };
            let message = format!("Nothing is assembled {}: {why}.", within(shown));
            subject.at_header(found, &EMPTY_PROMPT, shown.wanted.range, message);
            continue;
        }
        let tokens = Estimator::Bytes4.count(&text);
        let available = shown.derived.available();
        // Where mandatory atoms alone are too many, that is said of them.
        let is_told = shown.prompt.compilation.as_ref().is_some_and(|made| made.mandatory > made.usable);
        if !is_told && tokens > usize::try_from(available).unwrap_or(usize::MAX) {
            let left = if available == 0 { "no token is".to_owned() } else { format!("{available} are") };
            let message = format!(
                "The prompt has about {tokens} tokens {}, and {left} left for it of {}: {} are reserved for the answer, and the \
                 runtime keeps {HEADROOM} free.",
                within(shown),
                shown.derived.token_budget,
                shown.derived.reserved
            );
            subject.at_header(found, &OVER_BUDGET, shown.wanted.range, message);
        }
        over_limits(subject, shown, tokens, found);
        drift(subject, shown, &text, found);
        huge(subject, shown, tokens, found);
    }
}

/// Compares with what was captured.
fn drift(subject: &Subject<'_>, shown: &PreviewedPrompt, text: &str, found: &mut Vec<PromptFinding>) {
    let Some(captured) = &shown.wanted.captured else { return };
    let (same, wanted) = (captured.similarity(text), subject.settings.similarity);
    if same >= wanted {
        return;
    }
    let message = format!(
        "This captured prompt is not what the preview shows: {same} % of the lines are the same {}, and {wanted} % should be. \
         `preview --diff` shows which are not.",
        within(shown)
    );
    found.push(PromptFinding { file: captured.file, finding: Finding::new(&DRIFT, captured.range, message) });
}

/// What the configuration of the agent says of the shard and of its model.
fn over_limits(
    subject: &Subject<'_>,
    shown: &PreviewedPrompt,
    tokens: usize,
    found: &mut Vec<PromptFinding>,
) {
    let tokens_u64 = u64::try_from(tokens).unwrap_or(u64::MAX);
    let kind = &shown.wanted.context.shard_type;
    let context = shown.wanted.context_tokens().filter(|limit| tokens_u64 > *limit);
    let window = shown.wanted.limits.as_ref().map(|limits| limits.window).filter(|limit| tokens_u64 > *limit);
    let (limit, whose) = match (context, window) {
        (Some(limit), _) => (limit, format!("`max_context_tokens` of a `{kind}`")),
        (None, Some(limit)) => (limit, "`max_tokens` of the model's window".to_owned()),
        (None, None) => return,
    };
    let message = format!(
        "The prompt has about {tokens} tokens {}, and `.nerd/config.json` allows {limit} ({whose}).",
        within(shown)
    );
    let range = if shown.wanted.shard.1.is_empty() { shown.wanted.range } else { shown.wanted.shard.1 };
    subject.at_header(found, &OVER_BUDGET, range, message);
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
            let message = format!(
                "This one line has about {tokens} tokens, {share} % of the prompt {}.",
                within(shown)
            );
            found.push(PromptFinding { file, finding: Finding::new(&HUGE_LINE, range, message) });
        }
    }
}
